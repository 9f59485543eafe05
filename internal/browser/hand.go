package browser

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/action"
)

// Hand drives a tab like a Client, with actions from the caller in place of a server.
// It is for recording what a server would get.
type Hand struct{ run run }

// NewHand returns a Hand for a goal on the tab's page.
func NewHand(tab *Tab, query string) *Hand {
	return &Hand{run{page: tab, Goal: Goal{Query: query}}}
}

// Request captures the page. It returns the body of the interact request a client
// would send now, including the report on the last action, and the capture in it.
func (h *Hand) Request(ctx context.Context) (body []byte, shown Capture, err error) {
	return h.run.request(ctx)
}

// Do executes an action and waits until the page is stable.
func (h *Hand) Do(ctx context.Context, a action.Action) (r Report, err error) {
	r, h.run.last, err = executePlan(ctx, h.run.page, []ChainItem{{Action: a.String()}})
	return r, err
}

// errNoValue is returned for an expression whose value has no JSON form.
var errNoValue = errors.New("the expression has no value")

// Evaluate evaluates an expression in the page's own world, waits for it if it is a
// promise, and returns its value as JSON. It is for asking a page what really
// happened, which no client can.
func (t *Tab) Evaluate(ctx context.Context, expression string) (json.RawMessage, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var value json.RawMessage
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		ask := chromedp.Evaluate[*runtime.RemoteObject](expression, chromedp.EvalAsValue, chromedp.EvalAwaitPromise)
		result, err := ask(ctx, target)
		if err != nil {
			return err
		}
		if value = json.RawMessage(result.Value); len(value) == 0 {
			return errNoValue
		}
		return nil
	})
	return value, err
}
