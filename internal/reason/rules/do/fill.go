package do

import (
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// enter types a value into its field; into each if several are meant.
func (d doing) enter() Move {
	said, m, ok := d.given()
	if !ok {
		return m
	}
	r := d.fieldOf()
	if ground.Many(r) && (d.step.Value.Label == "" || r.Quantity != "") {
		return d.enterEach(r, said)
	}
	e, m, ok := d.field(r)
	if !ok {
		return m
	}
	return d.bring(e, said)
}

// given is the value of the step: as it was said, or read from the page, in the case
// that is wanted.
func (d doing) given() (string, Move, bool) {
	v := d.step.Value
	said := v.Literal.Text
	if v.From != nil {
		read, ok := d.read(v)
		if !ok {
			return "", d.explore(*v.From), false
		}
		said = read
	}
	switch v.Case {
	case "upper":
		said = strings.ToUpper(said)
	case "lower":
		said = strings.ToLower(said)
	}
	if said == "" && !v.Literal.Quoted {
		return "", Ask([]string{Name(d.step.Target)}, "What should I enter for %s?", Name(d.step.Target)), false
	}
	return said, Move{}, true
}

// fieldOf is the reference to the field of a value: by the name the value was given,
// else by the target.
func (d doing) fieldOf() instruction.Reference {
	r := d.step.Target
	if d.step.Value.Label != "" && r.Name.Text == "" && r.Quantity == "" {
		named := instruction.Reference{Name: instruction.Literal{Text: d.step.Value.Label}, Where: r.Where}
		if len(d.Page.Find(named, ground.ToSet).Meant) > 0 || !ground.Many(r) {
			return named
		}
	}
	return r
}

// field is the one field a value goes into. A page with a single field has no other
// one for it.
func (d doing) field(r instruction.Reference) (page.Element, Move, bool) {
	need := ground.ToFill
	if d.step.Act != instruction.Enter {
		need = ground.ToSet
	}
	f := d.Page.FindAmong(r, need, d.untried)
	if need == ground.ToFill && len(f.Meant) == 0 {
		f = d.Page.FindAmong(r, ground.ToSet, d.untried)
	}
	if e, ok := f.One(); ok {
		return e, Move{}, true
	}
	if e, ok := d.only(r); ok && len(f.Meant) == 0 {
		return e, Move{}, true
	}
	if len(f.Meant) > 1 && r.Name.Text == "" {
		if e, ok := d.nextEmpty(f.Meant); ok {
			return e, Move{}, true
		}
	}
	if len(f.Meant) > 1 {
		if e, ok := oneGroup(f.Meant); ok {
			return e, Move{}, true
		}
	}
	return d.among(r, f)
}

// only is the only field of the page, where nothing says that it is for something else.
func (d doing) only(r instruction.Reference) (page.Element, bool) {
	f := d.Page.FindAmong(instruction.Reference{}, ground.ToFill, d.untried)
	e, ok := f.One()
	return e, ok && (e.Label() == "" || e.NameGuessed || r.IsZero() || e.Type == "date" || e.Type == "time")
}

// nextEmpty is the first field that is empty, where values without a place are given for
// as many fields as there are.
func (d doing) nextEmpty(list []page.Element) (page.Element, bool) {
	values := 0
	for _, s := range d.Program.Steps {
		if s.Act == instruction.Enter && s.Target.String() == d.step.Target.String() {
			values++
		}
	}
	if values != len(list) {
		return page.Element{}, false
	}
	for _, e := range list {
		if e.Value == "" && !e.State.Filled {
			return e, true
		}
	}
	return page.Element{}, false
}

func (d doing) enterEach(r instruction.Reference, said string) Move {
	f := d.Page.FindAmong(r, ground.ToFill, d.untried)
	if len(f.Meant) == 0 {
		return d.explore(r)
	}
	var left []page.Element
	for _, e := range f.Meant {
		if !d.Filled(e, d.label(e), said) && !d.did(action.SetValue, e, false) {
			left = append(left, e)
		}
	}
	switch len(left) {
	case 0:
		return Done("%s was entered", text.Quoted(shown(said, f.Meant[0])))
	case 1:
		return d.completing(d.typed(left[0], said))
	}
	return d.towards(d.typed(left[0], said))
}

// typed is the move that puts a text into a field.
func (d doing) typed(e page.Element, said string) Move { return d.Fill(e, d.label(e), said) }

// label is what the value of the step is called.
func (d doing) label(e page.Element) string {
	switch {
	case d.step.Value.Label != "":
		return d.step.Value.Label
	case d.step.Target.Name.Text != "":
		return d.step.Target.Name.Text
	}
	return called(e)
}

// fill types a text as it was said.
func fill(e page.Element, _, said string) Move {
	a := action.Action{Name: action.SetValue, Target: e.ID, Text: said}
	name := text.Quoted(called(e))
	return Act(a, e, Sure, "I'll enter "+text.Quoted(shown(said, e))+" as "+name+".", name+" holds it.")
}

// shown is a value as it may be told: not that of a secret field.
func shown(said string, e page.Element) string {
	if e.State.Secret {
		return "the secret"
	}
	return said
}

// set brings a control to a value. Changes that have to be saved are saved.
func (d doing) set() Move {
	said, m, ok := d.given()
	if !ok {
		return m
	}
	r := d.fieldOf()
	if r.IsZero() {
		return Unknown("know what to %s", d.step.Verb)
	}
	e, m, ok := d.field(r)
	if !ok {
		return m
	}
	return d.bring(e, said)
}

// clear empties a field.
func (d doing) clear() Move {
	e, m, ok := d.one(d.step.Target, ground.ToFill)
	if !ok {
		return m
	}
	if e.Value == "" && !e.State.Filled {
		return Done("%s is empty", text.Quoted(called(e)))
	}
	return d.completing(Act(action.Action{Name: action.SetValue, Target: e.ID}, e, Sure, "I'll empty "+text.Quoted(called(e))+".", "It is empty."))
}
