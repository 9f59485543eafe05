package interact_test

import (
	"testing"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/reason"
)

// Given an action on record without the page it was decided on, when the next
// request comes, then nobody is asked for a verdict and the task goes on.
func TestVerify_WithoutAPageBeforeItIsSkipped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{click("14"), click("3")}
	first, err := walkThrough(t, r, 1)
	if err != nil {
		t.Fatal(err)
	}
	old := rewritten(t, r, first.TaskID, func(e task.Event) task.Event {
		if g, ok := e.(task.ActionGenerated); ok {
			g.Before = page.Before{}
			return g
		}
		return e
	})
	req := request(t, form, "b")
	req.TaskID = first.TaskID
	res, err := old.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	a := answerOf(t, res)
	if v := a.Verification; a.Status != "executing" || v == nil || v.Outcome != "undecided" || len(v.Observations) != 0 || v.Reason == "" {
		t.Errorf("%s with the verdict %+v", a.Status, a.Verification)
	}
	if len(r.reasons.verified) != 0 {
		t.Errorf("a verdict was asked for: %+v", r.reasons.verified)
	}
}

// rewritten is a handler on a log that has a task as it would have been with
// other events. It reasons by the rig's script, as the rules of a chain.
func rewritten(t *testing.T, r *rig, id string, change func(task.Event) task.Event) *interact.Handler {
	t.Helper()
	events := r.eventsOf(t, id)
	for i := range events {
		events[i] = change(events[i])
	}
	other := newRig(t)
	w := commands.Writing{Meta: eventstore.Metadata{Tenant: "acme", Actor: "jo", Correlation: id}, ID: commands.RandomIDs(domain.NewUUID)}
	if _, err := commands.Tasks.Append(t.Context(), other.log, task.Stream(id), domaintest.Sealer{}, commands.Tasks.Start(), w, events); err != nil {
		t.Fatal(err)
	}
	other.deps.Reasoner = reason.Chain{Rules: r.reasons}
	return interact.New(other.deps)
}
