package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// Capture is a page as the interact request carries it, with the messages since the
// last action began.
type Capture struct {
	page.Capture
	// Timezone is the browser's, "" if it is none that a server would know.
	Timezone     string   `json:"timezone,omitempty"`
	RecentEvents []string `json:"recentEvents,omitempty"`
	HasErrors    bool     `json:"hasErrors"`
	HasSuccess   bool     `json:"hasSuccess"`
	// Errors and Successes are the messages.
	Errors    []string `json:"errors_detected,omitempty"`
	Successes []string `json:"success_messages,omitempty"`
}

// captureOptions is what the script's capture takes (extension/page/capture.ts).
type captureOptions struct {
	Start      int      `json:"start"`
	StartFrame int      `json:"startFrame"`
	Frame      int      `json:"frame"`
	Offset     point    `json:"offset"`
	Full       bool     `json:"full"`
	Limit      int      `json:"limit"`
	Tokens     []string `json:"tokens"`
}

// point is in CSS pixels of the tab's viewport.
type point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// rawCapture is what it returns.
type rawCapture struct {
	URL, Title string
	LastID     int
	LastFrame  int
	Frames     []rawFrame
	Nodes      []rawNode
	Containers []page.ScrollContainer
	Errors     []string
	Successes  []string
	Width      float64
	Height     float64
	Scroll     page.Scalar
	Focused    string
	HTML       string
	Zone       string
}

// rawFrame is a frame whose document the script cannot reach (extension/page/frames.ts).
type rawFrame struct {
	Token string
	Frame int
	Box   [4]float64
	Hit   bool
}

type rawNode struct {
	ID       string
	Frame    int
	Role     string
	Name     string
	Value    string
	State    []string
	Box      [4]float64
	Occluded bool
	Scroll   *page.ScrollInfo
	// OwnName: the accessibility tree names it by all that is in it.
	OwnName bool
}

// Capture reads the page in mode semantic_v3: the interactive elements from one
// viewport above to one below the visible part, and the document as a person
// perceives it. Elements outside the viewport have coordinates outside it, so that an
// agent filling in a form need not scroll to find the next field. A dialog of the page is
// shown as the last elements, over what was last captured of the page it blocks.
func (t *Tab) Capture(ctx context.Context) (Capture, error) {
	return t.capture(ctx, page.ModeSemanticV3, page.MaxDOM)
}

// CaptureFull is Capture with the whole document including hidden parts, the answer
// to needs_full_dom.
func (t *Tab) CaptureFull(ctx context.Context) (Capture, error) {
	return t.capture(ctx, page.ModeFull, page.MaxFullDOM)
}

func (t *Tab) capture(ctx context.Context, mode string, limit int) (Capture, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	raw, err := t.readPage(ctx, mode == page.ModeFull, limit)
	if errors.Is(err, ErrDialog) {
		raw, err = t.behindDialog(ctx)
	}
	if err != nil {
		return Capture{}, fmt.Errorf("capture: %w", err)
	}
	t.remember(raw)
	t.last = raw
	if d, open := t.shows().dialog.present(); open {
		raw = withDialog(raw, d)
	}
	return t.assemble(raw, mode), nil
}

// readPage captures the page without its dialog.
func (t *Tab) readPage(ctx context.Context, full bool, limit int) (raw rawCapture, err error) {
	tokens, err := t.meet(ctx)
	if err != nil {
		return rawCapture{}, err
	}
	t.hearHandlers(ctx, slices.Collect(maps.Values(tokens))...)
	// Tags open at the limit are closed after it, so leave room for them.
	if raw, err = t.captureRoots(ctx, tokens, full, limit-limit/50); err != nil {
		return rawCapture{}, err
	}
	if !strings.HasPrefix(raw.URL, "http") { // Chromium's own page about one it could not load
		if address, err := t.URL(ctx); err == nil {
			raw.URL = address
		}
	}
	return raw, nil
}

// assemble converts the result of the script to the fields of the request.
func (t *Tab) assemble(raw rawCapture, mode string) Capture {
	events := t.witness.sinceMark()
	c := Capture{
		Capture: page.Capture{
			URL: raw.URL, Mode: mode, Title: raw.Title, DOM: raw.HTML,
			Viewport:       &page.Viewport{Width: raw.Width, Height: raw.Height},
			ScrollPosition: raw.Scroll, Containers: raw.Containers, ActiveElement: page.Scalar(raw.Focused),
		},
		Timezone:     knownZone(raw.Zone),
		RecentEvents: lines(events, time.Now()),
		Errors:       distinct(texts(events, "error"), raw.Errors),
		Successes:    distinct(texts(events, "success"), raw.Successes),
	}
	c.HasErrors, c.HasSuccess = len(c.Errors) > 0, len(c.Successes) > 0
	for _, n := range raw.Nodes {
		c.Tree = append(c.Tree, nodeV3(n, raw.Focused))
	}
	return c
}

// knownZone is a time zone if the IANA database has it. Chromium says Etc/Unknown where
// it could not find out, and a server refuses a request with a zone it does not know.
func knownZone(zone string) string {
	if _, err := time.LoadLocation(zone); err != nil {
		return ""
	}
	return zone
}

// distinct merges logged and visible messages without duplicates.
func distinct(heard, seen []string) []string {
	all := slices.Concat(heard, seen)
	slices.Sort(all)
	return slices.Compact(all)
}

// shortRoles are the minified roles (spec §2, V3 role mapping). Other roles are sent
// unchanged.
var shortRoles = map[string]string{
	"button": "btn", "textbox": "inp", "searchbox": "inp", "checkbox": "chk", "menuitem": "menu", "option": "opt",
}

func nodeV3(n rawNode, focused string) page.NodeV3 {
	v := page.NodeV3{
		ID: page.Scalar(n.ID), Role: cmp.Or(shortRoles[n.Role], n.Role), Name: page.Scalar(n.Name), Value: page.Scalar(n.Value),
		State: page.Scalar(strings.Join(n.State, ",")), Box: &n.Box, Scroll: n.Scroll, Occluded: n.Occluded, Focused: n.ID == focused,
		XY: &[2]float64{n.Box[0] + n.Box[2]/2, n.Box[1] + n.Box[3]/2},
	}
	if n.Frame > 0 {
		v.Frame = page.Scalar(strconv.Itoa(n.Frame))
	}
	return v
}

// remember keeps what the server is told about each id. Only the last capture counts,
// since the next action is based on it.
func (t *Tab) remember(raw rawCapture) {
	t.shown = make(map[string]rawNode, len(raw.Nodes))
	for _, n := range raw.Nodes {
		t.shown[n.ID] = n
	}
}

// pathOf is a URL without query and fragment.
func pathOf(address string) string {
	if i := strings.IndexAny(address, "?#"); i >= 0 {
		return address[:i]
	}
	return address
}
