package rules

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// anyPage draws a page of controls and fields with names and states that meet.
func anyPage() *rapid.Generator[page.Page] {
	role := rapid.SampledFrom([]string{"button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "menuitem", "option", "tab", "heading"})
	name := rapid.SampledFrom([]string{"", "Save", "New patient", "Add patient", "Patients", "Name", "First name", "Last name", "Email", "Password", "Gender", "Female", "Search", "Close", "×", "Next", "Log in", "Delete", "***"})
	where := rapid.SampledFrom([]string{"", "New patient", "Main"})
	text := rapid.SampledFrom([]string{"", "Jas", "a@b.co", "x"})
	return rapid.Custom(func(t *rapid.T) page.Page {
		n := rapid.IntRange(0, 12).Draw(t, "elements")
		b := pageBuilder{URL: rapid.SampledFrom([]string{home, home + "patients", "", "::"}).Draw(t, "url")}
		for range n {
			e := elem(role.Draw(t, "role"), name.Draw(t, "name"), group(where.Draw(t, "group")), value(text.Draw(t, "value")))
			flags := []*bool{&e.State.Hidden, &e.State.Disabled, &e.State.Occluded, &e.State.Required, &e.State.Invalid, &e.State.Secret, &e.State.HasPopup, &e.State.Readonly}
			for _, f := range flags {
				*f = rapid.IntRange(0, 5).Draw(t, "flag") == 0
			}
			if e.Role == "combobox" {
				options("Female", "Male")(&e)
			}
			b.Elements = append(b.Elements, e)
		}
		if rapid.Bool().Draw(t, "alert") {
			b.Alerts = []page.Alert{{
				Kind: rapid.SampledFrom([]page.AlertKind{page.AlertError, page.AlertSuccess, page.AlertOther}).Draw(t, "kind"),
				Text: rapid.SampledFrom([]string{"Saved", "Email is not valid", ""}).Draw(t, "says"),
			}}
		}
		return b.done()
	})
}

func anyQuery() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"add a new patient", "with name 'Jas'", "named Jas", "and email a@b.co", ", female", "password x", "log in", "as kenda", "click", "Save", "the 'Delete' button",
		"search for 'x'", "then", ",", "and", "choose 'Female' from Gender", "check 'Female'", "uncheck", "change", "the permalink", "to april", "click the button '***'", "fill in the form", "submit '…'", "go to Patients", "https://a.b/c", "press Enter", "=", ":", "yes", "'",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), " ")
	})
}

func anySteps(p page.Page) *rapid.Generator[[]reasoning.Step] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) reasoning.Step {
		s := reasoning.Step{
			Verified: rapid.Bool().Draw(t, "verified"), Succeeded: rapid.Bool().Draw(t, "succeeded"),
			Correction: rapid.SampledFrom([]string{"", string(reasoning.AlternativeTool)}).Draw(t, "correction"),
		}
		if len(p.Elements) == 0 || rapid.Bool().Draw(t, "key") {
			s.Action = action.Action{Name: action.Press, Text: "Enter"}
			return s
		}
		e := rapid.SampledFrom(p.Elements).Draw(t, "on")
		s.Target, s.Action = page.Describe(e), action.Action{Name: action.Click, Target: e.ID}
		if e.IsField() {
			s.Action = action.Action{Name: action.SetValue, Target: e.ID, Text: "Jas"}
		}
		return s
	}), 0, 4)
}

// allowed fails for an action that a person looking at the page could not do.
func allowed(t *rapid.T, a action.Action, p page.Page) {
	if err := a.Validate(); err != nil {
		t.Fatalf("%s: %v", a, err)
	}
	if a.Target == "" {
		return
	}
	e, ok := p.ByID(a.Target)
	if !ok || !e.Usable() && a.Name != action.Scroll {
		t.Fatalf("%s on an element that cannot be used: %+v", a, e)
	}
}

func TestReasoner_OnAnyPage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p, query := anyPage().Draw(rt, "page"), anyQuery().Draw(rt, "query")
		steps := anySteps(p).Draw(rt, "steps")
		answers := rapid.SliceOfN(anyQuery(), 0, 2).Draw(rt, "answers")

		a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: query, Answers: answers, Page: p, Steps: steps})
		switch {
		case err != nil:
			rt.Fatal(err)
		case a.Undecided && a.Reason == "", a.Undecided && a.UserQuestion != "":
			rt.Fatalf("undecided without a reason: %+v", a)
		case !a.Undecided && a.UserQuestion == "":
			allowed(rt, a.Action, p)
		}

		var failed action.Action
		var target page.Element
		if len(p.Elements) > 0 {
			target = rapid.SampledFrom(p.Elements).Draw(rt, "failed")
			failed = action.Action{Name: action.Click, Target: target.ID}
		} else {
			failed = action.Action{Name: action.Press, Text: "Enter"}
		}
		after := anyPage().Draw(rt, "after")
		v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
			Query: query, Answers: answers, Action: failed, Target: target, Before: p.Before(), Page: after, Steps: steps,
			Observations: page.Observe(p.Before(), after, page.Witness{}),
		})
		if _, sane := v.Sanitised(); err != nil || !sane || v.Reason == "" || v.TaskCompleted && !v.ActionSucceeded {
			rt.Fatalf("%+v, %v", v, err)
		}

		tried := []action.Action{failed, {Name: action.Press, Text: "Enter"}}
		c, err := Reasoner{}.Correct(t.Context(), reasoning.CorrectQuestion{
			Query: query, Answers: answers, Failed: failed, Target: target, Verdict: v, Page: after, Steps: steps, Attempt: 1, Tried: tried,
		})
		if err != nil || c.Strategy == "" || c.Reason == "" {
			rt.Fatalf("%+v, %v", c, err)
		}
		if c.Strategy != reasoning.GatherInformation {
			allowed(rt, c.Action, after)
		}
		if slices.Contains(tried, c.Action) {
			rt.Fatalf("%s was tried before", c.Action)
		}
	})
}
