package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
)

// sentAt is the index of the deed that sent the form, -1 if it was not sent
// since the last value was entered.
func (v *view) sentAt(p part) int {
	set := v.lastSet()
	if set < 0 && len(p.fields) > 0 {
		return -1
	}
	clicks := 0
	for i := max(set+1, v.cursor); i < len(v.past); i++ {
		d := v.past[i]
		if d.failed {
			continue
		}
		if d.action.Name == action.Press && d.action.Text == "Enter" {
			return i
		}
		if d.action.Name != action.Click {
			continue
		}
		// Without values the first click of that kind opened the form.
		if sends(p, d) {
			if clicks++; set >= 0 || clicks > 1 {
				return i
			}
		}
	}
	return -1
}

// sends reports whether a click sent this form for good: on the button the task
// names or what replaced it, else on any that sends. "Next" only leads on.
func sends(p part, d deed) bool {
	if p.button != "" {
		k := key(p.button)
		return d.replaces(deed{}) || subset(without(k, controlWords), key(d.name)) || len(k) > 0 && k[0] == "submit" && isSubmitWord(d.name)
	}
	return isSubmitWord(d.name) && !leadsOnName(key(d.name))
}

// afterSending looks for what the form came to. It does not settle the matter
// when there is something left to correct or to fill on this page.
func (v *view) afterSending(p part, found []slot, sent int) (move, bool) {
	if says := v.complaint(); says != "" {
		if len(found) > 0 {
			for _, s := range found {
				if !v.holds(s) && !v.isReply(s.on.Value) {
					return v.fill(s), true
				}
			}
			if m := v.askRequired(found); m.kind != isDone {
				return m, true
			}
		}
		return ask([]string{"how to go on"}, "The page reports an error: %s How should I go on?", quoted(says)), true
	}
	left := v.unsent(p, found)
	if len(left) > 0 && len(found) > 0 {
		return move{}, false // another page of the form
	}
	if v.confirmed() {
		v.cursor = sent + 1
		return done("you confirmed it"), true
	}
	if len(left) > 0 {
		return ask([]string{"confirmation"}, "I sent the form, but I did not see %s go into it. Is it all right (yes or no)?", fieldName(left[0])), true
	}
	if proof, quote, ok := v.proof(p, found); ok {
		v.cursor = sent + 1
		m := done("%s", proof)
		m.quote = quote
		return m, true
	}
	return ask([]string{"confirmation"}, "I sent the form, but the page does not show whether it worked. Can you see that it did (yes or no)?"), true
}

// unsent are the values of the task that neither went into a field nor stand
// in one.
func (v *view) unsent(p part, found []slot) []field {
	return slices.DeleteFunc(v.spread(p), func(f field) bool {
		return v.wasSet(f) || slices.ContainsFunc(found, func(s slot) bool { return s.field == f && v.holds(s) })
	})
}

var yesWords = set("yes yep ok okay done saved confirmed correct sure")

func (v *view) confirmed() bool {
	if len(v.replies) == 0 {
		return false
	}
	ws := v.words(v.replies[len(v.replies)-1])
	return len(ws) > 0 && yesWords[ws[0]]
}
