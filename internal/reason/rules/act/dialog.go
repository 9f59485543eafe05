package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// confirmation is the move that answers the dialog on top of the page, if it asks
// about the last action and m does not answer it already.
func confirmation(v *View, m Move) (Move, bool) {
	last, step, ok := lastAct(v)
	if !ok || m.Kind == do.IsAction && m.On.Layer > 0 && m.On.Layer == len(v.page.Layers) {
		return Move{}, false
	}
	top := dialogOnTop(v)
	says := strings.TrimSpace(layerOf(v, top).Name + " " + layerOf(v, top).Text)
	answers, asks := answersOf(v, top, says)
	if top == 0 {
		if m.Kind == do.IsAction && slices.ContainsFunc(v.came, func(name string) bool { return text.Same(name, m.On.Label()) }) {
			return Move{}, false
		}
		says, answers, asks = askedInline(v)
		asks = asks && confirmScore(v, answers[0], step) > 0
	}
	if !asks {
		return Move{}, false
	}
	if e, ok := chosenInReply(v, answers); ok {
		return confirmWith(e, says), true
	}
	if slices.ContainsFunc(answers, func(e page.Element) bool { return step.action.Target == e.ID && doneTo(v, last, e) }) {
		return unknown("go on: the page still asks %s", text.Quoted(says)), true
	}
	fitting, _ := best(answers, func(e page.Element) float64 { return confirmScore(v, e, step) })
	if len(fitting) == 1 && !namesAnother(v, says, step) && !removesUnasked(v, says, fitting[0], step) {
		return confirmWith(fitting[0], says), true
	}
	return ask([]string{"how to go on"}, "The page asks: %s Which one should I choose: %s?", text.Quoted(says), strings.Join(tellApart(answers), ", ")), true
}

// askedInline finds a question in the page itself: a line with a question mark, and
// two neighbouring controls that came with the last action, one of which declines.
// answers is the other one.
func askedInline(v *View) (says string, answers []page.Element, asks bool) {
	for line := range strings.FieldsFuncSeq(v.page.Text, func(r rune) bool { return r == '\n' || r == '\t' }) {
		if strings.ContainsAny(line, "?？؟") && len(text.Words(line)) <= longQuestion {
			says = strings.TrimSpace(line)
		}
	}
	came := func(e page.Element) bool {
		return e.Usable() && isClickable(e) && slices.ContainsFunc(v.came, func(name string) bool { return text.Same(name, e.Label()) })
	}
	for i, e := range v.page.Elements[:max(0, len(v.page.Elements)-1)] {
		next := v.page.Elements[i+1]
		if !came(e) || !came(next) || declinesAll(v, e.Label()) == declinesAll(v, next.Label()) {
			continue
		}
		if declinesAll(v, e.Label()) {
			e = next
		}
		answers = append(answers, e)
	}
	return says, answers, says != "" && len(answers) == 1
}

// longQuestion is the most words a question for a confirmation has.
const longQuestion = 20

func confirmWith(e page.Element, says string) Move {
	return clickOn(e, likely, "The page asks "+text.Quoted(says)+"; I'll answer with "+text.Quoted(e.Label())+".", "The question is gone and what you asked for is done.")
}

// lastAct is the last step that could have made the page ask for a confirmation.
func lastAct(v *View) (at int, step pastStep, ok bool) {
	for i, step := range slices.Backward(v.past) {
		switch step.action.Name {
		case action.Wait, action.Scroll, action.Hover:
			continue
		case action.Click, action.Press:
			return i, step, !step.failed
		}
		break
	}
	return -1, pastStep{}, false
}

// dialogOnTop is the number of the topmost layer with usable elements, 0 for none.
func dialogOnTop(v *View) int {
	if v.index.top == nil {
		top := 0
		for _, e := range v.page.Elements {
			if e.Layer <= len(v.page.Layers) && e.Usable() {
				top = max(top, e.Layer)
			}
		}
		v.index.top = &top
	}
	return *v.index.top
}

var (
	// declineWords begin the name of a control that leaves things as they are.
	declineWords = words.Set("decline")
	// goAheadWords confirm whatever was asked.
	goAheadWords = words.Set("go-ahead")
	// removeWords say the same.
	removeWords = words.Set("remove")
	// takesAwayWords ask for it.
	takesAwayWords = words.Set("takes-away")
	askWords       = words.Set("asks")
)

// answersOf returns the controls of a dialog that go ahead, and whether it asks
// something: a dialog with fields is a form, and one with nothing to choose from is a
// message.
func answersOf(v *View, layer int, says string) (answers []page.Element, asks bool) {
	if layer == 0 {
		return nil, false
	}
	declines := false
	for _, e := range v.page.Elements {
		switch {
		case e.Layer != layer || !e.Usable() || e.Label() == "":
		case e.IsField(), e.IsTick(), ground.IsDrawnList(e):
			return nil, false
		case !isClickable(e):
		case declinesAll(v, e.Label()):
			declines = true
		default:
			answers = append(answers, e)
		}
	}
	question := strings.ContainsAny(says, "?？") || slices.ContainsFunc(v.words(says), func(w string) bool { return askWords[w] })
	return answers, len(answers) > 0 && len(answers) <= len(places) && (declines || question && len(answers) > 1)
}

func declinesAll(v *View, name string) bool { return declines(name, v.words(name)) }

// declines reports whether a control of that name, of these words, says no and does
// nothing.
func declines(name string, ws []string) bool {
	return closeSigns[strings.TrimSpace(name)] || len(ws) > 0 && declineWords[ws[0]]
}

// confirmScore rates how well a control of a dialog answers with what was asked for:
// best in the words of the control that was pressed, then of the task, then with a
// yes.
func confirmScore(v *View, e page.Element, step pastStep) float64 {
	k, did := v.key(e.Label()), v.key(step.name)
	switch {
	case e.State.Disabled || len(k) == 0:
		return 0
	case slices.Equal(k, did):
		return sure
	case inGoal(v, k), text.Subset(k, did), len(did) > 0 && removeWords[k[0]] && removeWords[did[0]]:
		return likely
	case goAheadWords[k[0]] && len(text.Without(k, goAheadWords, text.SetOf(v.goal), text.SetOf(did))) == 0:
		return possible
	case inGoal(v, k[:1]) || slices.Contains(did, k[0]):
		return possible - 0.1
	}
	return 0
}

// namesAnother reports whether a dialog is about another row than the task is.
func namesAnother(v *View, says string, step pastStep) bool {
	said, top := text.SetOf(v.key(says)), dialogOnTop(v)
	asked, another := false, false
	for _, e := range v.page.Elements {
		if e.Layer == top || !text.Same(e.Label(), step.name) {
			continue
		}
		if row := v.key(e.Group); text.Within(row, said) {
			asked = asked || inGoal(v, row)
			another = another || !inGoal(v, row)
		}
	}
	return another && !asked
}

// removesUnasked reports whether a plain yes would have something removed where nobody
// asked for that: not the user, and not with the control that was pressed.
func removesUnasked(v *View, says string, answer page.Element, step pastStep) bool {
	said := v.key(says)
	if k := v.key(answer.Label()); len(k) == 0 || !goAheadWords[k[0]] || !slices.ContainsFunc(said, func(w string) bool { return removeWords[w] }) {
		return false
	}
	meant := slices.ContainsFunc(slices.Concat(v.goal, v.key(step.name)), func(w string) bool { return takesAwayWords[w] })
	return !meant && !closeSigns[strings.TrimSpace(step.name)]
}
