package value

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Reason is why a control cannot take a value.
type Reason int

// Reasons.
const (
	NoForm     Reason = iota // it is no time, date, number or color
	Ambiguous                // it can be read in more than one way: Choices
	NoOption                 // the list has no such option: Choices are those it has
	Disabled                 // the list has it, and it cannot be chosen: Choices can
	OutOfRange               // it is outside of the bounds, or between two steps
)

// Refused is the error of a value that a control cannot take.
type Refused struct {
	Why     Reason
	Asked   string // "" for a secret field
	Control string // as page.Describe has it
	Form    string // what the control takes, for a person
	Choices []string
}

// maxChoices bounds the choices an error lists.
const maxChoices = 30

// Error says what is wrong and which values are possible.
func (r *Refused) Error() string {
	asked, list := `"`+page.Cut(page.Clean(r.Asked), 60)+`"`, quotedList(r.Choices)
	if r.Asked == "" {
		asked = "this value"
	}
	switch r.Why {
	case Ambiguous:
		return fmt.Sprintf("%s does not take %s: it can mean %s", r.Control, asked, list)
	case NoOption:
		return fmt.Sprintf("%s has no option %s, only %s", r.Control, asked, list)
	case Disabled:
		return fmt.Sprintf("%s has the option %s, but it is disabled; what can be chosen is %s", r.Control, asked, list)
	}
	return fmt.Sprintf("%s does not take %s: it takes %s", r.Control, asked, r.Form)
}

