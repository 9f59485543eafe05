package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Fields whose value is one of a list the page opens: ARIA combo boxes, and
// drop-downs drawn as a button beside a label. Only an option that was chosen is a
// value; what was typed only narrows the list.

// isPicked reports such a field.
func isPicked(e page.Element) bool {
	if e.Caption != "" && !isField(e) {
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

// filled reports whether a value is in its place.
func (v *view) filled(s slot) bool {
	e := s.on
	switch {
	case isPicked(e):
		return v.picked(s) || v.pickedAsTold(s)
	case !isField(e) && !isTick(e) && e.Role != "option":
		return e.State.Selected || e.State.Checked == "true" || v.clicked(e)
	}
	return v.holds(s)
}

// picked reports whether the value was chosen from the list: it was there before
// anything was typed, or an option of that name was taken since.
func (v *view) picked(s slot) bool {
	as := s
	as.on.Value, as.on.Caption, as.on.Role = shown(s.on), "", "textbox"
	same := v.holds(as) || as.on.Value != "" && subset(v.key(s.field.value), v.key(as.on.Value))
	opened, taken := -1, -1
	own := v.deedsOn(s.on)
	for i, d := range v.past {
		switch on := slices.Contains(own, i); {
		case d.failed:
		case on && d.action.Name == action.SetValue:
			opened = i
		case d.action.Name == action.Click && optionRoles[d.role] && !on && v.chooses(d.name, s.field.value):
			taken = i
		}
	}
	return same && (opened < 0 || taken > opened) || shown(s.on) == "" && taken > opened
}

// pickedAsTold reports that an option was taken which the user named in a reply.
func (v *view) pickedAsTold(s slot) bool {
	return slices.ContainsFunc(v.replies, func(r string) bool {
		told := s
		told.field.value = reference(r)
		return told.field.value != "" && slices.ContainsFunc(v.past, func(d deed) bool { return optionRoles[d.role] }) && v.picked(told)
	})
}

var optionRoles = set("option menuitem menuitemradio menuitemcheckbox treeitem gridcell listitem button link element generic row cell")

func (v *view) chooses(name, value string) bool {
	return slices.Equal(v.key(name), v.key(value)) || subset(v.key(value), v.key(name))
}

// put is the move that brings a value into its place.
func (v *view) put(s slot) move {
	e := s.on
	switch {
	case isPicked(e):
		return v.pickFrom(s)
	case !isField(e) && !isTick(e) && e.Role != "option":
		return v.clickOnce(e, s.confidence, "I'll choose "+quoted(label(e))+".", quoted(label(e))+" is chosen.")
	}
	return v.fill(s)
}

// pickFrom opens the list, types what narrows it, and takes the option.
func (v *view) pickFrom(s slot) move {
	e, name := s.on, fieldLabel(s.on)
	exact, close := v.offered(e, s.field.value)
	if f := v.best(exact, func(page.Element) float64 { return 1 }, v.failedClick); len(f.left) > 0 {
		return v.takeOption(f, s, name)
	}
	opened, typed, waited := v.since(e)
	if !typed && isTypedInto(e) && len(close) != 1 {
		a := action.Action{Name: action.SetValue, Target: e.ID, Text: s.field.value}
		return act(a, e, s.confidence, "I'll look for "+quoted(s.field.value)+" in the list "+quoted(name)+".", "The list shows what fits "+quoted(s.field.value)+".")
	}
	if len(close) > 0 {
		return v.takeOption(v.best(close, func(page.Element) float64 { return 1 }, v.failedClick), s, name)
	}
	list := v.options(e)
	switch {
	case !opened && !typed && e.State.Expanded != "true" && !v.failedClick(e):
		return clickOn(e, s.confidence, "I'll open the list "+quoted(name)+".", "The list is open and shows its options.")
	case len(list) == 0 && !waited:
		a := action.Action{Name: action.Wait, Seconds: 1}
		return act(a, page.Element{}, possible, "I'll wait for the options of "+quoted(name)+".", "The list shows its options.")
	}
	m := unseen("the option "+quoted(s.field.value), "set %s: I see no option %s in its list%s", quoted(name), quoted(s.field.value), offers(list))
	m.lacks, m.lacksOption = s.field, true
	return m
}

func (v *view) takeOption(f fit, s slot, name string) move {
	if len(f.left) > 1 {
		return v.which("the option "+quoted(s.field.value), f.all)
	}
	if o, ok := f.one(); ok {
		return clickOn(o, s.confidence, "I'll choose "+quoted(label(o))+" for "+quoted(name)+".", quoted(name)+" is "+quoted(label(o))+".")
	}
	return unknown("set %s: its option %s does not work", quoted(name), quoted(s.field.value))
}

// fieldLabel is the name under which a form asks for what is chosen.
func fieldLabel(e page.Element) string {
	if e.Caption != "" && !isField(e) {
		return e.Caption
	}
	return label(e)
}

// offers lists options for a question.
func offers(list []page.Element) string {
	if len(list) == 0 {
		return ""
	}
	names := labels(list)
	return ", which has " + quotedList(names[:min(len(names), 10)])
}

// options are those of the list that is open: what has the role of one. Where a
// list is drawn without roles, they are not known as a whole.
func (v *view) options(field page.Element) (list []page.Element) {
	for _, e := range v.page.Elements {
		if e.ID != field.ID && usable(e) && (e.Role == "option" || e.Role == "menuitemradio" || e.Role == "menuitem" || e.Role == "treeitem") && label(e) != "" {
			list = append(list, e)
		}
	}
	return list
}

// offered are the options that are the value, and those whose name has all its
// words. A list that is drawn without roles shows the value itself, once it was
// opened.
func (v *view) offered(field page.Element, value string) (exact, close []page.Element) {
	list := v.options(field)
	for _, e := range list {
		switch {
		case sameText(label(e), value), slices.Equal(v.key(label(e)), v.key(value)):
			exact = append(exact, e)
		case subset(v.key(value), v.key(label(e))):
			close = append(close, e)
		}
	}
	if opened, typed, _ := v.since(field); len(list) == 0 && (opened || typed) {
		for _, e := range v.page.Elements {
			if e.ID != field.ID && usable(e) && isClickable(e) && !isPicked(e) && sameText(label(e), value) {
				exact = append(exact, e)
			}
		}
	}
	return exact, close
}

// since is what was done to a field's list after the last option was taken.
func (v *view) since(field page.Element) (opened, typed, waited bool) {
	own := v.deedsOn(field)
	for i, d := range slices.Backward(v.past) {
		switch on := slices.Contains(own, i); {
		case d.action.Name == action.Wait:
			waited = true
		case d.action.Name == action.Scroll:
		case d.failed:
			return opened, typed, waited
		case on && d.action.Name == action.SetValue:
			typed = true
		case on && d.action.Name == action.Click:
			opened = true
		default:
			return opened, typed, waited
		}
	}
	return opened, typed, waited
}

// drawnList finds a drop-down that is a button beside its label.
func (v *view) drawnList(p part, f field) slot {
	if strings.TrimSpace(f.name) == "" {
		return slot{}
	}
	score := v.nameScore(f.name, p.object)
	return v.pick(v.drawnLists(), func(e page.Element) float64 {
		e.Name, e.Placeholder = e.Caption, ""
		return score(e)
	})
}

// choiceControl finds a control that is itself what is to be chosen: the day of a
// calendar, a card.
func (v *view) choiceControl(_ part, f field) slot {
	if f.name != "" {
		return slot{}
	}
	value := v.key(f.value)
	called := func(e page.Element) bool { return !e.OtherMonth && slices.Equal(v.key(label(e)), value) }
	return v.pick(v.clickable(), when(called, func(e page.Element) float64 { return likely - aside(e) }))
}
