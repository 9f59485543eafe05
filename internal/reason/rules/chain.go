package rules

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/act"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
)

// maxChained is the largest page, in elements, on which the rules look for more than the
// next action: each further one reads the page once more.
const maxChained = 1_000

// further returns what the rules would do after a move that fills in a field, for as long
// as that is filling in fields. Each is found on the page as it will be when the ones
// before have worked.
func further(ctx context.Context, q reasoning.ActQuestion, m act.Move) []reasoning.ActStep {
	if !q.Client.Has(action.CanChain) || len(q.Page.Elements) > maxChained {
		return nil
	}
	var out []reasoning.ActStep
	filled := []string{m.Action.Target}
	for len(out) < reasoning.MaxActions-1 && fills(m) {
		q = assuming(q, m)
		m = act.NewView(ctx, q).Next()
		if !fills(m) || slices.Contains(filled, m.Action.Target) || ctx.Err() != nil {
			break
		}
		filled = append(filled, m.Action.Target)
		out = append(out, reasoning.ActStep{Action: m.Action, Description: m.Thought, For: m.For})
	}
	return out
}

// fills reports whether a move only fills in a field or ticks a box.
func fills(m act.Move) bool {
	return m.Kind == do.IsAction && m.Action.Validate() == nil &&
		(m.Action.Name == action.SetValue || m.Action.Name == action.Click && m.On.IsTick())
}

// assuming is the question as it will be put when the move has worked.
func assuming(q reasoning.ActQuestion, m act.Move) reasoning.ActQuestion {
	q.Steps = append(slices.Clip(q.Steps), succeededStep(q.Steps, m.Action, m.On, m.For))
	q.LastObservations = nil
	q.Page.Elements = slices.Clone(q.Page.Elements)
	for i := range q.Page.Elements {
		e := &q.Page.Elements[i]
		switch {
		case e.ID == m.Action.Target:
			set(e, m.Action)
		case m.On.Role == "radio" && e.Role == "radio" && e.Group == m.On.Group && e.Frame == m.On.Frame:
			e.State.Checked = "false"
		}
	}
	return q
}

// set gives an element the state it has after an action that fills it in.
func set(e *page.Element, a action.Action) {
	switch {
	case a.Name == action.SetValue && !e.State.Secret:
		e.Value = a.Text
		e.Options = slices.Clone(e.Options)
		for i := range e.Options {
			o := &e.Options[i]
			is := cmp.Or(o.Label, o.Value) == a.Text || o.Value == a.Text
			o.Selected = is || e.Multiple && o.Selected
		}
	case e.Role != "radio" && e.State.Checked == "true":
		e.State.Checked = "false"
	case e.IsTick():
		e.State.Checked = "true"
	}
}

func succeededStep(steps []reasoning.Step, a action.Action, on page.Element, what instruction.Progress) reasoning.Step {
	s := reasoning.Step{Action: a, Target: page.Describe(on), Verified: true, Succeeded: true, For: what, Key: on.Key}
	if n := len(steps); n > 0 {
		s.Index = steps[n-1].Index + 1
	}
	return s
}

// judgeChain judges each action of a chain by what was seen of it. The chain worked if
// all did; else the verdict is that on the first that failed, or is undecided.
func judgeChain(ctx context.Context, q reasoning.VerifyQuestion) (verdict.Judgement, error) {
	var all verdict.Judgement
	var items []reasoning.ItemVerdict
	for i, s := range q.Chain {
		one := q
		one.Chain, one.Action, one.Target, one.Expected = nil, s.Action, s.Target, page.Outcome{}
		one.Observations = withoutOthers(q.Observations, q.Chain, i)
		j, err := verdict.Judge(ctx, one)
		if err != nil {
			return j, err
		}
		items = append(items, reasoning.ItemVerdict{Index: s.Index, Outcome: j.Outcome(), Reason: j.Reason})
		if i == 0 || worse(j.Verdict, all.Verdict) {
			all.Verdict = j.Verdict
		}
		all.Asks = all.Asks || j.Asks
	}
	all.Items = items
	if all.Outcome() == reasoning.Succeeded {
		all.Reason = fmt.Sprintf("All %d fields hold what was entered.", len(items))
	}
	return all, nil
}

// worse orders verdicts: failed, undecided, then by confidence.
func worse(a, b reasoning.Verdict) bool {
	rank := map[reasoning.Outcome]int{reasoning.Failed: 0, reasoning.Undecided: 1, reasoning.Succeeded: 2}
	return cmp.Or(cmp.Compare(rank[a.Outcome()], rank[b.Outcome()]), cmp.Compare(a.Confidence, b.Confidence)) < 0
}

// withoutOthers leaves out what was seen of the elements of the chain's other actions.
func withoutOthers(seen []page.Observation, chain []reasoning.ChainStep, of int) []page.Observation {
	return slices.DeleteFunc(slices.Clone(seen), func(o page.Observation) bool {
		return slices.ContainsFunc(chain, func(s reasoning.ChainStep) bool {
			return o.Key != "" && o.Key == s.Target.Key && o.Key != chain[of].Target.Key
		})
	})
}
