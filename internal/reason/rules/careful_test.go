package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/correct"
)

// A secret is in the action that enters it and in no word beside it, whatever
// became of the action.
func TestReasoner_SecretsAreInNoWord(t *testing.T) {
	t.Parallel()
	const pw = "hunter2-Zq"
	login := func(with ...func(*page.Page)) page.Page {
		p := pageOf(home+"login", elem("textbox", "Username", withID("u"), value("kenda")), elem("textbox", "Password", withID("p"), typ("password"), state(secret)),
			elem("textbox", "Repeat password", withID("r"), typ("password"), state(secret)), elem("button", "Log in", withID("s")))
		for _, f := range with {
			p = with1(p, f)
		}
		return p
	}
	refused := func(p *page.Page) { p.Alerts = []page.Alert{{Kind: page.AlertError, Text: "Wrong password"}} }
	marked := func(p *page.Page) { p.Elements[1].State.Invalid = true }
	twice := func(p *page.Page) { p.Elements[2].Name = "Password" }
	moved := func(p *page.Page) { p.Elements[1].ID = "p2" }
	away := func(p *page.Page) { p.Elements = p.Elements[3:] }
	// On record the value of a secret field is not; in an action just made it is.
	entered := action.Action{Name: action.SetValue, Target: "p", Text: pw}
	recorded := action.Action{Name: action.SetValue, Target: "p", Text: "[secret]"}
	sent := action.Action{Name: action.Click, Target: "s"}
	before := login()
	if a, err := (Reasoner{}).Act(t.Context(), reasoning.ActQuestion{Client: able, Query: "enter the password " + pw, Page: pageOf(home, before.Elements[1])}); err != nil || a.Action != entered {
		t.Fatalf("%s, %v: the test is about nothing", a.Action, err)
	}
	for name, after := range map[string]page.Page{
		"as before": login(), "refused": login(refused), "marked": login(marked, refused), "another of that name": login(twice),
		"moved": login(moved), "gone": login(away), "gone with an error": login(away, refused),
	} {
		for _, query := range []string{
			"log in with username 'kenda' and password '" + pw + "'", "log in as kenda with password " + pw,
			"enter the password " + pw, "set password to '" + pw + "' and press Log in",
			"register a user with name Jo, passcode " + pw, "create a user with secret '" + pw + "', then click Next",
		} {
			for i, a := range []action.Action{entered, recorded, sent} {
				for _, answers := range [][]string{nil, {"password: " + pw}} {
					target, _ := before.ByID(a.Target)
					w := page.Witness{Status: "failure", Error: &page.ActionError{Message: "cannot type " + pw, Code: "NO_INPUT"}}
					if a == sent {
						w = page.Witness{}
					}
					steps := []reasoning.Step{{Action: recorded, Target: `textbox "Password"`, Verified: true, Succeeded: i > 0}}
					said := everyWord(t, query, answers, a, target, before, after, w, steps)
					if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, pw) }) {
						t.Errorf("%s, %s, after %s: %q", name, query, a.Name, said)
					}
				}
			}
		}
	}
}

func with1(p page.Page, f func(*page.Page)) page.Page {
	p.Elements = slices.Clone(p.Elements)
	f(&p)
	return p
}

// everyWord are what the three questions about a turn are answered with, the
// actions apart.
func everyWord(t *testing.T, query string, answers []string, a action.Action, target page.Element, before, after page.Page, w page.Witness, steps []reasoning.Step) []string {
	t.Helper()
	obs := page.Observe(before.Before(), after, w)
	v, err := Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
		Query: query, Answers: answers, Action: a, Target: target, Before: before.Before(), Page: after, Witness: w, Observations: obs, Steps: steps,
	})
	if err != nil {
		t.Fatal(err)
	}
	next, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: query, Answers: answers, Page: after, Steps: steps, LastObservations: obs})
	if err != nil {
		t.Fatal(err)
	}
	said := []string{v.Reason, next.Reason, next.UserQuestion, strings.Join(next.Missing, ","), next.Thought, next.Expected.Description}
	for attempt := range correct.MaxAttempts + 1 {
		c, err := Reasoner{}.Correct(t.Context(), reasoning.CorrectQuestion{
			Query: query, Answers: answers, Failed: a, Target: target, Verdict: v, Observations: obs, Witness: w, Page: after, Steps: steps,
			Attempt: attempt + 1, Tried: []action.Action{a},
		})
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, c.Reason, c.Thought)
		if c.Action.EndsTask() {
			said = append(said, c.Action.Text)
		}
	}
	return said
}

