package task_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// course is a task that is given commands one after another.
type course struct {
	t *testing.T
	task.State
	requests int
}

func set(t *testing.T) *course { return &course{t: t, State: task.Initial()} }

func (c *course) try(cmd task.Command) error {
	events, err := task.Decide(cmd, c.State)
	c.State = task.Decider.Fold(c.State, events...)
	return err
}

func (c *course) must(cmds ...task.Command) *course {
	c.t.Helper()
	for _, cmd := range cmds {
		if err := c.try(cmd); err != nil {
			c.t.Fatalf("%T: %v", cmd, err)
		}
	}
	return c
}

// turn begins one, with what the user says ("" for nothing).
func (c *course) turn(says string) *course {
	c.t.Helper()
	c.requests++
	return c.claims(says, page.Witness{})
}

func (c *course) claims(says string, w page.Witness, alerts ...page.Alert) *course {
	c.t.Helper()
	seen := observedFor(0, task.Request{Body: strconv.Itoa(c.requests)})
	seen.Query, seen.Witness, seen.Alerts, seen.MeaningHash = says, w, alerts, strconv.Itoa(c.requests)
	return c.must(task.Claim{Page: seen, Now: noon, OwnerDead: true})
}

// next ends the turn with the action that was decided on, and begins the next one.
func (c *course) next() *course {
	c.t.Helper()
	return c.must(task.EndTurn{Status: "action"}).turn("")
}

func click(name string) task.GenerateAction { return actOn(action.Click, name, false) }
func sends(name string) task.GenerateAction { return actOn(action.Click, name, true) }
func waitFor(seconds float64) task.GenerateAction {
	a := action.Action{Name: action.Wait, Seconds: seconds}
	return task.GenerateAction{Limits: task.DefaultLimits, Generated: task.ActionGenerated{Kind: a.Name, Action: a.String()}}
}

func checks(claim string) task.GenerateAction {
	a := action.Action{Name: action.VerifySuccess, Text: claim}
	return task.GenerateAction{Limits: task.DefaultLimits, Generated: task.ActionGenerated{Kind: a.Name, Action: a.String()}}
}

func actOn(kind action.Name, name string, maySubmit bool) task.GenerateAction {
	a := action.Action{Name: kind, Target: "1"}
	return task.GenerateAction{Limits: task.DefaultLimits, Generated: task.ActionGenerated{
		Kind: kind, Action: a.String(), Target: target("button", name, "1"), MaySubmit: maySubmit,
	}}
}

func worked(step int) task.RecordVerdict  { return task.RecordVerdict{Step: step, Verdict: good} }
func failing(step int) task.RecordVerdict { return task.RecordVerdict{Step: step, Verdict: bad} }
func nobodyKnows(step int) task.RecordVerdict {
	return task.RecordVerdict{Step: step, Verdict: reasoning.Verdict{Undecided: true, Missing: reasoning.MissingAnswer}}
}

func correctWith(name string, maySubmit bool) task.IssueCorrection {
	return task.IssueCorrection{
		Correction:  reasoning.Correction{Strategy: reasoning.AlternativeSelector, Action: action.Action{Name: action.Click, Target: "2"}},
		RetryTarget: target("button", name, "2"), MaySubmit: maySubmit, Limits: task.DefaultLimits,
	}
}

func asksIfItWorked() []task.Command {
	return []task.Command{task.AskUser{Question: "Did it?", Judges: true}, task.EndTurn{Status: "needs_user_input"}}
}

func code(err error) string {
	var refused *domain.Error
	if !errors.As(err, &refused) {
		return ""
	}
	return refused.Code
}
