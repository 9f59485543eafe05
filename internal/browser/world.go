package browser

import (
	"context"
	_ "embed" // the scripts
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// world is the name of the watcher's isolated world, binding the function it reports
// messages with.
const (
	world   = "stepledger"
	binding = "stepledgerSaid"
)

// script is the watcher, made from extension/page, which the extension has as well. It
// runs in documents whose parent cannot be reached, reaches into frames of the same
// origin from there, and is installed once per document.
//
//go:embed script/page.js
var script string

// timers is a script in the page's own world: which timers an action has
// set cannot be seen from beside it.
//
//go:embed script/timers.js
var timers string

// replacedFor is how long a document that is being replaced is waited for.
const replacedFor = 5 * time.Second

// call calls a function of the watcher in the present document and decodes its result
// into out. If the document is replaced meanwhile it calls it in the next one.
// The document is the window's own.
func (t *Tab) call(ctx context.Context, out any, function string, args ...any) error {
	return t.callIn(ctx, t.shows().roots.top(), out, function, args...)
}

// callIn is call in a root. That of a frame is replaced by none: errFrameGone is returned.
func (t *Tab) callIn(ctx context.Context, r *root, out any, function string, args ...any) error {
	return inSomeDocument(ctx, func() error { return t.callOnce(ctx, r, out, function, args...) })
}

// inSomeDocument repeats what fails because the document is being replaced, until that
// is over.
func inSomeDocument(ctx context.Context, do func() error) error {
	deadline := time.Now().Add(replacedFor)
	poll := time.NewTicker(pollEvery)
	defer poll.Stop()
	for {
		err := do()
		if err == nil || !documentGone(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// callOnce is callIn without the retry in the next document.
func (t *Tab) callOnce(ctx context.Context, r *root, out any, function string, args ...any) error {
	err := t.value(ctx, r, out, expression(function, args...))
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("watcher %s: %w", function, err)
	}
	return err
}

// value evaluates an expression in the watcher's world of a root and decodes what it gives
// into out, which may be nil.
func (t *Tab) value(ctx context.Context, r *root, out any, expression string) error {
	return t.evaluate(ctx, r, expression, func(_ context.Context, _ *chromedp.Target, result *runtime.RemoteObject) error {
		if out == nil {
			return nil
		}
		return json.Unmarshal(result.Value, out)
	}, chromedp.EvalAsValue, chromedp.EvalAwaitPromise)
}

// change is callOn for a function with effects, which must not be repeated in the
// next document. left reports that the document was replaced meanwhile, as some pages
// do when a field changes.
func (t *Tab) change(ctx context.Context, id string, out any, function string, args ...any) (left bool, err error) {
	t.begun = true
	err = t.callOnce(ctx, t.rootOf(id), out, function, append([]any{id}, args...)...)
	if documentGone(err) || errors.Is(err, errFrameGone) {
		return true, nil
	}
	return false, err
}

// expression is a call of a function of the watcher.
func expression(function string, args ...any) string {
	list, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		panic(err) // arguments are plain data
	}
	return fmt.Sprintf("stepledger.%s(...%s)", function, list)
}

// evaluate evaluates an expression beside the watcher of a root and passes the result to
// use. It returns errFrameGone if that is no longer in its frame.
func (t *Tab) evaluate(ctx context.Context, r *root, expression string,
	use func(context.Context, *chromedp.Target, *runtime.RemoteObject) error, opts ...chromedp.EvaluateOption,
) error {
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		frame := r.frame
		if r.parent == nil {
			frame = t.shows().frame
		}
		w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: world})
		if err != nil {
			return err
		}
		here := func(p *runtime.EvaluateParams) { p.ContextID, p.ObjectGroup = w.ExecutionContextID, handles }
		ask := chromedp.Evaluate[*runtime.RemoteObject](expression, append(opts, here)...)
		result, err := ask(ctx, target)
		if missing(err) && r.parent == nil {
			// Chromium's own documents, such as error pages, get no new-document
			// scripts.
			if _, err := chromedp.Evaluate[chromedp.Void](script, here)(ctx, target); err != nil {
				return err
			}
			result, err = ask(ctx, target)
		}
		if err != nil {
			return err
		}
		return use(ctx, target, result)
	})
	if r.parent != nil && !errors.Is(err, errWindowClosed) && (documentGone(err) || missing(err)) {
		return errFrameGone
	}
	return err
}

// missing reports that the document has no watcher.
func missing(err error) bool {
	var e *chromedp.ExceptionError
	return errors.As(err, &e) && strings.Contains(e.Error(), "stepledger is not defined")
}

// documentGone reports that the document was replaced meanwhile, or closed. The protocol has one
// code for all server errors, so the text is compared.
func documentGone(err error) bool {
	if errors.Is(err, errWindowClosed) {
		return true
	}
	var e *cdproto.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, text := range []string{
		"Cannot find context", "context was destroyed", "navigated or closed", "No frame for given id", "Could not create isolated world",
		"Not attached to an active page", "Promise was collected",
	} {
		if strings.Contains(e.Message, text) {
			return true
		}
	}
	return false
}
