// Package critic finds obvious mistakes in an action before it is sent: a date typed
// as a name, an e-mail address as a telephone number, an option the list does not
// have. Its rules use no model and object only to clear mistakes; about everything
// else they are Undecided, and another critic may be asked.
//
// They go by the types and labels of the page, which its author wrote, and by the
// shape of the typed value. Labels are known in the languages of labels.go.
package critic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/value"
)

// By is the By of this package's critiques.
const By = "rules"

// Review returns the objection of the first rule that is broken. It is Undecided if
// none is.
func Review(q reasoning.CritiqueQuestion) reasoning.Critique {
	for _, r := range rules {
		if reason := r.objection(q); reason != "" {
			return reasoning.Critique{Rule: r.name, Reason: reason, By: By}
		}
	}
	return reasoning.Critique{Undecided: true, By: By}
}

// rule is a mistake. Its function returns a sentence about it, "" if it was not made.
type rule struct {
	name      string
	objection func(reasoning.CritiqueQuestion) string
}

var rules = []rule{
	{"success_over_error", successOverError},
	{"not_a_field", valueRule(notAField)},
	{"read_only", valueRule(readOnly)},
	{"placeholder_left", placeholderLeft},
	{"label_as_value", valueRule(labelAsValue)},
	{"date_for_name", shapeRule(personName, isDate, "a date is no name")},
	{"email_for_name", shapeRule(personName, isEmail, "an e-mail address is no name")},
	{"phone_for_name", shapeRule(personName, isPhone, "a telephone number is no name")},
	{"number_for_name", shapeRule(givenOrFamily, isNumeric, "the name of a person has letters")},
	{"email_for_phone", shapeRule(phone, isEmail, "an e-mail address is no telephone number")},
	{"date_for_phone", shapeRule(phoneLabel, isPlainDate, "a date is no telephone number")},
	{"words_for_phone", shapeRule(phone, isWords, "a telephone number has digits")},
	{"no_email", shapeRule(email, isNoEmail, "that is no e-mail address")},
	{"no_date", shapeRule(date, isWords, "that is no date")},
	{"email_for_date", shapeRule(date, isEmail, "an e-mail address is no date")},
	{"no_number", shapeRule(number, isWords, "that is no number")},
	{"no_address", shapeRule(webAddress, isNoAddress, "that is no web address")},
	{"not_taken", valueRule(notTaken)},
}

// valueRule is a rule about an action that types a value. Clearing a field is never a
// mistake, and values of secret fields are not looked at.
func valueRule(objects func(value string, e page.Element) string) func(reasoning.CritiqueQuestion) string {
	return func(q reasoning.CritiqueQuestion) string {
		value := strings.TrimSpace(q.Action.Text)
		if q.Action.Name != action.SetValue || value == "" || q.Target.ID == "" || q.Target.State.Secret {
			return ""
		}
		return objects(value, q.Target)
	}
}

// shapeRule is a rule about a kind of field and a shape its value cannot have.
func shapeRule(kind kind, shape func(string) bool, reason string) func(reasoning.CritiqueQuestion) string {
	return valueRule(func(value string, e page.Element) string {
		if !is(e, kind) || !shape(value) {
			return ""
		}
		return fmt.Sprintf("%q does not belong into %s: %s", value, page.Describe(e), reason)
	})
}

// successOverError objects to finishing while the page shows an error, unless the
// agent mentions an error itself.
func successOverError(q reasoning.CritiqueQuestion) string {
	if q.Action.Name != action.Finish {
		return ""
	}
	for _, a := range q.Page.Alerts {
		if a.Kind == page.AlertError && !strings.Contains(strings.ToLower(page.Clean(q.Action.Text)), strings.ToLower(a.Text)) {
			return fmt.Sprintf("the page shows an error: %q", a.Text)
		}
	}
	return ""
}

// fields are the roles that take a value; a missing role may be any of them.
var fields = []string{"", "generic", "textbox", "searchbox", "spinbutton", "slider", "combobox", "listbox", "application", "document"}

func notAField(_ string, e page.Element) string {
	if slices.Contains(fields, e.Role) || slices.Contains([]string{"input", "select", "textarea"}, e.Tag) && !slices.Contains(pressed, e.Role) {
		return ""
	}
	if e.IsTick() {
		return "" // it is set by true and false
	}
	return "nothing can be typed into " + page.Describe(e)
}

// pressed are the roles of inputs that take no text.
var pressed = []string{"button", "checkbox", "radio", "switch"}

func readOnly(_ string, e page.Element) string {
	if !e.State.Readonly {
		return ""
	}
	return page.Describe(e) + " cannot be changed"
}

// placeholderLeft objects to an unfilled template that the user did not ask for.
func placeholderLeft(q reasoning.CritiqueQuestion) string {
	return valueRule(func(value string, _ page.Element) string {
		if !template.MatchString(value) || strings.Contains(strings.Join(append(q.Answers[:len(q.Answers):len(q.Answers)], q.Query), "\n"), value) {
			return ""
		}
		return fmt.Sprintf("%q is a placeholder for a value that is not known", value)
	})(q)
}

// labelAsValue objects to typing a field's own label into it.
func labelAsValue(value string, e page.Element) string {
	if !is(e, personName) || !page.SameText(value, e.Name) && !page.SameText(value, e.Placeholder) {
		return ""
	}
	return fmt.Sprintf("%q is what the field is called, not what goes into it", value)
}

// notTaken objects to a value that the control cannot have: an option it does not offer,
// a text that is no time in a field for a time.
func notTaken(asked string, e page.Element) string {
	if _, err := value.ForControl(asked, e); err != nil {
		return err.Error()
	}
	return ""
}
