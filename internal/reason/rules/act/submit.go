package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// sendForm clicks the button that sends the form the slots belong to.
func sendForm(v *View, p part, found []slot) Move {
	f := bestFitLeft(v, usableControls(v), submitScore(v, p, found), v.failedClick)
	if len(f.left) > 1 {
		return askWhich(v, "the button that sends the form", f.all)
	}
	if e, ok := f.one(); ok {
		confidence := sure
		if f.score < 1 {
			confidence = likely
		}
		return withSkill(v, clickOn(e, confidence,
			"I'll send the form with "+text.Quoted(e.Label())+".",
			"The form is accepted: a confirmation, or the new entry, is shown."))
	}
	if blocked, ok := disabledSubmit(v, p, found); ok {
		return unknown("go on: %s cannot be clicked yet, and I do not see what is missing", text.Quoted(blocked.Label()))
	}
	if inForm(v, found) {
		enter := action.Action{Name: action.Press, Text: "Enter"}
		return withSkill(v, act(enter, page.Element{}, possible, "I'll send the form with the Enter key.", "The form is accepted."))
	}
	return unseen("a button that sends the form", "send the form: I see no button for it")
}

// disabledSubmit is the button that would send the form but is disabled.
func disabledSubmit(v *View, p part, found []slot) (page.Element, bool) {
	score := submitScore(v, p, found)
	top, _ := best(v.page.Elements, func(e page.Element) float64 {
		if !e.IsControl() || !e.State.Disabled || e.State.Hidden {
			return 0
		}
		return score(e)
	})
	if len(top) == 0 {
		return page.Element{}, false
	}
	return top[0], true
}

// inForm reports whether Enter may send the form: it has a one-line field, and Enter
// was not tried yet.
func inForm(v *View, found []slot) bool {
	for _, step := range v.past[lastSet(v)+1:] {
		if step.action.Name == action.Press {
			return false
		}
	}
	return slices.ContainsFunc(found, func(s slot) bool {
		return (s.on.Role == "textbox" || s.on.Role == "searchbox") && s.on.Tag != "textarea"
	})
}

var (
	// backWords begin the name of a control that does not send a form.
	backWords = words.Set("sends-not")
	// plainWords may be in the name of a button that sends any form.
	plainWords = words.Set("sends-any")
)

// submitScore rates how well a control fits as the one that sends the form, 0 for not
// at all. If the task names a button, only that one counts.
func submitScore(v *View, p part, found []slot) func(page.Element) float64 {
	named := text.Without(v.key(p.button), controlWords)
	about := text.SetOf(subjectOf(v, p))
	return func(e page.Element) float64 {
		k := v.key(e.Label())
		var score float64
		switch {
		case len(k) == 0 || e.State.HasPopup:
			return 0
		case p.button != "":
			score = namedScore(named, k, e)
		default:
			score = sendScore(about, k)
		}
		if score == 0 {
			return 0
		}
		return score + placeScore(v, e, found)
	}
}

// submitWord names no button: "submit the form".
var submitWord = words.Set("submit")

// namedScore rates a button by the name the task gives.
func namedScore(want, k []string, e page.Element) float64 {
	switch {
	case slices.Equal(want, k):
		return 1
	case text.Subset(want, k):
		return 0.8
	case len(want) == 1 && submitWord[want[0]] && e.Type == "submit" && sendsForm(k):
		return 0.7 // "submit the form" names no button
	}
	return 0
}

// sendScore rates a button by whether its name sends a form about something.
func sendScore(about map[string]bool, k []string) float64 {
	if backWords[k[0]] || !sendsForm(k) {
		return 0
	}
	score := 1.0
	if len(text.Without(k, submitWords, plainWords, about)) > 0 {
		score = 0.6
	}
	if leadsOnName(k) {
		score -= 0.1
	}
	return score
}

// placeScore prefers a button of the same form, of type submit, below the fields, to a
// link.
func placeScore(v *View, e page.Element, found []slot) (score float64) {
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
		if firstPlace(v, e.ID) < firstPlace(v, found[len(found)-1].on.ID) {
			score -= 0.3
		}
	}
	return score
}
