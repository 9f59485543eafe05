package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func invalid(s *page.State) { s.Invalid = true }

// A field that holds what was entered has not taken it where the page says that this
// will not do.
func TestVerify_HeldAndRefused(t *testing.T) {
	city, full := one("textbox", "City"), one("textbox", "City", value("Oslo"))
	marked := one("textbox", "City", value("Oslo"), state(invalid))
	two := func(with ...func(*page.Element)) page.Page {
		return pageOf(home, elem("textbox", "Name", append(with, withID("1"))...), elem("textbox", "Last name"))
	}
	says := func(text string) func(*page.Page) { return alert(page.AlertError, text) }
	checkAll(t, map[string]verdictCase{
		"marked, with a message that names it": {
			act: setOne("Oslo"), before: city, after: with(marked, says("Invalid city")),
			rule: "field-refused", to: 0.2, reason: "Invalid city",
		},
		"marked, without a message": {
			act: setOne("Oslo"), before: city, after: marked,
			rule: "field-refused", to: 0.2, reason: "marks it as wrong",
		},
		"a message that names it, without a mark": {
			act: setOne("Oslo"), before: city, after: with(full, says("City: we do not deliver there")),
			rule: "field-refused", to: 0.2, reason: "we do not deliver there",
		},
		"marked before and after": {
			act: setOne("Oslo"), before: one("textbox", "City", state(invalid)), after: marked,
			rule: "field-holds-value", from: 0.95, to: 1,
		},
		"marked before and no more": {
			act: setOne("Oslo"), before: one("textbox", "City", state(invalid)), after: full,
			rule: "field-holds-value", from: 0.95, to: 1,
		},
		"a message about another field": {
			act: setOne("Jas"), before: two(), after: with(two(value("Jas")), says("Last name is required")),
			rule: "field-holds-value", from: 0.95, to: 1,
		},
		"a message that names no field": {
			act: setOne("Oslo"), before: city, after: with(full, says("Please check your entries")),
			rule: "field-holds-value", from: 0.95, to: 1,
		},
		"a list": {
			act: setOne("Poland"), before: one("combobox", "Country", options("France", "Poland")),
			after: with(one("combobox", "Country", options("France", "Poland"), value("Poland"), state(invalid)), says("Country: no longer served")),
			rule:  "field-refused", to: 0.2, reason: "no longer served",
		},
		"a box": {
			act: setOne("true"), before: one("checkbox", "Express", checked("false")),
			after: with(one("checkbox", "Express", checked("true"), state(invalid)), says("Express is not available")),
			rule:  "field-refused", to: 0.2, reason: "not available",
		},
	})
}

// Other figures, other options and readings nobody can decide on are no success.
func TestVerify_AnotherValue(t *testing.T) {
	rating := func(shown string) page.Page {
		return one("combobox", "Rating", value(shown), func(e *page.Element) {
			e.Options = []page.Option{{Value: "1", Label: "5"}, {Value: "2", Label: "4"}, {Value: "5", Label: "1"}}
		})
	}
	amount := func(v string, with ...func(*page.Element)) page.Page {
		return one("textbox", "Amount", append(with, value(v))...)
	}
	field := func(asked, before, after string) verdictCase {
		return verdictCase{act: setOne(asked), before: amount(before), after: amount(after)}
	}
	failed := func(c verdictCase) verdictCase { c.to, c.rule = 0.2, "field-holds-other"; return c }
	open := func(c verdictCase) verdictCase {
		c.from, c.to, c.open, c.rule = 0.5, 0.5, true, "field-cannot-tell"
		return c
	}
	held := func(c verdictCase) verdictCase { c.from, c.to, c.rule = 0.95, 1, "field-holds-value"; return c }
	checkAll(t, map[string]verdictCase{
		"what was there before it":        failed(field("500000", "1", "1,500,000")),
		"the same without separators":     failed(field("500000", "1", "1500000")),
		"separators of one convention":    held(field("1500000", "", "1,500,000")),
		"a point that has gone":           open(field("12.345", "", "12345")),
		"a point that has gone in digits": failed(verdictCase{act: setOne("12.345"), before: amount("", typ("number")), after: amount("12345", typ("number"))}),
		"the other half of the day":       failed(field("9:00 pm", "", "09:00")),
		"day or month":                    open(field("3/4/2026", "", "2026-04-03")),
		"an option by its value":          failed(verdictCase{act: setOne("1"), before: rating("4"), after: rating("5")}),
		"an option by its label":          held(verdictCase{act: setOne("1"), before: rating("4"), after: rating("1")}),
	})
}

