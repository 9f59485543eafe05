package act

import (
	"strings"

	"github.com/stepledger/stepledger/internal/reason/rules/do"
)

// Explain tells how each step of the task is understood on the page (do.Explain), and
// why the view does not go by these steps, "" if it does.
func (v *View) Explain() (steps []do.Explained, notBy string) {
	return do.Explain(situation(v)), v.notPlain()
}

// notPlain says why isPlain is false, "" where it is true.
func (v *View) notPlain() string {
	if v.plain {
		return ""
	}
	unread, _ := v.program.UnreadWords()
	switch {
	case len(v.program.Steps) == 0:
		return "it says nothing to do"
	case v.in.excess != "":
		return "it is too long"
	case unread > 0:
		return "some of its words were not understood"
	}
	for _, s := range v.program.Steps {
		if isBeyond(s) {
			return strings.TrimSpace("none of the rules can " + s.Verb + " by steps")
		}
	}
	return "it is a goal for a form"
}
