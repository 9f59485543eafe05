package do

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// attributed is what was done with the steps of the program it was for. Of actions that
// a model chose, or that are older than the record of it, that is found by what they
// were done to: the first step of the program that is not done and means it.
func (s Situation) attributed() []reasoning.Step {
	if !slices.ContainsFunc(s.Steps, func(step reasoning.Step) bool { return step.For.Step == 0 }) {
		return s.Steps
	}
	done := map[int]bool{}
	out := slices.Clone(s.Steps)
	for i := range out {
		step := &out[i]
		if step.For.Step == 0 {
			step.For = s.meant(out[:i], *step, done)
		}
		if step.For.Completes && !failed(*step) {
			done[step.For.Step] = true
		}
	}
	return out
}

// meant is the step of the program an action was for.
func (s Situation) meant(before []reasoning.Step, step reasoning.Step, done map[int]bool) instruction.Progress {
	if clears(step) {
		return instruction.Progress{}
	}
	if n := len(before); n > 0 && step.Correction != "" && before[n-1].Index == step.Index && replaces(step.Action.Name, before[n-1].Action.Name) {
		return before[n-1].For // another way to do the same
	}
	for i := range s.Program.Steps {
		n := i + 1
		if done[n] {
			continue
		}
		if fits, completes := means(inContext(s.Program.Steps, i), step); fits {
			return instruction.Progress{Step: n, Completes: completes}
		}
	}
	return instruction.Progress{}
}

// clears reports whether an action only removed an obstacle.
func clears(step reasoning.Step) bool {
	if step.Clears {
		return true
	}
	switch step.Action.Name {
	case action.Wait, action.Scroll:
		return true
	case action.Press:
		return step.Action.Text == "Escape"
	}
	return false
}

// replaces reports whether an action is another way to do what one of that name does: a
// key for a click, and the other way round.
func replaces(name, failed action.Name) bool {
	presses := func(n action.Name) bool { return n == action.Click || n == action.Press }
	return name == failed || presses(name) && presses(failed)
}

// means reports whether an action was for a step of a program, and whether it completes
// it.
func means(p instruction.Step, step reasoning.Step) (fits, completes bool) {
	if p.How != nil {
		p = byWay(p)
	}
	said := p.Value.Literal.Text
	switch step.Action.Name {
	case action.Press:
		if p.Act == instruction.Search {
			return step.Action.Text == "Enter", true
		}
		return p.Act == instruction.Press && keyName(said) == step.Action.Text, true
	case action.GoBack:
		return p.Act == instruction.Back, true
	case action.Navigate:
		return p.Act == instruction.Navigate && strings.Contains(step.Action.Text, p.Value.Literal.Text+p.Target.Name.Text), true
	case action.SetValue:
		if p.Act == instruction.Search {
			return step.Action.Text == said || step.Action.Text == p.Target.Name.Text, false
		}
		if !isGiven(p) {
			return false, false
		}
		if step.Action.Text == secret.Mask {
			return ground.Fits(fieldName(p), pseudo(step)), true
		}
		return value.Given(said, step.Action.Text) || text.Same(p.Target.Name.Text, step.Action.Text), true
	case action.Click:
		e := pseudo(step)
		if isGiven(p) && said != "" {
			return text.Same(said, e.Name), true
		}
		if p.Act == instruction.Command && !text.Subset(text.Key(p.Verb), text.Key(e.Name)) {
			return ground.Fits(p.Target, e), false // what it is about was opened
		}
		return ground.Fits(p.Target, e) || p.Act == instruction.Submit && page.ClickMaySubmit(e), true
	}
	return false, false
}

// isGiven reports whether a step brings something to a value.
func isGiven(p instruction.Step) bool {
	return p.Act == instruction.Enter || p.Act == instruction.Set || p.Act == instruction.Choose || p.Act == instruction.Clear
}

func fieldName(p instruction.Step) instruction.Reference {
	if p.Value.Label != "" {
		return instruction.Reference{Name: instruction.Literal{Text: p.Value.Label}}
	}
	return p.Target
}

// pseudo is the element of a step as far as it is on record.
func pseudo(step reasoning.Step) page.Element {
	e := page.Element{ID: step.Action.Target, Row: step.Where, Role: step.Target}
	if role, name, ok := strings.Cut(step.Target, ` "`); ok {
		e.Role, e.Name = role, strings.TrimSuffix(name, `"`)
	}
	return e
}