// formatting is a page that writes what is entered in its own way, and chooses several
// options one after the other.
type formatting struct {
	still
	shows map[string]string
}

func (f *formatting) do(a action.Action, e page.Element) page.Witness {
	if shown, ok := f.shows[a.Text]; ok {
		a.Text = shown
	}
	if e.Multiple && e.Value != "" {
		a.Text = e.Value + ", " + a.Text
	}
	return f.still.do(a, e)
}

// A value is entered once, in the form its control takes, however the page then shows it.
func TestJourneys_Values(t *testing.T) {
	t.Parallel()
	saves := func(s *still, e page.Element) {
		if e.Name == "Save" {
			s.p.Alerts = []page.Alert{{Kind: page.AlertSuccess, Text: "Saved"}}
		}
	}
	field := func(name string, with ...func(*page.Element)) page.Page {
		return pageOf(home, elem("textbox", name, with...), elem("button", "Save"))
	}
	sizes := func(e *page.Element) {
		e.Options = []page.Option{{Value: "m", Label: "M"}, {Value: "l", Label: "L"}, {Value: "xl", Label: "XL", Disabled: true}}
	}
	rating := func(e *page.Element) {
		e.Options = []page.Option{{Value: "1", Label: "5"}, {Value: "3", Label: "3"}, {Value: "5", Label: "1"}}
	}
	toppings := func(e *page.Element) {
		e.Multiple, e.Options = true, []page.Option{{Value: "h", Label: "Ham"}, {Value: "e", Label: "Egg"}}
	}
	for name, tc := range map[string]struct {
		query string
		p     page.Page
		shows map[string]string // what the page makes of what is entered
		later []string
		want  []string
	}{
		"money":     {"type '1000' in Amount and click Save", field("Amount"), map[string]string{"1000": "$1,000.00"}, nil, []string{`setValue textbox "Amount" = 1000`, `click button "Save"`}},
		"a phone":   {"type '9876543210' in Phone and click Save", field("Phone"), map[string]string{"9876543210": "+91 98765 43210"}, nil, []string{`setValue textbox "Phone" = 9876543210`, `click button "Save"`}},
		"a unit":    {"type '45' in Weight and click Save", field("Weight"), map[string]string{"45": "45 kg"}, nil, []string{`setValue textbox "Weight" = 45`, `click button "Save"`}},
		"undecided": {"type '3/4/2026' in Due and click Save", field("Due"), map[string]string{"3/4/2026": "4 Mar 2026"}, nil, []string{`setValue textbox "Due" = 3/4/2026`, `click button "Save"`}},
		"a time":    {"set Time to 3:30 pm and click Save", field("Time", typ("time")), nil, nil, []string{`setValue textbox "Time" = 15:30`, `click button "Save"`}},
		"a month":   {"set Month to 'March 2026' and click Save", field("Month", typ("month")), nil, nil, []string{`setValue textbox "Month" = 2026-03`, `click button "Save"`}},
		"a week":    {"set Week to 'week 12 2026' and click Save", field("Week", typ("week")), nil, nil, []string{`setValue textbox "Week" = 2026-W12`, `click button "Save"`}},
		"a number":  {"set Count to '1,500' and click Save", field("Count", typ("number")), nil, nil, []string{`setValue textbox "Count" = 1500`, `click button "Save"`}},
		"a color":   {"set Color to 'red' and click Save", field("Color", typ("color")), nil, nil, []string{`setValue textbox "Color" = #ff0000`, `click button "Save"`}},
		"an option by what people see": {"set Rating to 1", pageOf(home, elem("combobox", "Rating", rating)), nil, nil, []string{
			`setValue combobox "Rating" = 1`, `complete: “1” is selected in “Rating”.`,
		}},
		"an option that cannot be chosen": {"set Size to XL", pageOf(home, elem("combobox", "Size", sizes)), nil, []string{"L"}, []string{
			`asks: “Size” has “XL”, but it cannot be chosen. Which one should I select: M, L?`, "user: L", `setValue combobox "Size" = L`, `complete: “L” is selected in “Size”.`,
		}},
		"an option that is not there": {"set Size to S", pageOf(home, elem("combobox", "Size", sizes)), nil, nil, []string{
			`asks: “Size” has no option “S”. Which one should I select: M, L?`,
		}},
		"a time that is none": {"set Time to 'later'", field("Time", typ("time")), nil, []string{"3 pm"}, []string{
			`asks: “Time” does not take “later”. What should I enter? It takes hours:minutes.`, "user: 3 pm", `setValue textbox "Time" = 15:00`, `complete: The field “Time” now holds`,
		}},
		"several options": {"set Toppings to 'Ham, Egg'", pageOf(home, elem("listbox", "Toppings", toppings)), nil, nil, []string{
			`setValue listbox "Toppings" = Ham`, `setValue listbox "Toppings" = Egg`, `complete: “Egg” is selected in “Toppings”.`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &journey{query: tc.query, later: tc.later, site: &formatting{still: still{p: tc.p, click: saves}, shows: tc.shows}}
			got := j.run(t)
			for i := range got {
				if i < len(tc.want) && strings.HasPrefix(got[i], tc.want[i]) {
					got[i] = tc.want[i]
				}
			}
			if diff := cmp.Diff(tc.want, got[:min(len(got), len(tc.want))]); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, strings.Join(got, "\n"))
			}
			if n := len(slices.DeleteFunc(slices.Clone(got), func(s string) bool { return !strings.HasPrefix(s, "setValue") })); n > 2 {
				t.Errorf("entered %d times", n)
			}
		})
	}
}

