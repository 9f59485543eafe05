package browser

import (
	"context"
	"errors"
	"slices"

	"github.com/chromedp/cdproto/cdp"
)

// counted is what a watcher counts while an action runs (extension/page/witness.ts).
type counted struct {
	Document  string
	Choices   []string
	Added     int
	Removed   int
	Mutations int
	Direct    *int  // nil: a frame's document was replaced
	Touched   *bool // nil: there is no target, or no longer
}

// counts are those of all roots of a window.
type counts struct {
	aim   cdp.FrameID // of the root that has the action's element
	of    map[cdp.FrameID]counted
	order []cdp.FrameID
}

// arm starts observing the action.
func (t *Tab) arm(ctx context.Context, target string, r *Report) (before counts, err error) {
	if r.PreviousURL, err = t.URL(ctx); err != nil {
		return before, err
	}
	aim := t.rootOf(target)
	before, err = t.count(func(r *root, out *counted) error {
		if r != aim {
			return t.callIn(ctx, r, out, "arm", "")
		}
		return t.callIn(ctx, r, out, "arm", target)
	})
	before.aim = aim.frame
	t.witness.beginAction()
	return before, err
}

// disarm returns what was counted since the action began, nothing while a dialog blocks
// the page.
func (t *Tab) disarm(ctx context.Context, before counts) (after counts, err error) {
	after, err = t.count(func(r *root, out *counted) error { return t.callIn(ctx, r, out, "disarm") })
	if errors.Is(err, ErrDialog) {
		return before, nil
	}
	return after, err
}

// count asks the roots of the window the tab shows. One in a frame that has gone has none.
func (t *Tab) count(ask func(*root, *counted) error) (counts, error) {
	all := counts{of: map[cdp.FrameID]counted{}}
	for _, r := range t.shows().presentRoots() {
		var one counted
		err := ask(r, &one)
		if err != nil && !errors.Is(err, errFrameGone) {
			return all, err
		}
		if err == nil {
			all.of[r.frame], all.order = one, append(all.order, r.frame)
		}
	}
	return all, nil
}

// countChanges adds what the roots have counted to the report.
func countChanges(before, after counts, r *Report) {
	c := &r.DOMChanges
	c.PreviousURL, c.URLChanged, c.DidNetworkOccur = r.PreviousURL, r.DidURLChange, r.DidNetworkOccur
	for frame, was := range before.of {
		r.DidDOMMutate = r.DidDOMMutate || after.of[frame].Document != was.Document
	}
	for _, frame := range after.order {
		now := after.of[frame]
		c.AddedCount, c.RemovedCount = c.AddedCount+now.Added, c.RemovedCount+now.Removed
		r.DidDOMMutate = r.DidDOMMutate || now.Mutations > 0
		was := before.of[frame]
		if was.Document != now.Document {
			continue // another page's menus did not open
		}
		for _, choice := range now.Choices {
			if !slices.Contains(was.Choices, choice) {
				c.DropdownDetected = true
				c.DropdownOptions = append(c.DropdownOptions, choice)
			}
		}
	}
}
