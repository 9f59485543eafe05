package api

import (
	"context"
	"strconv"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections"
)

// How long a read waits for its projection.
const (
	// usualWait is the wait for the head of the log when the read arrived.
	usualWait = 250 * time.Millisecond
	// explicitWait is the wait for the position a client asked for with atLeast.
	explicitWait = 5 * time.Second
)

// Freshness is the part of a read's input that says how fresh it must be.
type Freshness struct {
	AtLeast int64 `query:"atLeast" minimum:"0" doc:"A log position (X-Event-Position) the answer must include. Waits up to 5 seconds, then 503."`
}

// await waits until a projection has seen everything up to the read's arrival, so
// that clients read their own writes on any replica. After a moment it gives up and
// sets X-Projection-Lag, unless the client named a position.
func (s *Server) await(ctx context.Context, f Freshness, p projections.Projection) error {
	position, patience := f.AtLeast, explicitWait
	if position == 0 {
		head, err := s.Log.Head(ctx)
		if err != nil {
			return projections.Unavailable(err)
		}
		position, patience = head, usualWait
	}
	lag, err := s.Waiter.Wait(ctx, []string{p.Name}, position, patience)
	if err != nil {
		return err
	}
	if lag > 0 {
		callOf(ctx).header.Set("X-Projection-Lag", strconv.FormatInt(lag, 10))
	}
	if lag > 0 && f.AtLeast > 0 {
		e := domain.Errorf(domain.Unavailable, domain.CodeTimeout, "position %d is not there yet", f.AtLeast)
		e.RetryAfter = time.Second
		return e
	}
	return nil
}
