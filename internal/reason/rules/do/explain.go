package do

import (
	"cmp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Explained is how a step of a program is understood on a page: what is looked for, and
// what was found for it.
type Explained struct {
	// N is the number of the step in its program, from 1.
	N int
	// Step is the step as it is done: with what it takes over from the steps before,
	// and in the way the user wants it done.
	Step instruction.Step
	// State says how far the step is, and Move what would be done for it if it were
	// next. Of a step that is done, Move.Evidence says what shows that.
	State State
	Move  Move
	// Searches are what is looked for, in the order in which it is used.
	Searches []Search
}

// State is how far a step is.
type State string

// The states. Only one step is Next.
const (
	StepDone  State = "done"  // an action did it, or the page has it already
	StepNext  State = "next"  // what the next move is for
	StepLater State = "later" // behind the next one: it is done on a page that is not seen yet
)

// Search is one reference that is looked for on a page.
type Search struct {
	// Of is the part of the step that has the reference: target, field, option,
	// control, place, source or condition.
	Of   string
	What instruction.Reference
	Need ground.Need
	// Candidates are the best, at most MaxCandidates; More is how many there are
	// besides.
	Candidates []Candidate
	More       int
	// Choice says in a sentence how what is meant was chosen, or why nothing is.
	Choice string
	// Refused are at most MaxCandidates elements that are called as was said and are
	// no candidates all the same: the last factor of each says why.
	Refused []Candidate
}

// Candidate is an element, how well it fits (0 to 1), and what that is made of.
type Candidate struct {
	Element page.Element
	Score   float64
	Meant   bool
	Factors []ground.Factor
}

// MaxCandidates bounds how many candidates of a reference are told.
const MaxCandidates = 8

// Explain tells how each step of the program is understood on the page. It decides
// nothing and changes nothing; a Situation without Choose and Which is one in which the
// user has replied nothing. Its searches are those of the first move of a step: what is
// looked for only when that leads no further is not told.
func Explain(s Situation) []Explained {
	s = s.ready()
	var out []Explained
	reached := false
	for i := range s.Program.Steps {
		d := s.at(i)
		x := Explained{N: i + 1, Step: d.step, State: StepDone}
		if d.completed() {
			x.Move = Done("%s", d.doneWords())
		} else if x.Move = d.next(); reached {
			x.State = StepLater
		} else if x.Move.Kind != IsDone {
			x.State, reached = StepNext, true
		}
		if d.step.How != nil {
			d.step = byWay(d.step)
			x.Step = d.step
		}
		x.Searches = d.explained()
		out = append(out, x)
	}
	return out
}

// which asks for one of several where nobody else does.
func which(what string, list []page.Element) Move {
	var names []string
	for _, e := range list[:min(len(list), MaxCandidates)] {
		names = append(names, page.Describe(e)+" ("+e.ID+")")
	}
	return Ask([]string{what}, "I found more than one match for %s: %s. Which one do you mean?", what, strings.Join(names, ", "))
}

// sought is a reference to be looked for among the elements that are allowed. One that
// is instead of the ones before it is looked for only if those found nothing.
type sought struct {
	of      string
	what    instruction.Reference
	need    ground.Need
	allowed func(page.Element) bool
	instead bool
}

func (d doing) explained() []Search {
	var out []Search
	found := false
	for _, l := range slices.Concat(d.aside(), d.sought()) {
		if l.instead && found {
			continue
		}
		allowed := func(e page.Element) bool { return d.untried(e) && (l.allowed == nil || l.allowed(e)) }
		f := d.Page.FindAmong(l.what, l.need, allowed)
		found = found || len(f.Meant) > 0 && l.of != "condition" && l.of != "source" && l.of != "place"
		out = append(out, d.told(l, f, allowed))
	}
	return out
}

// told is what was found, bounded.
func (d doing) told(l sought, f ground.Found, allowed func(page.Element) bool) Search {
	s := Search{Of: l.of, What: l.what, Need: l.need, Choice: f.Told(l.what)}
	found, meant := map[string]bool{}, map[string]bool{}
	for _, c := range f.All {
		found[c.Element.ID] = true
	}
	for _, e := range f.Meant {
		meant[e.ID] = true
	}
	all := slices.Clone(f.All)
	slices.SortStableFunc(all, func(a, b ground.Candidate) int { // a meant one is always told
		return cmp.Compare(rank(meant[b.Element.ID]), rank(meant[a.Element.ID]))
	})
	for _, c := range all[:min(len(all), MaxCandidates)] {
		s.Candidates = append(s.Candidates, Candidate{
			Element: c.Element, Score: c.Score, Meant: meant[c.Element.ID], Factors: d.Page.Factors(l.what, l.need, c.Element),
		})
	}
	s.More = len(all) - len(s.Candidates)
	for _, e := range d.Page.Elements {
		if len(s.Refused) < MaxCandidates && !found[e.ID] && allowed(e) && d.Page.Called(l.what, e) {
			s.Refused = append(s.Refused, Candidate{Element: e, Factors: d.Page.Factors(l.what, l.need, e)})
		}
	}
	return s
}

func rank(is bool) int {
	if is {
		return 1
	}
	return 0
}

// aside is what is looked for besides that which the step is done to.
func (d doing) aside() []sought {
	var out []sought
	if w := d.step.When; w.Word != "" && !w.About.IsZero() {
		out = append(out, sought{of: "condition", what: w.About, need: ground.ToSee})
	}
	if from := d.step.Value.From; from != nil {
		out = append(out, sought{of: "source", what: *from, need: ground.ToFill})
	}
	if d.step.Act == instruction.Drag {
		out = append(out, sought{of: "place", what: d.step.Place, need: ground.ToSee})
	}
	return out
}

// sought is what the step is done to.
func (d doing) sought() []sought {
	t := d.step.Target
	target := func(need ground.Need) sought {
		return sought{of: "target", what: d.onThisPage(t), need: need}
	}
	switch d.step.Act {
	case instruction.Enter:
		return []sought{{of: "field", what: d.fieldOf(), need: ground.ToFill}, {of: "field", what: d.fieldOf(), need: ground.ToSet, instead: true}}
	case instruction.Set:
		return []sought{{of: "field", what: d.fieldOf(), need: ground.ToSet}}
	case instruction.Choose:
		return d.soughtToChoose()
	case instruction.Command, instruction.Sort:
		return d.soughtToCommand()
	case instruction.Search:
		if d.step.Value.IsZero() {
			t = instruction.Reference{}
		}
		return []sought{
			{of: "field", what: t, need: ground.ToFill, allowed: func(page.Element) bool { return t.Name.Text != "" }},
			{of: "field", need: ground.ToFill, allowed: text.IsSearch, instead: true},
		}
	case instruction.Navigate:
		if d.step.Value.Literal.Text != "" {
			t = instruction.Reference{Name: d.step.Value.Literal}
		}
	case instruction.Using, instruction.Unknown, instruction.Press, instruction.Back:
		return nil
	}
	if t.IsZero() {
		return nil
	}
	switch d.step.Act {
	case instruction.Clear:
		return []sought{target(ground.ToFill)}
	case instruction.Check, instruction.Uncheck:
		click := target(ground.ToClick)
		click.instead = true
		return []sought{target(ground.ToTick), click}
	case instruction.Focus:
		click := target(ground.ToClick)
		click.instead = true
		return []sought{target(ground.ToFill), click}
	case instruction.Expand, instruction.Collapse:
		fold, click := target(ground.ToClick), target(ground.ToClick)
		fold.allowed, click.instead = func(e page.Element) bool { return e.State.Expanded != "" }, true
		return []sought{fold, click}
	case instruction.Drag, instruction.Scroll, instruction.Wait:
		return []sought{target(ground.ToSee)}
	}
	return []sought{{of: "target", what: d.onThisPage(t), need: ground.ToClick}}
}

// soughtToChoose is the control that gets the value, else the option of that name.
func (d doing) soughtToChoose() []sought {
	v, t := d.step.Value, d.step.Target
	if v.IsZero() {
		return []sought{{of: "option", what: t, need: ground.ToTick}, {of: "option", what: t, need: ground.ToClick}}
	}
	option := instruction.Reference{Name: v.Literal, Where: t.Where}
	out := []sought{
		{of: "option", what: option, need: ground.ToTick, instead: true},
		{of: "option", what: option, need: ground.ToClick, instead: true},
	}
	if !t.IsZero() {
		out = slices.Insert(out, 0, sought{of: "target", what: t, need: ground.ToSet})
	}
	return out
}

// soughtToCommand is each way in which a control for the command may be called, else
// what the command is about.
func (d doing) soughtToCommand() []sought {
	var out []sought
	for _, r := range d.asControls() {
		out = append(out, sought{of: "control", what: r, need: ground.ToClick, allowed: func(e page.Element) bool { return !e.IsField() }})
	}
	if t := d.step.Target; !t.IsZero() {
		out = append(out, sought{of: "target", what: t, need: ground.ToClick, instead: true})
	}
	return out
}
