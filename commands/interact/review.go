package interact

import (
	"context"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/critic"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
)

// runReview looks at a proposed action before it is sent (spec: critic loop). Rules
// object to clear mistakes at no cost; a model is asked where whoever proposed it is not
// sure, or the last action failed. An objection leads to another proposal. It fails
// open: a critic that cannot be asked lets the action pass, and so does the last
// objection.
func runReview(ctx context.Context, t *turn) (outcome, error) {
	proposed := t.proposed
	why, needed := reasoning.NeedsCritic(proposed.Action, proposed.Confidence, t.state.ConsecutiveFailures > 0)
	if !needed || proposed.By == reasoning.ByRules {
		return t.execute(proposed)
	}
	attempt := t.critiques + 1
	on, _ := t.now.ByID(proposed.Action.Target)
	q := reasoning.CritiqueQuestion{
		On: t.on(), Query: t.state.Query, Answers: t.state.Replies, Action: proposed.Action, Target: on,
		Thought: proposed.Thought, Confidence: proposed.Confidence, Page: t.now, Steps: t.steps(), Why: why,
		Attempt: attempt, Objections: slices.Clone(t.objections),
	}
	c := critic.Review(q)
	var err error
	if c.Undecided && why != reasoning.HighRisk && t.Planner != nil {
		c, err = t.Planner.Critique(ctx, q)
		t.tokens = t.tokens.Plus(c.Tokens)
	}
	if c.Sends(err, attempt) {
		return t.execute(t.withoutMistakes(proposed, q))
	}
	t.critiques++
	t.objections = append(t.objections, c.Reason)
	objection := conceal(c.Reason, t.secrets())
	return objected, t.do(task.Criticise{Criticised: task.ActionCriticised{
		Kind: proposed.Action.Name, Attempt: attempt, Why: string(why), Rule: c.Rule, By: c.By,
		Action: t.withoutValue(proposed.Action, on).String(), Objection: objection,
	}})
}

// withoutMistakes cuts the further actions of an answer before the first that is a clear
// mistake: it is decided again when its turn comes.
func (t *turn) withoutMistakes(proposed reasoning.ActAnswer, q reasoning.CritiqueQuestion) reasoning.ActAnswer {
	for i, next := range proposed.Next {
		q.Action = next.Action
		q.Target, _ = t.now.ByID(next.Action.Target)
		if !critic.Review(q).Undecided {
			proposed.Next, proposed.Final, proposed.Expected.NextGoal = proposed.Next[:i], false, nil
			break
		}
	}
	return proposed
}

// withoutValue returns an action that is not sent as it may be stored.
func (t *turn) withoutValue(a action.Action, on page.Element) action.Action {
	if on.State.Secret && a.Name == action.SetValue {
		a.Text = secret.Mask
	}
	a.Text = conceal(a.Text, t.secrets())
	return a
}
