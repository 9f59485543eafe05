package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Fields with a list that the page opens: ARIA combo boxes, and drop-downs drawn as a
// button beside a label. Only an option that was chosen is a value; typing only
// narrows the list.

// isPicked reports whether a field's value is picked from a list the page opens.
func isPicked(e page.Element) bool {
	if e.Caption != "" && !e.IsField() {
		return true
	}
	if e.Role != "combobox" || e.Tag == "select" || len(e.Options) > 0 {
		return false
	}
	operated := e.State.HasPopup || e.State.Expanded != ""
	return operated || e.Tag != "" && !isTypedInto(e)
}

func isTypedInto(e page.Element) bool {
	return (e.Tag == "input" || e.Tag == "textarea") && !e.State.Readonly
}

// shown is what such a field shows as chosen.
func shown(e page.Element) string {
	if e.Value == "" && e.Caption != "" {
		return e.Name
	}
	return e.Value
}

// isFilled reports whether a value is in its field.
func isFilled(v *View, s slot) bool {
	e := s.on
	switch {
	case isPicked(e):
		return picked(v, s) || pickedAsTold(v, s)
	case !e.IsField() && !e.IsTick() && e.Role != "option":
		return e.State.Selected || e.State.Checked == "true" || clicked(v, e)
	}
	return holdsValue(v, s)
}

// picked reports whether the value was chosen from the list: it was there before
// anything was typed, or an option of that name was clicked since.
func picked(v *View, s slot) bool {
	as := s
	as.on.Value, as.on.Caption, as.on.Role = shown(s.on), "", "textbox"
	same := holdsValue(v, as) || as.on.Value != "" && text.Subset(v.words(s.field.value), v.words(as.on.Value))
	opened, taken := -1, -1
	own := stepsOn(v, s.on)
	for i, step := range v.past {
		switch on := slices.Contains(own, i); {
		case step.failed:
		case on && step.action.Name == action.SetValue:
			opened = i
		case step.action.Name == action.Click && optionRoles[step.role] && !on && chooses(v, step.name, s.field.value):
			taken = i
		}
	}
	return same && (opened < 0 || taken > opened) || shown(s.on) == "" && taken > opened
}

// pickedAsTold reports whether an option was clicked that the user named in a reply.
func pickedAsTold(v *View, s slot) bool {
	return slices.ContainsFunc(v.replies, func(r string) bool {
		told := s
		told.field.value = reference(r)
		return told.field.value != "" && slices.ContainsFunc(v.past, func(step pastStep) bool { return optionRoles[step.role] }) && picked(v, told)
	})
}

var optionRoles = text.Set("option menuitem menuitemradio menuitemcheckbox treeitem gridcell listitem button link element generic row cell")

func chooses(v *View, name, value string) bool {
	return slices.Equal(v.words(name), v.words(value)) || text.Subset(v.words(value), v.words(name))
}

// putValue is the move that brings a value into its field.
func putValue(v *View, s slot) Move {
	e := s.on
	switch {
	case isPicked(e):
		return pickFrom(v, s)
	case !e.IsField() && !e.IsTick() && e.Role != "option":
		return clickOnce(v, e, s.confidence, "I'll choose "+text.Quoted(e.Label())+".", text.Quoted(e.Label())+" is chosen.")
	}
	return fillSlot(v, s)
}

// pickFrom opens the list, types to narrow it, and clicks the option.
func pickFrom(v *View, s slot) Move {
	e, name := s.on, fieldLabel(s.on)
	exact, close := offered(v, e, s.field.value)
	if f := bestFit(v, exact, func(page.Element) float64 { return 1 }, v.failedClick); len(f.left) > 0 {
		return takeOption(v, f, s, name)
	}
	opened, typed, waited := doneToList(v, e)
	if !typed && isTypedInto(e) && len(close) != 1 {
		a := action.Action{Name: action.SetValue, Target: e.ID, Text: s.field.value}
		return act(a, e, s.confidence, "I'll look for "+text.Quoted(s.field.value)+" in the list "+text.Quoted(name)+".", "The list shows what fits "+text.Quoted(s.field.value)+".")
	}
	if len(close) > 0 {
		return takeOption(v, bestFit(v, close, func(page.Element) float64 { return 1 }, v.failedClick), s, name)
	}
	list := openOptions(v, e)
	switch {
	case !opened && !typed && e.State.Expanded != "true" && !v.failedClick(e):
		return clickOn(e, s.confidence, "I'll open the list "+text.Quoted(name)+".", "The list is open and shows its options.")
	case len(list) == 0 && !waited:
		a := action.Action{Name: action.Wait, Seconds: 1}
		return act(a, page.Element{}, possible, "I'll wait for the options of "+text.Quoted(name)+".", "The list shows its options.")
	}
	m := unseen("the option "+text.Quoted(s.field.value), "set %s: I see no option %s in its list%s", text.Quoted(name), text.Quoted(s.field.value), offers(list))
	m.lacks, m.lacksOption = s.field, true
	return m
}

