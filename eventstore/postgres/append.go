package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// Append implements eventstore.Log. When ctx ends while the append is in a batch
// with others, the batch goes on; while it is still waiting for one, it is
// withdrawn; where it had no company, it is given up, and whether it took place
// is unknown.
func (s *Store) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	if err := eventstore.CheckAppend(stream, expected, events); err != nil {
		return eventstore.Receipt{}, err
	}
	return s.append(ctx, newRequest(stream, expected, events))
}

// append takes a request through the queue: again, with what was found, where its ids have to
// be compared with events in the archive.
func (s *Store) append(ctx context.Context, r *request) (eventstore.Receipt, error) {
	for {
		receipt, err := s.submit(ctx, r)
		if !errors.Is(err, errInArchive) {
			return receipt, err
		}
		again := newRequest(r.stream, r.expected, r.events)
		again.along, again.bytes = r.along, r.bytes
		if again.archived, err = s.findArchived(ctx, r); err != nil {
			return eventstore.Receipt{}, err
		}
		r = again
	}
}

func (s *Store) submit(ctx context.Context, r *request) (eventstore.Receipt, error) {
	op := "append " + r.stream
	if err := ctx.Err(); err != nil {
		return eventstore.Receipt{}, fmt.Errorf("%s: %w", op, err)
	}
	if s.queue.lead(r) {
		return s.appendAlone(ctx, op, r)
	}
	if !s.queue.put(r) {
		return eventstore.Receipt{}, &eventstore.UnavailableError{Op: op, Cause: errClosed}
	}
	patience := time.NewTimer(s.o.Timeout)
	defer patience.Stop()
	select {
	case a := <-r.done:
		s.at("append.acknowledged")
		return a.receipt, translate(op, a.err)
	case <-ctx.Done():
		s.queue.leave(r)
		return eventstore.Receipt{}, fmt.Errorf("%s: %w", op, ctx.Err())
	case <-patience.C:
		if s.queue.leave(r) {
			return eventstore.Receipt{}, &eventstore.UnavailableError{Op: op, Cause: errBusy}
		}
		return eventstore.Receipt{}, &eventstore.UnavailableError{Op: op, Cause: context.DeadlineExceeded}
	}
}

// appendAlone runs an append that has no company on its caller's goroutine: the
// way to a lane and back would cost it two wake-ups.
func (s *Store) appendAlone(ctx context.Context, op string, r *request) (eventstore.Receipt, error) {
	limited, cancel := context.WithTimeout(ctx, s.o.Timeout)
	defer cancel()
	s.commit(limited, []*request{r})
	s.queue.release(r)
	a := <-r.done
	if a.err != nil && ctx.Err() != nil {
		return eventstore.Receipt{}, fmt.Errorf("%s: %w", op, ctx.Err())
	}
	s.at("append.acknowledged")
	return a.receipt, translate(op, a.err)
}

func newRequest(stream string, expected int64, events []eventstore.Proposed) *request {
	r := &request{
		stream:   stream,
		expected: expected,
		events:   events,
		ids:      make([]pgtype.UUID, len(events)),
		archived: archivedIDs{upto: eventstore.NoRevision},
		done:     make(chan answer, 1),
	}
	for i, e := range events {
		_ = r.ids[i].Scan(e.ID) // CheckAppend has seen it
		r.bytes += len(e.Data) + len(e.Meta)
	}
	return r
}
