// Package transfer moves a log from one event store to another: streams, ids,
// types, data, metadata, the order of the whole log, revisions, retention and
// tombstones. Copy may be broken off and resumed, and run again later for what has
// come since; Verify compares two logs event by event.
//
// What a store gives by itself does not move: positions, the id of the log, and
// the time an event was recorded at (an age of retention begins anew). Events that
// retention hides do not move either; where a stream begins with hidden ones, the
// copy begins with as many removed ones, hidden too, so that revisions agree.
//
// Retention may become stricter between two runs, and streams be deleted; where it
// is loosened, what it has hidden before is not in the copy, and Verify says so.
//
// The target belongs to the copy while it lasts: an event that comes from
// elsewhere ends it with an error. The source may be written to meanwhile.
package transfer

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// Progress is how far a copy has come: the source's position up to which its events
// are in the target, and the number of events copied.
type Progress struct {
	Position int64 `json:"position"`
	Events   int64 `json:"events"`
}

// An append holds the events that follow each other in the log within one stream,
// as far as every store takes them: EventStoreDB's limit for an append is a
// megabyte by default.
const (
	maxRun      = 500
	maxRunBytes = 512 << 10
)

// Copy copies the events of a store after a position to another store, then the
// retention of its streams. It calls save after each page and ends at the end of the
// source. After an error it can be resumed from what was saved last.
func Copy(ctx context.Context, from, to eventstore.Store, p Progress, save func(Progress) error) (Progress, error) {
	kept, err := keptStreams(ctx, from)
	if err != nil {
		return p, fmt.Errorf("list the source's kept streams: %w", err)
	}
	for {
		page, err := from.ReadAll(ctx, p.Position, 0, eventstore.Filter{})
		if err != nil {
			return p, fmt.Errorf("read the source: %w", err)
		}
		if page.Scanned == p.Position {
			return p, copyKept(ctx, from, to)
		}
		for _, run := range runs(page.Events) {
			_, isKept := kept[run[0].Stream]
			if err := copyRun(ctx, from, to, run, isKept); err != nil {
				return p, fmt.Errorf("copy %s from revision %d: %w", run[0].Stream, run[0].Revision, err)
			}
		}
		p = Progress{page.Scanned, p.Events + int64(len(page.Events))}
		if err := save(p); err != nil {
			return p, fmt.Errorf("save the progress: %w", err)
		}
	}
}

// runs cuts a page into appends.
func runs(events []eventstore.Recorded) (out [][]eventstore.Recorded) {
	size := 0
	for i, e := range events {
		size += len(e.Data) + len(e.Meta)
		last := len(out) - 1
		if i > 0 && e.Stream == events[i-1].Stream && e.Revision == events[i-1].Revision+1 &&
			len(out[last]) < maxRun && size <= maxRunBytes {
			out[last] = append(out[last], e)
			continue
		}
		size = len(e.Data) + len(e.Meta)
		out = append(out, events[i:i+1:i+1])
	}
	return out
}

func copyRun(ctx context.Context, from, to eventstore.Store, run []eventstore.Recorded, isKept bool) error {
	if isKept {
		if err := hideBefore(ctx, from, to, run[0]); err != nil {
			return err
		}
	}
	return place(ctx, to, run)
}

// hideBefore deletes from the target what stands before the first event that can
// be seen in the source: it was copied before it was deleted there.
func hideBefore(ctx context.Context, from, to eventstore.Store, e eventstore.Recorded) error {
	there, err := from.ReadStream(ctx, e.Stream, eventstore.ReadOptions{Limit: 1})
	if err != nil || len(there.Events) == 0 || there.Events[0].Revision != e.Revision {
		return err
	}
	here, err := to.ReadStream(ctx, e.Stream, eventstore.ReadOptions{Limit: 1})
	if err != nil || len(here.Events) == 0 || here.Head != e.Revision-1 {
		return err
	}
	return to.Delete(ctx, e.Stream, here.Head)
}

