package postgres

import (
	"context"
	"errors"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
)

// Segment is one file of the archive, as the log's index has it.
type Segment struct {
	ID                          int64
	Object                      string // its name in the place
	FirstPosition, LastPosition int64  // of its events
	Events                      int
	Bytes                       int64 // the file's size
	SHA256                      []byte
	CreatedAt                   time.Time
}

// ArchiveStats sums up the archive of a log.
type ArchiveStats struct {
	Segments int64
	Streams  int64 // of which something is archived
	Events   int64
	Bytes    int64
}

// Archived reports whether some events of a stream are in the archive.
func (s *Store) Archived(ctx context.Context, stream string) (archived bool, err error) {
	if err := eventstore.CheckStream(stream); err != nil {
		return false, err
	}
	err = s.bounded(ctx, "look for "+stream+" in the archive", func(ctx context.Context) error {
		return s.readers.QueryRow(ctx, isArchivedSQL, stream).Scan(&archived)
	})
	return archived, err
}

// ArchiveStats sums up the log's index of the archive.
func (s *Store) ArchiveStats(ctx context.Context) (stats ArchiveStats, err error) {
	err = s.bounded(ctx, "sum up the archive", func(ctx context.Context) error {
		return s.readers.QueryRow(ctx, `
			select count(*), coalesce(sum(events), 0)::bigint, coalesce(sum(bytes), 0)::bigint,
			       (select count(distinct stream) from log.archived)
			from log.segments`).Scan(&stats.Segments, &stats.Events, &stats.Bytes, &stats.Streams)
	})
	return stats, err
}

// sweepAfter is how old an object has to be that no index names: what an Archive has stored and is about to name is
// younger.
const sweepAfter = 24 * time.Hour

// SweepArchive removes the objects of this log in the archive that its index does not name and that are older than
// a day. They are left by an Archive that was cut short, by Scavenge, and by what the log was before it was put back
// to an earlier state: a backup that is to be restored may still need these. It reports how many it has removed, and
// their size.
func (s *Store) SweepArchive(ctx context.Context) (removed int, bytes int64, err error) {
	const op = "sweep the archive"
	if s.o.Archive == nil {
		return 0, 0, archiveError(op, "that nobody needs", errNoArchive)
	}
	id, err := s.ID(ctx)
	if err != nil {
		return 0, 0, err
	}
	log, _, _ := strings.Cut(id, ".")
	var page []archive.Object
	sweep := func() error {
		objects, err := s.unnamed(ctx, op, page)
		for _, o := range objects {
			if err := s.o.Archive.Remove(ctx, o.Name); err != nil {
				return archiveTrouble(ctx, op, o.Name, err)
			}
			removed, bytes = removed+1, bytes+o.Size
		}
		page = page[:0]
		return err
	}
	var failed error
	err = s.o.Archive.List(ctx, log+"/", func(o archive.Object) bool {
		if time.Since(o.WrittenAt) > s.sweepAfter {
			page = append(page, o)
		}
		if len(page) == eventstore.MaxPage {
			failed = sweep()
		}
		return failed == nil
	})
	switch {
	case failed != nil:
		return removed, bytes, failed
	case err != nil:
		return removed, bytes, archiveTrouble(ctx, op, log+"/", err)
	}
	return removed, bytes, sweep()
}

// unnamed gives those of the objects that the index does not name.
func (s *Store) unnamed(ctx context.Context, op string, objects []archive.Object) (out []archive.Object, err error) {
	names := make([]string, len(objects))
	for i, o := range objects {
		names[i] = o.Name
	}
	var named map[string]bool
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		// Where writes go: a standby may not know yet what was named a day ago.
		rows, _ := s.writers.Query(ctx, `select object from log.segments where object = any ($1)`, names) // rows carry the error
		named = make(map[string]bool)
		var object string
		_, err := pgx.ForEachRow(rows, []any{&object}, func() error {
			named[object] = true
			return nil
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		if !named[o.Name] {
			out = append(out, o)
		}
	}
	return out, nil
}

// verifyPage is how many segments are asked for at once.
const verifyPage = 100

// VerifyArchive reads every segment the index names, in the order of their ids after one (0 is before all), and
// compares it with the index: the checksum, and which events of which streams it holds. A segment comes with the
// error that speaks against it, nil if nothing does; an error without a segment is the last pair.
func (s *Store) VerifyArchive(ctx context.Context, after int64) iter.Seq2[Segment, error] {
	const op = "verify the archive"
	return func(yield func(Segment, error) bool) {
		for {
			var segments []Segment
			err := s.bounded(ctx, op, func(ctx context.Context) (err error) {
				rows, _ := s.readers.Query(ctx, `select `+segmentColumns+` from log.segments s where s.id > $1 order by s.id limit $2`, after, verifyPage)
				segments, err = pgx.CollectRows(rows, scanSegment)
				return err
			})
			if err != nil {
				yield(Segment{}, err)
				return
			}
			for _, segment := range segments {
				err := s.verify(ctx, op, segment)
				if ctx.Err() != nil {
					yield(Segment{}, err)
					return
				}
				if !yield(segment, err) {
					return
				}
				after = segment.ID
			}
			if len(segments) < verifyPage {
				return
			}
		}
	}
}

const segmentStretchesSQL = `
	select a.stream, a.from_revision, a.to_revision, a.first_row, ` + segmentColumns + `
	from log.archived a
	join log.segments s on s.id = a.segment
	where a.segment = $1`

// verify compares a segment with the index: every event the index speaks of is there, and within its positions.
func (s *Store) verify(ctx context.Context, op string, index Segment) error {
	var stretches []stretch
	err := s.bounded(ctx, op, func(ctx context.Context) (err error) {
		rows, _ := s.readers.Query(ctx, segmentStretchesSQL, index.ID) // rows carry the error
		stretches, err = pgx.CollectRows(rows, scanStretch)
		return err
	})
	if err != nil {
		return err
	}
	segment, err := s.fetch(ctx, op, index)
	if err != nil {
		return err
	}
	for _, st := range stretches {
		within := true
		err := readFrom(segment, st, st.from, st.to, func(e eventstore.Recorded) bool {
			within = e.Position >= index.FirstPosition && e.Position <= index.LastPosition
			return within
		})
		if err == nil && !within {
			err = errOtherEvents
		}
		if err != nil {
			return archiveError(op, index.Object, err)
		}
	}
	return nil
}

var errOtherEvents = errors.New("it does not hold the events that the index says it does")

// readFrom gives the events of revisions of a stretch, both included. Events that are not those the index speaks of
// are an error.
func readFrom(segment *archive.Segment, st stretch, first, last int64, yield func(eventstore.Recorded) bool) error {
	expected, other := first, false
	err := segment.Read(st.firstRow+first-st.from, last-first+1, func(e eventstore.Recorded) bool {
		if other = e.Revision != expected || e.Stream != st.stream; other {
			return false
		}
		expected++
		return yield(e)
	})
	if other {
		return errOtherEvents
	}
	return err
}
