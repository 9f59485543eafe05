package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/weburl"
)

// Tab is one page in the browser. Concurrent calls of its methods take turns.
type Tab struct {
	opts    Options
	witness *witness
	first   *window // ends with Close
	window  atomic.Pointer[window]
	opened  openings

	mu        sync.Mutex         // one thing at a time
	lastID    int                // the last id given, so that no document uses it again
	lastFrame int                // the same of frames
	shown     map[string]rawNode // what the last capture said of each id
	last      rawCapture         // what the last capture said, without a dialog
	begun     bool               // the action has reached the page: what comes then is its doing
	dropped   []string           // folders with copies of uploaded files
	armed     counts             // what was counted when the action began that opened the present dialog
}

// Close closes the tab and drops its cookies, its storage and its copies of uploaded files.
func (t *Tab) Close() {
	t.first.cancel()
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, dir := range t.dropped {
		if err := os.RemoveAll(dir); err != nil {
			t.opts.Log.Debug("a copy of an uploaded file is left", "error", err)
		}
	}
	t.dropped = nil
}

// Open goes to a URL (http, https or about:blank) and waits until the page is stable, or
// opens a dialog.
func (t *Tab) Open(ctx context.Context, address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d, open := t.shows().dialog.present(); open {
		return fmt.Errorf("open %s: %w", address, blockedBy(d))
	}
	if err := t.interrupted(t.navigate(ctx, address)); err != nil {
		return fmt.Errorf("open %s: %w", address, err)
	}
	_, err := t.settle(ctx)
	return err
}

// navigate requests a page and returns when its document has begun to arrive.
func (t *Tab) navigate(ctx context.Context, address string) error {
	if u, err := weburl.Parse(address); err != nil || (u.Scheme != "http" && u.Scheme != "https" && address != "about:blank") {
		return refuse(CodeInvalidURL, "only http and https addresses can be opened")
	}
	patient, cancel := context.WithTimeout(ctx, t.opts.NavigationTimeout)
	defer cancel()
	t.begun = true
	err := t.do(patient, func(ctx context.Context, target *chromedp.Target) error {
		res, err := cdp.Call(ctx, target, page.Navigate, page.NavigateParams{URL: address})
		if err == nil && res.ErrorText != "" && !res.IsDownload {
			return refuse(CodeNavigationFailed, "the page did not load: %s", res.ErrorText)
		}
		return err
	})
	if patient.Err() != nil && ctx.Err() == nil && err != nil {
		return t.stopLoading(ctx)
	}
	return err
}

// stopLoading aborts a navigation whose server does not answer.
func (t *Tab) stopLoading(ctx context.Context) error {
	err := inSomeDocument(ctx, func() error {
		return t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, page.StopLoading, cdp.Empty{})
			return err
		})
	})
	if err != nil {
		return err
	}
	return refuse(CodeNavigationFailed, "the page did not load within %v", t.opts.NavigationTimeout)
}

// URL returns the tab's URL; for a page that could not be loaded, the requested URL.
func (t *Tab) URL(ctx context.Context) (string, error) {
	address, err := t.frameURL(ctx)
	if errors.Is(err, ErrDialog) {
		err = t.shows().besides(ctx, func(ctx context.Context, target *chromedp.Target) error {
			entry, err := presentEntry(ctx, target)
			address = entry.URL
			return err
		})
	}
	return address, err
}

func (t *Tab) frameURL(ctx context.Context) (string, error) {
	var address string
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		tree, err := cdp.Call(ctx, target, page.GetFrameTree, cdp.Empty{})
		if err == nil {
			f := tree.FrameTree.Frame
			address = cmp.Or(f.UnreachableURL, f.URL+f.URLFragment)
		}
		return err
	})
	return address, err
}

// Screenshot returns the viewport as PNG, or ErrDialog: a blocked page is not drawn.
func (t *Tab) Screenshot(ctx context.Context) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var png []byte
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) (err error) {
		png, err = chromedp.CaptureScreenshot()(ctx, target)
		return err
	})
	return png, err
}

// answerTimeout is how long a page may block its process before it counts as hung.
const answerTimeout = 40 * time.Second

// errHung is returned for a page that no longer answers.
var errHung = errors.New("the page does not answer")

// do runs protocol commands on the window the tab shows, see window.do.
func (t *Tab) do(ctx context.Context, f func(context.Context, *chromedp.Target) error) error {
	return t.shows().do(ctx, f)
}

// shows is the window the tab shows: the one it went to last, or where that has closed,
// the one that opened it.
func (t *Tab) shows() *window {
	w := t.window.Load()
	for w.opener != nil && w.closed() {
		w = w.opener
	}
	return w
}

// WaitStable waits until the page is stable, see Options.Stability, and returns how
// long it took. Open and Execute have done so already.
func (t *Tab) WaitStable(ctx context.Context) (time.Duration, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.settle(ctx)
}
