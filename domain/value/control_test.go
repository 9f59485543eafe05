package value

import (
	"errors"
	"slices"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

func TestForControl(t *testing.T) {
	t.Parallel()
	slider := func(lowest, highest, step string) page.Element {
		return page.Element{Tag: "input", Type: "range", Role: "slider", Min: lowest, Max: highest, Step: step}
	}
	box := page.Element{Role: "checkbox", Name: "I agree"}
	radio := page.Element{Role: "radio", Name: "Female"}
	for _, tc := range []struct {
		asked string
		e     page.Element
		want  string // "" for a refusal
	}{
		{"3:30 pm", typed("time"), "15:30"}, {"3:30 PM", typed("time"), "15:30"}, {"15h30", typed("time"), "15:30"}, {"9.05", typed("time"), "09:05"}, {"12am", typed("time"), "00:00"},
		{"noon", typed("time"), "12:00"}, {"930", typed("time"), "09:30"}, {"7:05:09", typed("time"), "07:05:09"}, {"午後3:30", typed("time"), "15:30"}, {"3", typed("time"), ""}, {"25:00", typed("time"), ""}, {"later", typed("time"), ""},

		{"1990-01-02", typed("date"), "1990-01-02"}, {"1990-1-2", typed("date"), "1990-01-02"}, {"January 2, 1990", typed("date"), "1990-01-02"}, {"2  Jan 1990", typed("date"), "1990-01-02"},
		{"13/02/1990", typed("date"), "1990-02-13"}, {"02/13/1990", typed("date"), "1990-02-13"}, {"02.02.1990", typed("date"), "1990-02-02"}, {"3.5.2021", typed("date"), "2021-05-03"},
		{"5. März 2026", typed("date"), "2026-03-05"}, {"5 de marzo de 2026", typed("date"), "2026-03-05"}, {"Thursday, March 5th, 2026", typed("date"), "2026-03-05"}, {"2026年3月5日", typed("date"), "2026-03-05"},
		{"01/02/1990", typed("date"), ""}, {"30/30/1990", typed("date"), ""}, {"30 February 1990", typed("date"), ""}, {"tomorrow", typed("date"), ""}, {"13/2/90", typed("date"), ""},

		{"March 2026", typed("month"), "2026-03"}, {"03/2026", typed("month"), "2026-03"}, {"5 March 2026", typed("month"), "2026-03"}, {"März 2026", typed("month"), "2026-03"}, {"March", typed("month"), ""}, {"2026-13", typed("month"), ""},
		{"week 12, 2026", typed("week"), "2026-W12"}, {"2026-w1", typed("week"), "2026-W01"}, {"KW 12 2026", typed("week"), "2026-W12"}, {"week 9 of 2026", typed("week"), "2026-W09"}, {"2026-03-05", typed("week"), "2026-W10"},
		{"week 53 2026", typed("week"), "2026-W53"}, {"week 53 2025", typed("week"), ""}, {"week 12", typed("week"), ""},
		{"March 5, 2026 at 3:30 pm", typed("datetime-local"), "2026-03-05T15:30"}, {"2026-03-05 9:05", typed("datetime-local"), "2026-03-05T09:05"}, {"15:30, 5.3.2026", typed("datetime-local"), "2026-03-05T15:30"},
		{"3/4/2026 15:30", typed("datetime-local"), ""}, {"2026-03-05", typed("datetime-local"), ""},

		{"12.345", typed("number"), "12.345"}, {"12,345", typed("number"), "12345"}, {"1.234.567", typed("number"), "1234567"}, {"1,5", typed("number"), "1.5"}, {"$1,000.00", typed("number"), "1000"},
		{"45 kg", typed("number"), "45"}, {"−3", typed("number"), "-3"}, {"007", typed("number"), "007"}, {"1e3", typed("number"), "1e3"}, {"fifty", typed("number"), ""}, {"1.2.3", typed("number"), ""},
		{"red", typed("color"), "#ff0000"}, {"#F0a", typed("color"), "#ff00aa"}, {"#ABCDEF", typed("color"), "#abcdef"}, {"rgb(255, 0, 16)", typed("color"), "#ff0010"}, {"Dark Slate Gray", typed("color"), "#2f4f4f"}, {"reddish", typed("color"), ""}, {"rgb(256,0,0)", typed("color"), ""},

		{"50", slider("", "", ""), "50"}, {"50%", slider("", "", ""), "50"}, {"150", slider("", "", ""), ""}, {"33", slider("0", "100", "5"), ""}, {"35", slider("0", "100", "5"), "35"},
		{"50%", slider("0", "1", "0.05"), "0.5"}, {"0.33", slider("0", "1", "any"), "0.33"}, {"7", slider("-10", "10", ""), "7"}, {"-11", slider("-10", "10", ""), ""},

		{"yes", box, "true"}, {"Off", box, "false"}, {"I agree", box, "true"}, {"maybe", box, ""}, {"female", radio, "true"}, {"false", radio, ""},
		{"3:30 pm", typed("text"), "3:30 pm"}, {"x", page.Element{Tag: "textarea", Type: "time"}, "x"},
	} {
		got, err := ForControl(tc.asked, tc.e)
		if got != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%q for %s: %q, %v, want %q", tc.asked, tc.e.Type+tc.e.Role, got, err, tc.want)
		}
		if again, err := ForControl(got, tc.e); tc.want != "" && (err != nil || again != got) {
			t.Errorf("%q for %s is another the second time: %q, %v", got, tc.e.Type, again, err)
		}
	}
	for _, kind := range []string{"time", "date", "number", "color", "text"} {
		if got, err := ForControl("", typed(kind)); got != "" || err != nil {
			t.Errorf("clearing %s: %q, %v", kind, got, err)
		}
	}
}

