package interact

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// Who judges a plan (spec: verification options).
const (
	checkedBySelf      = "self"
	checkedAdversarial = "adversarial"
)

// adversarialFrom is the probability of a long task from which somebody else than its
// maker is asked what is wrong with a plan. It costs a call, and a shorter task shows
// soon enough whether its plan was right.
const adversarialFrom = 0.9

// checkPlan puts a plan through its checkpoint and records what came of it. A plan that
// nobody judged passes: a checkpoint that cannot be held is no fault of the plan.
func (t *turn) checkPlan(ctx context.Context, made reasoning.PlanAnswer, retries int) (plan.CheckVerdict, []string, error) {
	check, option := made.Check, checkedBySelf
	if check != nil {
		check.By = made.By
	}
	if t.long() >= adversarialFrom {
		q := reasoning.PlanCheckQuestion{On: t.on(), Query: t.state.Query, Answers: t.state.Replies, Page: t.now, Steps: made.Steps, Knowledge: t.chunks, Part: t.part(), SubTasks: made.SubTasks}
		got, err := t.Planner.CheckPlan(ctx, q)
		t.tokens = t.tokens.Plus(got.Tokens)
		if err == nil {
			check, option = &got, checkedAdversarial
		}
	}
	if check == nil || !check.Scores.Sane() {
		return plan.Pass, nil, nil
	}
	verdict := check.Scores.Check(retries)
	issues := make([]string, len(check.Issues))
	for i, s := range check.Issues {
		issues[i] = conceal(s, t.secrets())
	}
	return verdict, issues, t.do(task.CheckPlan{Checked: task.PlanChecked{
		Attempt: retries + 1, Option: option, Scores: check.Scores, Overall: check.Scores.Overall(), Verdict: verdict, By: check.By, Issues: issues,
	}})
}

// withoutPlan asks the user for what would make a better plan. Who was asked before has
// said what they can: the task goes on without a plan, one action after the other.
func (t *turn) withoutPlan(issues []string) (outcome, error) {
	if len(t.state.Replies) > 0 || len(issues) == 0 {
		return ready, nil
	}
	left, err := t.ask("I could not make a good plan for this. Could you tell me more, or ask for one part of it first?", nil)
	if t.answer.UserQuestion != "" {
		t.answer.Context = t.questionContext(strings.Join(issues, " "))
	}
	return left, err
}
