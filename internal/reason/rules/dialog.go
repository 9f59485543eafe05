package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// A dialog that wants what was just done confirmed is a step of the task.

// confirmation is the move that answers the dialog on top of the page, where it
// asks about what was just done and m does not answer it.
func (v *view) confirmation(m move) (move, bool) {
	d, ok := v.lastAct()
	if !ok || m.kind == isAction && m.on.Layer > 0 && m.on.Layer == len(v.page.Layers) {
		return move{}, false
	}
	top := v.dialogOnTop()
	says := strings.TrimSpace(v.layer(top).Name + " " + v.layer(top).Text)
	answers, asks := v.answersOf(top, says)
	if top == 0 || !asks {
		return move{}, false
	}
	if e, ok := v.choice(answers); ok {
		return v.confirm(e, says), true
	}
	if slices.ContainsFunc(answers, func(e page.Element) bool { return d.action.Target == e.ID && d.on(e, v.page) }) {
		return unknown("go on: the page still asks %s", quoted(says)), true
	}
	fitting, _ := best(answers, func(e page.Element) float64 { return v.confirmScore(e, d) })
	if len(fitting) == 1 && !v.namesAnother(says, d) {
		return v.confirm(fitting[0], says), true
	}
	return ask([]string{"how to go on"}, "The page asks: %s Which one should I choose: %s?", quoted(says), strings.Join(tellApart(answers), ", ")), true
}

func (v *view) confirm(e page.Element, says string) move {
	return clickOn(e, likely, "The page asks "+quoted(says)+"; I'll answer with "+quoted(label(e))+".", "The question is gone and what you asked for is done.")
}

// lastAct is the last deed that could have made a page ask for a confirmation.
func (v *view) lastAct() (deed, bool) {
	for _, d := range slices.Backward(v.past) {
		switch d.action.Name {
		case action.Wait, action.Scroll, action.Hover:
			continue
		case action.Click, action.Press:
			return d, !d.failed
		}
		break
	}
	return deed{}, false
}

// dialogOnTop is the number of the last layer that is a dialog with controls, 0
// for none.
func (v *view) dialogOnTop() int {
	for n := len(v.page.Layers); n > 0; n-- {
		if slices.ContainsFunc(v.page.Elements, func(e page.Element) bool { return e.Layer == n && usable(e) }) {
			return n
		}
	}
	return 0
}

var (
	// noWords begin the name of a control that leaves things as they are.
	declineWords = set("cancel no keep back close dismiss abort stay never return undo dont")
	// yesWords that confirm whatever was asked.
	goAheadWords = set("yes ok okay confirm continue proceed sure agree accept")
	askWords     = set("sure confirm certain really undone permanently irreversible")
)

// answersOf are the controls of a dialog that answer it, and whether it asks
// something: one with fields is a form, one with nothing to choose from a message.
func (v *view) answersOf(layer int, says string) (answers []page.Element, asks bool) {
	if layer == 0 {
		return nil, false
	}
	declines := false
	for _, e := range v.page.Elements {
		switch {
		case e.Layer != layer || !usable(e) || label(e) == "":
		case isField(e):
			return nil, false
		case !isClickable(e):
		case declinesAll(label(e)):
			declines = true
		default:
			answers = append(answers, e)
		}
	}
	question := strings.ContainsAny(says, "?？") || slices.ContainsFunc(words(says), func(w string) bool { return askWords[w] })
	return answers, len(answers) > 0 && len(answers) <= len(places) && (declines || question && len(answers) > 1)
}

func declinesAll(name string) bool {
	ws := words(name)
	return closeSigns[strings.TrimSpace(name)] || len(ws) > 0 && declineWords[ws[0]]
}

// confirmScore says how well a control of a dialog answers with what was asked
// for: in the words of the control that was pressed or of the task, else a yes.
func (v *view) confirmScore(e page.Element, d deed) float64 {
	k := key(label(e))
	switch {
	case e.State.Disabled || len(k) == 0:
		return 0
	case slices.Equal(k, key(d.name)):
		return sure
	case subset(k, v.words), subset(k, key(d.name)):
		return likely
	case goAheadWords[k[0]] && len(without(k, goAheadWords, asSet(v.words), asSet(key(d.name)))) == 0:
		return possible
	case slices.Contains(v.words, k[0]) || slices.Contains(key(d.name), k[0]):
		return possible - 0.1
	}
	return 0
}

// namesAnother reports a dialog that speaks of another row than the task does.
func (v *view) namesAnother(says string, d deed) bool {
	said := key(says)
	asked, another := false, false
	for _, e := range v.page.Elements {
		if e.Layer == v.dialogOnTop() || !sameText(label(e), d.name) {
			continue
		}
		row := key(e.Group)
		if len(row) == 0 || !subset(row, v.words) && !subset(row, said) {
			continue
		}
		asked = asked || subset(row, said) && subset(row, v.words)
		another = another || subset(row, said) && !subset(row, v.words)
	}
	return another && !asked
}
