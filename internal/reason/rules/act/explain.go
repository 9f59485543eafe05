package act

import (
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
)

// Explain tells how each step of the task is understood on the page (do.Explain), and
// why the view does not go by these steps, "" if it does.
func (v *View) Explain() (steps []do.Explained, notBy string) {
	s := do.Situation{
		Program: v.program, Page: ground.On(v.page), Steps: v.steps, News: v.news,
		Choose: func(list []page.Element) (page.Element, bool) { return chosenInReply(v, list) },
		Which:  func(what string, list []page.Element) do.Move { return askWhich(v, what, list).Move },
	}
	return do.Explain(s), v.notPlain()
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
		switch s.Act {
		case instruction.Unknown, instruction.Tell, instruction.Count, instruction.Upload:
			return strings.TrimSpace("none of the rules can " + s.Verb + " by steps")
		}
	}
	return "it is a goal for a form"
}
