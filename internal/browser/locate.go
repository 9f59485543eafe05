package browser

import (
	"context"
	"time"
)

// located is an element to act on (extension/page/field.ts).
type located struct {
	ID       string `json:"-"`
	Found    bool
	Same     bool // as the last capture showed it
	Visible  bool
	Disabled bool
	Readonly bool
	Secret   bool
	Hit      bool
	OnHover  bool // drawn only while the mouse is over it
	X, Y     float64
	Cover    string
	Kind     string // how a value gets into it: text, keys, direct, select, check, ""
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
	if err := t.callOn(ctx, id, &l, "locate"); err != nil {
		return l, err
	}
	if !l.Found {
		substitute, err := t.ghost(ctx, id)
		if err != nil {
			return l, err
		}
		l.ID, r.RecoveredID = substitute, substitute
		if err := t.callOn(ctx, substitute, &l, "locate"); err != nil {
			return l, err
		}
	}
	if err := t.placed(ctx, &l, true); err != nil {
		return l, err
	}
	switch {
	case !l.Found:
		return l, refuse(CodeNotFound, "there is no element %q on this page", id)
	case !l.Same:
		return l, refuse(CodeNotFound, "element %q is another now: %s %q", id, l.Role, l.Name)
	case !l.Visible:
		return l, refuse(CodeNotVisible, "%s %q cannot be seen", l.Role, l.Name)
	case l.Disabled:
		return l, refuse(CodeDisabled, "%s %q is disabled", l.Role, l.Name)
	}
	return l, nil
}

// placed turns the point of an element into one of the tab, and takes into account what
// lies over its frame.
func (t *Tab) placed(ctx context.Context, l *located, show bool) error {
	if !l.Hit {
		return nil
	}
	at, err := t.inTab(ctx, t.rootOf(l.ID), l.X, l.Y, show)
	if err != nil {
		return err
	}
	if l.X, l.Y, l.Hit, l.Found = at.X, at.Y, at.Hit, at.Found; !l.Hit {
		l.Cover = at.Cover
	}
	return nil
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

// ghost finds the replacement of a vanished element, as the script does
// (extension/page/ghost.ts): one that is called the same in the same row of the same page,
// and the only one.
func (t *Tab) ghost(ctx context.Context, id string) (string, error) {
	var found struct {
		ID     string
		LastID int
	}
	if err := t.callOn(ctx, id, &found, "ghost", t.lastID); err != nil {
		return "", err
	}
	t.lastID = max(t.lastID, found.LastID)
	if found.ID == "" {
		return "", refuse(CodeNotFound, "there is no element %q on this page", id)
	}
	return found.ID, nil
}
