package browser

import (
	"cmp"
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/action"
)

// click moves the mouse to the element and presses the left button. What is drawn only
// under the mouse is first given the time to be.
func (t *Tab) click(ctx context.Context, id string, r *Report) error {
	l, err := t.target(ctx, id, r)
	if err == nil && l.OnHover {
		l, err = t.uncover(ctx, l, r)
	}
	if err != nil {
		return err
	}
	return t.clickAt(ctx, l)
}

// uncover moves the mouse to an element that is drawn only then, and locates it again:
// it may have moved or been replaced.
func (t *Tab) uncover(ctx context.Context, l located, r *Report) (located, error) {
	if err := t.moveTo(ctx, l); err != nil {
		return l, err
	}
	if err := pause(ctx, pollEvery); err != nil {
		return l, err
	}
	return t.target(ctx, l.ID, r)
}

func (t *Tab) moveTo(ctx context.Context, l located) error {
	return t.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: l.X, Y: l.Y})
}

func (t *Tab) clickAt(ctx context.Context, l located) error {
	at := input.DispatchMouseEventParams{X: l.X, Y: l.Y, Button: input.MouseButtonLeft, ClickCount: 1}
	move := input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: l.X, Y: l.Y}
	press, release := at, at
	press.Type, press.Buttons = input.DispatchMouseEventTypeMousePressed, 1
	release.Type = input.DispatchMouseEventTypeMouseReleased
	return t.mouse(ctx, move, press, release)
}

// hover moves the mouse to the element.
func (t *Tab) hover(ctx context.Context, id string, r *Report) error {
	l, err := t.target(ctx, id, r)
	if err != nil {
		return err
	}
	return t.moveTo(ctx, l)
}

func (t *Tab) mouse(ctx context.Context, events ...input.DispatchMouseEventParams) error {
	t.begun = true
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		for _, e := range events {
			if _, err := cdp.Call(ctx, target, input.DispatchMouseEvent, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// dragSteps is in how many moves a drag crosses the page: pages tell a drag from a click
// by the moves between.
const dragSteps = 10

// drag presses the mouse on an element, moves it to another and releases it there. The
// second one has to be in view beside the first.
func (t *Tab) drag(ctx context.Context, from, to string, r *Report) error {
	if _, err := t.locate(ctx, to, r); err != nil {
		return err
	}
	a, err := t.target(ctx, from, r) // the last to be scrolled into view
	if err != nil {
		return err
	}
	b, err := t.stay(ctx, to)
	if err != nil {
		return err
	}
	at := func(kind input.DispatchMouseEventType, x, y float64) input.DispatchMouseEventParams {
		return input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: input.MouseButtonLeft, Buttons: 1, ClickCount: 1}
	}
	events := []input.DispatchMouseEventParams{
		{Type: input.DispatchMouseEventTypeMouseMoved, X: a.X, Y: a.Y},
		at(input.DispatchMouseEventTypeMousePressed, a.X, a.Y),
	}
	for i := 1; i <= dragSteps; i++ {
		share := float64(i) / dragSteps
		events = append(events, at(input.DispatchMouseEventTypeMouseMoved, a.X+share*(b.X-a.X), a.Y+share*(b.Y-a.Y)))
	}
	release := at(input.DispatchMouseEventTypeMouseReleased, b.X, b.Y)
	release.Buttons = 0
	return t.mouse(ctx, append(events, release)...)
}

// stay locates an element without scrolling. It returns an error if it is out of view.
func (t *Tab) stay(ctx context.Context, id string) (located, error) {
	l := located{ID: id}
	if err := t.callOn(ctx, id, &l, "inView"); err != nil {
		return l, err
	}
	if err := t.placed(ctx, &l, false); err != nil {
		return l, err
	}
	if !l.Found || !l.Hit {
		return l, refuse(CodeNotVisible, "the place to drag to cannot be seen together with what is dragged")
	}
	return l, nil
}

// scroll scrolls the page, or the container with the id, by most of its height: up, or
// down. Without a direction any other element is scrolled into view.
func (t *Tab) scroll(ctx context.Context, id, direction string, r *Report) error {
	if id != "" {
		l, err := t.locate(ctx, id, r)
		if err != nil {
			return err
		}
		id = l.ID
	}
	var done struct{ Found, Moved bool }
	if err := t.callOn(ctx, id, &done, "scroll", direction); err != nil {
		return err
	}
	switch {
	case !done.Found:
		return refuse(CodeNotFound, "there is no element %q on this page", id)
	case !done.Moved:
		return refuse(CodeNothingToScroll, "there is nothing further %s", cmp.Or(direction, action.Down))
	}
	return nil
}

// goBack goes to the previous entry of the history. A window that has none is closed: that
// is the way back to the one that opened it.
func (t *Tab) goBack(ctx context.Context) error {
	t.begun = true
	w, atFirst := t.shows(), false
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		history, err := cdp.Call(ctx, target, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		// The first entry is the tab's initial empty page.
		if history.CurrentIndex < 1 || history.Entries[history.CurrentIndex-1].URL == "about:blank" {
			atFirst = true
			return nil
		}
		_, err = cdp.Call(ctx, target, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{
			EntryID: history.Entries[history.CurrentIndex-1].ID,
		})
		return err
	})
	switch {
	case err != nil || !atFirst:
		return err
	case w.opener == nil || w.opener.closed():
		return refuse(CodeNoHistory, "there is no page to go back to")
	}
	return w.close(ctx)
}
