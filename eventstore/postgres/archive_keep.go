package postgres

import (
	"context"
	"errors"
	"fmt"
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

// partingTime is how long after an epoch began another one may still store what it had in hand, and how far the
// clocks of the place and the database may be apart.
const partingTime = time.Hour

// SharedArchiveError is why nothing is swept: another database, of which this one is a copy or which is a copy of it,
// archives to the same place, and names what this one does not.
type SharedArchiveError struct {
	Object    string // which the other one has stored
	WrittenAt time.Time
}

func (e *SharedArchiveError) Error() string {
	return fmt.Sprintf("another copy of this log archives to the same place: it has written %s at %s; give each an archive of its own",
		e.Object, e.WrittenAt.UTC().Format(time.RFC3339))
}

// SweepArchive removes the objects of this log in the archive that its index does not name and that are older than
// a day. They are left by an Archive that was cut short, by Scavenge, and by what the log was before it was put back
// to an earlier state: a backup that is to be restored may still need these. It reports how many it has removed, and
// their size. Where another copy of the log has archived since they parted, it removes nothing: *SharedArchiveError. They
// part when an epoch begins, which a snapshot of a disk that is started beside its original has to be told (BeginEpoch).
func (s *Store) SweepArchive(ctx context.Context) (removed int, bytes int64, err error) {
	const op = "sweep the archive"
	if s.o.Archive == nil {
		return 0, 0, archiveError(op, "that nobody needs", errNoArchive)
	}
	id, err := s.ID(ctx)
	if err != nil {
		return 0, 0, err
	}
	var parted time.Time
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		return s.writers.QueryRow(ctx, `select noticed_at from log.epoch order by epoch desc limit 1`).Scan(&parted)
	})
	if err != nil {
		return 0, 0, err
	}
	log, _, _ := strings.Cut(id, ".")
	err = s.eachUnnamed(ctx, op, log, func(o archive.Object) bool {
		return !strings.HasPrefix(o.Name, id+"/") && o.WrittenAt.After(parted.Add(partingTime))
	}, func(o archive.Object) error {
		return &SharedArchiveError{Object: o.Name, WrittenAt: o.WrittenAt}
	})
	if err != nil {
		return 0, 0, err
	}
	err = s.eachUnnamed(ctx, op, log, func(o archive.Object) bool {
		return time.Since(o.WrittenAt) > s.sweepAfter
	}, func(o archive.Object) error {
		if err := s.o.Archive.Remove(ctx, o.Name); err != nil {
			return archiveTrouble(ctx, op, o.Name, err)
		}
		removed, bytes = removed+1, bytes+o.Size
		return nil
	})
	return removed, bytes, err
}

// eachUnnamed calls do with the objects of a log, of whatever epoch, that the index does not name, until it returns an
// error. Only those that are wanted are looked for in the index.
func (s *Store) eachUnnamed(ctx context.Context, op, log string, wanted func(archive.Object) bool, do func(archive.Object) error) error {
	var page []archive.Object
	look := func() error {
		objects, err := s.unnamed(ctx, op, page)
		page = page[:0]
		for i := 0; i < len(objects) && err == nil; i++ {
			err = do(objects[i])
		}
		return err
	}
	var failed error
	err := s.o.Archive.List(ctx, log, func(o archive.Object) bool {
		if wanted(o) {
			page = append(page, o)
		}
		if len(page) == eventstore.MaxPage {
			failed = look()
		}
		return failed == nil
	})
	switch {
	case failed != nil:
		return failed
	case err != nil:
		return archiveTrouble(ctx, op, log, err)
	}
	return look()
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
