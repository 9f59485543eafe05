package postgres

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"math/big"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
)

// maxStretches bounds what is written to the index in one transaction.
const maxStretches = 2_000

// mover fills segments with events and moves each that is full.
type mover struct {
	s      *Store
	op     string
	log    string // and its epoch
	report *ArchiveReport

	segment   *archive.Writer // nil before the first event
	stretches []stretch       // of the segment
	first     int64           // positions of its events
	last      int64
	digest    hash.Hash // of its events, as they were read
	ids       *big.Int  // the sum of the first 60 bits of theirs
	moved     string    // the last stream of which something was moved
}

// add puts an event into the segment. What is full is moved before.
func (m *mover) add(ctx context.Context, e eventstore.Recorded) error {
	n := len(m.stretches)
	goesOn := n > 0 && m.stretches[n-1].stream == e.Stream
	if m.segment != nil && (!m.segment.HasRoom() || !goesOn && n == maxStretches) {
		if err := m.finish(ctx); err != nil {
			return err
		}
		goesOn = false
	}
	if m.segment == nil {
		m.segment, m.digest, m.first, m.last = archive.NewWriter(m.log), sha256.New(), e.Position, e.Position
		m.ids = new(big.Int)
	}
	if !goesOn {
		m.stretches = append(m.stretches, stretch{stream: e.Stream, from: e.Revision, firstRow: int64(m.segment.Events())})
	}
	m.stretches[len(m.stretches)-1].to = e.Revision
	m.first, m.last = min(m.first, e.Position), max(m.last, e.Position)
	digest(m.digest, e)
	id, err := uuid.Parse(e.ID)
	if err != nil {
		return err
	}
	m.ids.Add(m.ids, new(big.Int).SetUint64(binary.BigEndian.Uint64(id[:])>>4))
	return m.segment.Write(e)
}

// digest adds an event to a hash, so that two hashes are equal only if all of all events is.
func digest(to hash.Hash, e eventstore.Recorded) {
	var numbers []byte
	for _, n := range []int64{e.Position, e.Revision, e.RecordedAt.UnixMicro()} {
		numbers = binary.BigEndian.AppendUint64(numbers, uint64(n))
	}
	to.Write(numbers)
	for _, text := range [][]byte{[]byte(e.ID), []byte(e.Stream), []byte(e.Type), e.Data, e.Meta} {
		to.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
		to.Write(text)
	}
}

// finish writes the segment, reads it back and, when it holds what was read from the log, moves the events.
func (m *mover) finish(ctx context.Context) error {
	if m.segment == nil {
		return nil
	}
	content, err := m.segment.Close()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	index := Segment{
		Object:        m.object(),
		FirstPosition: m.first, LastPosition: m.last,
		Events: m.segment.Events(), Bytes: int64(len(content)), SHA256: sum[:],
	}
	if err := m.s.o.Archive.Put(ctx, index.Object, content); err != nil {
		return archiveTrouble(ctx, m.op, index.Object, err)
	}
	m.s.at("archive.stored")
	if err := m.compare(ctx, index); err != nil {
		return err
	}
	if err := m.move(ctx, index); err != nil {
		return err
	}
	m.count(index)
	m.segment, m.stretches = nil, nil
	return nil
}

// object names a segment by its log, with the epoch, and what it holds. The word at the end is drawn, because a log
// that was put back to an earlier state may come to the same positions again.
func (m *mover) object() string {
	return fmt.Sprintf("%s/%020d-%020d-%s.parquet", m.log, m.first, m.last, uuid.NewString())
}

// compare reads a segment back from its place.
func (m *mover) compare(ctx context.Context, index Segment) error {
	segment, err := m.s.fetch(ctx, m.op, index)
	if err != nil {
		return err
	}
	stored := sha256.New()
	err = segment.Read(0, segment.Rows(), func(e eventstore.Recorded) bool {
		digest(stored, e)
		return true
	})
	if err == nil && !bytes.Equal(stored.Sum(nil), m.digest.Sum(nil)) {
		err = errors.New("what was written is not what is read back; nothing was moved")
	}
	if err != nil {
		return archiveError(m.op, index.Object, err)
	}
	return nil
}

const moveSQL = `select log.archive($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11::text::numeric)`

// moveWithin is what deleting the largest segment's events may take on a slow disk. Nobody waits for it.
const moveWithin = time.Minute

// move deletes the events of a segment from the log and puts it into the index, as one.
func (m *mover) move(ctx context.Context, index Segment) error {
	streams, rows := make([]string, len(m.stretches)), make([]int32, len(m.stretches))
	from, to := make([]int64, len(m.stretches)), make([]int64, len(m.stretches))
	for i, st := range m.stretches {
		streams[i], from[i], to[i], rows[i] = st.stream, st.from, st.to, int32(st.firstRow)
	}
	err := m.s.boundedBy(ctx, moveWithin, m.op, func(ctx context.Context) error {
		err := pgx.BeginFunc(ctx, m.s.writers, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, fmt.Sprintf(`set local statement_timeout = %d`, moveWithin.Milliseconds())); err != nil {
				return err
			}
			_, err := tx.Exec(ctx, moveSQL, index.Object, index.FirstPosition, index.LastPosition, index.Events, index.Bytes, index.SHA256,
				streams, from, to, rows, m.ids.String())
			if err == nil {
				m.s.at("archive.moved")
			}
			return err
		})
		if sqlState(err) == sqlMoved {
			return m.wasMoved(ctx, index)
		}
		return err
	})
	if err == nil {
		m.s.at("archive.committed")
	}
	return err
}

// wasMoved tells whether events are not there any more because an earlier try, whose answer was lost, has moved them.
func (m *mover) wasMoved(ctx context.Context, index Segment) error {
	var moved bool
	err := m.s.readers.QueryRow(ctx, `select exists (select from log.segments where object = $1)`, index.Object).Scan(&moved)
	if err == nil && !moved {
		err = errMoved
	}
	return err
}

func (m *mover) count(index Segment) {
	m.report.Segments++
	m.report.Events += index.Events
	m.report.Bytes += index.Bytes
	for _, st := range m.stretches {
		if st.stream != m.moved { // whose beginning is in the segment before
			m.report.Streams++
		}
		m.moved = st.stream
	}
}
