package browser

import (
	"context"
	"errors"
	"time"
)

// Stability says when a page is stable after an action (spec: interact-flow, Client
// Contract 2). Zero fields have the specification's values.
type Stability struct {
	NetworkIdle time.Duration // no request under way for so long: 500 ms
	DOMSettled  time.Duration // no mutation for so long: 300 ms
	Min         time.Duration // always wait so long: 500 ms
	Max         time.Duration // never wait longer: 5 s
}

func (s Stability) orSpec() Stability {
	or := func(d, spec time.Duration) time.Duration {
		if d > 0 {
			return d
		}
		return spec
	}
	s.NetworkIdle = or(s.NetworkIdle, 500*time.Millisecond)
	s.DOMSettled = or(s.DOMSettled, 300*time.Millisecond)
	s.Min = or(s.Min, 500*time.Millisecond)
	s.Max = max(or(s.Max, 5*time.Second), s.Min)
	return s
}

// pollEvery is how often the page is checked.
const pollEvery = 40 * time.Millisecond

// settle waits until the page is stable, at most Stability.Max, and returns how long
// it took. A page that never settles is no error; it is captured as it is. One that a
// dialog blocks is not waited for.
func (t *Tab) settle(ctx context.Context) (time.Duration, error) {
	begin, followed := time.Now(), 0
	for {
		moved, err := t.settleHere(ctx)
		if followed++; !moved || err != nil || followed > maxFollowed {
			return time.Since(begin), err
		}
	}
}

// settleHere is settle for the window the tab shows. It ends early when the tab has moved
// to another.
func (t *Tab) settleHere(outer context.Context) (moved bool, err error) {
	start, s := time.Now(), t.opts.Stability
	ctx, cancel := context.WithTimeout(outer, s.Max)
	defer cancel()
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return false, t.ended(ctx)
		}
		if moved, err := t.follow(outer); moved || err != nil {
			return moved, err
		}
		if _, open := t.shows().dialog.present(); open {
			return false, nil
		}
		if time.Since(start) < s.Min || t.opened.expected(time.Now()) || t.witness.idleFor(time.Now()) < s.NetworkIdle {
			continue
		}
		if stable, err := t.domSettled(ctx, s.DOMSettled); stable || err != nil && t.ended(ctx) != nil {
			return false, t.ended(ctx)
		}
	}
}

// ended returns the error of a context that ended for another reason than our own
// timeout.
func (t *Tab) ended(ctx context.Context) error {
	if err := context.Cause(t.shows().ctx); err != nil {
		return err
	}
	if ctx.Err() == context.DeadlineExceeded {
		return nil
	}
	return ctx.Err()
}

// domSettled asks the documents. One that is being replaced has not settled, nor one with
// timers set by the action. What is in a frame that has gone is not waited for.
func (t *Tab) domSettled(ctx context.Context, needed time.Duration) (bool, error) {
	for i, r := range t.shows().presentRoots() {
		quiet, err := t.isQuiet(ctx, r, needed)
		if errors.Is(err, errFrameGone) {
			continue
		}
		if err != nil || i == 0 && t.arriving(ctx) || !quiet {
			return false, err
		}
	}
	return true, nil
}

func (t *Tab) isQuiet(ctx context.Context, r *root, needed time.Duration) (bool, error) {
	var quiet struct {
		MS        float64 `json:"ms"`
		Ready     bool    `json:"ready"`
		Scheduled int     `json:"scheduled"`
	}
	err := t.callOnce(ctx, r, &quiet, "quiet")
	return quiet.Ready && quiet.Scheduled == 0 && quiet.MS >= float64(needed.Milliseconds()), err
}
