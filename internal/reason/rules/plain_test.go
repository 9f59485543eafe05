package rules

import (
	"testing"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// What a step does not find is looked for by what the user calls it in a reply.
func TestAct_AReplyNamesWhatAStepMeant(t *testing.T) {
	t.Parallel()
	p := pageOf(home, elem("button", "Statistics", withID("1")), elem("button", "Help", withID("2")))
	q := reasoning.ActQuestion{Client: able, Query: "Hover over Reports", Page: p}
	if a := answered(t, q); !a.Undecided || a.Seeks != "“Reports”" {
		t.Errorf("before a reply: %+v", a)
	}
	for _, reply := range []string{"I mean Statistics", "the Statistics button, please", "“Statistics”"} {
		q.Answers = []string{reply}
		if a := answered(t, q); a.Action.String() != `hover("1")` || a.For.Step != 1 || !a.For.Completes {
			t.Errorf("%s: %+v", reply, a)
		}
	}
	q.Answers = []string{"the blue one"}
	if a := answered(t, q); !a.Undecided {
		t.Errorf("what nobody knows is no target: %+v", a)
	}
}
