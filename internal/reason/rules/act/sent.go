package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// sentAt is the index of the step that sent the form, -1 if it was not sent since the
// last value was entered.
func sentAt(v *View, p part) int {
	set := lastSet(v)
	if set < 0 && len(p.fields) > 0 {
		return -1
	}
	clicks := 0
	for i := max(set+1, v.cursor); i < len(v.past); i++ {
		step := v.past[i]
		if step.failed {
			continue
		}
		if step.action.Name == action.Press && step.action.Text == "Enter" {
			return i
		}
		if step.action.Name != action.Click {
			continue
		}
		// Without values the first such click opened the form.
		if sends(p, step) {
			if clicks++; set >= 0 || clicks > 1 {
				return i
			}
		}
	}
	return -1
}

// sends reports whether a click sent this form: on the button the task names or its
// replacement, else on any that sends. "Next" only leads on.
func sends(p part, step pastStep) bool {
	if p.button != "" {
		k := text.Key(p.button)
		return step.replaces(pastStep{}) || text.Subset(text.Without(k, controlWords), text.Key(step.name)) || len(k) > 0 && submitWord[k[0]] && SendsForm(step.name)
	}
	return SendsForm(step.name) && !leadsOnName(text.Key(step.name))
}

// afterSending looks at what became of the form. settled is false if something is left
// to correct or fill on this page.
func afterSending(v *View, p part, found []slot, sent int) (Move, bool) {
	if says := v.Complaint(); says != "" {
		if len(found) > 0 {
			for _, s := range found {
				if !holdsValue(v, s) && !isReply(v, s.on.Value) {
					return fillSlot(v, s), true
				}
			}
			if m := askRequired(v, found); m.Kind != do.IsDone {
				return m, true
			}
		}
		return ask([]string{"how to go on"}, "The page reports an error: %s How should I go on?", text.Quoted(says)), true
	}
	left := notEntered(v, p, found)
	if len(left) > 0 && len(found) > 0 {
		return Move{}, false // another page of the form
	}
	if saidYes(v) {
		v.cursor = sent + 1
		return done("you confirmed it"), true
	}
	if len(left) > 0 {
		return ask([]string{"confirmation"}, "I sent the form, but I did not see %s go into it. Is it all right (yes or no)?", fieldName(left[0])), true
	}
	if proof, quote, ok := proofOfSending(v, p, found); ok {
		v.cursor = sent + 1
		m := done("%s", proof)
		m.Quote = quote
		return m, true
	}
	return ask([]string{"confirmation"}, "I sent the form, but the page does not show whether it worked. Can you see that it did (yes or no)?"), true
}

// notEntered are the values of the task that were neither entered nor are in a field.
func notEntered(v *View, p part, found []slot) []field {
	return slices.DeleteFunc(spread(v, p), func(f field) bool {
		return v.wasSet(f) || slices.ContainsFunc(found, func(s slot) bool { return s.field == f && holdsValue(v, s) })
	})
}

var yesWords = words.Set("yes")

func saidYes(v *View) bool {
	if len(v.replies) == 0 {
		return false
	}
	ws := v.words(v.replies[len(v.replies)-1])
	return len(ws) > 0 && yesWords[ws[0]]
}
