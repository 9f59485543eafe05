package do

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/explore"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Situation is everything a move rests on.
type Situation struct {
	Program instruction.Program
	Page    *ground.Page
	// Steps are the actions taken so far.
	Steps []reasoning.Step
	// News: something new appeared on the page after the last action.
	News bool
	// Left are those of several that fit equally well that may be used: without links to
	// one address twice, what an action failed on, and what the user did not choose.
	// Choose picks one by what the user replied, and Which asks the user for one.
	Left   func(list []page.Element) []page.Element
	Choose func(list []page.Element) (page.Element, bool)
	Which  func(what string, list []page.Element) Move
	// Fill brings a value into a field that is typed into or has options, in the form the
	// field takes, or asks for another value; Filled reports whether it is there.
	Fill   func(e page.Element, label, value string) Move
	Filled func(e page.Element, label, value string) bool
	// Proof is what on the page, or in what the client saw, says that what was sent was
	// accepted; nil if nothing is known of that.
	Proof func() (proof, quote string, ok bool)
}

// doing is the work on one step.
type doing struct {
	Situation
	n    int // the number of the step, from 1
	step instruction.Step
	past []reasoning.Step // what was done for the step, oldest first
}

// Next returns what is to be done next: an action, a question, an unknown move with the
// reason, or finish when every step is done.
func Next(s Situation) Move {
	s = s.ready()
	var seen []string
	quote := ""
	for i := range s.Program.Steps {
		d := s.at(i)
		if d.completed() {
			seen = append(seen, d.doneWords())
			continue
		}
		m := d.next()
		if m.Kind != IsDone {
			m.For.Step = cmp.Or(m.For.Step, d.n)
			return m
		}
		if m.Evidence == "" && d.step.Act != instruction.Using {
			m.Evidence = d.doneWords()
		}
		if m.Evidence != "" {
			seen = append(seen, m.Evidence)
		}
		if m.Quote != "" {
			quote = m.Quote
		}
	}
	if m, ok := s.commit(); ok {
		return m
	}
	if s.Proof != nil && s.sent() {
		if proof, q, ok := s.Proof(); ok {
			return Finish(proof, q)
		}
	}
	return Finish(strings.Join(seen, "; "), quote)
}

// sent reports whether the last action that completed a step may have sent something.
func (s Situation) sent() bool {
	for _, step := range slices.Backward(s.Steps) {
		if step.For.Completes && !failed(step) {
			return step.Action.Name == action.Click && page.ClickMaySubmit(pseudo(step))
		}
	}
	return false
}

// ready is a situation with all it needs: without an answer of the user nothing is
// chosen, and who asks names the candidates.
func (s Situation) ready() Situation {
	if s.Choose == nil {
		s.Choose = func([]page.Element) (page.Element, bool) { return page.Element{}, false }
	}
	if s.Left == nil {
		s.Left = func(list []page.Element) []page.Element { return list }
	}
	if s.Which == nil {
		s.Which = which
	}
	if s.Fill == nil {
		s.Fill = fill
	}
	if s.Filled == nil {
		s.Filled = func(e page.Element, _, said string) bool { return value.Holds(said, e) == value.Same }
	}
	s.Steps = s.attributed()
	return s
}

// at is the work on step i, with the references to what went before filled in.
func (s Situation) at(i int) doing {
	d := doing{Situation: s, n: i + 1, step: inContext(s.Program.Steps, i)}
	var stray []reasoning.Step // that are for no step, since one was completed
	for _, step := range s.Steps {
		switch {
		case step.For.Step == d.n:
			d.past = append(append(d.past, stray...), step)
			stray = nil
		case step.For.Completes && !failed(step):
			stray = nil
		case step.For.Step == 0:
			stray = append(stray, step)
		}
	}
	d.past = append(d.past, stray...)
	return d
}

