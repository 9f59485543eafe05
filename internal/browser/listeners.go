package browser

import (
	"context"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/domdebugger"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

const (
	// listenersWithin bounds how long handlers are looked for before a capture.
	listenersWithin = 500 * time.Millisecond
	// maxHeard bounds the elements with handlers of their own that the script is told.
	maxHeard = 500
)

// clickEvents are the events of which a handler makes an element clickable.
var clickEvents = []string{"click", "mousedown", "mouseup", "pointerdown", "pointerup"}

// hearHandlers tells the script which elements have handlers for clicks of their own. The
// script, in a world of its own, cannot see those of the page. Without an answer in time,
// it goes by what elements look like and by their attributes.
func (t *Tab) hearHandlers(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, listenersWithin)
	defer cancel()
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		defer func() {
			_, _ = cdp.Call(ctx, target, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: handles})
		}()
		nodes, err := handlerNodes(ctx, target)
		if err != nil || len(nodes) == 0 {
			return err
		}
		return t.tellHeard(ctx, target, nodes)
	})
	if err != nil {
		t.opts.Log.DebugContext(ctx, "not every handler of the page was found", "error", err)
	}
}

// handlerNodes returns the nodes of the page with a handler for clicks.
func handlerNodes(ctx context.Context, target *chromedp.Target) ([]cdp.BackendNodeID, error) {
	ask := chromedp.Evaluate[*runtime.RemoteObject]("document", func(p *runtime.EvaluateParams) { p.ObjectGroup = handles })
	doc, err := ask(ctx, target)
	if err != nil || doc == nil || doc.ObjectID == "" {
		return nil, err
	}
	found, err := cdp.Call(ctx, target, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: doc.ObjectID, Depth: new(int64(-1)), Pierce: new(true)})
	if err != nil {
		return nil, err
	}
	var nodes []cdp.BackendNodeID
	for _, l := range found.Listeners {
		if len(nodes) < maxHeard && l.BackendNodeID != 0 && slices.Contains(clickEvents, l.Type) && !slices.Contains(nodes, l.BackendNodeID) {
			nodes = append(nodes, l.BackendNodeID)
		}
	}
	return nodes, nil
}

// tellHeard gives the script its references to nodes.
func (t *Tab) tellHeard(ctx context.Context, target *chromedp.Target, nodes []cdp.BackendNodeID) error {
	w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: t.shows().frame, WorldName: world})
	if err != nil {
		return err
	}
	var list []*runtime.CallArgument
	for _, id := range nodes {
		node, err := cdp.Call(ctx, target, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: w.ExecutionContextID, ObjectGroup: handles})
		if ctx.Err() != nil {
			break
		}
		if err == nil && node.Object != nil { // else it is of another document, or gone
			list = append(list, &runtime.CallArgument{ObjectID: node.Object.ObjectID})
		}
	}
	_, err = cdp.Call(ctx, target, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: "function(...list) { globalThis.stepledger?.hear(list.filter((el) => el.nodeType === 1)) }",
		Arguments:           list, ExecutionContextID: w.ExecutionContextID,
	})
	return err
}
