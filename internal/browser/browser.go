package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Options of a browser. The zero value starts a headless Chromium found by
// Find, with a viewport of 1280 by 800 and the stability waits of the
// specification.
type Options struct {
	// Path of the Chromium to start; "" asks Find.
	Path string
	// Width and Height of the viewport in CSS pixels.
	Width, Height int
	// Stability waited for after an action.
	Stability Stability
	// NavigationTimeout is how long a server may take to answer a navigation;
	// zero means 30 s, and it is 40 s at most (a page that is silent for so long
	// counts as hung).
	NavigationTimeout time.Duration
	// Naming bounds the time spent on names from the accessibility tree in one
	// capture; zero means 3 s. A page has some 80 elements in reach, at well under a
	// millisecond each, so only a busy machine needs more.
	Naming time.Duration
	// Files are those the user allows to be uploaded, by their names in it: os.DirFS of a
	// folder, or any other. Without them the client declares that it cannot upload.
	Files fs.FS
	// Visible opens a window to watch.
	Visible bool
	// Log gets internal errors at debug level; nil drops them.
	Log *slog.Logger
}

func (o Options) orDefaults() Options {
	o.Width, o.Height = cmp.Or(o.Width, 1280), cmp.Or(o.Height, 800)
	o.Stability, o.Naming = o.Stability.orSpec(), cmp.Or(o.Naming, 3*time.Second)
	o.NavigationTimeout = min(cmp.Or(o.NavigationTimeout, 30*time.Second), answerTimeout)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Browser is one running Chromium with a fresh profile. It is safe for
// concurrent use.
type Browser struct {
	ctx  context.Context // of the browser process; ends with Close
	stop context.CancelFunc
	opts Options
}

// startTimeout bounds the start of Chromium; a busy machine needs some seconds.
const startTimeout = 60 * time.Second

// closeTimeout bounds the orderly end of Chromium.
const closeTimeout = 10 * time.Second

// starts is how often a Chromium is started: on a busy machine one now and then ends
// before it listens.
const starts = 3

// Start starts a Chromium. ctx bounds only the start: the browser lives until Close.
// It returns ErrNotFound if there is none.
func Start(ctx context.Context, o Options) (*Browser, error) {
	o = o.orDefaults()
	if o.Path == "" {
		path, err := Find()
		if err != nil {
			return nil, err
		}
		o.Path = path
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	var failed error
	for try := 1; try <= starts && ctx.Err() == nil; try++ {
		b, err := launch(ctx, o)
		if err == nil {
			return b, nil
		}
		failed = err
		o.Log.Warn("the browser did not start", "try", try, "error", err)
	}
	return nil, fmt.Errorf("start %s: %w", o.Path, errors.Join(ctx.Err(), failed))
}

// launch is one try to start a Chromium.
func launch(ctx context.Context, o Options) (*Browser, error) {
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), flags(o)...)
	bctx, stopBrowser := chromedp.NewContext(allocator,
		chromedp.WithLogf(debugf(o.Log)), chromedp.WithErrorf(debugf(o.Log)))
	b := &Browser{ctx: bctx, opts: o, stop: func() { stopBrowser(); stopAllocator() }}
	giveUp := context.AfterFunc(ctx, stopAllocator)
	err := chromedp.Do(bctx)
	if !giveUp() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		b.stop()
		return nil, err
	}
	return b, nil
}

func debugf(log *slog.Logger) func(string, ...any) {
	return func(format string, args ...any) { log.Debug("chromium", "message", fmt.Sprintf(format, args...)) }
}

// flags are chromedp's defaults without network calls of the browser's own, first-run
// pages, and pages kept alive in the back/forward cache. Frames of other sites, and
// sandboxed ones, share the process of the page, where the tab's session reaches them.
func flags(o Options) []chromedp.ExecAllocatorOption {
	all := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(o.Path),
		chromedp.WindowSize(o.Width, o.Height),
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-site-isolation-trials", true),
		chromedp.Flag("disable-features", "Translate,BackForwardCache,OptimizationHints,MediaRouter,IsolateOrigins,site-per-process,IsolateSandboxedIframes"),
		chromedp.Flag("mute-audio", true),
	)
	if o.Visible {
		all = append(all, chromedp.VisibleWindow)
	}
	return all
}

// Close ends the browser with all its tabs and removes the profile. It may be called
// more than once.
func (b *Browser) Close() error {
	if b.ctx.Err() != nil {
		return nil
	}
	defer b.stop()
	ctx, cancel := context.WithTimeout(b.ctx, closeTimeout)
	defer cancel()
	if err := chromedp.Cancel(ctx); err != nil {
		return fmt.Errorf("close the browser: %w", err)
	}
	return nil
}

// NewTab opens an empty tab with its own cookies and storage.
func (b *Browser) NewTab(ctx context.Context) (*Tab, error) {
	t, w := &Tab{opts: b.opts, witness: newWitness()}, &window{chooser: newFileChooser()}
	w.ctx, w.cancel = chromedp.NewContext(b.ctx, chromedp.WithNewBrowserContext(), chromedp.WithListener(t.listen(w)))
	t.first = w
	t.window.Store(w)
	stop := context.AfterFunc(ctx, w.cancel)
	err := t.open(w)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		w.cancel()
		return nil, fmt.Errorf("open a tab: %w", err)
	}
	return t, nil
}

// open opens the tab's first window, and sets what holds for all of them.
func (t *Tab) open(w *window) error {
	if err := t.prepare(w); err != nil {
		return err
	}
	t.opened.profile = chromedp.FromContext(w.ctx).BrowserContextID
	if err := chromedp.ListenBrowser(w.ctx, t.listenBrowser); err != nil {
		return err
	}
	_, err := chromedp.CallBrowser(w.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior:         browser.SetDownloadBehaviorBehaviorDeny,
		BrowserContextID: t.opened.profile,
		EventsEnabled:    new(true),
	})
	return err
}
