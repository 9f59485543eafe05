package interact

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runLookAgain is what follows an undecided verdict: the page is looked at again, a few
// times and with growing waits, where what is missing may still come or the action may
// not be done twice. After that a step that later ones will show is gone on from; of
// one that may submit the user is asked.
func runLookAgain(_ context.Context, t *turn) (outcome, error) {
	j := t.pending
	switch {
	case t.state.Told: // the user was asked, and said something else than yes or no
		return succeeded, nil
	case t.mayLook(j) && (j.MaySubmit || t.verdict.Missing.MayCome()):
		return t.lookAgain(j)
	case j.MaySubmit:
		return t.askWhether(j)
	}
	return succeeded, nil
}

// mayLook reports whether looking once more is worth it: where nothing that is missing
// may still come, and no harm is done by going on, once is enough.
func (t *turn) mayLook(j task.Judgement) bool {
	if !j.MaySubmit && t.verdict != nil && !t.verdict.Missing.MayCome() {
		return j.Looks < min(1, t.Limits.MaxLooks)
	}
	return j.Looks < t.Limits.MaxLooks
}

// lookAgain waits for what the action comes to: one second, then two, then four.
func (t *turn) lookAgain(j task.Judgement) (outcome, error) {
	if err := t.state.MayGoOn(t.Limits); err != nil {
		return t.stop(err)
	}
	wait := action.Action{Name: action.Wait, Seconds: float64(int(1) << j.Looks)}
	if err := t.state.MayDo(wait, task.Target{}, t.Limits); err != nil {
		return t.stop(err)
	}
	thought := fmt.Sprintf("%s, and I am waiting to see what comes of it.", t.didWhat(j))
	if t.verdict != nil && t.verdict.Missing != "" {
		thought = fmt.Sprintf("%s, and I am waiting to see what comes of it: %s.", t.didWhat(j), t.verdict.Missing)
	}
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: wait.Name, Confidence: 1, By: reasoning.ByDefault, Thought: thought, Action: wait.String(), Before: t.now.Before(),
	}})
	if err != nil {
		return "", err
	}
	t.say("executing", thought, wait, task.Target{})
	return decided, nil
}

// askWhether asks the user whether an action worked.
func (t *turn) askWhether(j task.Judgement) (outcome, error) {
	question := t.didWhat(j) + ", and the page does not say whether it worked. Did it (yes or no)?"
	return t.askToJudge(question)
}

// didWhat says what was done, in the first person.
func (t *turn) didWhat(j task.Judgement) string {
	a, _ := action.Parse(j.Action)
	name := page.Cut(page.Clean(j.Target.Name), 80)
	switch {
	case a.Name == action.Press:
		return "I pressed the key " + a.Text
	case a.Name == action.Click && name != "":
		return conceal("I pressed “"+name+"”", t.secrets())
	case a.Name == action.SetValue && name != "":
		return conceal("I filled in “"+name+"”", t.secrets())
	}
	return "I did the last step"
}