func quotedList(list []string) string {
	var out []string
	for _, s := range list[:min(len(list), maxChoices)] {
		out = append(out, `"`+s+`"`)
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

func refused(why Reason, asked string, e page.Element, choices []string) *Refused {
	if e.State.Secret {
		asked = ""
	}
	return &Refused{Why: why, Asked: page.Cut(asked, maxRead), Control: page.Describe(e), Form: describeForm(e), Choices: choices}
}

// describeForm describes for a person the form a control takes.
func describeForm(e page.Element) string {
	switch e.Type {
	case "time":
		return "hours:minutes"
	case "date":
		return "year-month-day"
	case "month":
		return "year-month"
	case "week":
		return "year-Wweek"
	case "datetime-local":
		return "year-month-dayThours:minutes"
	case "color":
		return "#rrggbb or the name of a color"
	case "range":
		lowest, highest, step := bounds(e)
		return fmt.Sprintf("numbers from %s to %s in steps of %s", lowest, highest, step)
	case "number":
		return "a number"
	}
	if len(e.Options) > 0 {
		return "one of its options"
	}
	return "true or false"
}

// ForControl returns a value in the form a control takes: a time as 15:30, a date as
// 2026-03-05, a number without grouping, a color as #rrggbb, an option by its label
// or value, a box as true or false. Any other control takes the text unchanged, and
// an empty text clears what can be cleared. Compare says that the result is the same
// as asked, and converting the result again changes nothing. The error is a *Refused.
func ForControl(asked string, e page.Element) (string, error) {
	form := formReaderOf(e)
	isList := len(e.Options) > 0
	switch {
	case form == nil && !isList && !isTick(e):
		return asked, nil
	case len(asked) > maxLong:
		return "", refused(NoForm, asked, e, nil)
	case isTick(e):
		return tickForm(asked, e)
	case isList:
		return optionForm(asked, e)
	case fold(asked) == "":
		return asked, nil
	case len(asked) > maxCompared:
		return "", refused(NoForm, asked, e, nil)
	}
	switch readings := form(fold(asked), e); len(readings) {
	case 0:
		return "", refused(NoForm, asked, e, nil)
	case 1:
		return numeric(asked, readings[0], e)
	default:
		return "", refused(Ambiguous, asked, e, readings)
	}
}

// htmlNumber is a number in the form HTML controls take.
var htmlNumber = regexp.MustCompile(`^-?(\d+(\.\d+)?|\.\d+)([eE][-+]?\d{1,3})?$`)

// numeric keeps a number as it was written if that is in HTML's form. It must be
// within the bounds of a slider, which would change any other value.
func numeric(asked, reading string, e page.Element) (string, error) {
	switch e.Type {
	case "range":
		if !within(reading, e) {
			return "", refused(OutOfRange, asked, e, nil)
		}
	case "number":
	default:
		return reading, nil
	}
	if htmlNumber.MatchString(asked) {
		return asked, nil
	}
	return reading, nil
}

// bounds returns a slider's bounds: its attributes, or HTML's defaults.
func bounds(e page.Element) (lowest, highest, step string) {
	or := func(s, otherwise string) string {
		if n, ok := asScript(s); ok {
			return n
		}
		return otherwise
	}
	step = e.Step
	if !strings.EqualFold(step, "any") {
		step = or(step, "1")
	}
	return or(e.Min, "0"), or(e.Max, "100"), step
}

func within(n string, e page.Element) bool {
	lowest, highest, step := bounds(e)
	v, low, high := rational(n), rational(lowest), rational(highest)
	if v.Cmp(low) < 0 || v.Cmp(high) > 0 {
		return false
	}
	by := rational(step)
	if by.Sign() <= 0 {
		return true // any, or none that means anything
	}
	return new(big.Rat).Quo(new(big.Rat).Sub(v, low), by).IsInt()
}

func rational(s string) *big.Rat {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return new(big.Rat)
	}
	return r
}

// optionForm returns the text by which the client finds the option: its label, or its
// value attribute if that was given and is no label.
func optionForm(asked string, e page.Element) (string, error) {
	o, err := Choose(asked, e)
	switch {
	case err != nil:
		return "", err
	case o.Label == "", o.Value == asked && !labelled(asked, e):
		return o.Value, nil
	}
	return o.Label, nil
}

// labelled reports whether a text is the label of an option that can be chosen.
func labelled(s string, e page.Element) bool {
	return slices.ContainsFunc(e.Options, func(o page.Option) bool { return !o.Disabled && sameFolded(fold(o.Label), fold(s)) })
}

var tickRoles = asSet("checkbox switch menuitemcheckbox menuitemradio radio")

func isTick(e page.Element) bool { return tickRoles[e.Role] }

// tickWords are words for ticking or clearing a box.
var tickWords = map[string]string{
	"true": "true", "on": "true", "yes": "true", "checked": "true", "1": "true",
	"false": "false", "off": "false", "no": "false", "unchecked": "false", "0": "false", "": "false",
}

// tickForm returns whether a box is to be ticked. Its own name also means that.
func tickForm(asked string, e page.Element) (string, error) {
	is, ok := tickWords[strings.ToLower(fold(asked))]
	switch {
	case !ok && asked != "" && sameFolded(fold(asked), fold(e.Name)):
		return "true", nil
	case !ok, is == "false" && (e.Role == "radio" || e.Role == "menuitemradio"):
		return "", refused(NoForm, asked, e, nil)
	}
	return is, nil
}

// compareTicks compares what a box is to be with what it shows.
func compareTicks(asked, held string, e page.Element) Match {
	want, is := tickWord(asked, e), tickWord(held, e)
	switch {
	case want == "" || is == "":
		return CannotTell
	case want == is:
		return Same
	}
	return Other
}

func tickWord(s string, e page.Element) string {
	if is, ok := tickWords[strings.ToLower(fold(s))]; ok {
		return is
	}
	is, _ := tickForm(s, e)
	return is
}

// ticked reports whether a box is as asked. A box without a state is not ticked.
func ticked(asked string, e page.Element) Match {
	switch want := tickWord(asked, e); {
	case want == "", want == "true" && e.State.Checked == "":
		return CannotTell
	case e.State.Checked == want, want == "false" && e.State.Checked == "":
		return Same
	}
	return Other
}
