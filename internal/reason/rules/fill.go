package rules

import (
	"errors"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
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
		return val.Holds(want, e) == val.Same
	case e.State.Secret && s.field.replied && v.faulty(e):
		return false // the page refused what was entered before the reply
	case e.State.Secret:
		return v.wasEntered(e)
	case e.Role == "option":
		return e.State.Selected
	}
	asked := s.field.value
	if o, ok := v.optionOf(e, asked); ok {
		asked = o.Label
	}
	is := val.Holds(asked, e)
	if is == val.CannotTell { // entering it again would not tell either
		text, err := v.entry(s)
		return err == nil && v.tries(e, text) > 0
	}
	return is == val.Same
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
	text, err := v.entry(s)
	if err != nil {
		return v.refused(s, err)
	}
	if v.tries(e, text) >= 2 {
		return unknown("fill in %s: the page does not keep what is entered there", quoted(name))
	}
	a := action.Action{Name: action.SetValue, Target: e.ID, Text: text}
	thought, expected := "I'll enter "+quoted(s.field.value)+" as "+quoted(name)+".", quoted(name)+" holds "+quoted(s.field.value)+"."
	if e.State.Secret {
		thought, expected = "I'll enter the "+strings.Join(v.labelKey(name), " ")+".", quoted(name)+" is filled in."
	}
	return act(a, e, s.confidence, thought, expected)
}

// entry is the text to enter: what the task says, or what the user replied where the
// control cannot take that, in the form of the control. Of several options asked for
// at once it is the first that is not chosen yet.
func (v *view) entry(s slot) (string, error) {
	asked := s.field.value
	if o, ok := v.optionOf(s.on, asked); ok {
		asked = o.Label
	}
	for _, o := range val.Parts(asked, s.on) {
		if val.Holds(o.Label, s.on) != val.Same {
			asked = o.Label
			break
		}
	}
	text, err := val.ForControl(asked, s.on)
	for _, r := range slices.Backward(v.replies) {
		if err == nil {
			break
		}
		if given, no := val.ForControl(r, s.on); no == nil {
			text, err = given, nil
		}
	}
	return text, err
}

// refused asks for what a control can take instead of what it cannot.
func (v *view) refused(s slot, err error) move {
	name, asked := label(s.on), quoted(s.field.value)
	var no *val.Refused
	if !errors.As(err, &no) {
		return unknown("fill in %s: %s", quoted(name), err)
	}
	if s.on.State.Secret {
		asked = "that"
	}
	some := strings.Join(no.Choices[:min(len(no.Choices), maxOffered)], ", ")
	switch {
	case no.Why == val.Disabled:
		return ask([]string{name}, "%s has %s, but it cannot be chosen. Which one should I select: %s?", quoted(name), asked, some)
	case no.Why == val.NoOption:
		return ask([]string{name}, "%s has no option %s. Which one should I select: %s?", quoted(name), asked, some)
	case len(s.on.Options) > 0:
		return ask([]string{name}, "Which option of %s is %s: %s?", quoted(name), asked, some)
	case s.on.Type == "date":
		return ask([]string{name}, "Which date is %s for %s? Please write it as year-month-day.", asked, quoted(name))
	}
	return ask([]string{name}, "%s does not take %s. What should I enter? It takes %s.", quoted(name), asked, no.Form)
}

// maxOffered is how many options a question names.
const maxOffered = 10

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
