package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// send clicks the button that sends the form the slots belong to.
func (v *view) send(p part, found []slot) move {
	f := v.bestLeft(v.usableControls(), v.submitScore(p, found), v.failedClick)
	if len(f.left) > 1 {
		return v.which("the button that sends the form", f.all)
	}
	if e, ok := f.one(); ok {
		confidence := sure
		if f.score < 1 {
			confidence = likely
		}
		return v.withSkill(clickOn(e, confidence,
			"I'll send the form with "+quoted(label(e))+".",
			"The form is accepted: a confirmation, or the new entry, is shown."))
	}
	if blocked, ok := v.disabledSubmit(p, found); ok {
		return unknown("go on: %s cannot be clicked yet, and I do not see what is missing", quoted(label(blocked)))
	}
	if v.inForm(found) {
		enter := action.Action{Name: action.Press, Text: "Enter"}
		return v.withSkill(act(enter, page.Element{}, possible, "I'll send the form with the Enter key.", "The form is accepted."))
	}
	return unseen("a button that sends the form", "send the form: I see no button for it")
}

// disabledSubmit is the button that would send the form but cannot be clicked.
func (v *view) disabledSubmit(p part, found []slot) (page.Element, bool) {
	score := v.submitScore(p, found)
	top, _ := best(v.page.Elements, func(e page.Element) float64 {
		if !isControl(e) || !e.State.Disabled || e.State.Hidden {
			return 0
		}
		return score(e)
	})
	if len(top) == 0 {
		return page.Element{}, false
	}
	return top[0], true
}

// inForm: Enter sends a form from a one-line field; it was not tried yet.
func (v *view) inForm(found []slot) bool {
	for _, d := range v.past[v.lastSet()+1:] {
		if d.action.Name == action.Press {
			return false
		}
	}
	return slices.ContainsFunc(found, func(s slot) bool {
		return (s.on.Role == "textbox" || s.on.Role == "searchbox") && s.on.Tag != "textarea"
	})
}

var (
	// backWords begin the name of a control that does not send a form.
	backWords = set("cancel reset discard delete remove close back clear search find filter previous sort import export")
	// plainWords add nothing to the name of a button that sends a form.
	plainWords = set("change form now record account profile entry detail data information in and")
)

// submitScore gives how well a control fits as the one that sends the form.
// Zero is not at all; a named button has to have the task's name.
func (v *view) submitScore(p part, found []slot) func(page.Element) float64 {
	named := without(v.key(p.button), controlWords)
	about := asSet(v.subject(p))
	return func(e page.Element) float64 {
		k := v.key(label(e))
		var score float64
		switch {
		case len(k) == 0 || e.State.HasPopup:
			return 0
		case p.button != "":
			score = namedScore(named, k, e)
		default:
			score = sendScore(about, k, e)
		}
		if score == 0 {
			return 0
		}
		return score + v.placeScore(e, found)
	}
}

// namedScore is for the button of that name.
func namedScore(want, k []string, e page.Element) float64 {
	switch {
	case slices.Equal(want, k):
		return 1
	case subset(want, k):
		return 0.8
	case len(want) == 1 && want[0] == "submit" && e.Type == "submit" && isSubmitWord(label(e)):
		return 0.7 // "submit the form" names no button
	}
	return 0
}

// sendScore is for a button of any name that sends a form about something.
func sendScore(about map[string]bool, k []string, e page.Element) float64 {
	if backWords[k[0]] || !isSubmitWord(label(e)) {
		return 0
	}
	score := 1.0
	if len(without(k, submitWords, plainWords, about)) > 0 {
		score = 0.6
	}
	if leadsOnName(k) {
		score -= 0.1
	}
	return score
}

// placeScore prefers the button of the same form, of type submit, below the
// fields, over a link.
func (v *view) placeScore(e page.Element, found []slot) (score float64) {
	if len(found) > 0 && e.Group != "" && slices.ContainsFunc(found, func(s slot) bool { return s.on.Group == e.Group }) {
		score += 0.2
	}
	if e.Type == "submit" {
		score += 0.1
	}
	if e.Role != "button" {
		score -= 0.3
	}
	if len(found) > 0 {
		if v.at(e.ID) < v.at(found[len(found)-1].on.ID) {
			score -= 0.3
		}
	}
	return score
}

func asSet(ws []string) map[string]bool {
	m := map[string]bool{}
	for _, w := range ws {
		m[w] = true
	}
	return m
}
