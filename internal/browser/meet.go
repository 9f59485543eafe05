package browser

import (
	"context"
	"errors"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/stepledger/stepledger/domain"
)

const (
	// heardWithin bounds how long a message from a frame to its parent may take.
	heardWithin = 500 * time.Millisecond
	// heardEvery is how often its arrival is looked for.
	heardEvery = 10 * time.Millisecond
)

// met is what a document says of itself before it is captured.
type met struct {
	Root bool // it has a watcher of its own
}

// askMet is the expression for it.
const askMet = `({root: typeof stepledger !== "undefined"})`

// meet finds the documents in frames that have watchers of their own, and makes them known
// to those around them. The result is theirs by their tokens. A page without frames costs
// nothing more.
func (t *Tab) meet(ctx context.Context) (map[string]cdp.FrameID, error) {
	w := t.shows()
	tokens := map[string]cdp.FrameID{}
	around := map[cdp.FrameID]*root{w.frame: w.roots.top()} // the root that reaches a frame's document
	for _, f := range w.frames.all() {
		var m met
		here := &root{frame: f.id, parent: around[f.parent]}
		if here.parent == nil {
			continue // what is around it cannot be asked
		}
		switch err := t.value(ctx, here, &m, askMet); {
		case errors.Is(err, errFrameGone):
			continue
		case err != nil:
			return nil, err
		case !m.Root:
			around[f.id] = here.parent
			continue
		}
		around[f.id] = here
		here.token = w.roots.tokenOf(f.id)
		tokens[here.token] = f.id
		if err := t.greet(ctx, here); err != nil && !errors.Is(err, errFrameGone) {
			return nil, err
		}
	}
	return tokens, nil
}

// tokenOf is the token of a frame, the same as long as the frame lives.
func (m *rootMap) tokenOf(frame cdp.FrameID) string {
	if m.tokens[frame] == "" {
		m.tokens[frame] = domain.NewUUID()
	}
	return m.tokens[frame]
}

// greet lets a document tell its token to the one around it, and waits until that knows it.
// One that has not heard it by then is told again at the next capture.
func (t *Tab) greet(ctx context.Context, r *root) error {
	heard := t.shows().roots.heard
	if heard[r.frame] {
		return nil
	}
	if err := t.callIn(ctx, r, nil, "hello", r.token); err != nil {
		return err
	}
	for end := time.Now().Add(heardWithin); ; {
		var at framed
		if err := t.callIn(ctx, r.parent, &at, "frameAt", r.token, 0, 0); err != nil {
			return err
		}
		if at.Found {
			heard[r.frame] = true
			return nil
		}
		if time.Now().After(end) {
			return nil
		}
		if err := pause(ctx, heardEvery); err != nil {
			return err
		}
	}
}
