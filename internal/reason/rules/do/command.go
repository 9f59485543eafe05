package do

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// command does what an application offers under a verb: it presses the control of that
// name that belongs to the target, and enters the values that were given into what
// opens.
func (d doing) command() Move {
	if m, open := d.openForm(); open {
		return m
	}
	if e, ok := d.destination(); ok {
		return d.completing(d.press(e))
	}
	e, m, ok := d.commanded()
	if !ok {
		return m
	}
	if len(d.values()) > 0 || d.goesSomewhere() && !text.Subset(text.Key(d.step.Place.Name.Text), text.Key(e.Label())) {
		return d.towards(d.press(e))
	}
	return d.completing(d.press(e))
}

// goesSomewhere reports whether the command brings its target to a place: "move the
// letter to Archive". What is renamed gets a name, which is a value.
func (d doing) goesSomewhere() bool {
	p := d.step.Place
	return p.Name.Text != "" && !d.creates() && len(d.values()) == 0 && !ground.IsRow(p.Kind)
}

// destination is the place among what the command's control has opened.
func (d doing) destination() (page.Element, bool) {
	opened := slices.ContainsFunc(d.past, func(s reasoning.Step) bool {
		return s.Action.Name == action.Click && !failed(s) && text.Subset(text.Key(d.step.Verb), text.Key(pseudo(s).Name))
	})
	if !opened || !d.goesSomewhere() {
		return page.Element{}, false
	}
	top := d.onTop()
	f := d.Page.FindAmong(instruction.Reference{Name: d.step.Place.Name}, ground.ToClick, func(e page.Element) bool {
		return (e.Layer > 0 || top == 0) && !d.did(action.Click, e, false) && !e.IsField()
	})
	e, ok := f.One()
	return e, ok && f.Score >= ground.Named
}

// commandEnough is the least score of a control that stands for a command: one of which
// nothing says that it belongs to the target has less.
const commandEnough = 0.55

// commanded is the one control that does what the verb says to the target.
func (d doing) commanded() (page.Element, Move, bool) {
	best := ground.Found{}
	for _, r := range d.asControls() {
		f := d.Page.FindAmong(r, ground.ToClick, func(e page.Element) bool { return !d.did(action.Click, e, false) && !e.IsField() && d.isAboutThis(e) })
		if len(f.Meant) > 0 && f.Score >= commandEnough && f.Score > best.Score+0.02 {
			best = f
		}
	}
	if len(best.Meant) == 0 {
		if m, ok := d.openThing(); ok {
			return page.Element{}, m, false
		}
		return page.Element{}, d.explore(d.thing()), false
	}
	return d.among(instruction.Reference{Name: instruction.Literal{Text: d.step.Verb}}, best)
}

// isAboutThis reports whether a control is about nothing that the step is not about:
// "Add tag" is not how a problem is added. In the row of the thing it may be called as it
// likes.
func (d doing) isAboutThis(e page.Element) bool {
	name := text.Key(d.step.Target.Name.Text)
	if len(name) > 0 && text.Subset(name, text.Key(e.Row+" "+e.Group)) {
		return true
	}
	about := text.SetOf(d.words())
	for _, w := range text.Without(text.Key(e.Label()), about) {
		if !generalWords[w] {
			return false
		}
	}
	return true
}

// generalWords say nothing of what a control is about.
var generalWords = words.Set("general")

