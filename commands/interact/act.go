package interact

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/value"
)

// runAct decides the next action.
func runAct(ctx context.Context, t *turn) (outcome, error) {
	if err := t.state.MayGoOn(t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	if reason, need := t.needsFullDOM(""); need {
		return t.askForFullDOM(reason, "")
	}
	t.skillsShown = t.skills(ctx)
	answer, err := t.nextAction(ctx)
	if t.deferredBy != "" && t.verdict == nil && err == nil {
		if left, err := t.recordDeferred(answer.Last, answer.By); left != "" || err != nil {
			return left, err
		}
	}
	switch {
	case err != nil:
		return t.endWithoutAnswer(err)
	case answer.Action.LooksUp():
		return t.askWhere(answer.Action)
	case answer.Replan != "" && t.mayReplan():
		t.replan = conceal(answer.Replan, t.secrets())
		return replans, nil
	case answer.Lacks != "":
		return t.findOut(ctx, answer)
	case stops(answer) && t.wantsWhole():
		return t.askForFullDOM(page.ReasonPartial, answer.Seeks)
	case answer.Undecided && answer.Seeks != "":
		if reason, need := t.needsFullDOM(answer.Seeks); need {
			return t.askForFullDOM(reason, answer.Seeks)
		}
		return t.ask(answer.Reason, answer.Missing)
	case answer.Undecided:
		return t.ask(answer.Reason, answer.Missing)
	case answer.UserQuestion != "":
		return t.ask(answer.UserQuestion, answer.Missing)
	case answer.Action.Name == action.VerifySuccess:
		return t.confirmNext(answer)
	case answer.Action.Name == action.GoogleSearch:
		t.wanted = wish{answer.Action.Text, reasoning.ForAction, answer}
		return searches, nil
	case answer.Action.Name == action.Finish:
		return t.acceptFinish(answer)
	case answer.Action.Name == action.Fail && t.partGoal() != "":
		return t.failPart(orElse(answer.Action.Text, answer.Thought))
	case answer.Action.Name == action.Fail:
		return t.endTask(fail(domain.CodeGaveUp, t.endMessage(answer.Action.Text, answer.Thought)))
	}
	t.proposed = answer
	return proposed, nil
}

// stops reports an answer after which nothing is done on the page: a question, a failure,
// or the end of the task.
func stops(answer reasoning.ActAnswer) bool {
	return answer.Undecided || answer.UserQuestion != "" || answer.Action.EndsTask()
}

// endWithoutAnswer ends a turn whose question could not be answered. If the reasoner is
// only unavailable or the budget is used up, it returns the error and the turn stays
// open: the same request takes it over, and paid answers are not paid again. A bad
// answer ends no task: the user is asked. Otherwise the task fails with a message for the user.
func (t *turn) endWithoutAnswer(err error) (outcome, error) {
	if kind := domain.KindOf(err); kind == domain.Unavailable || kind == domain.Limited {
		return "", err
	}
	if errors.Is(err, reasoning.ErrUnusable) { // the user may know better than to start anew
		return t.ask("I could not work out the next step. What should I do?", nil)
	}
	return t.endTask(fail(domain.CodeLLM, userMessage(err)))
}

// execute makes the answer's action the pending one.
func (t *turn) execute(answer reasoning.ActAnswer) (outcome, error) {
	target, err := t.resolveTarget(&answer.Action)
	if err != nil && t.targetMissing(answer.Action) {
		sought := t.describeEarlier(answer.Action.Target)
		if reason, need := t.needsFullDOM(sought); need {
			return t.askForFullDOM(reason, sought)
		}
	}
	if err != nil {
		return t.ask("I could not work out the next step: "+userMessage(err)+". What should I do?", nil)
	}
	if !t.in.Client.Can(answer.Action) {
		return t.ask("The next step is one that this browser cannot do for me ("+string(answer.Action.Name)+"). Can you do it, or tell me another way?", nil)
	}
	maySubmit := t.maySubmit(answer.Action)
	if j, open := t.state.UndecidedSubmit(); open && maySubmit {
		return t.askWhetherItWorked(j)
	}
	if left, not := t.refuseResend(maySubmit); not {
		return left()
	}
	items, leftOut := t.chainOf(answer)
	if leftOut != "" { // what is said of all actions is not said of some
		answer.Final, answer.Expected.NextGoal = false, nil
	}
	masked := t.mask(answer.Action, target)
	if err := t.state.MayDoChain(masked, target, items, t.Limits); err != nil {
		return t.endAtLimit(err)
	}
	answer = t.withoutSecrets(answer)
	err = t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: answer.Action.Name, Confidence: answer.Confidence, By: answer.By,
		Skills: reasoning.IDs(t.skillsShown), Shown: t.skillsShown, Instead: reasoning.InsteadOf(t.skillsShown, answer.SkillsUsed, answer.Action, target.Target),
		Thought: answer.Thought, Action: masked.String(), Target: target, Expected: answer.Expected.Description,
		Final: answer.Final, MaySubmit: maySubmit, PlanStep: answer.PlanStep, For: answer.For, Before: t.now.Before(), Chain: items,
		LeftOut: leftOut, Note: t.note, LookedUp: t.lookedUp(),
	}})
	if err != nil {
		return "", err
	}
	t.setActionAnswer("executing", answer.Thought, masked, target)
	t.setChainAnswer(items)
	return decided, t.predict(masked, answer.Expected, answer.Thought, answer.By)
}

