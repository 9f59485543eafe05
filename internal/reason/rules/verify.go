package rules

import (
	"context"
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/act"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
)

// Verify judges an action by what changed and what the client witnessed. The first
// rule that has its evidence speaks; its id is in the verdict. An action that worked
// completes the task where the acting half would finish now. Its error is that of a
// context that ended before.
func (Reasoner) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	judge := verdict.Judge
	if len(q.Chain) > 0 {
		judge = judgeChain
	}
	j, err := judge(ctx, q)
	if err != nil || !j.ActionSucceeded || q.ActionOnly {
		return j.Verdict, err
	}
	v := completed(ctx, q, j.Verdict)
	if err := ctx.Err(); err != nil {
		return reasoning.Verdict{}, err
	}
	onRest := v.TaskCompleted && q.Page.Partial() // what is left to do may be on the rest of the page
	if onRest || v.TaskCompleted && j.Asks {      // a question nobody has answered is no end
		v = reasoning.Verdict{Undecided: true, Tier: v.Tier, Rule: v.Rule, By: v.By, Confidence: reasoning.FailureThreshold, Reason: j.Reason, Missing: reasoning.MissingSign}
	}
	return v, nil
}

// completed lets the acting half look at the page with this action counted as done:
// when it would finish, the task is complete.
func completed(ctx context.Context, q reasoning.VerifyQuestion, v reasoning.Verdict) reasoning.Verdict {
	m := act.NewView(ctx, reasoning.ActQuestion{
		Query: q.Query, Answers: q.Answers, Page: q.Page, Steps: withThis(q), LastObservations: q.Observations,
	}).Next()
	if !m.Ends() {
		return v
	}
	v.TaskCompleted = true
	if m.Quote != "" {
		v.Proof.Quote = m.Quote
	}
	complete := "The task is complete: " + m.Evidence + "."
	if text.Shows(m.Evidence, v.Reason) {
		v.Reason = complete // it says what the rule says
	} else {
		v.Reason += " " + complete
	}
	return v
}

// withThis are the steps with the judged one as a success at their end. It may
// be among them already, and after a failed step it is that one's correction.
func withThis(q reasoning.VerifyQuestion) []reasoning.Step {
	if len(q.Chain) > 0 {
		steps := slices.Clip(q.Steps)
		for _, s := range q.Chain {
			steps = append(steps, succeededStep(steps, s.Action, s.Target, s.For))
		}
		return steps
	}
	this := reasoning.Step{Action: q.Action, Target: page.Describe(q.Target), Verified: true, Succeeded: true, Key: q.Target.Key}
	steps := q.Steps
	if n := len(steps); n > 0 {
		switch last := steps[n-1]; {
		case !last.Verified && last.Action == q.Action:
			this.Index, this.Correction, this.For = last.Index, last.Correction, last.For
			steps = steps[:n-1]
		case last.Verified && !last.Succeeded:
			this.Index, this.Correction, this.For = last.Index, string(reasoning.AlternativeTool), last.For
		default:
			this.Index = last.Index + 1
		}
	}
	return append(steps[:len(steps):len(steps)], this)
}