// asControls are the ways in which a control may be called that does the command: by
// the verb and the kind of thing, by the verb in the row of the thing, by the place
// that was given ("move it to Trash").
func (d doing) asControls() []instruction.Reference {
	t := d.step.Target
	where := slices.Clone(t.Where)
	name := t.Name.Text
	if d.creates() {
		name, where = "", slices.Clone(t.Where)
	}
	where = slices.DeleteFunc(where, func(w instruction.Relation) bool { return len(mostOf(w.To)) > 0 })
	if d.step.Place.Name.Text != "" && d.placeIsWhere() {
		where = append(where, instruction.Relation{Is: "in", To: d.step.Place})
	}
	if name != "" {
		where = append(where, instruction.Relation{Is: "of", To: instruction.Reference{Name: t.Name}})
	}
	noun := t.Noun
	if noun == "" && t.Kind != instruction.Thing && t.Kind != instruction.It {
		noun = t.Kind
	}
	with := mostOf(t)
	with = append(with, mostOf(d.step.Place)...)
	named := func(s string, w []instruction.Relation) instruction.Reference {
		return instruction.Reference{Name: instruction.Literal{Text: strings.TrimSpace(s)}, Where: w, With: with}
	}
	var out []instruction.Reference
	if noun != "" {
		out = append(out, named(d.step.Verb+" "+noun, where))
	}
	out = append(out, named(d.step.Verb, where))
	if name != "" {
		out = append(out, named(d.step.Verb+" "+name, t.Where))
	}
	if as := bareName(d.step.Place); as != "" && !d.creates() {
		out = append(out, named(d.step.Verb+" "+as, where), named(as, where))
	}
	return out
}

// mostOf are the superlatives of a reference and of what it is related to: "the ticket
// with the lowest price".
func mostOf(r instruction.Reference) []instruction.Attribute {
	var out []instruction.Attribute
	for _, a := range r.With {
		if a.Property == "most" {
			out = append(out, a)
		}
	}
	for _, w := range r.Where {
		out = append(out, mostOf(w.To)...)
	}
	return out
}

// openThing opens what the command is about, where it is on the page: what can be done
// to it may be shown then.
func (d doing) openThing() (Move, bool) {
	t := d.step.Target
	if d.creates() || t.Name.Text == "" {
		return Move{}, false
	}
	f := d.Page.FindAmong(t, ground.ToClick, func(e page.Element) bool {
		return !e.IsField() && !e.IsTick() && !page.ClickMaySubmit(e) && !d.did(action.Click, e, false)
	})
	e, ok := f.One()
	if !ok || f.Score < 0.6 {
		return Move{}, false
	}
	return d.towards(Click(e, Likely, "I'll open "+text.Quoted(page.Cut(called(e), 60))+".", "It is shown.")), true
}

// creates reports whether the command makes something new, which has no row yet.
func (d doing) creates() bool {
	return createVerbs[d.step.Verb] || slices.ContainsFunc(d.step.Target.With, func(a instruction.Attribute) bool { return a.Property == "state" && a.Value == "new" })
}

var (
	createVerbs = words.Set("maker")
	renameVerbs = words.Set("renamer")
)

// placeIsWhere reports whether the place says where the control is: of what is added,
// not of what is renamed or moved.
func (d doing) placeIsWhere() bool { return d.creates() }

// thing is what the command is about, to be looked for.
func (d doing) thing() instruction.Reference {
	if d.creates() {
		r := instruction.Reference{Name: instruction.Literal{Text: d.step.Verb + " " + d.step.Target.Noun}, Where: d.step.Target.Where}
		if d.step.Place.Name.Text != "" && d.placeIsWhere() {
			r.Where = append(slices.Clip(r.Where), instruction.Relation{Is: "in", To: d.step.Place})
		}
		return r
	}
	return d.step.Target
}

// values are what is to be entered into the form the command opens: the name of what is
// made, the name something gets, and what was given with it.
func (d doing) values() []instruction.Value {
	var out []instruction.Value
	t := d.step.Target
	switch {
	case d.creates() && t.Name.Text != "" && (t.Kind == instruction.Thing || t.Name.Quoted):
		out = append(out, instruction.Value{Literal: t.Name})
	case !d.creates() && d.step.Place.Name.Text != "" && renameVerbs[d.step.Verb]:
		out = append(out, instruction.Value{Literal: d.step.Place.Name})
	}
	if !d.step.Value.IsZero() {
		out = append(out, d.step.Value)
	}
	out = append(out, d.step.With...)
	for _, w := range t.Where {
		if w.Is == "with" && w.To.Name.Text != "" && w.To.Noun != "" {
			out = append(out, instruction.Value{Label: w.To.Noun, Literal: w.To.Name})
		}
	}
	return out
}

