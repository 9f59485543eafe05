package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// click moves the mouse to the element and presses the left button.
func (t *Tab) click(ctx context.Context, id string, r *Report) error {
	l, err := t.target(ctx, id, r)
	if err != nil {
		return err
	}
	return t.clickAt(ctx, l)
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
	return t.mouse(ctx, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: l.X, Y: l.Y})
}

func (t *Tab) mouse(ctx context.Context, events ...input.DispatchMouseEventParams) error {
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		for _, e := range events {
			if _, err := cdp.Call(ctx, target, input.DispatchMouseEvent, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// scroll scrolls the page, or the container with the id, down by most of its height.
// Any other element is scrolled into view.
func (t *Tab) scroll(ctx context.Context, id string, r *Report) error {
	if id != "" {
		l, err := t.locate(ctx, id, r)
		if err != nil {
			return err
		}
		id = l.ID
	}
	var done struct{ Found, Moved bool }
	if err := t.call(ctx, &done, "scroll", id); err != nil {
		return err
	}
	switch {
	case !done.Found:
		return refuse(CodeNotFound, "there is no element %q on this page", id)
	case !done.Moved:
		return refuse(CodeNothingToScroll, "there is nothing further down")
	}
	return nil
}

// goBack goes to the previous entry of the tab's history.
func (t *Tab) goBack(ctx context.Context) error {
	return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		history, err := cdp.Call(ctx, target, page.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return err
		}
		// The first entry is the tab's initial empty page.
		if history.CurrentIndex < 1 || history.Entries[history.CurrentIndex-1].URL == "about:blank" {
			return refuse(CodeNoHistory, "there is no page to go back to")
		}
		_, err = cdp.Call(ctx, target, page.NavigateToHistoryEntry, page.NavigateToHistoryEntryParams{
			EntryID: history.Entries[history.CurrentIndex-1].ID,
		})
		return err
	})
}