// The verdict and the one who acts go by one test: what is called a success is not
// entered again.
func TestVerdictAndPlannerAgree(t *testing.T) {
	t.Parallel()
	pool := []string{
		"", "1000", "1,000", "$1,000.00", "1.000", "12.345", "12345", "45", "45 kg", "7%", "3:30 pm", "15:30", "3:30", "2026-03-05", "3/5/2026", "5.3.2026", "March 5, 2026",
		"+49 30 1234567", "030 1234567", "Jas", "JAS ", "•••", "AB-12", "ab12", "true", "red", "#ff0000", "2026-03", "2026-W12",
	}
	rapid.Check(t, func(rt *rapid.T) {
		asked, shown := rapid.SampledFrom(pool).Draw(rt, "asked"), rapid.SampledFrom(pool).Draw(rt, "shown")
		kind := rapid.SampledFrom([]string{"text", "tel", "time", "date", "month", "week", "number", "color", "list"}).Draw(rt, "kind")
		make := func(v string) page.Page {
			if kind == "list" {
				return one("combobox", "Field", value(v), options(pool[1:8]...))
			}
			return one("textbox", "Field", typ(kind), value(v))
		}
		before, after := make(""), make(shown)
		v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
			Query: "set Field to " + asked, Action: setOne(asked), Target: before.Elements[0], Before: before.Before(), Page: after,
			Observations: page.Observe(before.Before(), after, page.Witness{}),
		})
		if err != nil {
			rt.Fatal(err)
		}
		next, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: "set Field to '" + asked + "'", Page: after})
		if err != nil {
			rt.Fatal(err)
		}
		if again := next.Action.Name == action.SetValue; strings.HasPrefix(v.Rule, "field-") && again && v.ActionSucceeded {
			rt.Fatalf("%q in %s that shows %q would be entered again, and the verdict is %q", asked, kind, shown, v.Reason)
		}
	})
}

// refusing is a page that takes no delivery to Oslo.
type refusing struct{ still }

func (r *refusing) do(a action.Action, e page.Element) page.Witness {
	w := r.still.do(a, e)
	r.p.Alerts = nil
	for i := range r.p.Elements {
		e := &r.p.Elements[i]
		if e.State.Invalid = e.Value == "Oslo"; e.State.Invalid {
			r.p.Alerts = []page.Alert{{Kind: page.AlertError, Text: "Invalid city"}}
		}
	}
	return w
}

func TestJourneys_ARefusedValueIsAskedAbout(t *testing.T) {
	t.Parallel()
	j := &journey{query: "type 'Oslo' in City", later: []string{"Bergen"}, site: &refusing{still{p: pageOf(home, elem("textbox", "City"))}}}
	want := []string{
		`setValue textbox "City" = Oslo`, `failed: field-refused`, `asks: The page says: “Invalid city” What should I enter for “City”?`, `user: Bergen`,
		`setValue textbox "City" = Bergen`, `complete: The field “City” now holds what was entered. The task is complete: “City” filled in.`,
	}
	if diff := cmp.Diff(want, j.run(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
