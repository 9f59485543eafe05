package postgres

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// ArchiveReport is what one call of Archive has moved.
type ArchiveReport struct {
	Streams  int   // of which something was moved
	Events   int   // moved
	Segments int   // written
	Bytes    int64 // the segments' size
	// Left are streams that were left as they are: they have nothing but a last event here, are ended by a
	// Tombstone, or begin with events that retention hides, which Scavenge is for.
	Left int
}

// errMoved says that somebody else has moved or removed events of the streams meanwhile.
var errMoved = errors.New("somebody else moves events of these streams")

// archivePage is how many events are read at once.
const archivePage = 100

// candidatesSQL gives, for each of the streams that has events, the first and the last that is not archived, and
// whether it has to be left alone.
const candidatesSQL = `
	select s.name, l.revision, h.revision,
	       coalesce(r.tombstoned or l.revision < ` + floorSQL + `, false)
	from unnest($1::text[]) with ordinality s(name, place)
	cross join lateral (
		select x.revision from log.events x
		where x.stream = s.name and x.type <> '` + tombstone + `'
		order by x.revision desc limit 1) h
	cross join lateral (
		select x.revision from log.events x
		where x.stream = s.name
		order by x.revision limit 1) l
	left join log.retention r on r.stream = s.name
	order by s.place`

const rangeSQL = `
	select ` + eventColumns + `
	from log.events e
	where e.stream = $1 and e.revision >= $2 and e.revision < $3
	order by e.revision
	limit $4`

// Archive moves all but the last event of each stream into segments of Options.Archive, which has to be set. What
// is moved is read as before. Streams may be of any number; they are read page by page, and a segment at a time is
// held in memory. What the report counts is moved even where there is an error too; the call may be repeated, and
// one at a time is enough for a log: of two that meet, one fails.
//
// All processes that append to the log have to be of a version that knows the archive.
func (s *Store) Archive(ctx context.Context, streams []string) (ArchiveReport, error) {
	const op = "archive"
	var report ArchiveReport
	if s.o.Archive == nil {
		return report, archiveError(op, "to be written", errNoArchive)
	}
	for _, stream := range streams {
		if err := eventstore.CheckStream(stream); err != nil {
			return report, err
		}
	}
	log, err := s.ID(ctx)
	if err != nil {
		return report, err
	}
	s.at("archive.begin")
	streams = slices.Compact(slices.Sorted(slices.Values(streams)))
	m := &mover{s: s, op: op, log: log, report: &report}
	for page := range slices.Chunk(streams, eventstore.MaxPage) {
		candidates, err := s.candidates(ctx, op, page)
		if err != nil {
			return report, err
		}
		report.Left += len(page) - len(candidates)
		for _, c := range candidates {
			if err := m.take(ctx, c); err != nil {
				return report, err
			}
		}
	}
	return report, m.finish(ctx)
}

// candidate is a stream of which the events from one revision up to another (exclusive), its last, are moved.
type candidate struct {
	stream      string
	first, last int64
	left        bool
}

func (s *Store) candidates(ctx context.Context, op string, streams []string) (found []candidate, err error) {
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		rows, _ := s.readers.Query(ctx, candidatesSQL, streams) // rows carry the error
		found, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (c candidate, err error) {
			return c, row.Scan(&c.stream, &c.first, &c.last, &c.left)
		})
		return err
	})
	return slices.DeleteFunc(found, func(c candidate) bool { return c.left || c.first >= c.last }), err
}

// take reads a stream into the segment that is being written, and into the next ones if it does not fit.
func (m *mover) take(ctx context.Context, c candidate) error {
	for at := c.first; at < c.last; {
		var events []eventstore.Recorded
		err := m.s.bounded(ctx, m.op, func(ctx context.Context) (err error) {
			events, err = m.s.readRange(ctx, c.stream, at, c.last)
			return err
		})
		if err != nil {
			return err
		}
		if len(events) == 0 || events[0].Revision != at {
			return &eventstore.UnavailableError{Op: m.op + " " + c.stream, Cause: errMoved}
		}
		for _, e := range events {
			if err := m.add(ctx, e); err != nil {
				return err
			}
		}
		at += int64(len(events))
	}
	return nil
}

func (s *Store) readRange(ctx context.Context, stream string, from, before int64) (events []eventstore.Recorded, err error) {
	rows, err := s.readers.Query(ctx, rangeSQL, stream, from, before, archivePage)
	if err != nil {
		return nil, err
	}
	d := newDecoder()
	err = each(rows, func(columns [][]byte) {
		if e, ok := d.event(columns); ok {
			events = append(events, e)
		}
	})
	return events, err
}
