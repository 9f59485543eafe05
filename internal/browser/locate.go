package browser

import (
	"context"
	"math"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// located is an element to act on (script/6-act.js).
type located struct {
	ID       string `json:"-"`
	Found    bool
	Visible  bool
	Disabled bool
	Readonly bool
	Secret   bool
	Hit      bool
	OnHover  bool // drawn only while the mouse is over it
	X, Y     float64
	Cover    string
	Kind     string // how a value gets into it: text, direct, select, check, ""
	Role     string
	Name     string
	Checked  string
}

// uncoveredWithin is how long to wait for something that covers an element to go
// away, such as an overlay that is fading out.
const uncoveredWithin = 600 * time.Millisecond

// locate scrolls the element with an id, or its replacement, into view. It returns an
// error if the element is gone, hidden or disabled.
func (t *Tab) locate(ctx context.Context, id string, r *Report) (located, error) {
	l := located{ID: id}
	if err := t.call(ctx, &l, "locate", id); err != nil {
		return l, err
	}
	if !l.Found {
		substitute, err := t.ghost(ctx, id)
		if err != nil {
			return l, err
		}
		l.ID, r.RecoveredID = substitute, substitute
		if err := t.call(ctx, &l, "locate", substitute); err != nil {
			return l, err
		}
	}
	switch {
	case !l.Found:
		return l, refuse(CodeNotFound, "there is no element %q on this page", id)
	case !l.Visible:
		return l, refuse(CodeNotVisible, "%s %q cannot be seen", l.Role, l.Name)
	case l.Disabled:
		return l, refuse(CodeDisabled, "%s %q is disabled", l.Role, l.Name)
	}
	return l, nil
}

// target is locate for the mouse: a click must hit the element.
func (t *Tab) target(ctx context.Context, id string, r *Report) (located, error) {
	deadline := time.Now().Add(uncoveredWithin)
	for {
		l, err := t.locate(ctx, id, r)
		if err != nil || l.Hit {
			return l, err
		}
		if time.Now().After(deadline) {
			return l, unreachable(l)
		}
		if err := pause(ctx, 2*pollEvery); err != nil {
			return l, err
		}
	}
}

// unreachable returns why a click cannot hit an element.
func unreachable(l located) *ActionError {
	if l.Cover == "" {
		return refuse(CodeNotVisible, "%s %q cannot be brought into view", l.Role, l.Name)
	}
	return refuse(CodeOccluded, "%s %q is covered by %s", l.Role, l.Name, l.Cover)
}

// Weights of a ghost match (spec: dom-extraction §2.5.6).
const (
	ghostName, ghostRole, ghostPlace = 0.4, 0.3, 0.3
	ghostThreshold                   = 0.5
	ghostRadius                      = 50 // CSS pixels
)

// ghost finds the replacement of a vanished element: the single best by name, role
// and place, at least half alike. It is stricter than the score, because a click on a
// wrong element is worse than none: the page must be the same, an element of another
// name never matches, and an element that had a twin when it was captured is never
// replaced.
func (t *Tab) ghost(ctx context.Context, id string) (string, error) {
	gone := refuse(CodeNotFound, "there is no element %q on this page", id)
	was, known := t.shown[id]
	if !known || was.twin {
		return "", gone
	}
	var raw struct {
		URL    string
		LastID int
		Nodes  []rawNode
	}
	if err := t.call(ctx, &raw, "look", t.lastID); err != nil {
		return "", err
	}
	t.lastID = raw.LastID
	if pathOf(raw.URL) != was.path {
		return "", gone
	}
	t.nameByAccessibility(ctx, raw.Nodes)
	found, ok := bestGhost(was.node, raw.Nodes)
	if !ok {
		return "", gone
	}
	return found, nil
}

func bestGhost(was rawNode, nodes []rawNode) (id string, ok bool) {
	best := ghostThreshold
	for _, n := range nodes {
		switch score := ghostScore(was, n); {
		case score > best || score == best && !ok && id == "":
			best, id, ok = score, n.ID, true
		case score == best:
			ok = false
		}
	}
	return id, ok
}

// ghostScore is the similarity of two elements, 0 if they cannot be the same.
func ghostScore(was, now rawNode) float64 {
	score := 0.0
	switch a, b := page.Clean(was.Name), page.Clean(now.Name); {
	case a != b:
		return 0
	case a != "":
		score += ghostName
	}
	if was.Role == now.Role {
		score += ghostRole
	}
	dx := was.Box[0] + was.Box[2]/2 - now.Box[0] - now.Box[2]/2
	dy := was.Box[1] + was.Box[3]/2 - now.Box[1] - now.Box[3]/2
	if math.Hypot(dx, dy) <= ghostRadius {
		score += ghostPlace
	}
	return score
}
