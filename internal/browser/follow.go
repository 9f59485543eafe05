package browser

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

const (
	// followWithin bounds how long a new window may take to be there.
	followWithin = 5 * time.Second
	// expectedWithin is how long a window that a page asked for is waited for: it may be
	// kept from opening.
	expectedWithin = time.Second
	// maxFollowed is how many windows an action may lead to, one from the other.
	maxFollowed = 5
)

// openings are the windows that pages of a tab have opened.
type openings struct {
	profile cdp.BrowserContextID // of the tab: whatever opens in it was opened by its pages

	mu      sync.Mutex
	address string      // what the newest was opened for
	asking  time.Time   // when the present action asked for one that is not there yet
	waiting []target.ID // opened by the present action, and not gone to yet
	known   map[cdp.FrameID]bool
}

// appeared takes a new window. One that no action opened is left alone.
func (o *openings) appeared(id target.ID, acting bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.known == nil {
		o.known = map[cdp.FrameID]bool{}
	}
	o.known[cdp.FrameID(id)] = true
	if acting {
		o.asking, o.waiting = time.Time{}, append(o.waiting, id)
	}
}

// next takes the newest window an action has opened.
func (o *openings) next() (id target.ID, address string, found bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.waiting) == 0 {
		return "", "", false
	}
	id, o.waiting = o.waiting[len(o.waiting)-1], nil
	return id, o.address, true
}

// forget drops what was opened before an action.
func (o *openings) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting, o.address, o.asking = nil, "", time.Time{}
}

// expected reports that a window is about to be there.
func (o *openings) expected(now time.Time) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return now.Sub(o.asking) < expectedWithin
}

// asked records that a page opens a window for an address. It reports whether that is
// part of an action, and will be followed.
func (o *openings) asked(address string, acting bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.address = address
	if acting {
		o.asking = time.Now()
	}
	return acting
}

// knows reports the main frame of a window that a page opened.
func (o *openings) knows(frame cdp.FrameID) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known[frame]
}

// follow goes to the newest window the action has opened, if there is one. A window that
// cannot be used is closed, and reported.
func (t *Tab) follow(ctx context.Context) (moved bool, err error) {
	id, address, found := t.opened.next()
	if !found {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()
	w := &window{opener: t.shows(), wanted: address, chooser: newFileChooser()}
	w.ctx, w.cancel = chromedp.NewContext(t.first.ctx, chromedp.WithTargetID(id), chromedp.WithListener(t.listen(w)))
	stop := context.AfterFunc(ctx, w.cancel)
	err = t.prepare(w)
	if !stop() || err != nil {
		w.cancel()
		t.opts.Log.DebugContext(ctx, "a new window was not followed", "error", err)
		t.witness.info("a new window for " + address + " (not followed)")
		return false, nil
	}
	if _, err := t.count(func(r *root, _ *counted) error { return t.callOnce(ctx, r, nil, "disarm") }); err != nil { // its own changes are no longer of interest
		t.opts.Log.DebugContext(ctx, "the opener does not answer", "error", err)
	}
	t.window.Store(w)
	return true, w.toFront(ctx)
}

// toFront activates the window, so that it is drawn.
func (w *window) toFront(ctx context.Context) error {
	return w.besides(ctx, func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, page.BringToFront, cdp.Empty{})
		return err
	})
}

// arriving reports a window that still shows nothing, while it was opened for an address.
func (t *Tab) arriving(ctx context.Context) bool {
	w := t.shows()
	if w.wanted == "" || w.wanted == "about:blank" {
		return false
	}
	if address, err := t.URL(ctx); err == nil && address != "" && address != "about:blank" {
		w.wanted = ""
	}
	return w.wanted != ""
}

// reportWindow says that the tab shows another window than before, and which.
func (t *Tab) reportWindow(ctx context.Context, before *window) error {
	w := t.shows()
	if w == before {
		return nil
	}
	title, err := w.title(ctx)
	if err != nil {
		return err
	}
	if !before.closed() {
		t.witness.info(fmt.Sprintf("a new tab: %s", title))
		return nil
	}
	go before.cancel() // what is left of it
	t.window.Store(w)
	t.witness.info(fmt.Sprintf("the tab has closed, back to: %s", title))
	return w.toFront(ctx)
}

// titledWithin is how long the title of a document that has just arrived is waited for.
const titledWithin = 500 * time.Millisecond

// title is that of the document a window shows, "" if it has none.
func (w *window) title(ctx context.Context) (title string, err error) {
	for deadline := time.Now().Add(titledWithin); ; {
		err = w.besides(ctx, func(ctx context.Context, target *chromedp.Target) error {
			entry, err := presentEntry(ctx, target)
			title = entry.Title
			return err
		})
		if err != nil || title != "" || time.Now().After(deadline) {
			return title, err
		}
		if err := pause(ctx, pollEvery); err != nil {
			return "", err
		}
	}
}

// close closes a window that was opened by another, and waits for that.
func (w *window) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, followWithin)
	defer cancel()
	run, stop := context.WithTimeout(w.ctx, followWithin)
	defer stop()
	_, err := chromedp.CallBrowser(run, target.CloseTarget, target.CloseTargetParams{TargetID: target.ID(w.frame)})
	if err != nil {
		return err
	}
	select {
	case <-w.detached:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
