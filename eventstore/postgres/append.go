package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// Append implements eventstore.Log. When ctx ends while the append is in a
// batch, the batch goes on; while it is still waiting for one, it is withdrawn.
func (s *Store) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	if err := eventstore.CheckAppend(stream, expected, events); err != nil {
		return eventstore.Receipt{}, err
	}
	op := "append " + stream
	if err := ctx.Err(); err != nil {
		return eventstore.Receipt{}, fmt.Errorf("%s: %w", op, err)
	}
	r := newRequest(stream, expected, events)
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

func newRequest(stream string, expected int64, events []eventstore.Proposed) *request {
	r := &request{
		stream:   stream,
		expected: expected,
		events:   events,
		ids:      make([]pgtype.UUID, len(events)),
		done:     make(chan answer, 1),
	}
	for i, e := range events {
		_ = r.ids[i].Scan(e.ID) // CheckAppend has seen it
		r.bytes += len(e.Data) + len(e.Meta)
	}
	return r
}
