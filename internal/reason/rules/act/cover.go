package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// maxCovers is how many things in a row are closed to reach one control.
const maxCovers = 4

// nextUncovered is the next move for the task. If its target is covered, what covers
// it is closed first; if nothing closes it, the move is one that needs no covered
// element.
func nextUncovered(v *View) Move {
	covered := slices.ContainsFunc(v.page.Elements, func(e page.Element) bool { return e.State.Occluded && !e.State.Hidden })
	if !covered {
		return nextOfParts(v)
	}
	lifted := *v
	lifted.index.forgetUse()
	lifted.skills = nil // what a skill uses may be covered as well
	lifted.page.Elements = slices.Clone(v.page.Elements)
	for i := range lifted.page.Elements {
		lifted.page.Elements[i].State.Occluded = false
	}
	m := nextOfParts(&lifted)
	e, ok := v.page.ByID(m.Action.Target)
	if m.Kind != do.IsAction || !ok || !e.State.Occluded {
		return nextOfParts(v)
	}
	if u, ok := uncoverFor(v, e); ok {
		return u
	}
	plain := nextOfParts(v)
	if u, ok := aroundCover(v, e); ok && plain.Kind == do.IsUnknown {
		return u
	}
	return plain
}

// leaveModal closes the modal dialog on top when m is for an element outside of it.
func leaveModal(v *View, m Move) (Move, bool) {
	top := dialogOnTop(v)
	if m.Kind != do.IsAction || m.On.ID == "" || m.On.Layer == top || !layerOf(v, top).Modal || closedInARow(v) > 0 {
		return m, false
	}
	u, ok := uncoverFor(v, m.On)
	return u, ok && u.On.Layer == top
}

// Uncover returns the move that closes what covers the page, or asks which control
// does; false if nothing on the page does.
func (v *View) Uncover() (Move, bool) { return uncoverFor(v, page.Element{}) }

// uncoverFor is Uncover for one element: what is in the same layer does not cover it.
func uncoverFor(v *View, target page.Element) (Move, bool) {
	if closedInARow(v) >= maxCovers {
		return Move{}, false
	}
	f := bestFit(v, usableControls(v), func(e page.Element) float64 {
		if e.Layer > 0 && e.Layer == target.Layer || address(v, e) != "" {
			return 0
		}
		return closeScore(v, e)
	}, v.triedClick)
	switch {
	case len(f.left) > 1 && f.left[0].Layer == 0 && twins(v, f.left[0], f.left[1]):
		return askWhich(v, "the button that closes what covers the page", f.all), true
	case len(f.left) > 0:
		e := f.left[0]
		return clickOn(e, possible, closingThought(v, e), "What covered the page is gone."), true
	}
	return Move{}, false
}

// aroundCover tries to free an element when nothing on the page closes what covers it:
// with Escape, then by scrolling it into view.
func aroundCover(v *View, target page.Element) (Move, bool) {
	switch {
	case !triedSince(v, action.Press, "Escape"):
		return act(action.Action{Name: action.Press, Text: "Escape"}, page.Element{}, possible,
			"Something covers the page; I'll close it first.", "What covered the page is gone."), true
	case !triedSince(v, action.Scroll, ""):
		return act(action.Action{Name: action.Scroll, Target: target.ID}, target, possible,
			"Something covers "+text.Quoted(target.Label())+"; I'll move it into view.", text.Quoted(target.Label())+" is in view."), true
	}
	return Move{}, false
}

// closingThought says what is about to be closed.
func closingThought(v *View, e page.Element) string {
	if asksConsent(v, e) {
		return "A question about cookies covers the page; I'll answer it with " + text.Quoted(e.Label()) + " first."
	}
	return "Something covers the page; I'll close it first."
}

// closedInARow counts the clicks at the end of the past steps that only closed
// something.
func closedInARow(v *View) (n int) {
	for _, step := range slices.Backward(v.past) {
		if step.action.Name != action.Click || !dismisses(step.name) {
			break
		}
		n++
	}
	return n
}

