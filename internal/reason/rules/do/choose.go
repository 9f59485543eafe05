package do

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// choose brings a control to a value, or chooses what is named itself: an option, a
// box, a day, a card.
func (d doing) choose() Move {
	v := d.step.Value
	if v.IsZero() {
		return d.option(d.step.Target)
	}
	if !d.step.Target.IsZero() {
		if e, ok := d.control(d.step.Target); ok {
			return d.bring(e, v.Literal.Text)
		}
	}
	r := instruction.Reference{Name: v.Literal}
	r.Where = append(r.Where, d.step.Target.Where...)
	if e, ok := d.onlyFor(v.Literal.Text); ok {
		return d.bring(e, v.Literal.Text)
	}
	return d.option(r)
}

// control is the one control a reference means that has a value.
func (d doing) control(r instruction.Reference) (page.Element, bool) {
	f := d.Page.FindAmong(r, ground.ToSet, d.untried)
	if e, ok := f.One(); ok {
		return e, true
	}
	if len(f.Meant) > 1 {
		if e, ok := oneGroup(f.Meant); ok {
			return e, true
		}
		return d.Choose(f.Meant)
	}
	return page.Element{}, false
}

// oneGroup is the first of radio buttons that belong together.
func oneGroup(list []page.Element) (page.Element, bool) {
	for _, e := range list {
		if e.Role != "radio" || e.Group != list[0].Group {
			return page.Element{}, false
		}
	}
	return list[0], true
}

// onlyFor is the only list on the page that has an option of that name; or the only
// control for dates, for a date.
func (d doing) onlyFor(said string) (page.Element, bool) {
	var found []page.Element
	for _, e := range d.Page.Elements {
		if !e.Usable() || len(e.Options) == 0 {
			continue
		}
		if _, err := value.Choose(said, e); err == nil {
			found = append(found, e)
		}
	}
	if len(found) == 1 {
		return found[0], true
	}
	if _, date := dateOf(said); len(found) == 0 && date {
		f := d.Page.FindAmong(instruction.Reference{}, ground.ToSet, func(e page.Element) bool { return e.Type == "date" || e.Role == "textbox" || e.Role == "date" })
		return f.One()
	}
	return page.Element{}, false
}

// option chooses what is named: each of them if several are meant.
func (d doing) option(r instruction.Reference) Move {
	if r.Quantity == instruction.None {
		return d.none()
	}
	if ground.Many(r) {
		if f := d.Page.FindAmong(r, ground.ToTick, d.untried); len(f.Meant) > 0 {
			if m, ok := d.tooMany(r, f.Meant); ok {
				return m
			}
			return d.tickEach(f.Meant, true)
		}
		return d.each(r, ground.ToClick, func(e page.Element) Move { return d.press(e) })
	}
	ticks := d.Page.FindAmong(r, ground.ToTick, d.untried)
	all := d.Page.FindAmong(r, ground.ToClick, d.untried)
	if len(ticks.Meant) > 0 && ticks.Score >= all.Score-0.1 {
		e, m, ok := d.among(r, ticks)
		if !ok {
			return m
		}
		return d.tickEach([]page.Element{e}, true)
	}
	if r.Name.Text != "" && all.Score < 0.9 {
		if e, ok := d.onlyFor(r.Name.Text); ok {
			return d.bring(e, r.Name.Text)
		}
	}
	if _, date := dateOf(r.Name.Text); date && len(all.Meant) == 0 {
		if e, ok := d.onlyFor(r.Name.Text); ok {
			return d.bring(e, r.Name.Text)
		}
	}
	e, m, ok := d.one(r, ground.ToClick)
	if !ok {
		return m
	}
	if e.State.Selected {
		return Done("%s is chosen", text.Quoted(called(e)))
	}
	return d.completing(Click(e, Sure, "I'll choose "+text.Quoted(called(e))+".", text.Quoted(called(e))+" is chosen."))
}

// none sees to it that no box is ticked.
func (d doing) none() Move {
	var on []page.Element
	for _, e := range d.Page.Elements {
		if ticked, _ := ground.IsOn(e); ticked && e.Usable() && e.IsTick() && e.Role != "radio" {
			on = append(on, e)
		}
	}
	return d.tickEach(on, false)
}

// tick brings boxes and switches to a state.
func (d doing) tick(on bool) Move {
	r := d.step.Target
	f := d.Page.FindAmong(r, ground.ToTick, d.untried)
	if len(f.Meant) > 1 && !ground.Many(r) {
		e, m, ok := d.among(r, f)
		if !ok {
			return m
		}
		f.Meant = []page.Element{e}
	}
	if m, ok := d.tooMany(r, f.Meant); ok {
		return m
	}
	if !on && slices.ContainsFunc(f.Meant, func(e page.Element) bool { return e.Role == "radio" }) {
		return Unknown("turn %s off: it is one of several to choose from, and I do not know which instead", text.Quoted(called(f.Meant[0])))
	}
	if len(f.Meant) > 0 {
		return d.tickEach(f.Meant, on)
	}
	if !on || d.Page.FindAmong(r, ground.ToClick, d.untried).Score < 0.6 {
		return d.command()
	}
	return d.option(r)
}

// tooMany asks which are meant where both were said of more than two.
func (d doing) tooMany(r instruction.Reference, list []page.Element) (Move, bool) {
	if r.Quantity != instruction.Both || len(list) <= 2 {
		return Move{}, false
	}
	return d.towards(d.Which(Name(r), list)), true
}

// tickEach clicks those that do not have the state yet. One that does not say its state
// is clicked once.
func (d doing) tickEach(list []page.Element, on bool) Move {
	var left []page.Element
	for _, e := range list {
		is, known := ground.IsOn(e)
		if known && is == on || d.did(action.Click, e, false) && !known {
			continue
		}
		left = append(left, e)
	}
	if len(left) == 0 {
		return Done("%s", d.doneWords())
	}
	e := left[0]
	verb := "tick"
	if !on {
		verb = "untick"
	}
	m := Click(e, Sure, "I'll "+verb+" "+text.Quoted(called(e))+".", text.Quoted(called(e))+" is set as wanted.")
	if len(left) == 1 {
		return d.completing(m)
	}
	return d.towards(m)
}
