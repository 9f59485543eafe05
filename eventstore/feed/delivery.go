package feed

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/stepledger/stepledger/eventstore"
)

const (
	// firstPause is how long trouble is waited out at first; it doubles.
	firstPause = 100 * time.Millisecond
	// within bounds a question to the checkpoints.
	within = 5 * time.Second
)

// delivery is a subscription at work.
type delivery struct {
	*Subscriber
	topic  string
	filter eventstore.Filter
	out    chan *message.Message
	pause  time.Duration // after the next trouble
}

// run works for the consumer whenever this process leads, until ctx ends.
func (d *delivery) run(ctx context.Context) {
	d.pause = firstPause
	for {
		leads, err := d.Leads(ctx, d.duty())
		if err == nil && leads {
			err = d.own(ctx)
		}
		var lost *LostError
		switch {
		case ctx.Err() != nil:
			if err != nil && !errors.Is(err, ctx.Err()) {
				d.Log.WarnContext(ctx, "consumer ends and will see its last events again", "consumer", d.consumer, "error", err)
			}
			return
		case errors.Is(err, errEpoch):
			d.Log.InfoContext(ctx, "consumer looks where it stands", "consumer", d.consumer, "why", err)
			sleep(ctx, firstPause)
		case errors.As(err, &lost):
			d.Log.InfoContext(ctx, "consumer stands by", "consumer", d.consumer, "why", err)
			d.note(ctx, nil)
			sleep(ctx, d.Standby)
		case err != nil:
			d.note(ctx, err)
			sleep(ctx, d.pause)
			d.pause = min(2*d.pause, d.MaxPause)
		default:
			d.note(ctx, nil)
			sleep(ctx, d.Standby)
		}
	}
}

func (d *delivery) duty() string { return "consumer " + d.consumer }

// own claims the checkpoint and follows the log until ctx ends, or this process
// may not go on. When ctx ended the error is that of the last save.
func (d *delivery) own(ctx context.Context) error {
	as, at, err := d.claim(ctx)
	if err != nil {
		return err
	}
	d.pause = firstPause
	d.note(ctx, nil)
	m := &mark{at: at.Position, saved: at.Position}
	following, stop := context.WithCancelCause(ctx)
	var saver sync.WaitGroup
	saver.Go(func() { stop(d.keepSaving(following, m, as, at.Term)) })
	err = d.follow(following, as.Log, at.Position, m)
	stop(err)
	saver.Wait()
	if errors.Is(err, errEpoch) {
		return err // what was read may be of events that are no more
	}
	saved := d.save(context.WithoutCancel(ctx), m, as, at.Term)
	if ctx.Err() != nil {
		return saved
	}
	return errors.Join(context.Cause(following), saved)
}

// errEpoch ends the work for a consumer whose log goes on in another epoch.
var errEpoch = errors.New("the log goes on in another epoch")

// claim claims the checkpoint, which is set back where it is beyond what the log holds.
func (d *delivery) claim(ctx context.Context) (as Consumer, at Checkpoint, err error) {
	as = Consumer{Name: d.consumer, Topic: d.topic}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	before, err := d.Checkpoints.At(limited, d.consumer)
	if err != nil {
		return as, at, err
	}
	if as.Log, err = d.Source.ID(ctx); err != nil {
		return as, at, err
	}
	as.Was = before.Log
	if as.Past, err = d.Source.Past(ctx, before.Log); err != nil {
		return as, at, err
	}
	if before.Log == as.Log && before.Position <= as.Past {
		as.Past = math.MaxInt64 // who has it now may still move it
	}
	if at, err = d.Checkpoints.Claim(limited, as); err != nil {
		return as, at, fmt.Errorf("claim the checkpoint of %s: %w", d.consumer, err)
	}
	if at.Position < before.Position {
		d.Log.WarnContext(ctx, "consumer had seen what is not in the log: it is set back, and sees what came instead",
			"consumer", d.consumer, "from", before.Position, "to", at.Position, "log", as.Log, "was", before.Log)
	}
	return as, at, nil
}

// follow hands out one event after the other and notes how far they are
// acknowledged. An outage of the store is waited out by the store.
func (d *delivery) follow(ctx context.Context, log string, after int64, m *mark) error {
	for page, err := range d.Source.Subscribe(ctx, after, d.filter) {
		var away *eventstore.UnavailableError
		switch {
		case errors.As(err, &away):
			d.note(ctx, err)
			continue
		case err != nil:
			return err
		}
		if page.Log != "" && page.Log != log {
			return errEpoch
		}
		d.note(ctx, nil)
		for _, e := range page.Events {
			if err := d.deliver(ctx, e); err != nil {
				return err
			}
			m.move(e.Position)
		}
		m.move(page.Scanned)
	}
	return ctx.Err()
}

// deliver returns nil when the event is acknowledged, and an error when ctx ends
// first.
func (d *delivery) deliver(ctx context.Context, e eventstore.Recorded) error {
	handling, cancel := outlive(ctx, d.DrainWithin)
	defer cancel()
	for pause, refusals := firstPause, 1; ctx.Err() == nil; pause, refusals = min(2*pause, d.MaxPause), refusals+1 {
		m := Message(e)
		m.SetContext(handling)
		select {
		case d.out <- m:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-m.Acked():
			d.note(ctx, nil)
			return nil
		case <-m.Nacked():
		case <-handling.Done():
		}
		if ctx.Err() != nil {
			break
		}
		d.note(ctx, fmt.Errorf("event %s (%s@%d, position %d) was refused %d times", e.Type, e.Stream, e.Revision, e.Position, refusals))
		sleep(ctx, pause)
	}
	return ctx.Err()
}

// outlive is a context with the values of another that ends some time after it.
func outlive(ctx context.Context, by time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		sleep(longer, by)
		cancel()
	})
	return longer, func() { stop(); cancel() }
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
