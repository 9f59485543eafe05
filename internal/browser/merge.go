package browser

import (
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"unicode/utf16"

	"github.com/chromedp/cdproto/cdp"
)

// merger captures the roots of a window one after the other, the outer before the inner,
// and makes one page of them. Ids are unique in the tab. A frame that cannot be captured is
// left out.
type merger struct {
	tab    *Tab
	full   bool
	left   int // of the limit of the html, in UTF-16 units
	tokens map[string]cdp.FrameID
	roots  rootMap
}

// captureRoots captures the window the tab shows.
func (t *Tab) captureRoots(ctx context.Context, tokens map[string]cdp.FrameID, full bool, limit int) (rawCapture, error) {
	w := t.shows()
	m := &merger{tab: t, full: full, left: limit, tokens: tokens, roots: newRootMap(w.frame)}
	m.roots.owners, m.roots.tokens = map[int]*root{}, map[cdp.FrameID]string{}
	for token, frame := range tokens {
		m.roots.tokens[frame] = token
	}
	raw, err := m.capture(ctx, m.roots.top())
	if err != nil {
		return raw, err
	}
	m.roots.keepOwners(w.roots)
	w.roots = m.roots
	return raw, nil
}

// capture captures a root and what is below it, its own elements first.
func (m *merger) capture(ctx context.Context, r *root) (rawCapture, error) {
	t := m.tab
	var raw rawCapture
	err := t.callIn(ctx, r, &raw, "capture", captureOptions{
		Start: t.lastID, StartFrame: t.lastFrame, Frame: r.number, Offset: point{r.box[0], r.box[1]}, Full: m.full, Limit: m.left,
		Tokens: slices.AppendSeq([]string{}, maps.Keys(m.tokens)),
	})
	if err != nil {
		return raw, err
	}
	m.left = max(0, m.left-len(utf16.Encode([]rune(raw.HTML))))
	m.own(r, raw)
	t.lastID, t.lastFrame = raw.LastID, raw.LastFrame
	if r.parent != nil {
		raw.Nodes = m.inReach(raw.Nodes, raw.Focused, r.hit)
	}
	t.nameByAccessibility(ctx, r, raw.Nodes)
	return raw, m.below(ctx, r, &raw)
}

// own notes which ids are a root's: those of its own frame, of the frames it has just given
// numbers to, and of those its elements are in. A frame that has a root itself is noted as
// that one's when it is captured.
func (m *merger) own(r *root, raw rawCapture) {
	if r.parent != nil {
		m.roots.list = append(m.roots.list, r)
	}
	for k := m.tab.lastFrame + 1; k <= raw.LastFrame; k++ {
		m.roots.owners[k] = r
	}
	for _, n := range raw.Nodes {
		m.roots.owners[n.Frame] = r
	}
	m.roots.owners[r.number] = r
}

// keepOwners adds what is known from before of frames that show no element this time.
func (m *rootMap) keepOwners(before rootMap) {
	for k, was := range before.owners {
		i := slices.IndexFunc(m.list, func(r *root) bool { return r.frame == was.frame })
		if m.owners[k] == nil && i >= 0 {
			m.owners[k] = m.list[i]
		}
	}
}

// inReach leaves out what is more than a viewport away, as in the window's own document: a
// frame does not know how far down it stands. Under a frame that is covered, all is.
func (m *merger) inReach(nodes []rawNode, focused string, hit bool) []rawNode {
	height := float64(m.tab.opts.Height)
	nodes = slices.DeleteFunc(nodes, func(n rawNode) bool {
		return n.ID != focused && (n.Box[1] > 2*height || n.Box[1]+n.Box[3] < -height)
	})
	for i := range nodes {
		nodes[i].Occluded = nodes[i].Occluded || !hit
	}
	return nodes
}

// below captures the frames of a root and adds them to it.
func (m *merger) below(ctx context.Context, r *root, raw *rawCapture) error {
	if len(raw.Frames) == 0 {
		return nil
	}
	inside := map[string]string{}
	for _, f := range raw.Frames {
		frame, asked := m.tokens[f.Token]
		if !asked || slices.ContainsFunc(m.roots.list, func(r *root) bool { return r.frame == frame }) {
			continue
		}
		m.roots.heard[frame] = true
		child, err := m.capture(ctx, &root{frame: frame, number: f.Frame, token: f.Token, parent: r, box: f.Box, hit: f.Hit && r.hit})
		if isFatal(ctx, err) {
			return err
		}
		if err != nil {
			m.tab.opts.Log.DebugContext(ctx, "a frame was not captured", "error", err)
			continue
		}
		inside[f.Token] = child.HTML
		raw.add(child)
	}
	raw.HTML = placeholder.ReplaceAllStringFunc(raw.HTML, func(place string) string {
		return inside[placeholder.FindStringSubmatch(place)[1]]
	})
	return nil
}

// isFatal reports what ends the capture of the page and not of a frame alone.
func isFatal(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, ErrDialog) || errors.Is(err, errHung) || errors.Is(err, errWindowClosed)
}

// placeholder is where the html of a frame's parent has room for the frame's.
var placeholder = regexp.MustCompile(`<div data-stepledger-frame="([^"]*)"></div>`)

// add adds what was captured of a frame, without its html.
func (c *rawCapture) add(child rawCapture) {
	c.Nodes = append(c.Nodes, child.Nodes...)
	c.Containers = append(c.Containers, child.Containers...)
	c.Errors = append(c.Errors, child.Errors...)
	c.Successes = append(c.Successes, child.Successes...)
	if c.Focused == "" {
		c.Focused = child.Focused
	}
}