// place appends a run, or what of it is not there yet.
func place(ctx context.Context, to eventstore.Store, run []eventstore.Recorded) error {
	for {
		_, err := to.Append(ctx, run[0].Stream, run[0].Revision-1, proposed(run))
		var taken *eventstore.IDConflictError
		if err == nil || !eventstore.IsWrongRevision(err) && !errors.As(err, &taken) {
			return err
		}
		left, again := resume(ctx, to, run)
		if again != nil {
			return errors.Join(err, again)
		}
		if len(left) == 0 {
			return nil
		}
		run = left
	}
}

// resume makes the target ready for what is left of a run that it would not take:
// it has a part of it, or lacks what is hidden in the source. An error says that
// something else is there.
func resume(ctx context.Context, to eventstore.Store, run []eventstore.Recorded) (left []eventstore.Recorded, err error) {
	stream := run[0].Stream
	there, err := to.ReadStream(ctx, stream, eventstore.ReadOptions{From: run[0].Revision, Limit: len(run)})
	if err != nil {
		return nil, err
	}
	if there.Head < run[0].Revision-1 {
		return run, remove(ctx, to, stream, there.Head, run[0].Revision-1)
	}
	for _, e := range there.Events {
		if what := difference(run[e.Revision-run[0].Revision], e); what != "" {
			return nil, fmt.Errorf("another event stands at revision %d: its %s differs", e.Revision, what)
		}
	}
	present := min(there.Head-run[0].Revision+1, int64(len(run)))
	if present == 0 {
		return nil, errors.New("its events stand elsewhere in the target")
	}
	return run[present:], nil
}

// removed is the type of the events that stand for hidden ones.
const removed = "transfer.removed.v1"

// remove brings a stream from one head to another with events that nobody sees.
func remove(ctx context.Context, to eventstore.Store, stream string, head, want int64) error {
	for head < want {
		n := min(want-head, maxRun)
		events := make([]eventstore.Proposed, n)
		for i := range events {
			id := uuid.NewSHA1(uuid.NameSpaceURL, fmt.Appendf(nil, "%s %s %d", removed, stream, head+1+int64(i)))
			events[i] = eventstore.Proposed{ID: id.String(), Type: removed, Data: []byte("{}")}
		}
		if _, err := to.Append(ctx, stream, head, events); err != nil {
			return err
		}
		head += n
	}
	return to.Delete(ctx, stream, want)
}

func proposed(run []eventstore.Recorded) []eventstore.Proposed {
	out := make([]eventstore.Proposed, len(run))
	for i, e := range run {
		out[i] = eventstore.Proposed{ID: e.ID, Type: e.Type, Data: e.Data, Meta: e.Meta}
	}
	return out
}

// copyKept makes streams live as long in the target as in the source.
func copyKept(ctx context.Context, from, to eventstore.Store) error {
	kept, err := keptStreams(ctx, from)
	if err != nil {
		return fmt.Errorf("list the source's kept streams: %w", err)
	}
	for _, k := range kept {
		if err := keep(ctx, from, to, k); err != nil {
			return fmt.Errorf("keep %s as in the source: %w", k.Stream, err)
		}
	}
	return nil
}

// keep also hides what the source has hidden since it was copied, and makes up
// for streams of which nothing is left to see.
func keep(ctx context.Context, from, to eventstore.Store, k eventstore.Kept) error {
	there, err := from.ReadStream(ctx, k.Stream, eventstore.ReadOptions{Limit: 1})
	if err != nil {
		return err
	}
	here, err := to.ReadStream(ctx, k.Stream, eventstore.ReadOptions{Limit: 1})
	if err != nil {
		return err
	}
	if here.Head < there.Head {
		if len(there.Events) > 0 {
			return nil // it has grown since; the next run brings the rest
		}
		if err := remove(ctx, to, k.Stream, here.Head, there.Head); err != nil {
			return err
		}
	}
	if len(there.Events) == 0 && len(here.Events) > 0 && here.Head == there.Head {
		if err := to.Delete(ctx, k.Stream, here.Head); err != nil {
			return err
		}
	}
	if k.Ended {
		return to.Tombstone(ctx, k.Stream, eventstore.Any)
	}
	return to.SetRetention(ctx, k.Stream, k.Retention)
}
