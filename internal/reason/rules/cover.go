package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// What lies over the page is taken away before what it covers is used.

// maxCovers is how many things in a row are closed to get at one control.
const maxCovers = 4

// inOrder is the next move of the task's parts. Where it is for something that is
// covered, what covers it is closed first; where that cannot be done, the parts
// have to do with what is not covered.
func (v *view) inOrder() move {
	covered := slices.ContainsFunc(v.page.Elements, func(e page.Element) bool { return e.State.Occluded && !e.State.Hidden })
	if !covered {
		return v.parts()
	}
	lifted := *v
	lifted.index.forgetUse()
	lifted.skills = nil // what was learnt may be covered too; that alone uncovers nothing
	lifted.page.Elements = slices.Clone(v.page.Elements)
	for i := range lifted.page.Elements {
		lifted.page.Elements[i].State.Occluded = false
	}
	m := lifted.parts()
	e, ok := v.page.ByID(m.action.Target)
	if m.kind != isAction || !ok || !e.State.Occluded {
		return v.parts()
	}
	if u, ok := v.uncoverFor(e); ok {
		return u
	}
	plain := v.parts()
	if u, ok := v.aroundCover(e); ok && plain.kind == isUnknown {
		return u
	}
	return plain
}

// leaveModal closes a dialog of which the page says that nothing else can be used
// meanwhile, where m is for something else.
func (v *view) leaveModal(m move) (move, bool) {
	top := v.dialogOnTop()
	if m.kind != isAction || m.on.ID == "" || m.on.Layer == top || !v.layer(top).Modal || v.closedInARow() > 0 {
		return m, false
	}
	u, ok := v.uncoverFor(m.on)
	return u, ok && u.on.Layer == top
}

// uncover is the move that takes away what lies over the page, or asks which
// control does that.
func (v *view) uncover() (move, bool) { return v.uncoverFor(page.Element{}) }

// uncoverFor is uncover for the sake of one element: what is in the layer with it
// does not cover it.
func (v *view) uncoverFor(target page.Element) (move, bool) {
	if v.closedInARow() >= maxCovers {
		return move{}, false
	}
	f := v.best(v.usableControls(), func(e page.Element) float64 {
		if e.Layer > 0 && e.Layer == target.Layer || v.address(e) != "" {
			return 0
		}
		return v.closeScore(e)
	}, v.triedClick)
	switch {
	case len(f.left) > 1 && f.left[0].Layer == 0 && v.twins(f.left[0], f.left[1]):
		return v.which("the button that closes what covers the page", f.all), true
	case len(f.left) > 0:
		e := f.left[0]
		return clickOn(e, possible, v.closing(e), "What covered the page is gone."), true
	}
	return move{}, false
}

// aroundCover is what else may free an element from what nothing on the page
// closes: Escape, then moving it into view.
func (v *view) aroundCover(target page.Element) (move, bool) {
	switch {
	case !v.tried(action.Press, "Escape"):
		return act(action.Action{Name: action.Press, Text: "Escape"}, page.Element{}, possible,
			"Something covers the page; I'll close it first.", "What covered the page is gone."), true
	case !v.tried(action.Scroll, ""):
		return act(action.Action{Name: action.Scroll, Target: target.ID}, target, possible,
			"Something covers "+quoted(label(target))+"; I'll move it into view.", quoted(label(target))+" is in view."), true
	}
	return move{}, false
}

// closing says what is closed, and how: of cookies only what is necessary is
// accepted where the page leaves the choice.
func (v *view) closing(e page.Element) string {
	if v.asksConsent(e) {
		return "A question about cookies covers the page; I'll answer it with " + quoted(label(e)) + " first."
	}
	return "Something covers the page; I'll close it first."
}

// closedInARow counts what was closed since anything else was done.
func (v *view) closedInARow() (n int) {
	for _, d := range slices.Backward(v.past) {
		if d.action.Name != action.Click || !dismisses(d.name) {
			break
		}
		n++
	}
	return n
}

