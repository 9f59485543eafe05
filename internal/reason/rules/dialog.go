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
	last, d, ok := v.lastAct()
	if !ok || m.kind == isAction && m.on.Layer > 0 && m.on.Layer == len(v.page.Layers) {
		return move{}, false
	}
	top := v.dialogOnTop()
	says := strings.TrimSpace(v.layer(top).Name + " " + v.layer(top).Text)
	answers, asks := v.answersOf(top, says)
	if top == 0 {
		if m.kind == isAction && slices.ContainsFunc(v.came, func(name string) bool { return sameText(name, label(m.on)) }) {
			return move{}, false
		}
		says, answers, asks = v.askedInline()
	}
	if !asks {
		return move{}, false
	}
	if e, ok := v.choice(answers); ok {
		return v.confirm(e, says), true
	}
	if slices.ContainsFunc(answers, func(e page.Element) bool { return d.action.Target == e.ID && v.didOn(last, e) }) {
		return unknown("go on: the page still asks %s", quoted(says)), true
	}
	fitting, _ := best(answers, func(e page.Element) float64 { return v.confirmScore(e, d) })
	if len(fitting) == 1 && !v.namesAnother(says, d) {
		return v.confirm(fitting[0], says), true
	}
	return ask([]string{"how to go on"}, "The page asks: %s Which one should I choose: %s?", quoted(says), strings.Join(tellApart(answers), ", ")), true
}

// askedInline is a question in the page itself: a line that asks, come with the last
// action, and two controls side by side, of which one goes ahead and one does not.
func (v *view) askedInline() (says string, answers []page.Element, asks bool) {
	for line := range strings.Lines(v.page.Text) {
		if strings.ContainsAny(line, "?？؟") && len(words(line)) <= longQuestion {
			says = strings.TrimSpace(line)
		}
	}
	came := func(e page.Element) bool {
		return usable(e) && isClickable(e) && slices.ContainsFunc(v.came, func(name string) bool { return sameText(name, label(e)) })
	}
	for i, e := range v.page.Elements[:max(0, len(v.page.Elements)-1)] {
		next := v.page.Elements[i+1]
		if !came(e) || !came(next) || v.declinesAll(label(e)) == v.declinesAll(label(next)) {
			continue
		}
		if v.declinesAll(label(e)) {
			e = next
		}
		answers = append(answers, e)
	}
	return says, answers, says != "" && len(answers) == 1
}

// longQuestion is how many words a question has at most that wants a confirmation.
const longQuestion = 20

func (v *view) confirm(e page.Element, says string) move {
	return clickOn(e, likely, "The page asks "+quoted(says)+"; I'll answer with "+quoted(label(e))+".", "The question is gone and what you asked for is done.")
}

// lastAct is the last deed that could have made a page ask for a confirmation.
func (v *view) lastAct() (at int, d deed, ok bool) {
	for i, d := range slices.Backward(v.past) {
		switch d.action.Name {
		case action.Wait, action.Scroll, action.Hover:
			continue
		case action.Click, action.Press:
			return i, d, !d.failed
		}
		break
	}
	return -1, deed{}, false
}

// dialogOnTop is the number of the last layer that is a dialog with controls, 0
// for none.
func (v *view) dialogOnTop() int {
	if v.index.top == nil {
		top := 0
		for _, e := range v.page.Elements {
			if e.Layer <= len(v.page.Layers) && usable(e) {
				top = max(top, e.Layer)
			}
		}
		v.index.top = &top
	}
	return *v.index.top
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
		case v.declinesAll(label(e)):
			declines = true
		default:
			answers = append(answers, e)
		}
	}
	question := strings.ContainsAny(says, "?？") || slices.ContainsFunc(v.words(says), func(w string) bool { return askWords[w] })
	return answers, len(answers) > 0 && len(answers) <= len(places) && (declines || question && len(answers) > 1)
}

func (v *view) declinesAll(name string) bool { return declines(name, v.words(name)) }

// declines reports a control of that name, of these words, that says no and does
// nothing.
func declines(name string, ws []string) bool {
	return closeSigns[strings.TrimSpace(name)] || len(ws) > 0 && declineWords[ws[0]]
}

// confirmScore says how well a control of a dialog answers with what was asked
// for: in the words of the control that was pressed or of the task, else a yes.
func (v *view) confirmScore(e page.Element, d deed) float64 {
	k, did := v.key(label(e)), v.key(d.name)
	switch {
	case e.State.Disabled || len(k) == 0:
		return 0
	case slices.Equal(k, did):
		return sure
	case v.inGoal(k), subset(k, did):
		return likely
	case goAheadWords[k[0]] && len(without(k, goAheadWords, asSet(v.goal), asSet(did))) == 0:
		return possible
	case v.inGoal(k[:1]) || slices.Contains(did, k[0]):
		return possible - 0.1
	}
	return 0
}

// namesAnother reports a dialog that speaks of another row than the task does.
func (v *view) namesAnother(says string, d deed) bool {
	said, top := asSet(v.key(says)), v.dialogOnTop()
	asked, another := false, false
	for _, e := range v.page.Elements {
		if e.Layer == top || !sameText(label(e), d.name) {
			continue
		}
		if row := v.key(e.Group); within(row, said) {
			asked = asked || v.inGoal(row)
			another = another || !v.inGoal(row)
		}
	}
	return another && !asked
}
