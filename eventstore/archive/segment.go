package archive

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/stepledger/stepledger/eventstore"
)

// What one segment holds at most: it, and what is made of it, is in memory while it is written or read. A segment
// with one event may be larger than MaxBytes by that.
const (
	MaxEvents = 50_000
	MaxBytes  = 16 << 20 // of data, metadata and names of events, before compression
)

// Rows are read a group and a page at a time: a group ends after this many bytes of events, a page of a column after
// that many.
const (
	groupBytes = 1 << 20
	pageBytes  = 64 << 10
)

// What is written beside the events.
const (
	formatKey = "stepledger.format"
	logKey    = "stepledger.log"
	format    = 1
)

// row is an event as it lies in a segment. Columns are only ever added.
type row struct {
	Position   int64     `parquet:"position,delta"`
	Revision   int64     `parquet:"revision,delta"`
	RecordedAt int64     `parquet:"recorded_at,timestamp(microsecond),delta"`
	ID         uuid.UUID `parquet:"id,uuid"`
	Stream     string    `parquet:"stream,dict"`
	Type       string    `parquet:"type,dict"`
	Data       []byte    `parquet:"data"`
	Meta       []byte    `parquet:"meta"`
}

// Writer makes a segment. Events are written stream by stream, in the order of their revisions.
type Writer struct {
	content bytes.Buffer
	rows    *parquet.GenericWriter[row]
	group   int // bytes of events in the row group
	bytes   int
	events  int
}

// NewWriter begins a segment of a log, named with its epoch as eventstore.Feed.ID gives it.
func NewWriter(log string) *Writer {
	w := &Writer{}
	w.rows = parquet.NewGenericWriter[row](&w.content,
		parquet.Compression(&zstd.Codec{}),
		parquet.PageBufferSize(pageBytes),
		parquet.KeyValueMetadata(formatKey, strconv.Itoa(format)),
		parquet.KeyValueMetadata(logKey, log))
	return w
}

// Write adds an event.
func (w *Writer) Write(e eventstore.Recorded) error {
	id, err := uuid.Parse(e.ID)
	if err != nil {
		return fmt.Errorf("segment: event at position %d: %w", e.Position, err)
	}
	if w.group >= groupBytes {
		if err := w.rows.Flush(); err != nil {
			return fmt.Errorf("segment: %w", err)
		}
		w.group = 0
	}
	_, err = w.rows.Write([]row{{
		Position: e.Position, Revision: e.Revision, RecordedAt: e.RecordedAt.UnixMicro(), ID: id,
		Stream: e.Stream, Type: e.Type, Data: e.Data, Meta: e.Meta,
	}})
	if err != nil {
		return fmt.Errorf("segment: %w", err)
	}
	w.group, w.bytes, w.events = w.group+sizeOf(e), w.bytes+sizeOf(e), w.events+1
	return nil
}

func sizeOf(e eventstore.Recorded) int {
	return len(e.Data) + len(e.Meta) + len(e.Stream) + len(e.Type)
}

// Events is how many were written.
func (w *Writer) Events() int { return w.events }

// HasRoom reports whether one more event may be written.
func (w *Writer) HasRoom() bool { return w.events < MaxEvents && w.bytes < MaxBytes }

// Close ends the segment and returns the file.
func (w *Writer) Close() ([]byte, error) {
	if err := w.rows.Close(); err != nil {
		return nil, fmt.Errorf("segment: %w", err)
	}
	return w.content.Bytes(), nil
}

// Segment is one that is read. It is safe for concurrent use.
type Segment struct {
	log    string
	groups []parquet.RowGroup
	rows   int64
}

// Parse reads what a segment says of itself. The content has to be what was written: whoever calls it has compared
// the checksum. A segment of a later format is an error.
func Parse(content []byte) (*Segment, error) {
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("segment: %w", err)
	}
	version, _ := f.Lookup(formatKey)
	if v, err := strconv.Atoi(version); err != nil || v < 1 || v > format {
		return nil, fmt.Errorf("segment: its format is %q, this program reads up to %d", version, format)
	}
	log, _ := f.Lookup(logKey)
	return &Segment{log: log, groups: f.RowGroups(), rows: f.NumRows()}, nil
}

// Log names the log a segment was written for, and the epoch it was in.
func (s *Segment) Log() string { return s.log }

// Rows is how many events the segment holds.
func (s *Segment) Rows() int64 { return s.rows }