// Whatever a page does not do, the rules come to an end and say why.
func TestJourneys_EndOnPagesThatDoNotReact(t *testing.T) {
	t.Parallel()
	stir := func(s *still, _ page.Element) { s.p.Text = fmt.Sprint(len(s.p.Text), s.p.Text) } // something changes, but not what should
	for name, tc := range map[string]struct {
		query string
		site  site
	}{
		"a field that keeps nothing":        {"enter 'Jas' as name", deaf{pageOf(home, elem("textbox", "Name"))}},
		"a form that keeps nothing":         {newPatientTask, deaf{pageOf(home, elem("textbox", "Name"), elem("button", "Save"))}},
		"a checkbox that does not tick":     {"check 'Consent'", deaf{pageOf(home, elem("checkbox", "Consent", checked("false")))}},
		"a radio that does not take":        {"choose 'Yes'", deaf{pageOf(home, elem("radio", "Yes", checked("false")))}},
		"a select that does not choose":     {"choose 'Oslo' from City", deaf{pageOf(home, elem("combobox", "City", options("Oslo", "Rome")))}},
		"a list that does not open":         {"choose 'Oslo' from City", deaf{pageOf(home, elem("combobox", "City", func(e *page.Element) { e.Tag = "div" }, state(popup), expanded("false")))}},
		"a menu that leads nowhere":         {newPatientTask, deaf{pageOf(home+"patients", elem("button", "Patients", state(popup)), elem("button", "Menu", state(popup)))}},
		"a menu over a page that stirs":     {newPatientTask, &still{p: pageOf(home+"patients", elem("button", "Patients"), elem("button", "Menu")), click: stir}},
		"a search that finds nothing":       {"search for 'x'", deaf{pageOf(home, elem("searchbox", "Search"), elem("button", "Go"))}},
		"a search that does not open":       {"search for 'x'", deaf{pageOf(home, elem("button", "Search"))}},
		"a login that does nothing":         {"log in with username 'a' and password 'b'", deaf{loginPage()}},
		"a cover that does not go":          {"click Save", deaf{pageOf(home, elem("button", "Save", state(occluded)), elem("button", "Close"))}},
		"an address that does not open":     {"go to https://site.test/x", deaf{pageOf(home)}},
		"a next page that does not come":    {newPatientTask + " and city 'Oslo'", &still{p: pageOf(home, elem("textbox", "Name"), elem("button", "Next")), click: stir}},
		"two ways that both lead nowhere":   {newPatientTask, deaf{pageOf(home, elem("button", "New patient"), elem("link", "Add patient"))}},
		"a form that is sent to no purpose": {newPatientTask, &still{p: pageOf(home, elem("textbox", "Name"), elem("button", "Save")), click: stir}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := &journey{query: tc.query, site: tc.site}
			log := j.run(t) // fails after maxTurns
			if end := log[len(log)-1]; strings.HasPrefix(end, "complete") || strings.HasPrefix(end, "finish") {
				t.Errorf("took it for done:\n%s", strings.Join(log, "\n"))
			}
			done := map[string]int{}
			for _, line := range log {
				if done[line]++; done[line] > 3 && !strings.HasPrefix(line, "failed") {
					t.Errorf("%q again and again:\n%s", line, strings.Join(log, "\n"))
				}
			}
		})
	}
}

// deaf is a page on which nothing has an effect.
type deaf struct{ p page.Page }

func (d deaf) page() page.Page                               { return d.p }
func (deaf) do(_ action.Action, _ page.Element) page.Witness { return page.Witness{} }