// openForm enters the values into the form that a command has opened, and sends it. It
// is not open before the command's control was pressed.
func (d doing) openForm() (Move, bool) {
	values := d.values()
	opened := slices.IndexFunc(d.past, func(s reasoning.Step) bool { return s.Action.Name == action.Click && !failed(s) })
	if len(values) == 0 || opened < 0 {
		return Move{}, false
	}
	top, entered := d.onTop(), false
	var absent []string
	for i, v := range values {
		said := v.Literal.Text
		e, ok := d.fieldFor(v, i, top)
		switch {
		case d.entered(said), ok && d.Filled(e, v.Label, said):
			entered = true
		case !ok:
			absent = append(absent, text.Quoted(v.Label+" "+said))
		default:
			if m := d.bring(e, said); m.Kind != IsDone {
				m.For.Completes = false
				return m, true
			}
		}
	}
	switch {
	case len(absent) > 0 && entered:
		return Unknown("go on: I see no field for %s on this form", strings.Join(absent, ", ")), true
	case len(absent) > 0:
		return Move{}, false // the form is elsewhere
	}
	if m, ok := d.belonging(); ok {
		return m, true
	}
	e, ok := d.sender()
	if !ok {
		enter := Act(action.Action{Name: action.Press, Text: "Enter"}, page.Element{}, Possible, "I'll confirm it with the Enter key.", "It is accepted.")
		if d.pressed("Enter") {
			return Done("%s was done", d.said()), true
		}
		return d.completing(enter), true
	}
	return d.completing(d.press(e)), true
}

// belonging gives what is made its place, where that was said and the page is not there:
// by the one list of the form that has it. Without one it is not known how.
func (d doing) belonging() (Move, bool) {
	for _, w := range d.step.Target.Where {
		name := w.To.Name
		if !name.Quoted || w.Is == "with" || d.Page.IsAbout(text.Key(name.Text)) || d.entered(name.Text) {
			continue
		}
		if e, ok := d.onlyFor(name.Text); ok {
			m := d.bring(e, name.Text)
			if m.Kind == IsDone {
				continue
			}
			m.For.Completes = false
			return m, true
		}
		return Unknown("go on: I do not see how to put it %s %s", w.Is, text.Quoted(name.Text)), true
	}
	return Move{}, false
}

func (d doing) pressed(key string) bool {
	return slices.ContainsFunc(d.past, func(s reasoning.Step) bool { return s.Action.Name == action.Press && s.Action.Text == key })
}

// entered reports whether a value was entered for this step.
func (d doing) entered(said string) bool {
	return slices.ContainsFunc(d.past, func(s reasoning.Step) bool {
		return s.Action.Name == action.SetValue && !failed(s) && s.Action.Text == said
	})
}

// titles are what a field for the name of a new thing is called.
var titles = words.List("title")

// fieldFor is the field of an open form for a value: by its name, or for the first
// value the first field for text.
func (d doing) fieldFor(v instruction.Value, i, top int) (page.Element, bool) {
	here := func(e page.Element) bool { return (e.Layer > 0) == (top > 0) && !text.IsSearch(e) }
	if v.Label != "" {
		r := instruction.Reference{Name: instruction.Literal{Text: v.Label}}
		return d.Page.FindAmong(r, ground.ToSet, here).One()
	}
	for _, name := range append(slices.Clip(titles), d.step.Target.Noun) {
		if name == "" {
			continue
		}
		r := instruction.Reference{Name: instruction.Literal{Text: name}}
		if e, ok := d.Page.FindAmong(r, ground.ToFill, here).One(); ok {
			return e, true
		}
	}
	if i > 0 {
		return page.Element{}, false
	}
	var list []page.Element
	for _, e := range d.Page.Elements {
		if e.Usable() && here(e) && e.IsField() && !e.State.Readonly && len(e.Options) == 0 {
			list = append(list, e)
		}
	}
	if len(list) == 0 || len(list) > 1 && top == 0 {
		return page.Element{}, false
	}
	return list[0], true
}
