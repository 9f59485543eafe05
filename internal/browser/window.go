package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// window is what a tab shows: the page it began with, or one that a page has opened.
type window struct {
	ctx      context.Context // chromedp's, of this target
	cancel   context.CancelFunc
	frame    cdp.FrameID // the main frame
	dialog   dialogBox
	chooser  fileChooser
	frames   frameSet
	roots    rootMap         // guarded by the tab's mu
	detached <-chan struct{} // closed with the window
	opener   *window         // nil for the first
	wanted   string          // the address it was opened for, "" once it has arrived
}

// errWindowClosed is returned for a window that has closed. The tab shows its opener now.
var errWindowClosed = errors.New("the window has closed")

// prepare opens the target and installs the watcher before any page.
func (t *Tab) prepare(w *window) error {
	if err := chromedp.Do(w.ctx); err != nil {
		return err
	}
	w.frame = cdp.FrameID(chromedp.FromContext(w.ctx).Target.TargetID) // of a page they are the same
	var err error
	if w.detached, err = chromedp.Detached(w.ctx); err != nil {
		return err
	}
	w.roots = newRootMap(w.frame)
	return chromedp.Do(w.ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		if err := w.framesSoFar(ctx, target); err != nil {
			return err
		}
		_, err := cdp.Call(ctx, target, runtime.AddBinding, runtime.AddBindingParams{Name: binding, ExecutionContextName: world})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: script, WorldName: world, RunImmediately: new(true),
		})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, target, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
			Source: timers + "\n" + closedCount, RunImmediately: new(true),
		})
		if err != nil {
			return err
		}
		// Background tabs must focus, animate and run timers like the active one.
		_, err = cdp.Call(ctx, target, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, target, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: int64(t.opts.Width), Height: int64(t.opts.Height), DeviceScaleFactor: 1,
		})
		if err != nil {
			return err
		}
		return interceptChooser(ctx, target)
	}))
}

// framesSoFar adds the frames that a window opened by a page has had before any event.
func (w *window) framesSoFar(ctx context.Context, target *chromedp.Target) error {
	if w.opener == nil {
		return nil
	}
	tree, err := cdp.Call(ctx, target, page.GetFrameTree, cdp.Empty{})
	if err != nil {
		return err
	}
	var add func(*page.FrameTree)
	add = func(around *page.FrameTree) {
		for _, child := range around.ChildFrames {
			w.frames.attached(child.Frame.ID, around.Frame.ID)
			add(child)
		}
	}
	add(tree.FrameTree)
	return nil
}

// do runs protocol commands on the window. It ends with the caller's context, the
// window, when the page no longer answers, or with ErrDialog when the page opens a
// dialog, which blocks it. The error of the caller's context takes precedence over what
// its end caused.
func (w *window) do(ctx context.Context, f func(context.Context, *chromedp.Target) error) error {
	run, cancel := context.WithTimeoutCause(w.ctx, answerTimeout, errHung)
	defer cancel()
	defer w.dialog.whenOpen(cancel)()
	return w.run(ctx, run, cancel, f)
}

// besides is do for what the browser does without the page, also while that is blocked.
func (w *window) besides(ctx context.Context, f func(context.Context, *chromedp.Target) error) error {
	run, cancel := context.WithTimeoutCause(w.ctx, answerTimeout, errHung)
	defer cancel()
	return w.run(ctx, run, cancel, f)
}

func (w *window) run(ctx, run context.Context, cancel context.CancelFunc, f func(context.Context, *chromedp.Target) error) error {
	defer context.AfterFunc(ctx, cancel)()
	err := chromedp.Do(run, chromedp.Func(f))
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(context.Cause(run), errHung):
		return errHung
	case run.Err() != nil && w.ctx.Err() == nil:
		return ErrDialog
	case w.opener != nil && w.closed():
		return errWindowClosed
	}
	return err
}

// closed reports a window that is no more.
func (w *window) closed() bool {
	select {
	case <-w.detached:
		return true
	default:
		return false
	}
}