// inContext is step i with the targets it takes over: what "use" named, and what a
// pronoun stands for.
func inContext(steps []instruction.Step, i int) instruction.Step {
	step := steps[i]
	var used, last instruction.Reference
	for _, before := range steps[:i] {
		if before.Act == instruction.Using {
			used = before.Target
		}
		if !before.Target.IsZero() && before.Target.Kind != instruction.It {
			last = before.Target
		}
	}
	if step.Target.Kind == instruction.It && !last.IsZero() {
		step.Target = last
	}
	switch {
	case used.IsZero():
	case step.Target.IsZero() && (step.Act == instruction.Enter || step.Act == instruction.Choose || step.Act == instruction.Set || step.Act == instruction.Search):
		step.Target = used
	case len(used.Where) > 0 || used.Kind == "dialog":
		step.Target.Where = append(slices.Clip(step.Target.Where), used.Where...)
	}
	return step
}

// completed reports whether an action that completes the step was done and is not known
// to have failed.
func (d doing) completed() bool {
	return slices.ContainsFunc(d.past, func(s reasoning.Step) bool { return s.For.Completes && !failed(s) && !d.ledElsewhere(s) })
}

// ledElsewhere reports whether an action went to another address than the step names, as
// a correction may.
func (d doing) ledElsewhere(s reasoning.Step) bool {
	to := d.step.Value.Literal
	if to.Text == "" {
		to = d.step.Target.Name
	}
	return s.Action.Name == action.Navigate && to.Form == instruction.Address && !strings.Contains(s.Action.Text, to.Text)
}

func failed(s reasoning.Step) bool { return s.Verified && !s.Succeeded }

// did reports whether an action was done to an element for this step; with onlyFailed,
// whether it failed.
func (d doing) did(name action.Name, e page.Element, onlyFailed bool) bool {
	return slices.ContainsFunc(d.past, func(s reasoning.Step) bool {
		return s.Action.Name == name && (failed(s) || !onlyFailed) && isSame(s, e)
	})
}

// isSame reports whether a past step was on this element.
func isSame(s reasoning.Step, e page.Element) bool {
	if s.Key != "" && e.Key != "" {
		return s.Key == e.Key
	}
	return s.Target == page.Describe(e) && s.Action.Target == e.ID
}

// untried leaves out elements on which a click failed for this step.
func (d doing) untried(e page.Element) bool { return !d.did(action.Click, e, true) }

// next is the move for a step that is not done.
func (d doing) next() Move {
	if m, decided := d.condition(); decided {
		return m
	}
	if d.step.How != nil {
		d.step = byWay(d.step)
	}
	switch d.step.Act {
	case instruction.Click, instruction.Hover, instruction.Focus:
		return d.click()
	case instruction.Open:
		return d.open()
	case instruction.Expand, instruction.Collapse:
		return d.unfold()
	case instruction.Close:
		return d.shut()
	case instruction.Submit:
		return d.submit()
	case instruction.Drag:
		return d.drag()
	case instruction.Choose:
		return d.choose()
	case instruction.Check, instruction.Uncheck:
		return d.tick(d.step.Act == instruction.Check)
	case instruction.Enter:
		return d.enter()
	case instruction.Set:
		return d.set()
	case instruction.Clear:
		return d.clear()
	case instruction.Command, instruction.Sort:
		return d.command()
	case instruction.Using:
		return Move{Kind: IsDone}
	}
	return d.travel()
}

// byWay is the step as the user wants it done: "close the dialog by clicking the x" is
// a click on the x in the dialog.
func byWay(step instruction.Step) instruction.Step {
	how := *step.How
	if how.Target.IsZero() {
		how.Target = step.Target
	} else if !step.Target.IsZero() {
		how.Target.Where = append(slices.Clip(how.Target.Where), instruction.Relation{Is: "in", To: step.Target})
	}
	if how.Value.IsZero() {
		how.Value = step.Value
	}
	return how
}

// maxRepeats bounds how often a step is done again "until".
const maxRepeats = 20

