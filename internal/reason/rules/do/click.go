package do

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// click clicks, hovers over or focuses the target, each of them if several are meant.
func (d doing) click() Move {
	r := d.step.Target
	if r.IsZero() || r.Kind == instruction.It && r.Name.Text == "" {
		return Unknown("know what to %s", d.step.Verb)
	}
	if ground.Many(r) {
		return d.each(r, ground.ToClick, func(e page.Element) Move { return d.press(e) })
	}
	if d.step.Act == instruction.Focus {
		if e, ok := d.Page.FindAmong(r, ground.ToFill, d.untried).One(); ok {
			return d.completing(d.press(e))
		}
	}
	e, m, ok := d.one(r, ground.ToClick)
	if !ok {
		return d.asSubmit(r, m)
	}
	return d.completing(d.press(e))
}

// press is the click on an element, or the hover over it.
func (d doing) press(e page.Element) Move {
	name := text.Quoted(called(e))
	if d.step.Act == instruction.Hover {
		return Act(action.Action{Name: action.Hover, Target: e.ID}, e, Sure, "I'll point at "+name+".", "The page reacts to "+name+".")
	}
	return Click(e, Sure, "I'll click "+name+".", "The page reacts to "+name+".")
}

// called is what an element is called in a sentence.
func called(e page.Element) string {
	switch {
	case e.Caption != "" && !e.IsControl():
		return e.Caption
	case e.Label() != "":
		return e.Label()
	case e.Caption != "":
		return e.Caption
	}
	return page.Describe(e)
}

// asSubmit takes a "submit" that no control is called for the button that sends the
// form.
func (d doing) asSubmit(r instruction.Reference, m Move) Move {
	if m.Kind == IsQuestion || !sendWords[strings.ToLower(strings.TrimSpace(r.Name.Text))] {
		return m
	}
	if e, ok := d.sender(); ok {
		return d.completing(d.press(e))
	}
	return m
}

// sendWords are what people call the button that sends a form, whatever it says.
var sendWords = words.Set("sender")

// submitNames are on the button that sends its form rather than any other.
var submitNames = words.List("submit")

// isCalled reports whether a name is one of several.
func isCalled(name string, names []string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return text.Same(n, name) })
}

// each does something to every element that is meant, one after the other. The last
// one completes the step.
func (d doing) each(r instruction.Reference, need ground.Need, move func(page.Element) Move) Move {
	f := d.Page.FindAmong(r, need, d.untried)
	if len(f.Meant) == 0 {
		return d.explore(r)
	}
	if m, ok := d.tooMany(r, f.Meant); ok {
		return m
	}
	var left []page.Element
	for _, e := range f.Meant {
		if !d.did(action.Click, e, false) && !d.did(action.Hover, e, false) {
			left = append(left, e)
		}
	}
	switch len(left) {
	case 0:
		return Done("%s was done", d.said())
	case 1:
		return d.completing(move(left[0]))
	}
	return d.towards(move(left[0]))
}

// open clicks what is to be opened, or says that it is open.
func (d doing) open() Move {
	r := d.step.Target
	if r.Name.Form == instruction.Address {
		return d.visit(r.Name.Text)
	}
	if e, ok := d.Page.Find(r, ground.ToClick).One(); ok && (e.State.Expanded == "true" || e.Role == "tab" && e.State.Selected) {
		return Done("%s is open", text.Quoted(called(e)))
	}
	return d.click()
}

// unfold opens or closes sections. "Expand the sections to find …" is done by finding.
func (d doing) unfold() Move {
	r, is := d.step.Target, "false"
	if d.step.Act == instruction.Collapse {
		is = "true"
	}
	if r.Plural && d.followedBy(instruction.Find) {
		return Move{Kind: IsDone}
	}
	f := d.Page.FindAmong(r, ground.ToClick, func(e page.Element) bool { return e.State.Expanded != "" && d.untried(e) })
	if len(f.Meant) == 0 {
		return d.click()
	}
	var left []page.Element
	for _, e := range f.Meant {
		if e.State.Expanded == is && !d.did(action.Click, e, false) {
			left = append(left, e)
		}
	}
	switch {
	case len(left) == 0:
		return Done("%s is as it should be", d.said())
	case len(left) == 1:
		return d.completing(d.press(left[0]))
	case ground.Many(r):
		return d.towards(d.press(left[0]))
	}
	e, m, ok := d.among(r, ground.Found{Meant: left})
	if !ok {
		return m
	}
	return d.completing(d.press(e))
}