// refuseResend reports whether a second submission is held back, and how the turn
// ends then. After a submission failed and the user was asked about it, the question
// is repeated until it is answered, and a "no" ends the task.
func (t *turn) refuseResend(maySubmit bool) (func() (outcome, error), bool) {
	j, failed := t.state.FailedSubmit()
	switch {
	case !failed || !maySubmit:
		return nil, false
	case t.state.Question != "":
		return func() (outcome, error) { return t.ask(t.state.Question, nil) }, true
	case len(t.state.Replies) > 0 && reasoning.Declines(t.state.Replies[len(t.state.Replies)-1]):
		return func() (outcome, error) {
			return t.endTask(fail(domain.CodeGaveUp, t.describeAction(j)+" and it did not work. I stopped, as you asked."))
		}, true
	}
	return nil, false
}

// resolveTarget finds the element of an action and converts its value to the form the
// control takes. It returns INVALID_ACTION if the page does not allow the action, so
// such an action never reaches a client.
func (t *turn) resolveTarget(a *action.Action) (task.Target, error) {
	if err := a.Validate(); err != nil {
		return task.Target{}, err
	}
	if a.Name == action.Type {
		return t.focused(*a), nil
	}
	if a.Target == "" {
		return task.Target{}, nil
	}
	if a.Name == action.Scroll && slices.Contains(t.now.Scrollable, a.Target) {
		return task.Target{ID: a.Target}, nil
	}
	e, err := t.operable(a.Target, a.Name)
	if err == nil && a.To != "" {
		_, err = t.operable(a.To, action.Hover) // to drop something on it, it need not be enabled
	}
	if err != nil {
		return task.Target{}, err
	}
	if a.Name == action.SetValue {
		if a.Text, err = t.valueFor(a.Text, e); err != nil {
			return task.Target{}, invalidAction("%s", err)
		}
	}
	target := targetOf(e)
	target.Secret = target.Secret || t.typesSecret(*a)
	return target, nil
}

func targetOf(e page.Element) task.Target {
	return task.Target{
		Target: reasoning.Target{Role: e.Role, Name: e.Name, Group: e.Group}, ID: e.ID, Key: e.Key,
		Row: page.Cut(e.Row, maxWhere), Secret: e.State.Secret,
	}
}

