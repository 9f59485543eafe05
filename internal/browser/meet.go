package browser

import (
	"context"
	"errors"
	"maps"
	"slices"
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

// meet finds the documents in frames that have watchers of their own, and makes them known
// to those around them. The result is theirs by their tokens. Closed shadow trees are opened
// to the watchers before. Of a page with neither one question is asked.
func (t *Tab) meet(ctx context.Context) (map[string]cdp.FrameID, error) {
	found, marks, err := t.findRoots(ctx)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(slices.Collect(maps.Values(marks)), func(mark string) bool { return mark != "" }) {
		t.openClosed(ctx, marks)
	}
	tokens := map[string]cdp.FrameID{}
	for _, r := range found {
		tokens[r.token] = r.frame
		if err := t.greet(ctx, r); err != nil && !errors.Is(err, errFrameGone) {
			return nil, err
		}
	}
	return tokens, nil
}

// findRoots finds the roots in frames, the outer before the inner, and what every root says
// of its closed shadow trees.
func (t *Tab) findRoots(ctx context.Context) (found []*root, marks map[cdp.FrameID]string, err error) {
	w := t.shows()
	top := w.roots.top()
	around := map[cdp.FrameID]*root{w.frame: top} // the root that reaches a frame's document
	var m met
	if err := inSomeDocument(ctx, func() error { return t.value(ctx, top, &m, askMet) }); err != nil {
		return nil, nil, err
	}
	marks = map[cdp.FrameID]string{w.frame: m.Closed}
	for _, f := range w.frames.all() {
		here := &root{frame: f.id, parent: around[f.parent], token: w.roots.tokenOf(f.id)}
		if here.parent == nil {
			continue // what is around it cannot be asked
		}
		var m met
		switch err := t.value(ctx, here, &m, askMet); {
		case errors.Is(err, errFrameGone):
			continue
		case err != nil:
			return nil, nil, err
		case !m.Root:
			around[f.id] = here.parent
			continue
		}
		around[f.id], marks[f.id], found = here, m.Closed, append(found, here)
	}
	return found, marks, nil
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
