package interact

import (
	"context"
	"slices"

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
		return t.stop(err)
	}
	if reason, need := t.lacks(""); need {
		return t.needFullDOM(reason, "")
	}
	t.learnt = t.skills(ctx)
	answer, err := t.Reasoner.Act(ctx, reasoning.ActQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies, Page: t.now, Screenshot: t.screenshot(ctx),
		Steps: t.steps(), LastObservations: t.observations, Skills: t.learnt,
	})
	t.tokens = t.tokens.Plus(answer.Tokens)
	switch {
	case err != nil:
		return t.unanswered(err)
	case answer.Undecided && answer.Seeks != "":
		if reason, need := t.lacks(answer.Seeks); need {
			return t.needFullDOM(reason, answer.Seeks)
		}
		return t.ask(answer.Reason, answer.Missing)
	case answer.Undecided:
		return t.ask(answer.Reason, answer.Missing)
	case answer.UserQuestion != "":
		return t.ask(answer.UserQuestion, answer.Missing)
	case answer.Action.Name == action.VerifySuccess:
		return t.claim(answer)
	case answer.Action.Name == action.Finish:
		return t.finished(answer)
	case answer.Action.Name == action.Fail:
		return t.give(fail(domain.CodeGaveUp, t.told(answer.Action.Text, answer.Thought)))
	}
	return t.execute(answer)
}

// unanswered ends the turn of a question nobody could answer. While help is only
// out of reach for the moment, or the budget used up, the turn stays open: the
// same request takes it over, and what was paid for is not paid again. Else the
// task fails, readably.
func (t *turn) unanswered(err error) (outcome, error) {
	if kind := domain.KindOf(err); kind == domain.Unavailable || kind == domain.Limited {
		return "", err
	}
	return t.give(fail(domain.CodeLLM, userMessage(err)))
}

// execute makes the answer's action the pending one.
func (t *turn) execute(answer reasoning.ActAnswer) (outcome, error) {
	target, err := t.aim(&answer.Action)
	if err != nil && t.missing(answer.Action) {
		sought := t.formerly(answer.Action.Target)
		if reason, need := t.lacks(sought); need {
			return t.needFullDOM(reason, sought)
		}
	}
	if err != nil {
		return t.give(fail(domain.CodeLLM, "The next step could not be worked out: "+userMessage(err)))
	}
	maySubmit := t.maySubmit(answer.Action)
	if j, open := t.state.UnsettledSubmit(); open && maySubmit {
		return t.askWhether(j)
	}
	if left, not := t.mayNotResend(maySubmit); not {
		return left()
	}
	masked := t.mask(answer.Action, target)
	if err := t.state.MayDo(masked, target, t.Limits); err != nil {
		return t.stop(err)
	}
	answer = t.discreet(answer)
	err = t.do(task.GenerateAction{Limits: t.Limits, Generated: task.ActionGenerated{
		Kind: answer.Action.Name, Confidence: answer.Confidence, By: answer.By,
		Skills: reasoning.IDs(t.learnt), Instead: reasoning.Spared(t.learnt, answer.SkillsUsed, answer.Action, target.Target),
		Thought: answer.Thought, Action: masked.String(), Target: target, Expected: answer.Expected.Description,
		Final: answer.Final, MaySubmit: maySubmit, Before: t.now.Before(),
	}})
	if err != nil {
		return "", err
	}
	t.say("executing", answer.Thought, masked, target)
	return decided, t.predict(masked, answer.Expected, answer.Thought, answer.By)
}

// mayNotResend holds back what may submit after such an action has failed and the user
// was asked about it: without an answer it is asked again, and a no ends the task.
func (t *turn) mayNotResend(maySubmit bool) (func() (outcome, error), bool) {
	j, failed := t.state.RefusedSubmit()
	switch {
	case !failed || !maySubmit:
		return nil, false
	case t.state.Question != "":
		return func() (outcome, error) { return t.ask(t.state.Question, nil) }, true
	case len(t.state.Replies) > 0 && reasoning.Declines(t.state.Replies[len(t.state.Replies)-1]):
		return func() (outcome, error) {
			return t.give(fail(domain.CodeGaveUp, t.didWhat(j)+" and it did not work. I stopped there, as you said."))
		}, true
	}
	return nil, false
}