// focused is the element that type goes to, without an id: the action has none. It is
// empty if the client did not say what has the focus.
func (t *turn) focused(a action.Action) task.Target {
	e, ok := t.now.ByID(t.now.ActiveElement)
	if at := slices.IndexFunc(t.now.Elements, func(e page.Element) bool { return e.State.Focused }); !ok && at >= 0 {
		e = t.now.Elements[at]
	}
	target := targetOf(e)
	target.ID, target.Secret = "", target.Secret || t.typesSecret(a)
	return target
}

// operable returns an element that an action of that name can be done to.
func (t *turn) operable(id string, n action.Name) (page.Element, error) {
	e, ok := t.now.ByID(id)
	switch {
	case !ok:
		return e, invalidAction("there is no element %q on the page", id)
	case e.State.Hidden:
		return e, invalidAction("%s is not visible", page.Describe(e))
	case e.State.Disabled && n != action.Hover && n != action.Scroll:
		return e, invalidAction("%s is disabled", page.Describe(e))
	}
	return e, nil
}

// valueFor is the text in the form the control takes, for a list of several choices
// also several options, if the client can choose them at once.
func (t *turn) valueFor(text string, e page.Element) (string, error) {
	if lines, several := value.Lines(text, e); several && t.in.Client.Has(action.CanChooseSeveral) {
		return lines, nil
	}
	return value.ForControl(text, e)
}

// maxWhere bounds the text of a row that is remembered of a target, in characters.
const maxWhere = 60

func invalidAction(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeInvalidAction, format, args...)
}

// setActionAnswer makes the action the answer of the turn.
func (t *turn) setActionAnswer(status, thought string, a action.Action, target task.Target) {
	t.status = statusAction
	t.answer.Status, t.answer.Thought, t.answer.Action = status, thought, a.String()
	if step, _, ok := t.state.Pending(); ok {
		t.answer.StepIndex = step.Index
	}
	t.answer.ActionDetails = &ActionDetails{
		Name: string(a.Name), ElementID: a.Target, Text: a.Text, Seconds: a.Seconds, Element: describe(target),
	}
}

// maySubmit reports whether repeating an action may do harm.
func (t *turn) maySubmit(a action.Action) bool {
	switch a.Name {
	case action.Click:
		e, _ := t.now.ByID(a.Target)
		return page.ClickMaySubmit(e)
	case action.Press:
		return page.KeyMaySubmit(a.Text, t.now)
	case action.Type: // a line break in it is the key Enter
		return strings.Contains(a.Text, "\n") && page.KeyMaySubmit("Enter", t.now)
	}
	return false
}

// ask ends the turn with a question to the user.
func (t *turn) ask(question string, missing []string) (outcome, error) {
	return t.putQuestion(task.AskUser{Question: question, Missing: missing})
}

// askToJudge asks the user whether an action worked. The reply is the verdict.
func (t *turn) askToJudge(question string) (outcome, error) {
	return t.putQuestion(task.AskUser{Question: question, Missing: []string{"confirmation"}, Judges: true})
}

// stopAsking ends a task that has asked too many questions in a row.
func (t *turn) stopAsking(err error) (outcome, error) {
	return t.endTask(fail(domain.CodeNoReply, t.endMessage("I stopped, because "+userMessage(err)+".", "")))
}

func (t *turn) putQuestion(q task.AskUser) (outcome, error) {
	if err := t.state.MayAsk(t.Limits); err != nil {
		return t.stopAsking(err)
	}
	question, missing := conceal(q.Question, t.secrets()), concealAll(q.Missing, t.secrets())
	q.Question, q.Missing, q.Note = question, missing, t.note
	if err := t.do(q); err != nil {
		return "", err
	}
	t.status = statusNeedsUser
	t.answer.Status, t.answer.Thought = "needs_user_input", question
	t.answer.UserQuestion, t.answer.MissingInformation = question, missing
	t.answer.StepIndex = len(t.state.Steps)
	return asked, nil
}

func orElse(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}