// condition says what becomes of a step that is done only if, or again until: Done where
// it is not to be done (any more).
func (d doing) condition() (Move, bool) {
	w := d.step.When
	if w.Word == "" {
		return Move{}, false
	}
	holds, known := d.holds(w)
	switch {
	case !known && d.Page.Partial():
		return Unseen(Name(w.About), "tell whether the condition holds: %s", w.String()), true
	case !known:
		return Unknown("tell whether the condition holds: %s", w.String()), true
	case w.Word == "until" && holds, w.Word == "if" && !holds, w.Word == "unless" && holds:
		return Done("%s is not to be done: the condition is decided", d.said()), true
	case w.Word == "until" && len(d.past) >= maxRepeats:
		return Unknown("go on: I did it %d times, and it is not there yet", len(d.past)), true
	}
	return Move{}, false
}

func (d doing) holds(w instruction.Condition) (holds, known bool) {
	found := len(d.Page.Find(w.About, ground.ToSee).Meant) > 0 || d.shows(w.About)
	if !found && d.Page.Partial() {
		return false, false
	}
	switch w.Is {
	case "exists":
		return found, true
	case "absent":
		return !found, true
	}
	return false, false
}

// shows reports whether the page's text has a name.
func (d doing) shows(r instruction.Reference) bool {
	return r.Name.Text != "" && text.Shows(d.Page.Text, r.Name.Text)
}

// completing marks a move as what this step was to bring about; a step that is to be
// repeated is never completed by doing it.
func (d doing) completing(m Move) Move {
	m.For = instruction.Progress{Step: d.n, Completes: d.step.When.Word != "until"}
	return m
}

// towards marks a move as one that only leads to what the step is to bring about.
func (d doing) towards(m Move) Move {
	m.For = instruction.Progress{Step: d.n}
	return m
}

// said is the step in the user's words.
func (d doing) said() string {
	s := d.step.Verb + " " + bareName(d.step.Target)
	if v := d.step.Value.Literal.Text; v != "" && d.step.Target.IsZero() {
		s = d.step.Verb + " " + v
	}
	return text.Quoted(strings.TrimSpace(s))
}

// doneWords say that the step was done.
func (d doing) doneWords() string {
	v, name := d.step.Value.Literal.Text, bareName(d.step.Target)
	if name == "" && d.step.How != nil {
		name = bareName(d.step.How.Target)
	}
	switch d.step.Act {
	case instruction.Enter, instruction.Set, instruction.Choose, instruction.Check, instruction.Uncheck, instruction.Clear:
		if d.step.Value.Label != "" {
			name = d.step.Value.Label
		}
		if name == "" {
			name = v
		}
		return text.Quoted(name) + " filled in"
	case instruction.Navigate:
		return strings.TrimSpace(v+name) + " is open"
	case instruction.Search:
		return "the results for " + text.Quoted(v+name) + " are shown"
	case instruction.Press:
		return text.Quoted(keyName(v)) + " was pressed"
	case instruction.Find, instruction.Wait:
		return text.Quoted(name) + " is shown"
	case instruction.Click, instruction.Open, instruction.Submit:
		return text.Quoted(name) + " was clicked"
	}
	return d.said() + " was done"
}

// bareName is the name of a reference, or else its noun.
func bareName(r instruction.Reference) string {
	switch {
	case r.Name.Text != "":
		return r.Name.Text
	case r.Noun != "":
		return r.Noun
	}
	return r.Kind
}

// Name is what a reference is called in a sentence to the user.
func Name(r instruction.Reference) string {
	noun := r.Noun
	if noun == "" {
		noun = r.Kind
	}
	switch {
	case r.Name.Text != "" && noun != "" && r.Kind != instruction.It:
		return noun + " " + text.Quoted(r.Name.Text)
	case r.Name.Text != "":
		return text.Quoted(r.Name.Text)
	}
	return noun
}

// one is the only element a reference means for a need, by the page or by what the user
// replied. Otherwise the move looks for it, or asks which.
func (d doing) one(r instruction.Reference, need ground.Need) (page.Element, Move, bool) {
	return d.among(r, d.Page.Find(d.onThisPage(r), need))
}

