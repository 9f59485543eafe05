package browser

import (
	"context"
	"encoding/json"
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
// it goes by what elements look like and by their attributes. frames are those with scripts
// of their own; the window's comes first and has the time it needs before them.
func (t *Tab) hearHandlers(ctx context.Context, frames ...cdp.FrameID) {
	ctx, cancel := context.WithTimeout(ctx, listenersWithin)
	defer cancel()
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		defer func() {
			_, _ = cdp.Call(ctx, target, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: handles})
		}()
		nodes, err := handlerNodes(ctx, target)
		for _, frame := range append([]cdp.FrameID{t.shows().frame}, frames...) {
			if err != nil || len(nodes) == 0 {
				return err
			}
			nodes, err = tellHeard(ctx, target, frame, nodes)
		}
		return err
	})
	if err != nil {
		t.opts.Log.DebugContext(ctx, "not every handler of the page was found", "error", err)
	}
}

// handlerNodes returns the nodes of the page with a handler for clicks.
func handlerNodes(ctx context.Context, target *chromedp.Target) ([]cdp.BackendNodeID, error) {
	doc, err := documentObject(ctx, target)
	if err != nil || doc == "" {
		return nil, err
	}
	found, err := cdp.Call(ctx, target, domdebugger.GetEventListeners, domdebugger.GetEventListenersParams{ObjectID: doc, Depth: new(int64(-1)), Pierce: new(true)})
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

// documentObject is a reference to the window's own document, "" if there is none.
func documentObject(ctx context.Context, target *chromedp.Target) (runtime.RemoteObjectID, error) {
	ask := chromedp.Evaluate[*runtime.RemoteObject]("document", func(p *runtime.EvaluateParams) { p.ObjectGroup = handles })
	doc, err := ask(ctx, target)
	if err != nil || doc == nil {
		return "", err
	}
	return doc.ObjectID, nil
}

// hear is the function that gives a script what it may touch of some nodes. It returns the
// places of the others, which belong to a document that it cannot reach.
const hear = `function(...list) {
	const others = []
	const mine = list.filter((el, i) => {
		try { return el.nodeType === 1 } catch { others.push(i) }
		return false
	})
	globalThis.stepledger?.hear(mine)
	return others
}`

// tellHeard gives the script in a frame its references to nodes, and returns those that are
// none of its.
func tellHeard(ctx context.Context, target *chromedp.Target, frame cdp.FrameID, nodes []cdp.BackendNodeID) (others []cdp.BackendNodeID, err error) {
	w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: world})
	if err != nil {
		return nil, err
	}
	var list []*runtime.CallArgument
	var there []cdp.BackendNodeID
	for _, id := range nodes {
		node, err := cdp.Call(ctx, target, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: w.ExecutionContextID, ObjectGroup: handles})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && node.Object != nil { // else it has just gone
			list, there = append(list, &runtime.CallArgument{ObjectID: node.Object.ObjectID}), append(there, id)
		}
	}
	heard, err := cdp.Call(ctx, target, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: hear, Arguments: list, ExecutionContextID: w.ExecutionContextID, ReturnByValue: new(true),
	})
	if err != nil || heard.ExceptionDetails != nil {
		return nil, err
	}
	var places []int
	if err := json.Unmarshal(heard.Result.Value, &places); err != nil {
		return nil, err
	}
	for _, i := range places {
		others = append(others, there[i])
	}
	return others, nil
}