// aim finds the element an action is for, and puts a value in the form in which that
// control takes it. An action the page cannot have is refused: it never reaches a client.
func (t *turn) aim(a *action.Action) (task.Target, error) {
	if err := a.Validate(); err != nil {
		return task.Target{}, err
	}
	if a.Target == "" {
		return task.Target{}, nil
	}
	if a.Name == action.Scroll && slices.Contains(t.now.Scrollable, a.Target) {
		return task.Target{ID: a.Target}, nil
	}
	e, ok := t.now.ByID(a.Target)
	switch {
	case !ok:
		return task.Target{}, cannot("there is no element %q on the page", a.Target)
	case e.State.Hidden:
		return task.Target{}, cannot("%s is not visible", page.Describe(e))
	case e.State.Disabled && a.Name != action.Hover && a.Name != action.Scroll:
		return task.Target{}, cannot("%s is disabled", page.Describe(e))
	}
	if a.Name == action.SetValue {
		text, err := value.ForControl(a.Text, e)
		if err != nil {
			return task.Target{}, cannot("%s", err)
		}
		a.Text = text
	}
	return task.Target{
		Target: reasoning.Target{Role: e.Role, Name: e.Name, Group: e.Group},
		ID:     e.ID, Key: e.Key, Secret: e.State.Secret || t.typesSecret(*a),
	}, nil
}

func cannot(format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeInvalidAction, format, args...)
}

// say fills in the answer for an action to execute.
func (t *turn) say(status, thought string, a action.Action, target task.Target) {
	t.status = statusAction
	t.answer.Status, t.answer.Thought, t.answer.Action = status, thought, a.String()
	if step, _, ok := t.state.Pending(); ok {
		t.answer.StepIndex = step.Index
	}
	t.answer.ActionDetails = &ActionDetails{
		Name: string(a.Name), ElementID: a.Target, Text: a.Text, Seconds: a.Seconds, Element: describe(target),
	}
}

// maySubmit reports whether doing an action twice may do harm.
func (t *turn) maySubmit(a action.Action) bool {
	switch a.Name {
	case action.Click:
		e, _ := t.now.ByID(a.Target)
		return page.ClickMaySubmit(e)
	case action.Press:
		return page.KeyMaySubmit(a.Text, t.now)
	}
	return false
}

// ask puts a question to the user and ends the turn.
func (t *turn) ask(question string, missing []string) (outcome, error) {
	return t.put(task.AskUser{Question: question, Missing: missing})
}

// askToJudge asks the user whether something worked: the answer is the verdict.
func (t *turn) askToJudge(question string) (outcome, error) {
	return t.put(task.AskUser{Question: question, Missing: []string{"confirmation"}, Judges: true})
}

// unheard ends a task that has asked too often.
func (t *turn) unheard(err error) (outcome, error) {
	return t.give(fail(domain.CodeNoReply, t.told("I stopped, because "+userMessage(err)+".", "")))
}

func (t *turn) put(q task.AskUser) (outcome, error) {
	if err := t.state.MayAsk(t.Limits); err != nil {
		return t.unheard(err)
	}
	question, missing := conceal(q.Question, t.secrets()), concealAll(q.Missing, t.secrets())
	q.Question, q.Missing = question, missing
	if err := t.do(q); err != nil {
		return "", err
	}
	t.status = statusNeedsUser
	t.answer.Status, t.answer.Thought = "needs_user_input", question
	t.answer.UserQuestion, t.answer.MissingInformation = question, missing
	t.answer.StepIndex = len(t.state.Steps)
	return asked, nil
}

func or(s, fallback string) string {
	if s != "" {
		return s
	}
	return fallback
}
