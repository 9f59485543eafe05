package postgres

import (
	"context"
	"errors"
	"iter"
	"time"

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

var errNotYet = errors.New("not yet")

// Archive moves all but the last event of each stream into segments of Options.Archive, which has to be set. What
// is moved is read as before. Streams may be of any number; they are read page by page, and a segment at a time is
// held in memory. What the report counts is moved even where there is an error too; the call may be repeated.
func (s *Store) Archive(ctx context.Context, streams []string) (ArchiveReport, error) {
	return ArchiveReport{}, errNotYet
}

// SweepArchive removes the objects of this log in the archive that its index does not name and that are older than
// a day. They are left by an Archive that was cut short, by Scavenge, and by what the log was before it was put back
// to an earlier state: a backup that is to be restored may still need these. It reports how many it has removed, and
// their size.
func (s *Store) SweepArchive(ctx context.Context) (removed int, bytes int64, err error) {
	return 0, 0, errNotYet
}

// Scavenge removes events from disk that Delete, Tombstone or a retention hides and that are older than a day, at
// most so many; never the last event of a stream or its tombstone. What is removed stays hidden whatever retention
// is set later, and an append of it with expectation Any is no longer recognized as a repeat. Segments with nothing
// but such events are dropped from the index. It reports how many events it has removed from the database: fewer
// than the limit when there was nothing more.
func (s *Store) Scavenge(ctx context.Context, limit int) (int64, error) { return 0, errNotYet }

// Archived reports whether some events of a stream are in the archive.
func (s *Store) Archived(ctx context.Context, stream string) (bool, error) { return false, errNotYet }

// ArchiveStats sums up the log's index of the archive.
func (s *Store) ArchiveStats(ctx context.Context) (ArchiveStats, error) {
	return ArchiveStats{}, errNotYet
}

// VerifyArchive reads every segment the index names, in the order of their ids after one (0 is before all), and
// compares it with the index: the checksum, and which events of which streams it holds. A segment comes with the
// error that speaks against it, nil if nothing does; an error without a segment is the last pair.
func (s *Store) VerifyArchive(ctx context.Context, after int64) iter.Seq2[Segment, error] {
	return func(yield func(Segment, error) bool) { yield(Segment{}, errNotYet) }
}

var _ = eventstore.NoStream
