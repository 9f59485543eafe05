package do

import (
	"slices"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// commit saves what was changed where the page keeps a change only when it is saved: who
// says "change my name to Ada" wants it changed, not entered. Who says "enter" or
// "type" says each step, and nothing is saved that was not asked for.
func (s Situation) commit() (Move, bool) {
	last := len(s.Program.Steps) - 1
	n := len(s.Program.Steps) + 1 // one more than it has
	if s.Program.Steps[last].Act != instruction.Set || slices.ContainsFunc(s.Steps, func(step reasoning.Step) bool { return step.For.Step == n }) {
		return Move{}, false // nothing is to be saved, or it was
	}
	on := s.changed(n - 1)
	e, ok := s.saver(on)
	if !ok || on.Layer == 0 && !changing[s.Program.Steps[last].Verb] {
		return Move{}, false
	}
	m := Click(e, Likely, "I'll save the change with "+text.Quoted(called(e))+".", "The change is saved.")
	m.For = instruction.Progress{Step: n, Completes: true}
	return m, true
}

// changed is the element a step gave a value to, as it is now, or else what is on top.
func (s Situation) changed(n int) page.Element {
	for _, step := range slices.Backward(s.Steps) {
		if e, ok := s.again(step); ok && step.For.Step == n && !failed(step) {
			return e
		}
	}
	return page.Element{Layer: s.onTop()}
}

// onTop is the number of the topmost layer with something to use.
func (s Situation) onTop() (layer int) {
	for _, e := range s.Page.Elements {
		if e.Usable() {
			layer = max(layer, e.Layer)
		}
	}
	return layer
}

// changing are the verbs of those who want something changed, wherever it takes; "set"
// and "fill in" say how.
var changing = words.Set("changing")

// again is the element a past step was on, as it is on the page now.
func (s Situation) again(step reasoning.Step) (page.Element, bool) {
	for _, e := range s.Page.Elements {
		if isSame(step, e) {
			return e, true
		}
	}
	return page.Element{}, false
}

var (
	saveWords = words.Set("saver")
	// savedWords may stand behind them.
	savedWords = words.Set("saved")
)

// saver is the one control that saves a field: in its dialog or form, or else the only
// one of the page.
func (s Situation) saver(field page.Element) (page.Element, bool) {
	goal := text.SetOf(text.Key(s.Program.Query))
	var near, all []page.Element
	for _, e := range s.Page.Elements {
		ws := text.Key(e.Label())
		if !e.Usable() || e.Role != "button" || (e.Layer > 0) != (field.Layer > 0) || len(ws) == 0 || !saveWords[ws[0]] || len(text.Without(ws[1:], savedWords, goal)) > 0 {
			continue
		}
		all = append(all, e)
		if field.Form > 0 && e.Form == field.Form || field.Row != "" && e.Row == field.Row {
			near = append(near, e)
		}
	}
	for _, list := range [][]page.Element{near, all} {
		if len(list) == 1 {
			return list[0], true
		}
	}
	return page.Element{}, false
}
