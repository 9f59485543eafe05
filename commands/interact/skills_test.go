package interact_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// library gives what was learnt for goals like the task's on its site.
type library []reasoning.Skill

func (l library) Find(_ context.Context, tenant, site, goal string) ([]reasoning.Skill, error) {
	if tenant != "acme" || site != "clinic.example" || goal != "save it" {
		return nil, nil
	}
	return l, nil
}

// learnt are skills of which one is about another page.
var learnt = library{
	{ID: "elsewhere", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Send"}, UseAction: "goBack"},
	{
		ID: "here", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Save"},
		UseAction: "click", UseTarget: reasoning.Target{Role: "link", Name: "Add"},
	},
	{ID: "enter", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Save"}, UseAction: "press", UseTarget: reasoning.Target{Role: "key", Name: "Enter"}},
}

// What fits the page is shown, what is shown is recorded, and what an action was
// taken instead of is told to whoever decides what comes after it.
func TestTurn_SkillsShownAreRecorded(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *interact.Deps) { d.Skills = learnt })
	followed := click("3")
	followed.SkillsUsed = []string{"here"}
	r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = []any{followed, click("14")}, []any{worked, didNot}, []any{retryWith("3")}
	a, err := walkThrough(t, r, 2)
	if err != nil {
		t.Fatal(err)
	}
	broken := request(t, form, "c")
	broken.TaskID, broken.SessionID = a.TaskID, a.SessionID
	broken.Witness.Error = &page.ActionError{Code: "ELEMENT_DISABLED", Message: "it is grey"}
	if _, err := r.Interact(t.Context(), broken); err != nil {
		t.Fatal(err)
	}
	shown := []string{"here", "enter"}
	for i, q := range [][]reasoning.Skill{r.reasons.asked[0].Skills, r.reasons.asked[1].Skills, r.reasons.failures[0].Skills} {
		if diff := cmp.Diff(shown, reasoning.IDs(q)); diff != "" {
			t.Errorf("skills of question %d (-want +got):\n%s", i, diff)
		}
	}
	instead := reasoning.Instead{Action: "click", Target: reasoning.Target{Role: "button", Name: "Save"}}
	if got := r.reasons.asked[1].Steps[0].Instead; got != instead {
		t.Errorf("the step was taken instead of %+v, want %+v", got, instead)
	}
	var generated []task.ActionGenerated
	for _, e := range r.eventsOf(t, a.TaskID) {
		switch e := e.(type) {
		case task.ActionGenerated:
			generated = append(generated, e)
			if diff := cmp.Diff(shown, e.Skills); diff != "" {
				t.Errorf("recorded on the action (-want +got):\n%s", diff)
			}
		case task.CorrectionIssued:
			if diff := cmp.Diff(shown, e.Skills); diff != "" || e.ErrorType != "ELEMENT_DISABLED" {
				t.Errorf("recorded on the correction, error type %q (-want +got):\n%s", e.ErrorType, diff)
			}
		}
	}
	if len(generated) != 2 || generated[0].Instead != instead || generated[1].Instead != (reasoning.Instead{}) {
		t.Errorf("generated %+v", generated)
	}
}
