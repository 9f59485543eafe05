package interact

import (
	"cmp"
	"context"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// runLookAgain follows an undecided verdict. It looks at the page again, up to three
// times with growing waits, if the missing evidence may still come or the action must
// not be repeated; after a partial page at the whole one. After that the user is asked about a submission; any other step is
// left for later steps to show.
func runLookAgain(_ context.Context, t *turn) (outcome, error) {
	j := t.pending
	switch {
	case t.state.RepliedNow: // the user was asked, and said something else than yes or no
		return succeeded, nil
	case t.verdict != nil && likely(t.verdict.Tier, t.verdict.Confidence): // gone on from carefully; the history says so
		return succeeded, nil
	case t.wantsWhole():
		return t.askForFullDOM(page.ReasonPartial, conceal(describe(j.Target), t.secrets()))
	case j.MaySubmit && t.state.MayBeTheirs(j.Attempt): // looking again shows no more
		return t.askWhetherItWorked(j)
	case t.mayLookAgain(j) && (j.MaySubmit || t.verdict.Missing.MayCome()):
		return t.lookAgain(j)
	case j.MaySubmit:
		return t.askWhetherItWorked(j)
	}
	return succeeded, nil
}

// mayLookAgain reports whether to look again. One look is enough if nothing more can
// be expected and going on does no harm.
func (t *turn) mayLookAgain(j task.Judgement) bool {
	if !j.MaySubmit && t.verdict != nil && !t.verdict.Missing.MayCome() {
		return j.Looks < min(1, t.Limits.MaxLooks)
	}
	return j.Looks < t.Limits.MaxLooks
}

// lookAgain waits for an effect of the action: one second, then two, then four.
func (t *turn) lookAgain(j task.Judgement) (outcome, error) {
	if err := t.state.MayGoOn(t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	wait := action.Action{Name: action.Wait, Seconds: float64(int(1) << j.Looks)}
	if err := t.state.MayDo(wait, task.Target{}, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	var missing reasoning.Missing
	if t.verdict != nil {
		missing = t.verdict.Missing
	}
	thought := t.describeAction(j) + cmp.Or(waitingFor[missing], waitingFor[""])
	err := t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: wait.Name, Confidence: 1, By: reasoning.ByDefault, Thought: thought, Action: wait.String(), Before: t.now.Before(),
	}})
	if err != nil {
		return "", err
	}
	t.setActionAnswer("executing", thought, wait, task.Target{})
	return decided, nil
}

// waitingFor continues the thought of a wait: what was done, and why to wait.
var waitingFor = map[reasoning.Missing]string{
	"":                      ", and I am waiting for the result.",
	reasoning.MissingAnswer: ". I am waiting because the server has not answered yet.",
	reasoning.MissingRest:   ". I am waiting because the page is still loading.",
	reasoning.MissingEffect: ". I am waiting because the page has not reacted yet.",
	reasoning.MissingSign:   ". I am waiting because the page does not show the result yet.",
}

// askWhetherItWorked asks the user whether an action worked.
func (t *turn) askWhetherItWorked(j task.Judgement) (outcome, error) {
	question := t.describeAction(j) + ", and the page does not show whether it worked. Did it work (yes or no)?"
	return t.askToJudge(question)
}

// describeAction says in the first person what was done.
func (t *turn) describeAction(j task.Judgement) string {
	a, _ := action.Parse(j.Action)
	name := page.Cut(page.Clean(j.Target.Name), 80)
	switch {
	case j.IsChain():
		return "I filled in several fields"
	case a.Name == action.Press:
		return "I pressed the key " + a.Text
	case a.Name == action.Click && name != "":
		return conceal("I pressed “"+name+"”", t.secrets())
	case a.Name == action.SetValue && name != "":
		return conceal("I filled in “"+name+"”", t.secrets())
	}
	return "I did the last step"
}
