package projtest

import (
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/domain/task"
)

// Task writes the history of one task, as the interact turn would.
type Task struct {
	env                       *Env
	ID, Session, Tenant, User string
	URL, Query                string
	turn, step, attempt       int
	started, chained          bool
	lastAction                string
	lastTarget                task.Target
}

// Session begins a session of the usual user.
func (e *Env) Session() string {
	id := domain.NewUUID()
	Append(e, session.Codec, session.Stream(id), session.Event(session.SessionStarted{Tenant: e.Tenant, User: User}))
	return id
}

// Archive archives a session.
func (e *Env) Archive(id string) {
	Append(e, session.Codec, session.Stream(id), session.Event(session.SessionArchived{By: User}))
}

// Task is a task to come, of the usual user in a session.
func (e *Env) Task(sessionID, url, query string) *Task {
	return &Task{
		env: e, ID: domain.NewUUID(), Session: sessionID, Tenant: e.Tenant, User: User, URL: url, Query: query, step: -1,
	}
}

// Append adds events to the task's stream.
func (t *Task) Append(events ...task.Event) *Task {
	t.env.T.Helper()
	appendAs(t.env, task.Codec, t.Tenant, task.Stream(t.ID), events...)
	return t
}

// Turn claims the next turn on a page.
func (t *Task) Turn(url string) *Task {
	t.env.T.Helper()
	t.turn++
	return t.Append(task.PageObserved{
		Tenant: t.Tenant, User: t.User, Session: t.Session, Turn: t.turn,
		Query: t.Query, URL: url, Title: "a page",
	})
}

// End ends the turn.
func (t *Task) End() *Task {
	t.env.T.Helper()
	return t.Append(task.TurnEnded{Turn: t.turn, Status: "action", Answer: []byte(`{}`)})
}

// Typed ends the turn with a value for a secret field.
func (t *Task) Typed(value string) *Task {
	t.env.T.Helper()
	return t.Append(task.TurnEnded{Turn: t.turn, Status: "action", Answer: []byte(`{}`), Secret: value})
}

// Erase ends the task for ever; its key is dropped by Keys.Drop.
func (t *Task) Erase() *Task {
	t.env.T.Helper()
	return t.Append(task.TaskErased{Erasure: domain.DeriveUUID("erasure", t.ID)})
}

// visible puts TaskStarted before the first event a reader should see.
func (t *Task) visible(e task.Event) *Task {
	t.env.T.Helper()
	if t.started {
		return t.Append(e)
	}
	t.started = true
	return t.Append(task.TaskStarted{Tenant: t.Tenant, User: t.User, Session: t.Session, URL: t.URL, Query: t.Query}, e)
}

// Target describes an element.
func Target(id, role, name string) task.Target {
	return task.Target{Target: reasoning.Target{Role: role, Name: name}, ID: id}
}

// Act generates the next step's action. Skills are the ids of those shown.
func (t *Task) Act(a action.Action, target task.Target, skills ...string) *Task {
	t.env.T.Helper()
	t.step, t.attempt = t.step+1, 0
	t.lastAction, t.lastTarget = a.String(), target
	return t.visible(task.ActionGenerated{
		Turn: t.turn, StepIndex: t.step, Kind: a.Name, Confidence: 0.9, By: "rules", Skills: skills,
		Thought: fmt.Sprintf("step %d", t.step), Action: t.lastAction, Target: target, Before: t.before(),
	})
}

// Chain generates the next step's actions: so many of them, to be done together.
func (t *Task) Chain(n int, target task.Target) *Task {
	t.env.T.Helper()
	t.step, t.attempt = t.step+1, 0
	a := Set(target.ID, "a value")
	t.lastAction, t.lastTarget = a.String(), target
	e := task.ActionGenerated{
		Turn: t.turn, StepIndex: t.step, Kind: a.Name, Confidence: 0.9, By: "rules", Action: t.lastAction, Target: target, Before: t.before(),
	}
	for range n {
		e.Chain = append(e.Chain, task.ChainItem{Action: t.lastAction, Target: target})
	}
	return t.visible(e)
}

// Stop is a chain of which the first so many actions were executed.
func (t *Task) Stop(executed, total int, recovery string) *Task {
	t.env.T.Helper()
	e := task.ChainPartiallyFailed{Turn: t.turn, StepIndex: t.step, Total: total, Failed: executed, Recovery: recovery, From: executed}
	for i := range executed {
		e.Executed = append(e.Executed, i)
	}
	return t.Append(e)
}

// Check is the checkpoint of a plan, which gets the same score for everything.
func (t *Task) Check(attempt int, score float64) *Task {
	t.env.T.Helper()
	scores := plan.Scores{Completeness: score, Consistency: score, Groundedness: score, Routability: score}
	return t.Append(task.PlanChecked{
		Turn: t.turn, Attempt: attempt, Option: "self", Scores: scores, Overall: scores.Overall(), Verdict: scores.Check(attempt - 1), By: "m-1",
		Issues: []string{"nothing is saved"},
	})
}

func (t *Task) before() page.Before {
	return page.Before{URL: t.URL, Skeleton: page.Skeleton{Elements: []page.Descriptor{
		{Key: "k1", Role: "textbox", Name: "Email", Value: "ann@example.com"}, {Key: "k2", Role: "button", Name: "Save"},
	}}}
}

// Verdict judges the pending action.
func (t *Task) Verdict(succeeded bool) *Task {
	t.env.T.Helper()
	confidence := 0.2
	if succeeded {
		confidence = 0.9
	}
	return t.Append(task.ActionVerified{
		Turn: t.turn, StepIndex: t.step, Succeeded: succeeded, Confidence: confidence, Tier: 1, By: "rules",
		Reason: map[bool]string{true: "it worked", false: "nothing changed"}[succeeded],
	})
}

// Correct tries another action in the same step.
func (t *Task) Correct(s reasoning.Strategy, a action.Action, target task.Target, skills ...string) *Task {
	t.env.T.Helper()
	t.attempt++
	e := task.CorrectionIssued{
		Turn: t.turn, StepIndex: t.step, Attempt: t.attempt, Strategy: s, Kind: a.Name, By: "rules", Skills: skills,
		Reason: "another way", FailedAction: t.lastAction, FailedTarget: t.lastTarget,
		RetryAction: a.String(), RetryTarget: target, Before: t.before(),
	}
	t.lastAction, t.lastTarget = e.RetryAction, target
	return t.Append(e)
}

// Ask puts a question to the user, Reply answers it in the next turn.
func (t *Task) Ask(question string) *Task {
	t.env.T.Helper()
	return t.Append(task.UserInputRequested{Turn: t.turn, Question: question})
}

// Reply is what the user said.
func (t *Task) Reply(text string) *Task {
	t.env.T.Helper()
	return t.Append(task.UserInputProvided{Turn: t.turn, Text: text})
}

// Complete ends the task with its goal reached.
func (t *Task) Complete(message string) *Task {
	t.env.T.Helper()
	return t.visible(task.TaskCompleted{Turn: t.turn, Confidence: 0.9, Message: message})
}

// Fail ends the task without.
func (t *Task) Fail(code, message string) *Task {
	t.env.T.Helper()
	return t.visible(task.TaskFailed{Turn: t.turn, Code: code, Message: message})
}

// Click and Set are actions.
func Click(id string) action.Action { return action.Action{Name: action.Click, Target: id} }

// Set types a value.
func Set(id, text string) action.Action {
	return action.Action{Name: action.SetValue, Target: id, Text: text}
}
