package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
)

// fact is something a rule can rest on, by its name.
type fact struct {
	name  string
	holds func(*evidence) bool
}

// not is the opposite of a fact.
func not(f fact) fact {
	return fact{"not " + f.name, func(e *evidence) bool { return !f.holds(e) }}
}

// either holds where one of some facts does.
func either(fs ...fact) fact {
	names := make([]string, len(fs))
	for i, f := range fs {
		names[i] = f.name
	}
	return fact{strings.Join(names, " or "), func(e *evidence) bool {
		return slices.ContainsFunc(fs, func(f fact) bool { return f.holds(e) })
	}}
}

// both holds where two facts do.
func both(a, b fact) fact {
	return fact{a.name + " and " + b.name, func(e *evidence) bool { return a.holds(e) && b.holds(e) }}
}

func (e *evidence) all(fs []fact) bool {
	return !slices.ContainsFunc(fs, func(f fact) bool { return !f.holds(e) })
}

// What was done.
var (
	click     = fact{"click", func(e *evidence) bool { return e.q.Action.Name == action.Click }}
	presses   = fact{"click or key", func(e *evidence) bool { return e.q.Action.Name == action.Click || e.q.Action.Name == action.Press }}
	setsValue = fact{"value set", func(e *evidence) bool { return e.q.Action.Name == action.SetValue }}
	navigates = fact{"navigation", func(e *evidence) bool { return e.q.Action.Name == action.Navigate }}
	goesBack  = fact{"way back", func(e *evidence) bool { return e.q.Action.Name == action.GoBack }}
	escape    = fact{"Escape key", func(e *evidence) bool { return e.q.Action.Name == action.Press && e.q.Action.Text == "Escape" }}
	movesOn   = fact{"key that moves the focus", func(e *evidence) bool {
		keys := []string{"Tab", "Shift+Tab", "ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight"}
		return e.q.Action.Name == action.Press && slices.Contains(keys, e.q.Action.Text)
	}}
	needsNo = fact{"action without an effect to check", func(e *evidence) bool {
		a := e.q.Action
		return a.Name == action.Wait || a.Name == action.Scroll || a.Name == action.Hover || a.OnServer() || a.EndsTask()
	}}
	maySubmit = fact{"may submit", func(e *evidence) bool { return e.q.MaySubmit }}
)

// What the control was, and whether it is there still.
var (
	present  = fact{"target still there", func(e *evidence) bool { return e.present }}
	button   = fact{"button", func(e *evidence) bool { return e.q.Target.Role == "button" }}
	linkLike = fact{"link or menu item", func(e *evidence) bool { return linkRoles[e.q.Target.Role] }}
	picks    = fact{"one of a list to choose from", func(e *evidence) bool { return pickRoles[e.q.Target.Role] }}
	field    = fact{"field to type into or choose in", func(e *evidence) bool { return e.present && e.target.IsField() && e.target.Role != "slider" }}
	tick     = fact{"checkbox, switch or radio", func(e *evidence) bool { return e.present && e.target.IsTick() }}
	radio    = fact{"radio", func(e *evidence) bool { return e.present && e.target.Role == "radio" }}
	tab      = fact{"tab", func(e *evidence) bool { return e.target.Role == "tab" }}
	opener   = fact{"opens a list or a part of the page", func(e *evidence) bool {
		return e.q.Target.OpensList() || e.present && e.target.OpensList() // a record of the page before may be short
	}}
)

// called holds of a target whose name has a word of the concept.
func called(c lexicon.Concept) fact {
	return fact{"called " + string(c), func(e *evidence) bool { return e.lex.In(c, e.name) }}
}

// asked holds where the user's words have a word of the concept, in whatever language.
func asked(c lexicon.Concept) fact {
	return fact{"user said " + string(c), func(e *evidence) bool { return lexicon.For("").In(c, e.q.Query) }}
}

// What changed, in short. See evidence.go for the lists.
var (
	moved     = fact{"another address", func(e *evidence) bool { return e.moved }}
	jumped    = fact{"another fragment of the address", func(e *evidence) bool { return e.jumped }}
	network   = fact{"network traffic", func(e *evidence) bool { return e.net }}
	noNetwork = fact{"client saw no traffic", func(e *evidence) bool { return isFalse(e.q.Witness.NetworkOccurred) }}
	came      = fact{"elements came", func(e *evidence) bool { return len(e.appeared) > 0 }}
	went      = fact{"elements went", func(e *evidence) bool { return len(e.gone) > 0 }}
	newText   = fact{"new text", func(e *evidence) bool { return len(e.texts) > 0 }}
	newAlert  = fact{"new alert", func(e *evidence) bool { return len(e.alerts) > 0 }}
	ownChange = fact{"target changed", func(e *evidence) bool { return len(e.own) > 0 }}
	others    = fact{"others changed", func(e *evidence) bool { return len(e.changed) > 0 }}
	uncovered = fact{"something came out from under another", func(e *evidence) bool { return len(e.uncovered) > 0 }}
	covered   = fact{"something is covered", func(e *evidence) bool { return len(e.covered) > 0 }}
	// stirred are changes a person could see, beside those of the target.
	stirred = fact{"something else changed", func(e *evidence) bool {
		return len(e.changed)+len(e.appeared)+len(e.gone)+len(e.alerts)+len(e.texts) > 0
	}}
	// reacted is more than one line of text, which may be a banner's.
	reacted = fact{"page reacted", func(e *evidence) bool {
		return len(e.changed)+len(e.appeared)+len(e.gone)+len(e.alerts) > 0 || len(e.texts) > 1 || e.net && len(e.numbers) > 1
	}}
	// textUnread is a page read without its text: nothing can be made of its silence.
	textUnread = fact{"text not read", func(e *evidence) bool { return len(e.q.Before.Lines) == 0 }}
)

// What the client saw of the document, by the optional fields of its report.
var (
	targetSame = fact{"client saw the target as before", func(e *evidence) bool { return isFalse(e.q.Witness.TargetChanged) }}
	targetElse = fact{"client saw the target change", func(e *evidence) bool { return isTrue(e.q.Witness.TargetChanged) }}
	// reactedAtOnce: the handlers of the action's own events changed the document at once.
	reactedAtOnce = fact{"page reacted at once", func(e *evidence) bool { return e.direct() > 0 }}
	// inert: they did not, and the control looks as before. What changed meanwhile did so
	// by itself, or later.
	inert = fact{"page did nothing at once", func(e *evidence) bool {
		return isFalse(e.q.Witness.TargetChanged) && e.direct() == 0
	}}
	// redrawn: more of the document came and went than turns by itself.
	redrawn   = fact{"much of the document drawn anew", func(e *evidence) bool { return e.q.Witness.Added+e.q.Witness.Removed > fewNodes }}
	sawDirect = fact{"client counts changes made at once", func(e *evidence) bool { return e.q.Witness.Direct != nil }}
)

// direct is how many changes the action's own handlers made, -1 if the client does not
// say.
func (e *evidence) direct() int {
	if n := e.q.Witness.Direct; n != nil {
		return *n
	}
	return -1
}

// fewNodes is how many nodes at most come and go with what turns by itself; what is
// drawn anew with more of them was drawn because of the action.
const fewNodes = 4

func isTrue(b *bool) bool  { return b != nil && *b }
func isFalse(b *bool) bool { return b != nil && !*b }
