package browser

import (
	"context"
	_ "embed" // the script
	"encoding/json"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// closedCount is a script in the page's own world: it counts the closed shadow trees that
// the page's scripts attach, so that only pages with some are searched for them.
//
//go:embed script/closed.js
var closedCount string

const (
	// closedWithin bounds how long closed shadow trees are looked for before a capture.
	closedWithin = 2 * time.Second
	// maxClosed bounds how many are handed to the scripts.
	maxClosed = 500
)

// met is what a document says of itself before it is captured.
type met struct {
	Root bool // it has a watcher of its own
	// Closed tells the closed shadow trees it has, with the frames it reaches into, from
	// those it had before; "" if there are no others since they were last handed in.
	Closed string
}

// askMet is the expression for it.
const askMet = `(() => {
	const marks = []
	const ask = (view) => {
		let doc
		try { doc = view.document } catch { return }
		let count = 0
		const take = (e) => (count = Number(e.detail) || 0)
		doc.addEventListener("stepledger:closed", take)
		doc.dispatchEvent(new Event("stepledger:closed?"))
		doc.removeEventListener("stepledger:closed", take)
		if (count > 0) marks.push(view.performance.timeOrigin + ":" + count)
		for (let i = 0; i < view.length; i++) ask(view[i])
	}
	const root = typeof stepledger !== "undefined"
	if (root) ask(window)
	const closed = marks.join()
	return {root, closed: closed === (globalThis.stepledgerClosed ?? "") ? "" : closed}
})()`

// handIn is the function that hands closed roots to a watcher.
const handIn = `function(mark, ...roots) {
	for (const root of roots) stepledger.adopt(root.host, root)
	globalThis.stepledgerClosed = mark
}`

// openClosed hands the closed shadow trees of the page to the watchers that have asked for
// them. marks are what they said of theirs. Where time does not suffice, the next capture
// tries again.
func (t *Tab) openClosed(ctx context.Context, marks map[cdp.FrameID]string) {
	ctx, cancel := context.WithTimeout(ctx, closedWithin)
	defer cancel()
	err := t.do(ctx, func(ctx context.Context, target *chromedp.Target) error {
		defer func() {
			_, _ = cdp.Call(ctx, target, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: handles})
		}()
		doc, err := documentObject(ctx, target)
		if err != nil || doc == "" {
			return err
		}
		described, err := cdp.Call(ctx, target, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: doc, Depth: new(int64(-1)), Pierce: new(true)})
		if err != nil {
			return err
		}
		found := closedRoots{marks: marks, in: map[cdp.FrameID][]cdp.BackendNodeID{}}
		found.search(described.Node, t.shows().frame)
		for frame, roots := range found.in {
			if err := tellClosed(ctx, target, frame, marks[frame], roots); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.opts.Log.DebugContext(ctx, "not every closed shadow tree was opened", "error", err)
	}
}

// closedRoots are the closed shadow roots by the frame whose watcher reaches them.
type closedRoots struct {
	marks map[cdp.FrameID]string // of the frames with watchers
	in    map[cdp.FrameID][]cdp.BackendNodeID
	count int
}

// search finds those in and below a node that the watcher of a frame reaches.
func (c *closedRoots) search(n *cdp.Node, frame cdp.FrameID) {
	for _, root := range n.ShadowRoots {
		if root.ShadowRootType == cdp.ShadowRootTypeClosed && c.marks[frame] != "" && c.count < maxClosed {
			c.count++
			c.in[frame] = append(c.in[frame], root.BackendNodeID)
		}
		c.search(root, frame)
	}
	for _, child := range n.Children {
		c.search(child, frame)
	}
	if n.ContentDocument == nil {
		return
	}
	if _, watched := c.marks[n.FrameID]; watched {
		frame = n.FrameID
	}
	c.search(n.ContentDocument, frame)
}

// tellClosed hands roots to the watcher in a frame.
func tellClosed(ctx context.Context, target *chromedp.Target, frame cdp.FrameID, mark string, roots []cdp.BackendNodeID) error {
	w, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: frame, WorldName: world})
	if err != nil {
		return err
	}
	said, err := json.Marshal(mark)
	if err != nil {
		return err
	}
	list := []*runtime.CallArgument{{Value: said}}
	for _, id := range roots {
		node, err := cdp.Call(ctx, target, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: id, ExecutionContextID: w.ExecutionContextID, ObjectGroup: handles})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && node.Object != nil { // else it has just gone
			list = append(list, &runtime.CallArgument{ObjectID: node.Object.ObjectID})
		}
	}
	_, err = cdp.Call(ctx, target, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: handIn, Arguments: list, ExecutionContextID: w.ExecutionContextID,
	})
	return err
}