func takeOption(v *View, f fit, s slot, name string) Move {
	if len(f.left) > 1 {
		return askWhich(v, "the option "+text.Quoted(s.field.value), f.all)
	}
	if o, ok := f.one(); ok {
		return clickOn(o, s.confidence, "I'll choose "+text.Quoted(o.Label())+" for "+text.Quoted(name)+".", text.Quoted(name)+" is "+text.Quoted(o.Label())+".")
	}
	return unknown("set %s: its option %s does not work", text.Quoted(name), text.Quoted(s.field.value))
}

// fieldLabel is the label of a field, or the caption beside a drawn one.
func fieldLabel(e page.Element) string {
	if e.Caption != "" && !e.IsField() {
		return e.Caption
	}
	return e.Label()
}

// offers lists options for a question.
func offers(list []page.Element) string {
	if len(list) == 0 {
		return ""
	}
	names := labels(list)
	return ", which has " + quotedList(names[:min(len(names), 10)])
}

// openOptions are the options of the open list, by role. A list drawn without roles
// has none.
func openOptions(v *View, field page.Element) (list []page.Element) {
	for _, e := range v.page.Elements {
		if e.ID != field.ID && e.Usable() && (e.Role == "option" || e.Role == "menuitemradio" || e.Role == "menuitem" || e.Role == "treeitem") && e.Label() != "" {
			list = append(list, e)
		}
	}
	return list
}

// offered returns the options that equal the value, and those with all its words. In
// an opened list drawn without roles, an element with the value as its label counts.
func offered(v *View, field page.Element, value string) (exact, close []page.Element) {
	list := openOptions(v, field)
	for _, e := range list {
		switch {
		case text.Same(e.Label(), value), slices.Equal(v.key(e.Label()), v.key(value)):
			exact = append(exact, e)
		case text.Subset(v.key(value), v.key(e.Label())):
			close = append(close, e)
		}
	}
	if opened, typed, _ := doneToList(v, field); len(list) == 0 && (opened || typed) {
		for _, e := range v.page.Elements {
			if e.ID != field.ID && e.Usable() && isClickable(e) && !isPicked(e) && text.Same(e.Label(), value) {
				exact = append(exact, e)
			}
		}
	}
	return exact, close
}

// doneToList says what was done to a field's list since the last option was clicked.
func doneToList(v *View, field page.Element) (opened, typed, waited bool) {
	own := stepsOn(v, field)
	for i, step := range slices.Backward(v.past) {
		switch on := slices.Contains(own, i); {
		case step.action.Name == action.Wait:
			waited = true
		case step.action.Name == action.Scroll:
		case step.failed:
			return opened, typed, waited
		case on && step.action.Name == action.SetValue:
			typed = true
		case on && step.action.Name == action.Click:
			opened = true
		default:
			return opened, typed, waited
		}
	}
	return opened, typed, waited
}

// drawnListSlot finds a drop-down that is a button beside its label.
func drawnListSlot(v *View, p part, f field) slot {
	if strings.TrimSpace(f.name) == "" {
		return slot{}
	}
	score := nameScore(v, f.name, p.object)
	return pickSlot(v, drawnLists(v), func(e page.Element) float64 {
		e.Name, e.Placeholder = e.Caption, ""
		return score(e)
	})
}

// choiceControlSlot finds a control that is itself what is to be chosen: the day of a
// calendar, a card.
func choiceControlSlot(v *View, _ part, f field) slot {
	if f.name != "" {
		return slot{}
	}
	value := v.key(f.value)
	called := func(e page.Element) bool { return !e.OtherMonth && slices.Equal(v.key(e.Label()), value) }
	return pickSlot(v, clickable(v), when(called, func(e page.Element) float64 { return likely - aside(e) }))
}