// listOf makes a select of labels; "-label" is disabled, "label=value" has a value.
func listOf(options ...page.Option) page.Element {
	return page.Element{ID: "1", Tag: "select", Role: "combobox", Name: "List", Options: options}
}

func opt(label, value string) page.Option { return page.Option{Label: label, Value: value} }

func off(label, value string) page.Option {
	return page.Option{Label: label, Value: value, Disabled: true}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	rating := listOf(opt("5", "1"), opt("4", "2"), opt("3", "3"), opt("2", "4"), opt("1", "5"))
	ward := listOf(off("Choose…", ""), opt("Emergency ward", "em"), opt("Intensive care", "ic"), opt("Day care", "dc"))
	size := listOf(opt("M", "m"), opt("L", "l"), off("XL", "xl"), opt("XXL tall", "xxl"))
	for _, tc := range []struct {
		asked   string
		e       page.Element
		want    string // the value of the option
		why     Reason
		choices []string
	}{
		{asked: "1", e: rating, want: "5"}, {asked: "5", e: rating, want: "1"},
		{asked: "emergency", e: ward, want: "em"}, {asked: "em", e: ward, want: "em"}, {asked: "care intensive", e: ward, want: "ic"},
		{asked: "care", e: ward, why: Ambiguous, choices: []string{"Intensive care", "Day care"}},
		{asked: "Surgery", e: ward, why: NoOption, choices: []string{"Emergency ward", "Intensive care", "Day care"}},
		{asked: "XL", e: size, why: Disabled, choices: []string{"M", "L", "XXL tall"}},
		{asked: "xl", e: size, why: Disabled, choices: []string{"M", "L", "XXL tall"}},
		{asked: "Choose…", e: ward, why: Disabled, choices: []string{"Emergency ward", "Intensive care", "Day care"}},
		{asked: "XL", e: listOf(opt("Large", "xl"), off("XL", "x")), why: Disabled, choices: []string{"Large"}},
		{asked: "XL", e: listOf(off("XL", "sold"), opt("XL", "x")), want: "x"},
		{asked: "1000", e: listOf(opt("500", "a"), opt("1,000", "b")), want: "b"}, {asked: "3:30 pm", e: listOf(opt("15:00", "a"), opt("15:30", "b")), want: "b"},
		{asked: "5", e: listOf(opt("5 years", "a"), opt("5 months", "b")), why: Ambiguous, choices: []string{"5 years", "5 months"}},
		{asked: "Zu\u0308rich", e: listOf(opt("Zürich", "zh")), want: "zh"}, {asked: "Canada", e: listOf(opt("US", "us"), opt("canada ", "ca")), want: "ca"},
	} {
		o, err := Choose(tc.asked, tc.e)
		if tc.want != "" {
			if err != nil || o.Value != tc.want {
				t.Errorf("%q: %+v, %v, want %s", tc.asked, o, err, tc.want)
			}
			continue
		}
		var r *Refused
		if !errors.As(err, &r) || r.Why != tc.why || !slices.Equal(r.Choices, tc.choices) {
			t.Errorf("%q: %+v, %v", tc.asked, o, err)
		}
	}
}

