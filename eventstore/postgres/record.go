package postgres

import (
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// eventColumns are the columns a decoder takes, in its order; e is log.events.
const eventColumns = `e.position, e.revision, e.recorded_at, e.id, e.stream, e.type, e.data, e.meta`

// epoch is where Postgres begins to count microseconds: 2000-01-01.
const epoch = 946_684_800_000_000

// decoder makes events from rows in the binary format, which newPool insists on.
// Scanning into variables would take twice as long: a page repeats few types and
// streams, and data and metadata of several events fit in one piece of memory.
type decoder struct {
	names map[string]string
	piece []byte // where the next data and metadata go
	size  int    // of the last piece
}

// Pieces of memory grow with the page, so that a short one wastes little, and no
// event that is kept keeps more than the largest alive.
const (
	firstPiece   = 1 << 10
	largestPiece = 32 << 10
)

func newDecoder() *decoder { return &decoder{names: make(map[string]string)} }

// event decodes the columns of an event; there is none where they are null.
func (d *decoder) event(columns [][]byte) (e eventstore.Recorded, ok bool) {
	if columns[0] == nil {
		return e, false
	}
	id := pgtype.UUID{Valid: true}
	copy(id.Bytes[:], columns[3])
	data, meta := columns[6], columns[7]
	payload := append(append(d.room(len(data)+len(meta)), data...), meta...)
	e = eventstore.Recorded{
		ID:         id.String(),
		Stream:     d.name(columns[4]),
		Type:       d.name(columns[5]),
		Revision:   bigint(columns[1]),
		Position:   bigint(columns[0]),
		RecordedAt: time.UnixMicro(bigint(columns[2]) + epoch).UTC(),
		Data:       payload[:len(data):len(data)],
	}
	if len(meta) > 0 {
		e.Meta = payload[len(data):]
	}
	return e, true
}

// room gives memory for n bytes, of no length yet and no more than that.
func (d *decoder) room(n int) []byte {
	if len(d.piece) < n {
		d.size = min(max(2*d.size, firstPiece), largestPiece)
		if n > d.size/2 {
			return make([]byte, 0, n)
		}
		d.piece = make([]byte, d.size)
	}
	room := d.piece[:0:n]
	d.piece = d.piece[n:]
	return room
}

func (d *decoder) name(b []byte) string {
	if s, ok := d.names[string(b)]; ok {
		return s
	}
	s := string(b)
	d.names[s] = s
	return s
}

func bigint(b []byte) int64 { return int64(binary.BigEndian.Uint64(b)) }

// each calls f with the columns of every row, which are valid until it returns.
func each(rows pgx.Rows, f func(columns [][]byte)) error {
	defer rows.Close()
	for rows.Next() {
		f(rows.RawValues())
	}
	return rows.Err()
}
