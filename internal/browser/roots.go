package browser

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
)

// root is a document with a watcher of its own: the window's, and those in frames whose
// parent's document cannot be reached (of another origin, or sandboxed).
type root struct {
	frame  cdp.FrameID
	number int    // its parent's document gave to its frame; 0 for the window's own
	token  string // by which its parent's document knows it
	parent *root  // nil for the window's own
	box    [4]float64
	hit    bool // not all of it is covered
}

// errFrameGone is returned for a frame that is gone, or shows another document.
var errFrameGone = errors.New("the frame has gone")

// rootMap is what the last capture of a window found of its roots.
type rootMap struct {
	list   []*root       // the window's own first
	owners map[int]*root // by the number of a frame, its own or one that it reaches into
	tokens map[cdp.FrameID]string
	heard  map[cdp.FrameID]bool // their parent's document knows their token
}

func newRootMap(main cdp.FrameID) rootMap {
	return rootMap{list: []*root{{frame: main, hit: true}}, tokens: map[cdp.FrameID]string{}, heard: map[cdp.FrameID]bool{}}
}

// top is the window's own document.
func (m *rootMap) top() *root { return m.list[0] }

// of is the root that has the element of an id.
func (m *rootMap) of(id string) *root {
	if rest, framed := strings.CutPrefix(id, "f"); framed {
		prefix, _, _ := strings.Cut(rest, "_")
		if k, err := strconv.Atoi(prefix); err == nil && m.owners[k] != nil {
			return m.owners[k]
		}
	}
	return m.top()
}

// presentRoots are the roots of the last capture whose frames are still there.
func (w *window) presentRoots() []*root {
	var list []*root
	for _, r := range w.roots.list {
		if r.parent == nil || w.frames.has(r.frame) {
			list = append(list, r)
		}
	}
	return list
}

// rootOf is the root that has the element of an id in the window the tab shows.
func (t *Tab) rootOf(id string) *root { return t.shows().roots.of(id) }

// callOn calls a function of the watcher that has the element of an id, which is its
// first argument.
func (t *Tab) callOn(ctx context.Context, id string, out any, function string, args ...any) error {
	return t.callIn(ctx, t.rootOf(id), out, function, append([]any{id}, args...)...)
}

// framed is a point of a frame in its parent's document (extension/page/frames.ts).
type framed struct {
	Found, Hit bool
	X, Y       float64
	Cover      string
}

// inTab turns a point of a root into one of the tab's viewport, unless something lies over
// its frame there. With show, frames that are out of view are brought into it.
func (t *Tab) inTab(ctx context.Context, r *root, x, y float64, show bool) (framed, error) {
	at := framed{Found: true, Hit: true, X: x, Y: y}
	for ; r.parent != nil && at.Hit; r = r.parent {
		inside := at
		ask := func() error {
			at = framed{}
			return t.callIn(ctx, r.parent, &at, "frameAt", r.token, inside.X, inside.Y)
		}
		if err := ask(); err != nil {
			return at, err
		}
		if !show || !at.Found || at.Hit {
			continue
		}
		if err := t.callIn(ctx, r.parent, nil, "showFrame", r.token, [4]float64{inside.X, inside.Y, 0, 0}); err != nil {
			return at, err
		}
		if err := ask(); err != nil {
			return at, err
		}
	}
	return at, nil
}

// frameSet are the frames below a window's main frame, as the browser's events tell. It
// is safe for concurrent use.
type frameSet struct {
	mu   sync.Mutex
	list []childFrame // a frame after those around it
}

type childFrame struct{ id, parent cdp.FrameID }

func (s *frameSet) attached(id, parent cdp.FrameID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.list, func(f childFrame) bool { return f.id == id }) {
		s.list = append(s.list, childFrame{id, parent})
	}
}

// detached takes out a frame and all in it.
func (s *frameSet) detached(id cdp.FrameID) {
	s.navigated(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = slices.DeleteFunc(s.list, func(f childFrame) bool { return f.id == id })
}

// navigated takes out all that is in a frame.
func (s *frameSet) navigated(id cdp.FrameID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	gone := map[cdp.FrameID]bool{id: true}
	s.list = slices.DeleteFunc(s.list, func(f childFrame) bool {
		if gone[f.parent] {
			gone[f.id] = true
		}
		return gone[f.parent]
	})
}

func (s *frameSet) all() []childFrame {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.list)
}

func (s *frameSet) has(id cdp.FrameID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.list, func(f childFrame) bool { return f.id == id })
}
