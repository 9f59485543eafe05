package rules

import (
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// holds reports whether the place has the value already. A secret field does
// not say; there it counts that something was entered (what, is on no record).
func (v *view) holds(s slot) bool {
	e := s.on
	switch {
	case isTick(e):
		want := s.field.value
		if s.field.kind != tick {
			want = "true"
		}
		return e.State.Checked == want || want == "false" && e.State.Checked == ""
	case e.State.Secret && s.field.replied && v.faulty(e):
		return false // the page refused what was entered before the reply
	case e.State.Secret:
		return v.wasEntered(e)
	case len(e.Options) > 0:
		o, ok := v.optionOf(e, s.field.value)
		return ok && (o.Selected || e.Value != "" && (sameText(e.Value, o.Value) || sameText(e.Value, o.Label)))
	case e.Role == "option":
		return e.State.Selected
	}
	if iso, ok := isoDate(s.field.value); ok && e.Type == "date" {
		return e.Value == iso
	}
	return sameValue(s.field.value, e.Value)
}

// fill is the move that puts the value into its place.
func (v *view) fill(s slot) move {
	e, name := s.on, label(s.on)
	switch {
	case e.State.Readonly && !isTick(e) || e.Role == "combobox" && e.Tag != "select" && e.Tag != "input" && len(e.Options) == 0 && e.State.HasPopup:
		return v.clickOnce(e, s.confidence, "I'll open the list "+quoted(name)+".", "The list is open and shows its options.")
	case isTick(e), e.Role == "option", e.Role == "menuitemradio", e.Role == "menuitem":
		verb := "select"
		if s.field.value == "false" && s.field.kind == tick {
			verb = "clear"
		}
		return v.clickOnce(e, s.confidence, "I'll "+verb+" "+quoted(name)+".", quoted(name)+" is set as wanted.")
	}
	if v.tries(e, s.field.value) >= 2 {
		return unknown("fill in %s: the page does not keep what is entered there", quoted(name))
	}
	a := action.Action{Name: action.SetValue, Target: e.ID, Text: s.field.value}
	if o, ok := v.optionOf(e, s.field.value); ok {
		a.Text = o.Label
	} else if e.Type == "date" {
		iso, ok := isoDate(s.field.value)
		if !ok {
			return ask([]string{name}, "Which date is %s for %s? Please write it as year-month-day.", quoted(s.field.value), quoted(name))
		}
		a.Text = iso
	}
	thought, expected := "I'll enter "+quoted(s.field.value)+" as "+quoted(name)+".", quoted(name)+" holds "+quoted(s.field.value)+"."
	if e.State.Secret {
		thought, expected = "I'll enter the "+strings.Join(v.labelKey(name), " ")+".", quoted(name)+" is filled in."
	}
	return act(a, e, s.confidence, thought, expected)
}

// clickOnce clicks what may be clicked again only if something else happened
// in between.
func (v *view) clickOnce(e page.Element, confidence float64, thought, expected string) move {
	if v.failedAt(action.Click, e) {
		return unknown("operate %s: clicking it did not work", quoted(label(e)))
	}
	if n := len(v.past); n > 0 && v.past[n-1].action.Name == action.Click && v.didOn(n-1, e) {
		return unknown("operate %s: clicking it changed nothing", quoted(label(e)))
	}
	return clickOn(e, confidence, thought, expected)
}
