package do

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// bring brings a control to a value, however a control of its kind takes one.
func (d doing) bring(e page.Element, said string) Move {
	switch {
	case e.Role == "radio":
		return d.radio(e, said)
	case e.IsTick() || ground.IsToggle(e):
		return d.toggle(e, said)
	case ground.IsSlider(e) && e.Tag != "input":
		return d.slide(e, said)
	case isCalendar(e, said):
		return d.day(e, said)
	case e.State.Readonly && e.Role != "combobox" && !ground.IsDrawnList(e):
		return Unknown("enter %s: %s takes nothing that is typed", text.Quoted(shown(said, e)), text.Quoted(called(e)))
	case len(e.Options) == 0 && e.Tag != "select" && (ground.IsDrawnList(e) || e.State.Readonly), !e.IsField() && e.Role != "textbox":
		return d.pick(e, said)
	}
	if d.Filled(e, d.label(e), said) {
		return Done("%s holds %s", text.Quoted(called(e)), text.Quoted(shown(said, e)))
	}
	return d.completing(d.typed(e, said))
}

// radio chooses the button of the group that is called as said.
func (d doing) radio(e page.Element, said string) Move {
	r := instruction.Reference{Name: instruction.Literal{Text: said}}
	f := d.Page.FindAmong(r, ground.ToTick, func(x page.Element) bool { return x.Role == "radio" && x.Group == e.Group && d.untried(x) })
	if x, ok := f.One(); ok {
		return d.tickEach([]page.Element{x}, true)
	}
	return d.explore(r)
}

// toggle brings a switch to what a word for on or off says.
func (d doing) toggle(e page.Element, said string) Move {
	switch said := strings.ToLower(said); {
	case onWords[said]:
		return d.tickEach([]page.Element{e}, true)
	case offWords[said]:
		return d.tickEach([]page.Element{e}, false)
	}
	return Unknown("set %s to %s: it can only be on or off", text.Quoted(called(e)), text.Quoted(said))
}

var (
	onWords  = words.Set("switch on")
	offWords = words.Set("switch off")
)

// pick chooses from a list that the page opens: it is opened, or typed into, and then
// the option is clicked.
func (d doing) pick(e page.Element, said string) Move {
	if now := shownBy(e); now != "" && len(d.past) == 0 && (text.Same(now, said) || value.Holds(said, e) == value.Same) {
		return Done("%s is %s", text.Quoted(called(e)), text.Quoted(said))
	}
	opened := e.State.Expanded == "true" || slices.ContainsFunc(d.past, func(s reasoning.Step) bool { return !failed(s) && isSame(s, e) })
	if opened {
		if o, m, ok := d.offer(e, said); ok {
			return d.completing(Click(o, Sure, "I'll choose "+text.Quoted(called(o))+" for "+text.Quoted(called(e))+".", text.Quoted(called(e))+" is "+text.Quoted(said)+"."))
		} else if m.Kind == IsQuestion {
			return m
		}
	}
	typed := isTypedInto(e)
	switch {
	case typed && !d.did(action.SetValue, e, false):
		return d.towards(d.typed(e, said))
	case !typed && !opened && d.untried(e):
		return d.towards(Click(e, Sure, "I'll open the list "+text.Quoted(called(e))+".", "The list is open and shows its options."))
	case !slices.ContainsFunc(d.past, func(s reasoning.Step) bool { return s.Action.Name == action.Wait }):
		return d.towards(Act(action.Action{Name: action.Wait, Seconds: 1}, page.Element{}, Possible, "I'll wait for the options of "+text.Quoted(called(e))+".", "The list shows its options."))
	case typed && text.Same(e.Value, said):
		return Done("%s holds %s", text.Quoted(called(e)), text.Quoted(said))
	}
	what := text.Quoted(said)
	return Unseen("the option "+what, "set %s: I see no option %s in its list", text.Quoted(called(e)), what)
}

// shownBy is what a drawn list shows as chosen.
func shownBy(e page.Element) string {
	if e.Caption != "" && !e.IsField() {
		return e.Name
	}
	return e.Value
}

func isTypedInto(e page.Element) bool {
	return (e.Tag == "input" || e.Tag == "textarea") && !e.State.Readonly
}

// offer is the option of an open list that is called as said.
func (d doing) offer(list page.Element, said string) (page.Element, Move, bool) {
	r := instruction.Reference{Name: instruction.Literal{Text: said}}
	here := func(e page.Element) bool {
		return e.ID != list.ID && !e.IsField() && e.Layer >= list.Layer && d.untried(e)
	}
	f := d.Page.FindAmong(r, ground.ToClick, func(e page.Element) bool { return here(e) && optionRoles[e.Role] })
	if len(f.Meant) == 0 || f.Score < ground.Named {
		f = d.Page.FindAmong(r, ground.ToClick, here)
	}
	if len(f.Meant) == 0 || f.Score < ground.Named {
		return page.Element{}, Move{}, false
	}
	return d.among(r, f)
}

var optionRoles = text.Set("option menuitem menuitemradio menuitemcheckbox treeitem")