// tried reports whether a key or a scroll was tried since anything was clicked or
// entered.
func (v *view) tried(name action.Name, text string) bool {
	for _, d := range slices.Backward(v.past) {
		if d.action.Name == name && d.action.Text == text {
			return true
		}
		if d.action.Name == action.Click || d.action.Name == action.SetValue {
			return false
		}
	}
	return false
}

// closeScore says how well a control takes away what lies over the page: what is
// on top first, a refusal or a plain close before an agreement. Agreeing is for
// cookies only.
func (v *view) closeScore(e page.Element) float64 {
	rank := closeRank(label(e))
	if e.Layer > 0 && slices.Equal(v.words(label(e)), []string{"cancel"}) {
		rank = acknowledges // elsewhere it may throw away what was entered
	}
	if rank == 0 || rank == agrees && !v.asksConsent(e) {
		return 0
	}
	return rank + 0.1*float64(e.Layer)
}

// asksConsent reports a control of something that asks about cookies.
func (v *view) asksConsent(e page.Element) bool {
	asks, known := v.index.consent[e.Layer]
	if !known {
		about := v.page.Text
		if e.Layer > 0 {
			about = v.layer(e.Layer).Name + " " + v.layer(e.Layer).Text
		}
		if v.index.consent == nil {
			v.index.consent = map[int]bool{}
		}
		asks = isConsent(words(about))
		v.index.consent[e.Layer] = asks
	}
	return asks || isConsent(v.words(e.Group)) || isConsent(v.words(label(e)))
}

func isConsent(ws []string) bool {
	return slices.ContainsFunc(ws, func(w string) bool { return consentWords[w] })
}

// layer is a layer by its number.
func (v *view) layer(n int) page.Layer {
	if n < 1 || n > len(v.page.Layers) {
		return page.Layer{}
	}
	return v.page.Layers[n-1]
}

// How a control closes what it belongs to.
const (
	agrees       = 1.0
	acknowledges = 2.0
	refuses      = 3.0
)

var (
	consentWords = set("cookie cookies consent gdpr privacy tracking")
	// closeSigns are drawn on buttons that close.
	closeSigns  = set("× ✕ ✖ ✗ ✘ ╳ ⨯ ❌ x X")
	refuseWords = set("close dismiss hide reject decline refuse deny disagree skip thanks later only necessary essential")
	// softWords stand beside them: "no thanks", "maybe later", "not now".
	softWords = set("no not now maybe remind without required optional non")
	// leastWords ask for no more than has to be: "accept only necessary".
	leastWords   = set("only necessary essential")
	noticedWords = set("ok okay got understood understand")
	agreeWords   = set("accept agree allow consent")
	// coverWords may stand beside them: what is closed.
	coverWords = set("all everything dialog popup banner window modal message notification notice overlay ad cookie cookies i and use continue selected")
)

// closeRank is how a control of that name takes a message or dialog away, 0 for
// one that does, or may do, anything else: "Close account" closes no window.
func closeRank(name string) float64 {
	if sign := strings.TrimSpace(name); closeSigns[sign] {
		return refuses
	}
	said := without(words(name), fillers, coverWords)
	if slices.Equal(said, []string{"not", "now"}) {
		return refuses
	}
	is := func(s ...map[string]bool) bool { return len(said) > 0 && len(without(said, s...)) == 0 }
	has := func(s map[string]bool) bool { return len(without(said, s)) < len(said) }
	switch {
	case has(leastWords) && is(refuseWords, softWords, agreeWords), has(refuseWords) && is(refuseWords, softWords), slices.Equal(said, []string{"without", "accepting"}):
		return refuses
	case is(noticedWords, refuseWords):
		return acknowledges
	case is(agreeWords, refuseWords):
		return agrees
	}
	return 0
}

// dismisses reports whether a control of that name takes a message or dialog
// away and does nothing else.
func dismisses(name string) bool { return closeRank(name) > 0 }
