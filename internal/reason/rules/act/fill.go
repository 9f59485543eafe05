package act

import (
	"errors"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	val "github.com/stepledger/stepledger/domain/value"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// holdsValue reports whether the field holds the value already. What a secret field
// holds is not known: there it is enough that something was entered.
func holdsValue(v *View, s slot) bool {
	e := s.on
	switch {
	case e.IsTick():
		want := s.field.value
		if s.field.kind != tick {
			want = "true"
		}
		return val.Holds(want, e) == val.Same
	case e.State.Secret && s.field.replied && faulty(v, e):
		return false // the page refused what was entered before the reply
	case e.State.Secret:
		return wasEntered(v, e)
	case e.Role == "option":
		return e.State.Selected
	}
	asked := s.field.value
	if o, ok := optionOf(v, e, asked); ok {
		asked = o.Label
	}
	is := val.Holds(asked, e)
	if is == val.CannotTell { // entering it again would not help
		entry, err := textToEnter(v, s)
		return err == nil && timesEntered(v, e, entry) > 0
	}
	return is == val.Same
}

// fillSlot is the move that enters the value into its field.
func fillSlot(v *View, s slot) Move {
	e, name := s.on, s.on.Label()
	switch {
	case e.State.Readonly && !e.IsTick() || e.Role == "combobox" && e.Tag != "select" && e.Tag != "input" && len(e.Options) == 0 && e.State.HasPopup:
		return clickOnce(v, e, s.confidence, "I'll open the list "+text.Quoted(name)+".", "The list is open and shows its options.")
	case e.IsTick(), e.Role == "option", e.Role == "menuitemradio", e.Role == "menuitem":
		verb := "select"
		if s.field.value == "false" && s.field.kind == tick {
			verb = "clear"
		}
		return clickOnce(v, e, s.confidence, "I'll "+verb+" "+text.Quoted(name)+".", text.Quoted(name)+" is set as wanted.")
	}
	entry, err := textToEnter(v, s)
	if err != nil {
		return askForAnother(s, err)
	}
	if timesEntered(v, e, entry) >= 2 {
		return unknown("fill in %s: the page does not keep what is entered there", text.Quoted(name))
	}
	a := action.Action{Name: action.SetValue, Target: e.ID, Text: entry}
	thought, expected := "I'll enter "+text.Quoted(s.field.value)+" as "+text.Quoted(name)+".", text.Quoted(name)+" holds "+text.Quoted(s.field.value)+"."
	if e.State.Secret {
		thought, expected = "I'll enter the "+strings.Join(v.labelKey(name), " ")+".", text.Quoted(name)+" is filled in."
	}
	return act(a, e, s.confidence, thought, expected)
}

// textToEnter is what to type, in the form the control takes: the value of the task,
// or the user's reply if the control cannot take that. Of several options it is the
// first that is not chosen yet.
func textToEnter(v *View, s slot) (string, error) {
	asked := s.field.value
	if o, ok := optionOf(v, s.on, asked); ok {
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

// askForAnother asks for a value the control can take.
func askForAnother(s slot, err error) Move {
	name, asked := s.on.Label(), text.Quoted(s.field.value)
	var no *val.Refused
	if !errors.As(err, &no) {
		return unknown("fill in %s: %s", text.Quoted(name), err)
	}
	if s.on.State.Secret {
		asked = "that"
	}
	some := strings.Join(no.Choices[:min(len(no.Choices), maxOffered)], ", ")
	switch {
	case no.Why == val.Disabled:
		return ask([]string{name}, "%s has %s, but it cannot be chosen. Which one should I select: %s?", text.Quoted(name), asked, some)
	case no.Why == val.NoOption:
		return ask([]string{name}, "%s has no option %s. Which one should I select: %s?", text.Quoted(name), asked, some)
	case len(s.on.Options) > 0:
		return ask([]string{name}, "Which option of %s is %s: %s?", text.Quoted(name), asked, some)
	case s.on.Type == "date":
		return ask([]string{name}, "Which date is %s for %s? Please write it as year-month-day.", asked, text.Quoted(name))
	}
	return ask([]string{name}, "%s does not take %s. What should I enter? It takes %s.", text.Quoted(name), asked, no.Form)
}

// maxOffered is how many options a question lists.
const maxOffered = 10

// clickOnce clicks an element unless the last step was that very click, or it failed.
func clickOnce(v *View, e page.Element, confidence float64, thought, expected string) Move {
	if failedAt(v, action.Click, e) {
		return unknown("operate %s: clicking it did not work", text.Quoted(e.Label()))
	}
	if n := len(v.past); n > 0 && v.past[n-1].action.Name == action.Click && doneTo(v, n-1, e) {
		return unknown("operate %s: clicking it changed nothing", text.Quoted(e.Label()))
	}
	return clickOn(e, confidence, thought, expected)
}
