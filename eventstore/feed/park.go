package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"github.com/stepledger/stepledger/eventstore"
)

// isPoison tells an event that cannot be handled as things are from trouble that
// passes.
func (r *Runner) isPoison(err error) bool {
	var away *eventstore.UnavailableError
	switch {
	case errors.As(err, &away), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return false
	}
	return r.IsOutage == nil || !r.IsOutage(err)
}

// behind puts aside what follows an event of its stream that is put aside.
func (r *Runner) behind(consumer string) message.HandlerMiddleware {
	return func(h message.HandlerFunc) message.HandlerFunc {
		return func(m *message.Message) ([]*message.Message, error) {
			e, err := Event(m)
			if err != nil {
				return nil, err
			}
			put, err := r.Parking.ParkBehind(m.Context(), consumer, e)
			if put || err != nil {
				return nil, err
			}
			return h(m)
		}
	}
}

// parkingLot is the Parking as what a poison queue publishes to.
type parkingLot struct {
	parking Parking
	log     *slog.Logger
}

// Publish implements message.Publisher.
func (p parkingLot) Publish(_ string, messages ...*message.Message) error {
	for _, m := range messages {
		ctx, consumer := m.Context(), m.Metadata[middleware.PoisonedHandlerKey]
		e, err := Event(m)
		if err != nil {
			return err
		}
		reason := m.Metadata[middleware.ReasonForPoisonedKey]
		if err := p.parking.Park(ctx, consumer, e, reason); err != nil {
			return err
		}
		p.log.ErrorContext(ctx, "event put aside, and with it the later ones of its stream", "consumer", consumer,
			"stream", e.Stream, "revision", e.Revision, "type", e.Type, "id", e.ID, "reason", reason)
	}
	return nil
}

// Close implements message.Publisher.
func (parkingLot) Close() error { return nil }

// Replay gives a reaction its parked events after the cause was fixed, stream by
// stream and in order, each up to the first event that still fails. The checkpoint
// does not move. It returns how many events were handled and how many are left, at
// most 1000.
func (r *Runner) Replay(ctx context.Context, reaction string) (handled, left int, err error) {
	handled, err = r.ReplayThose(ctx, reaction, func(Parked) bool { return true })
	if err != nil {
		return handled, 0, err
	}
	parked, err := r.Parking.Parked(ctx, reaction)
	return handled, len(parked), err
}

// ReplayThose is Replay for the streams whose first parked event is wanted. It returns
// how many events were handled.
func (r *Runner) ReplayThose(ctx context.Context, reaction string, wanted func(Parked) bool) (handled int, err error) {
	c, err := r.reaction(reaction)
	if err != nil {
		return 0, err
	}
	seen := map[string]bool{} // what is first of a stream may change meanwhile
	for after := int64(0); ; {
		first, err := r.Parking.FirstParked(ctx, reaction, after)
		if err != nil || len(first) == 0 {
			return handled, err
		}
		for _, p := range first {
			after = p.Position
			if seen[p.Stream] || !wanted(p) {
				continue
			}
			seen[p.Stream] = true
			n, err := r.replayStream(ctx, c, p.Stream)
			handled += n
			if err != nil {
				return handled, fmt.Errorf("replay %s of %s: %w", p.Stream, reaction, err)
			}
		}
	}
}

func (r *Runner) replayStream(ctx context.Context, c Reaction, stream string) (handled int, err error) {
	for {
		var failed error
		found, err := r.Parking.RetryFirst(ctx, c.Name, stream, func(ctx context.Context, p Parked) error {
			failed = r.again(ctx, c, p)
			return failed
		})
		if err != nil || !found || failed != nil {
			return handled, err
		}
		handled++
	}
}

func (r *Runner) reaction(name string) (Reaction, error) {
	for _, c := range r.Reactions {
		if c.Name == name {
			return c, nil
		}
	}
	return Reaction{}, fmt.Errorf("there is no reaction %q", name)
}

// again handles an event that was put aside. One that retention has taken since
// asks for nothing any more.
func (r *Runner) again(ctx context.Context, c Reaction, p Parked) error {
	slice, err := r.Source.ReadStream(ctx, p.Stream, eventstore.ReadOptions{From: p.Revision, Limit: 1})
	if err != nil || len(slice.Events) == 0 || slice.Events[0].ID != p.EventID {
		return err
	}
	m := Message(slice.Events[0])
	m.SetContext(ctx)
	_, err = middleware.Recoverer(func(m *message.Message) ([]*message.Message, error) {
		return nil, r.react(c.Handle)(m)
	})(m)
	return err
}