// followedBy reports whether the next step is of an act.
func (d doing) followedBy(act instruction.Act) bool {
	next := d.n
	return next < len(d.Program.Steps) && d.Program.Steps[next].Act == act
}

// closers are names of controls that close what is on top, in the order in which they
// are tried.
var closers = words.List("closer")

// shut closes a dialog, a message or a section.
func (d doing) shut() Move {
	r := d.step.Target
	if e, ok := d.Page.Find(r, ground.ToClick).One(); ok && e.State.Expanded == "true" {
		return d.completing(d.press(e))
	}
	top := d.onTop()
	for _, sign := range closers {
		ref := instruction.Reference{Name: instruction.Literal{Text: sign}}
		f := d.Page.FindAmong(ref, ground.ToClick, func(e page.Element) bool { return e.Layer == top && d.untried(e) && !e.IsField() && !e.IsTick() })
		if e, ok := f.One(); ok && f.Score > 0.6 {
			return d.completing(d.press(e))
		}
	}
	return d.click()
}

// submit presses the button that sends the form that was filled in last.
func (d doing) submit() Move {
	if !d.step.Target.IsZero() {
		if e, ok := d.Page.FindAmong(d.step.Target, ground.ToClick, d.untried).One(); ok && e.IsControl() {
			return d.completing(d.press(e))
		}
	}
	if e, ok := d.sender(); ok {
		return d.completing(d.press(e))
	}
	if d.step.Target.IsZero() {
		return Unseen("a button that sends the form", "send the form: I see no button for it")
	}
	return d.click()
}

// sender is the button that sends the form that was filled in last: the only one of its
// kind in the form, or on top.
func (d doing) sender() (page.Element, bool) {
	form, layer := d.filled()
	best, rank, same := page.Element{}, 0, 0
	for _, e := range d.Page.Elements {
		if !e.Usable() || !e.IsControl() || !d.untried(e) || (e.Layer > 0) != (layer > 0) {
			continue
		}
		n := 0
		switch {
		case isCalled(e.Label(), submitNames):
			n = 4
		case e.Type == "submit":
			n = 3
		case page.ClickMaySubmit(e) && e.Role == "button":
			n = 1
		}
		if n > 0 && form > 0 && e.Form == form {
			n += 2
		}
		switch {
		case n > rank:
			best, rank, same = e, n, 1
		case n == rank && n > 0:
			same++
		}
	}
	return best, rank > 0 && same == 1
}

// filled is the form and the layer of the element that was given a value last.
func (d doing) filled() (form, layer int) {
	for _, s := range slices.Backward(d.Steps) {
		if s.Action.Name != action.SetValue && s.Action.Name != action.Click {
			continue
		}
		if e, ok := d.again(s); ok {
			return e.Form, e.Layer
		}
	}
	return 0, d.onTop()
}

// drag drags each thing that is meant to its place.
func (d doing) drag() Move {
	if d.step.Place.IsZero() || d.step.Target.IsZero() {
		return Unknown("know where to drag it")
	}
	to, m, ok := d.one(d.step.Place, ground.ToSee)
	if !ok {
		return m
	}
	r := d.step.Target
	f := d.Page.FindAmong(r, ground.ToSee, func(e page.Element) bool { return e.ID != to.ID && !d.did(action.Drag, e, false) })
	if len(f.Meant) == 0 {
		if len(d.past) > 0 {
			return Done("%s was done", d.said())
		}
		return d.explore(r)
	}
	if len(f.Meant) > 1 && !ground.Many(r) {
		e, m, ok := d.among(r, f)
		if !ok {
			return m
		}
		f.Meant = []page.Element{e}
	}
	e := f.Meant[0]
	move := Act(action.Action{Name: action.Drag, Target: e.ID, To: to.ID}, e, Likely, "I'll drag "+text.Quoted(called(e))+" to "+text.Quoted(called(to))+".", "It is there.")
	if len(f.Meant) == 1 {
		return d.completing(move)
	}
	return d.towards(move)
}