// Read gives n events from a row on (0 is the first), in their order, to yield until that returns false.
func (s *Segment) Read(from, n int64, yield func(eventstore.Recorded) bool) error {
	if from < 0 || n < 0 || from > s.rows-n {
		return fmt.Errorf("segment: rows %d to %d of %d", from, from+n, s.rows)
	}
	r := reader{}
	for _, g := range s.groups {
		size := g.NumRows()
		if from < size && n > 0 {
			here := min(n, size-from)
			goOn, err := r.read(g, from, here, yield)
			if err != nil || !goOn {
				return err
			}
			n -= here
			from += here
		}
		from = max(0, from-size)
	}
	return nil
}

// batch is how many rows are decoded at once.
const batch = 64

// reader makes events of rows. A stream's name and a type are one string, however often they come.
type reader struct {
	rows  [batch]row
	names map[string]string
}

func (r *reader) read(g parquet.RowGroup, from, n int64, yield func(eventstore.Recorded) bool) (goOn bool, err error) {
	rows := parquet.NewGenericRowGroupReader[row](g)
	defer rows.Close() // has nothing to add to the errors below
	if err := rows.SeekToRow(from); err != nil {
		return false, fmt.Errorf("segment: %w", err)
	}
	for n > 0 {
		got, err := rows.Read(r.rows[:min(n, batch)])
		if got == 0 {
			return false, fmt.Errorf("segment: %d events are missing: %w", n, orEOF(err))
		}
		for i := range got {
			if !yield(r.event(&r.rows[i])) {
				return false, nil
			}
		}
		clear(r.rows[:])
		n -= int64(got)
	}
	return true, nil
}

func orEOF(err error) error {
	if err == nil {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (r *reader) event(x *row) eventstore.Recorded {
	e := eventstore.Recorded{
		ID: x.ID.String(), Stream: r.name(x.Stream), Type: r.name(x.Type), Revision: x.Revision, Position: x.Position,
		RecordedAt: time.UnixMicro(x.RecordedAt).UTC(), Data: x.Data,
	}
	if len(x.Meta) > 0 {
		e.Meta = x.Meta
	}
	return e
}

func (r *reader) name(s string) string {
	if known, ok := r.names[s]; ok {
		return known
	}
	if r.names == nil {
		r.names = make(map[string]string)
	}
	r.names[s] = s
	return s
}

// place is where an event is in a segment.
type place struct{ position, row int64 }

// After gives the first events after a position (exclusive), in the order of positions: at most so many events. last
// says that there are no more.
func (s *Segment) After(position int64, limit int) (events []eventstore.Recorded, last bool, err error) {
	found, err := s.placesAfter(position)
	if err != nil {
		return nil, false, err
	}
	slices.SortFunc(found, func(a, b place) int { return cmp.Compare(a.position, b.position) })
	last = len(found) <= limit
	found = found[:min(limit, len(found))]
	slices.SortFunc(found, func(a, b place) int { return cmp.Compare(a.row, b.row) })
	events = make([]eventstore.Recorded, 0, len(found))
	for len(found) > 0 {
		// Rows that are close to each other are read in one go.
		stretch := 1
		for stretch < len(found) && found[stretch].row-found[stretch-1].row < batch {
			stretch++
		}
		first, end := found[0].row, found[stretch-1].row+1
		at := first
		err := s.Read(first, end-first, func(e eventstore.Recorded) bool {
			if at == found[0].row {
				events, found = append(events, e), found[1:]
			}
			at++
			return len(found) > 0
		})
		if err != nil {
			return nil, false, err
		}
	}
	slices.SortFunc(events, func(a, b eventstore.Recorded) int { return cmp.Compare(a.Position, b.Position) })
	return events, last, nil
}

// placesAfter looks through the column of positions alone, which is the first.
func (s *Segment) placesAfter(position int64) (found []place, err error) {
	at := int64(0)
	for _, g := range s.groups {
		err := eachPosition(g, func(p int64) {
			if p > position {
				found = append(found, place{p, at})
			}
			at++
		})
		if err != nil {
			return nil, fmt.Errorf("segment: %w", err)
		}
	}
	return found, nil
}

func eachPosition(g parquet.RowGroup, f func(position int64)) error {
	pages := g.ColumnChunks()[0].Pages()
	defer pages.Close() // has nothing to add to the errors below
	var values [batch]parquet.Value
	for {
		page, err := pages.ReadPage()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for in := page.Values(); err == nil; {
			var n int
			n, err = in.ReadValues(values[:])
			for _, v := range values[:n] {
				f(v.Int64())
			}
		}
		parquet.Release(page)
		if !errors.Is(err, io.EOF) {
			return err
		}
	}
}
