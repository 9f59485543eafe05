package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Archived is what was moved out of the database.
type Archived struct{ Streams, Events, Bytes int64 }

func (a Archived) plus(b Archived) Archived {
	return Archived{a.Streams + b.Streams, a.Events + b.Events, a.Bytes + b.Bytes}
}

// StreamArchive moves the events of streams out of the database, to where they are read
// from as before. It may be repeated. Beside an error it returns what was moved.
type StreamArchive interface {
	Archive(ctx context.Context, streams []string) (Archived, error)
}

// ArchiveCursor remembers up to which position of the log everything that has ended is
// archived. It is durable, and never ahead of the log after a restore.
type ArchiveCursor interface {
	At(ctx context.Context) (int64, error)
	// Move moves it forwards. The error says so where somebody else has taken it over.
	Move(ctx context.Context, position int64) error
}

// ArchiveEnded archives what has ended: tasks with their ledgers, experiments, archived
// sessions. It goes through the log in order, once, and decides on each stream where its
// last event is; a stream that goes on comes again with its later events. So it needs no
// read model, and nothing is missed because retention was there first. It holds the names
// of a bounded number of streams at a time.
type ArchiveEnded struct {
	Log    eventstore.Log
	Feed   eventstore.Feed
	Place  StreamArchive
	Cursor ArchiveCursor
	// Passed is the position up to which everybody who follows the log has come: what
	// they have still to read is not moved away from them.
	Passed func(ctx context.Context) (int64, error)
}

// How much is looked at and moved at a time.
const (
	archivePage  = 500
	archiveBatch = 1000
	// archivePages is after how many the place it has come to is noted, however little is ready.
	archivePages = 20
	// endPage is how many of a task's last events mostly show whether it has ended.
	endPage = 20
)

// archivable are the kinds of streams that end. Erasures, and what organisations know,
// are asked for as long as there is anybody.
var archivable = eventstore.Filter{Categories: []string{
	eventstore.Category(task.Stream("")), eventstore.Category(usage.Stream("")),
	eventstore.Category(session.Stream("")), eventstore.Category(fork.Stream("")),
}}

// Run archives what ended before a time, until nothing is left of it or ctx ends. Beside
// an error too it returns what was moved. What a crash interrupts is done by the next run.
func (a ArchiveEnded) Run(ctx context.Context, before time.Time) (done Archived, err error) {
	at, err := a.Cursor.At(ctx)
	if err != nil {
		return done, fmt.Errorf("archive: look up how far it has come: %w", err)
	}
	last, err := a.Passed(ctx)
	if err != nil {
		return done, fmt.Errorf("archive: ask how far the followers of the log are: %w", err)
	}
	for over := false; !over; {
		var streams []string
		to := at
		for pages := 0; !over && len(streams) < archiveBatch && pages < archivePages; pages++ {
			var found []string
			if found, to, over, err = a.look(ctx, to, last, before); err != nil {
				return done, fmt.Errorf("archive: look for what has ended: %w", err)
			}
			streams = append(streams, found...)
		}
		if len(streams) > 0 {
			slices.Sort(streams) // a task is found by its own events and by its ledger's
			moved, err := a.Place.Archive(ctx, slices.Compact(streams))
			done = done.plus(moved)
			if err != nil {
				return done, fmt.Errorf("archive: %w", err)
			}
		}
		if to == at {
			break
		}
		if err := a.Cursor.Move(ctx, to); err != nil {
			return done, fmt.Errorf("archive: note how far it has come: %w", err)
		}
		at = to
	}
	return done, nil
}

// look looks at a page of the log and returns the streams that are ready, and the position
// it has come to. over says that what is behind it is not old enough, or that there is nothing.
func (a ArchiveEnded) look(ctx context.Context, after, last int64, before time.Time) (ready []string, to int64, over bool, err error) {
	page, err := a.Feed.ReadAll(ctx, after, archivePage, archivable)
	if err != nil {
		return nil, after, false, err
	}
	to = min(max(page.Scanned, after), max(last, after))
	over = page.Scanned <= after || page.Scanned > last
	var names []string
	seen := map[string]bool{}
	for _, e := range page.Events {
		if e.Position > last || !e.RecordedAt.Before(before) {
			to, over = min(to, e.Position-1), true
			break
		}
		if !seen[e.Stream] {
			seen[e.Stream] = true
			names = append(names, e.Stream)
		}
	}
	for _, name := range names {
		found, err := a.ready(ctx, name, to)
		if err != nil {
			return nil, after, false, err
		}
		ready = append(ready, found...)
	}
	return ready, to, over, nil
}

// ready returns what is to be archived with a stream, nothing if it has not ended or goes
// on behind a position.
func (a ArchiveEnded) ready(ctx context.Context, stream string, to int64) ([]string, error) {
	category, subject, _ := strings.Cut(stream, "-")
	if category != archivable.Categories[0] && category != archivable.Categories[1] {
		isOver, _, err := a.hasEnded(ctx, stream, to)
		if err != nil || !isOver {
			return nil, err
		}
		return []string{stream}, nil
	}
	isOver, exists, err := a.hasEnded(ctx, task.Stream(subject), to)
	switch ledger := usage.Stream(subject); {
	case err != nil || exists && !isOver:
		return nil, err
	case exists:
		return []string{task.Stream(subject), ledger}, nil
	default: // calls that were made for something else than a task
		isOver, _, err = a.hasEnded(ctx, ledger, to)
		if err != nil || !isOver {
			return nil, err
		}
		return []string{ledger}, nil
	}
}

// What the last events of a stream say of its end. A task that never began has neither: its
// first request ended in a question that nobody answered. A ledger ends by its age alone, and
// so does an experiment, of which a process that dies may leave no end.
var (
	ends = map[string]bool{
		task.NameTaskCompleted: true, task.NameTaskFailed: true, task.NameTaskInterrupted: true, task.NameTaskErased: true,
		session.NameSessionArchived: true,
	}
	goesOn = map[string]bool{task.NameTaskResumed: true, task.NameTaskStarted: true, session.NameSessionStarted: true}
)

// hasEnded looks at the last events of a stream, newest first, until one says whether it
// has ended. exists is whether there are any to read.
func (a ArchiveEnded) hasEnded(ctx context.Context, stream string, to int64) (isOver, exists bool, err error) {
	limit := 1 // of an archived stream the last event is still in the database
	for from := eventstore.End; ; limit = endPage {
		s, err := a.Log.ReadStream(ctx, stream, eventstore.ReadOptions{From: from, Limit: limit, Direction: eventstore.Backwards})
		if err != nil {
			return false, exists, err
		}
		exists = exists || len(s.Events) > 0
		if s.Position > to || !exists {
			return false, exists, nil
		}
		for _, e := range s.Events {
			if ends[e.Type] || goesOn[e.Type] {
				return ends[e.Type], exists, nil
			}
		}
		if !s.More {
			return true, exists, nil
		}
		from = s.Events[len(s.Events)-1].Revision - 1
	}
}