// triedSince reports whether a key or a scroll was tried since the last click or
// entered value.
func triedSince(v *View, name action.Name, text string) bool {
	for _, step := range slices.Backward(v.past) {
		if step.action.Name == name && step.action.Text == text {
			return true
		}
		if step.action.Name == action.Click || step.action.Name == action.SetValue {
			return false
		}
	}
	return false
}

// closeScore rates how well a control closes what covers the page: the top layer
// first, a refusal or a plain close before an agreement. Agreeing is for cookies only.
func closeScore(v *View, e page.Element) float64 {
	rank := closeRank(e.Label())
	if e.Layer > 0 && cancelWord[strings.Join(v.words(e.Label()), " ")] {
		rank = declinesFirst // in the page itself it may discard what was entered
	}
	if rank == 0 || rank == agrees && !asksConsent(v, e) {
		return 0
	}
	return rank + 0.1*float64(e.Layer)
}

// asksConsent reports whether a control belongs to a question about cookies.
func asksConsent(v *View, e page.Element) bool {
	asks, known := v.index.consent[e.Layer]
	if !known {
		about := v.page.Text
		if e.Layer > 0 {
			about = layerOf(v, e.Layer).Name + " " + layerOf(v, e.Layer).Text
		}
		if v.index.consent == nil {
			v.index.consent = map[int]bool{}
		}
		asks = isConsent(text.Words(about))
		v.index.consent[e.Layer] = asks
	}
	return asks || isConsent(v.words(e.Group)) || isConsent(v.words(e.Label()))
}

func isConsent(ws []string) bool {
	return slices.ContainsFunc(ws, func(w string) bool { return consentWords[w] })
}

// layerOf returns a layer by its number, counted from 1; the zero value if there is
// none.
func layerOf(v *View, n int) page.Layer {
	if n < 1 || n > len(v.page.Layers) {
		return page.Layer{}
	}
	return v.page.Layers[n-1]
}

// How a control closes what it belongs to, see closeRank.
const (
	agrees        = 1.0
	acknowledges  = 2.0
	declinesFirst = 2.5 // of "OK" and "Cancel" the one that leaves things as they are
	refuses       = 3.0
)

var (
	consentWords = words.Set("consent")
	// closeSigns are drawn on buttons that close.
	closeSigns  = words.Set("sign close")
	refusals    = words.Set("refusal")
	cancelWord  = words.Set("cancel")
	refuseWords = words.Set("refuse")
	// softWords go with them: "no thanks", "maybe later", "not now".
	softWords = words.Set("soft")
	// leastWords allow no more than is needed: "accept only necessary".
	leastWords   = words.Set("least")
	noticedWords = words.Set("noticed")
	agreeWords   = words.Set("agree")
	// coverWords name what is closed.
	coverWords = words.Set("covers")
)

// closeRank rates how a control of that name closes a message or dialog. It is 0 for a
// name that may do anything else, as "Close account".
func closeRank(name string) float64 {
	if sign := strings.TrimSpace(name); closeSigns[sign] {
		return refuses
	}
	said := text.Without(text.Words(name), text.Fillers, coverWords)
	if refusals[strings.Join(said, " ")] {
		return refuses
	}
	is := func(s ...map[string]bool) bool { return len(said) > 0 && len(text.Without(said, s...)) == 0 }
	has := func(s map[string]bool) bool { return len(text.Without(said, s)) < len(said) }
	switch {
	case has(leastWords) && is(refuseWords, softWords, agreeWords), has(refuseWords) && is(refuseWords, softWords):
		return refuses
	case is(noticedWords, refuseWords):
		return acknowledges
	case is(agreeWords, refuseWords):
		return agrees
	}
	return 0
}

// dismisses reports whether a control of that name closes a message or dialog and does
// nothing else.
func dismisses(name string) bool { return closeRank(name) > 0 }
