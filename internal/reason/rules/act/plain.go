package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// isPlain reports whether the task says step by step what to do, and every word of it
// was understood.
func isPlain(p instruction.Program, in intent) bool {
	return in.excess == "" && len(p.Steps) > 0 && p.Complete() && !breaksOff(p.Steps) && !slices.ContainsFunc(p.Steps, isBeyond)
}

// isBeyond reports a step that is not done by rules: reading answers, files.
func isBeyond(s instruction.Step) bool {
	return s.Act == instruction.Unknown || s.Act == instruction.Tell || s.Act == instruction.Count || s.Act == instruction.Upload
}

// saysWhere reports whether a command says where what it makes belongs ("to patient
// Ada"), which forms know nothing of.
func saysWhere(p instruction.Program) bool {
	return slices.ContainsFunc(p.Steps, func(s instruction.Step) bool {
		return s.Act == instruction.Command && (s.Place.Name.Quoted || slices.ContainsFunc(s.Target.Where, func(w instruction.Relation) bool {
			return w.To.Name.Quoted && w.Is != "with"
		}))
	})
}

// breaksOff reports whether a list of things to make goes on with something of another
// kind: "add 'Ada' and the usual details" is no two things of which each can be made.
func breaksOff(steps []instruction.Step) bool {
	for i, s := range steps[min(1, len(steps)):] {
		if before := steps[i]; s.Act == instruction.Command && s.Verb == before.Verb && before.Target.Name.Quoted && !s.Target.Name.Quoted && len(s.With) == 0 {
			return true
		}
	}
	return false
}

// situation is what a move by steps rests on.
func situation(v *View) do.Situation {
	return do.Situation{
		Program: v.program, Page: ground.On(v.page), Steps: v.steps, News: v.news,
		Left: func(list []page.Element) []page.Element {
			return bestFit(v, list, func(page.Element) float64 { return 1 }, v.failedClick).left
		},
		Choose: func(list []page.Element) (page.Element, bool) { return chosenInReply(v, list) },
		Fill:   func(e page.Element, label, value string) do.Move { return fillSlot(v, slotFor(e, label, value)).Move },
		Filled: func(e page.Element, label, value string) bool { return holdsValue(v, slotFor(e, label, value)) },
		Proof:  func() (string, string, bool) { return proofOfSending(v, part{}, nil) },
		Which:  func(what string, list []page.Element) do.Move { return askWhich(v, what, list).Move },
	}
}

// nextPlain is the next move of a task that says what to do.
func nextPlain(v *View) Move {
	s := situation(v)
	m := Move{Move: do.Next(s)}
	if t, ok := instead(v, s, m); ok {
		m = t
	}
	switch says := v.Complaint(); {
	case m.Ends() && says != "":
		return ask([]string{"how to go on"}, "The page reports an error: %s How should I go on?", text.Quoted(says))
	case m.Kind != do.IsAction || m.Ends():
		return m
	}
	return withSkill(v, m)
}

// instead puts what the user named in a reply in the place of what a step did not find:
// the latest reply that names something on the page.
func instead(v *View, s do.Situation, m Move) (Move, bool) {
	i := m.For.Step - 1
	if m.Kind != do.IsUnknown || m.Seeks == "" || i < 0 || i >= len(s.Program.Steps) || s.Program.Steps[i].Target.IsZero() {
		return m, false
	}
	for _, r := range slices.Backward(v.replies) {
		name := reference(r)
		if name == "" {
			continue
		}
		s.Program.Steps = slices.Clone(v.program.Steps)
		step := &s.Program.Steps[i]
		step.Target = instruction.Reference{Name: instruction.Literal{Text: name}, Where: step.Target.Where}
		if t := do.Next(s); t.Kind == do.IsAction || t.Kind == do.IsQuestion {
			return Move{Move: t}, true
		}
	}
	return m, false
}

// slotFor is a field with the value it is to get.
func slotFor(e page.Element, label, value string) slot {
	return slot{field: field{name: label, value: value}, on: e, confidence: sure}
}
