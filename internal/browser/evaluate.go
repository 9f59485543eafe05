package browser

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// ErrReplaced is returned if the document was replaced while an expression was
// evaluated in it.
var ErrReplaced = errors.New("the document was replaced meanwhile")

// EvaluateBeside is Evaluate in a world beside the page's scripts, as an extension's are,
// which is made if it is not there. It is not the watcher's world. It returns
// ErrReplaced if the document is replaced meanwhile; the expression is not evaluated
// again in the next one.
func (t *Tab) EvaluateBeside(ctx context.Context, world, expression string) (json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var value json.RawMessage
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: t.shows().frame, WorldName: world})
		if err != nil {
			return err
		}
		beside := func(p *runtime.EvaluateParams) { p.ContextID = w.ExecutionContextID }
		result, err := chromedp.Evaluate[*runtime.RemoteObject](expression, chromedp.EvalAsValue, chromedp.EvalAwaitPromise, beside)(ctx, target)
		if err != nil {
			return err
		}
		if value = json.RawMessage(result.Value); len(value) == 0 {
			return errNoValue
		}
		return nil
	})
	if documentGone(err) {
		return nil, ErrReplaced
	}
	return value, err
}
