package verdicts

import (
	"context"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// Flow is what the agent does after a recorded case when it has no model: how the
// task goes on from the recorded action, on the page as it was found after it.
type Flow string

// The ways a task goes on. Bounded is a task that went on for longer than is looked
// at.
const (
	ClaimedDone Flow = "done"
	Repeated    Flow = "repeated" // the same action again, by itself or as a correction
	Asked       Flow = "asked"
	WentOn      Flow = "went on" // with another action
	GaveUp      Flow = "gave up"
	Bounded     Flow = "bounded"
)

// maxFlow is how many turns are looked at: more than the limits allow for looks at a
// page that stays as it is.
const maxFlow = 12

// Follow puts a recorded case through the interact graph with the rules as its only
// reasoner, and goes on with the page of after the action until the agent does
// something else than look.
func Follow(ctx context.Context, r Recorded) (Flow, error) {
	a, err := action.Parse(r.Action)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.ID(), err)
	}
	turns := interact.New(interact.Deps{
		Log: memory.New(memory.Options{}), Keys: plain{}, Content: nowhere{}, Pages: dom.Reader{},
		Reasoner: &firstAction{action: a, thought: r.Thought}, Skills: nothing{},
		Instances: alone{}, Clock: time.Now, IDs: domain.NewUUID, Limits: task.DefaultLimits,
	})
	first, began, err := turn(ctx, turns, r.Before, "")
	if err != nil {
		return "", fmt.Errorf("%s: before: %w", r.ID(), err)
	}
	for range maxFlow {
		_, answer, err := turn(ctx, turns, r.Request, first.TaskID)
		if domain.KindOf(err) == domain.Invalid { // a limit
			return GaveUp, nil
		}
		if err != nil {
			return "", fmt.Errorf("%s: after: %w", r.ID(), err)
		}
		if flow := flowOf(began, answer); flow != "" {
			return flow, nil
		}
	}
	return Bounded, nil
}

// flowOf is what an answer makes of the task, "" for a look at the page.
func flowOf(began, answer interact.Answer) Flow {
	switch answer.Status {
	case "completed":
		return ClaimedDone
	case "failed":
		return GaveUp
	case "needs_user_input", "needs_full_dom":
		return Asked
	}
	a, err := action.Parse(answer.Action)
	switch {
	case err == nil && a.Name.LooksOnly():
		return ""
	case answer.Action == began.Action:
		return Repeated
	}
	return WentOn
}

// firstAction takes the recorded action first, and is the rules from then on.
type firstAction struct {
	rules.Reasoner
	action  action.Action
	thought string
	taken   bool
}

func (f *firstAction) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	if f.taken {
		return f.Reasoner.Act(ctx, q)
	}
	f.taken = true
	return reasoning.ActAnswer{Action: f.action, Thought: f.thought, Confidence: 1, By: "recording"}, nil
}