func TestForControl_lists(t *testing.T) {
	t.Parallel()
	twins := listOf(opt("Springfield", "il"), opt("Springfield", "ma"), opt("Boston", "bo"))
	for asked, want := range map[string]string{"springfield": "Springfield", "ma": "ma", "bo": "bo", "boston ": "Boston"} {
		if got, err := ForControl(asked, twins); err != nil || got != want {
			t.Errorf("%q: %q, %v", asked, got, err)
		}
	}
	if got, err := ForControl("pin 12", page.Element{Type: "date", State: page.State{Secret: true}}); err == nil || got != "" || slices.Contains([]string{"pin 12"}, err.Error()) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	rating := listOf(page.Option{Label: "5", Value: "1", Selected: true}, opt("1", "5"))
	rating.Value = "5"
	many := listOf(page.Option{Label: "Ham", Value: "h", Selected: true}, page.Option{Label: "Egg", Value: "e", Selected: true}, opt("Corn", "c"))
	many.Multiple, many.Value = true, "Ham, Egg"
	shownLive := listOf(page.Option{Label: "Red", Value: "r", Selected: true}, opt("Blue", "b")) // the document is behind
	shownLive.Value = "Blue"
	sold := listOf(opt("M", "m"), page.Option{Label: "XL", Value: "xl", Disabled: true, Selected: true})
	box := func(is string) page.Element {
		return page.Element{Role: "checkbox", State: page.State{Checked: is}}
	}
	for _, tc := range []struct {
		asked string
		e     page.Element
		want  Match
	}{
		{"5", rating, Same}, {"1", rating, Other},
		{"Ham", many, Same}, {"Corn", many, Other}, {"Ham, Egg", many, Same}, {"egg and ham", many, Same}, {"Ham, Corn", many, Other}, {"Ham and Nuts", many, Other},
		{"Blue", shownLive, Same}, {"Red", shownLive, Other}, {"XL", sold, Same}, {"M", sold, Other}, {"S", sold, Other},
		{"true", box("true"), Same}, {"on", box("false"), Other}, {"false", box(""), Same}, {"true", box(""), CannotTell}, {"true", box("mixed"), Other}, {"perhaps", box("true"), CannotTell},
		{"x", page.Element{State: page.State{Secret: true}}, CannotTell},
		{"3:30 pm", page.Element{Type: "time", Value: "15:30"}, Same}, {"3:30 pm", page.Element{Type: "time", Value: "03:30"}, Other}, {"red", page.Element{Type: "color", Value: "#ff0000"}, Same},
		{"week 12 2026", page.Element{Type: "week", Value: "2026-W12"}, Same}, {"01/02/1990", page.Element{Type: "date", Value: "1990-02-01"}, CannotTell}, {"01/02/1990", page.Element{Type: "date", Value: "1990-03-01"}, Other},
		{"50%", page.Element{Type: "range", Max: "1", Value: "0.5"}, Same},
	} {
		if got := Holds(tc.asked, tc.e); got != tc.want {
			t.Errorf("%q in %+v: %s, want %s", tc.asked, tc.e, got, tc.want)
		}
	}
}

// What cannot be done is said with what can.
func TestRefused(t *testing.T) {
	t.Parallel()
	size := listOf(opt("M", "m"), off("XL", "xl"))
	for want, ask := range map[string]func() (string, error){
		`combobox "List" has the option "XL", but it is disabled; what can be chosen is "M"`: func() (string, error) { return ForControl("XL", size) },
		`combobox "List" has no option "S", only "M"`:                                        func() (string, error) { return ForControl("S", size) },
		`textbox "Field" does not take "01/02/1990": it can mean "1990-02-01", "1990-01-02"`: func() (string, error) { return ForControl("01/02/1990", typed("date")) },
		`textbox "Field" does not take "soon": it takes hours:minutes`:                       func() (string, error) { return ForControl("soon", typed("time")) },
	} {
		if _, err := ask(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
