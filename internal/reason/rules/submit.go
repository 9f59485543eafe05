package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// send clicks the button that sends the form the slots belong to.
func (v *view) send(p part, found []slot) move {
	f := v.bestLeft(v.usableControls(), func(e page.Element) float64 { return v.submitScore(p, e, found) }, v.failedClick)
	if len(f.left) > 1 {
		return which("the button that sends the form", f.all)
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
	top, _ := best(v.page.Elements, func(e page.Element) float64 {
		if !isControl(e) || !e.State.Disabled || e.State.Hidden {
			return 0
		}
		return v.submitScore(p, e, found)
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

// submitScore says how well a control fits as the one that sends the form.
// Zero is not at all; a named button has to have the task's name.
func (v *view) submitScore(p part, e page.Element, found []slot) float64 {
	k := v.key(label(e))
	if len(k) == 0 || e.State.HasPopup {
		return 0
	}
	var score float64
	switch about := subject(p); {
	case p.button != "":
		want := without(v.key(p.button), controlWords)
		switch {
		case slices.Equal(want, k):
			score = 1
		case subset(want, k):
			score = 0.8
		case len(want) == 1 && want[0] == "submit" && e.Type == "submit" && isSubmitWord(label(e)):
			score = 0.7 // "submit the form" names no button
		default:
			return 0
		}
	case backWords[k[0]] || !isSubmitWord(label(e)):
		return 0
	default:
		score = 1
		if extra := without(k, submitWords, plainWords, asSet(about)); len(extra) > 0 {
			score = 0.6
		}
		if leadsOnName(k) {
			score -= 0.1
		}
	}
	return score + v.placeScore(e, found)
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