// onThisPage is a reference whose position is counted over the pages of a list, as it
// counts on the page that is shown: the pages before had as many.
func (d doing) onThisPage(r instruction.Reference) instruction.Reference {
	if r.Position <= 0 {
		return r
	}
	turned := 0
	for _, s := range d.Steps {
		if s.Action.Name == action.Click && !failed(s) && explore.TurnsPage(pseudo(s).Name) {
			turned++
		}
	}
	if turned == 0 {
		return r
	}
	any := r
	any.Position, any.Quantity = 0, instruction.All
	r.Position -= turned * len(d.Page.Find(any, ground.ToClick).Meant)
	if r.Position < 1 {
		r.Position = 1_000_000 // it was on a page before
	}
	return r
}

// among picks one of several that are meant.
func (d doing) among(r instruction.Reference, f ground.Found) (page.Element, Move, bool) {
	switch {
	case len(f.Meant) == 0:
		return page.Element{}, d.explore(r), false
	case r.Quantity == instruction.Any:
		return f.Meant[0], Move{}, true
	}
	if e, ok := onlyButton(f.Meant); ok && r.Kind == "" && len(f.Meant) > 1 {
		return e, Move{}, true
	}
	if e, ok := sameRow(f.Meant); ok {
		return e, Move{}, true
	}
	switch left := d.Left(f.Meant); len(left) {
	case 0:
		return page.Element{}, Unknown("go on: clicking %s did not work", text.Quoted(called(f.Meant[0]))), false
	case 1:
		return left[0], Move{}, true
	}
	return page.Element{}, d.towards(d.Which(Name(r), f.Meant)), false
}

// sameRow is the first of several parts of one row that are called the same.
func sameRow(list []page.Element) (page.Element, bool) {
	first := list[0]
	for _, e := range list[1:] {
		if e.Row == "" || e.Row != first.Row || !text.Same(e.Label(), first.Label()) || e.Role == first.Role {
			return page.Element{}, false
		}
	}
	return first, len(list) > 1
}

// onlyButton is the only button among things of other kinds that are called the same.
func onlyButton(list []page.Element) (page.Element, bool) {
	buttons := slices.DeleteFunc(slices.Clone(list), func(e page.Element) bool { return e.Role != "button" })
	same := !slices.ContainsFunc(list, func(e page.Element) bool { return !text.Same(e.Label(), list[0].Label()) })
	if len(buttons) != 1 || !same {
		return page.Element{}, false
	}
	return buttons[0], true
}

// explore looks for what is not on the page, or says that it is not there.
func (d doing) explore(r instruction.Reference) Move {
	what := Name(r)
	if d.Page.Partial() { // it may have been left out
		return Unseen(what, "find %s on the part of the page that was sent", what)
	}
	if a, on, why, ok := explore.Next(d.Page, d.past, d.News, r, d.step.Act, d.topic()); ok {
		return d.towards(Act(a, on, Possible, "I do not see "+what+" yet; "+why, "More of the page is shown."))
	}
	for _, e := range d.Page.Elements {
		if e.State.Hidden || !e.State.Disabled && !e.State.Occluded || r.Name.Text == "" || !text.Same(e.Label(), r.Name.Text) {
			continue
		}
		if e.State.Disabled {
			return Unknown("go on: %s is there but cannot be clicked now", text.Quoted(e.Label()))
		}
		return Unseen(text.Quoted(e.Label()), "go on: something covers %s, and I do not see how to close it", text.Quoted(e.Label()))
	}
	return Unseen(what, "find %s on this page", what)
}

// topic are the words by which what a step is about is looked for. Those of a command are
// left out: what is called like it would do it, and to something else.
func (d doing) topic() []string {
	if d.step.Act != instruction.Command {
		return d.words()
	}
	d.step.Verb, d.step.Place = "", instruction.Reference{}
	return d.words()
}

// words are those of the step: what it is about.
func (d doing) words() []string {
	ws := slices.Clone(text.Key(d.step.Verb))
	var add func(r instruction.Reference)
	add = func(r instruction.Reference) {
		ws = append(ws, text.Key(r.Noun)...)
		ws = append(ws, text.Key(r.Name.Text)...)
		for _, a := range r.With {
			ws = append(ws, text.Key(a.Value)...)
		}
		for _, w := range r.Where {
			add(w.To)
		}
	}
	add(d.step.Target)
	add(d.step.Place)
	return append(ws, text.Key(d.step.Value.Label)...)
}
