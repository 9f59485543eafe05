package do_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
)

const people = `<title>People</title><h1>People</h1><input id=q type=search placeholder="Search people"><table>
	<tr><td>Ada<td><button id=1>Edit</button><button id=2>Archive</button></tr>
	<tr><td>Kim<td><button id=3>Edit</button><button id=4 disabled>Archive</button></tr></table>
	<label><input id=5 type=checkbox>Weekly report</label><label><input id=6 type=checkbox checked>Alerts</label>
	<label for=7>Language</label><select id=7><option selected>English<option>German</select>
	<label for=8>Nickname</label><input id=8 value=x><button id=9 aria-expanded=false>Details</button>
	<a id=10 href="/help">Help</a><div role=listitem id=11 data-llm-id=11>Card</div>`

func situation(t *testing.T, task, html string) do.Situation {
	t.Helper()
	p, err := dom.Reader{}.Read(page.Capture{URL: "https://site.test/", Mode: page.ModeFull, DOM: html})
	if err != nil {
		t.Fatal(err)
	}
	return do.Situation{Program: instruction.Read(task), Page: ground.On(p)}
}

// unaided has nobody to ask.
func unaided(s do.Situation) do.Situation {
	s.Choose = func([]page.Element) (page.Element, bool) { return page.Element{}, false }
	s.Which = func(string, []page.Element) do.Move { return do.Ask(nil, "Which?") }
	return s
}

// The element of the next move is one that is told to be meant, whatever the step does:
// else the explanation is of another search than the one that is made.
func TestExplain_TellsTheElementOfTheMove(t *testing.T) {
	t.Parallel()
	for _, task := range []string{
		"click Help", "hover over Help", "focus the Nickname field", "open Details", "expand Details", "in the row of Ada, click Edit",
		"click the 2nd Edit button", "check Weekly report", "uncheck Alerts", "select the Weekly report checkbox", "choose German as the Language",
		`enter "Bo" as the nickname`, "set the nickname to Bo", "clear the Nickname field", "search for Ada", "archive Ada", "go to Help",
		"change the language to German", "turn on Weekly report",
	} {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			s := situation(t, task, people)
			m := do.Next(unaided(s))
			if m.Kind != do.IsAction || m.On.ID == "" {
				t.Fatalf("the move is on no element: %+v", m)
			}
			told := false
			for _, x := range do.Explain(s) {
				if x.State != do.StepNext {
					continue
				}
				if !reflect.DeepEqual(x.Move.Action, m.Action) {
					t.Errorf("explained is %s, done would be %s", x.Move.Action, m.Action)
				}
				for _, search := range x.Searches {
					told = told || slices.ContainsFunc(search.Candidates, func(c do.Candidate) bool { return c.Meant && c.Element.ID == m.On.ID })
				}
			}
			if !told {
				t.Errorf("%s on %s is not told", m.Action, page.Describe(m.On))
			}
		})
	}
}

func TestExplain_States(t *testing.T) {
	t.Parallel()
	s := situation(t, "check Alerts, check Weekly report and click Help", people)
	got := do.Explain(s)
	if len(got) != 3 || got[0].State != do.StepDone || got[1].State != do.StepNext || got[2].State != do.StepLater {
		t.Fatalf("states are %+v", got)
	}
	if got[0].Move.Evidence == "" || got[1].N != 2 || got[1].Move.Action.String() != `click("5")` {
		t.Errorf("%+v", got)
	}
	if len(s.Steps) != 0 || s.Choose != nil {
		t.Error("the situation was changed")
	}
	s.Steps = []reasoning.Step{{Action: action.Action{Name: action.Click, Target: "5"}, Target: `checkbox "Weekly report"`, Verified: true, Succeeded: true, For: instruction.Progress{Step: 2, Completes: true}}}
	if got = do.Explain(s); got[1].State != do.StepDone || got[2].State != do.StepNext {
		t.Errorf("after the second was done: %s, %s", got[1].State, got[2].State)
	}
}

func TestExplain_TellsWhoIsRefused(t *testing.T) {
	t.Parallel()
	x := do.Explain(situation(t, "click Archive", people))[0]
	if len(x.Searches) != 1 || len(x.Searches[0].Candidates) == 0 || x.Searches[0].Choice != "one fits best" {
		t.Fatalf("%+v", x.Searches)
	}
	refused := x.Searches[0].Refused
	if len(refused) != 1 || refused[0].Element.ID != "4" || refused[0].Factors[len(refused[0].Factors)-1].Why != "it is disabled" {
		t.Errorf("%+v", refused)
	}
}

func TestExplain_WithoutAnyoneToAsk(t *testing.T) {
	t.Parallel()
	x := do.Explain(situation(t, "click Edit", people))[0]
	if x.Move.Kind != do.IsQuestion || !strings.Contains(x.Move.Question, "(1)") || !strings.Contains(x.Move.Question, "(3)") {
		t.Errorf("%+v", x.Move)
	}
}

func TestExplain_IsBounded(t *testing.T) {
	t.Parallel()
	var html strings.Builder
	for range 3 * do.MaxCandidates {
		html.WriteString(`<button data-llm-id=x>Edit</button><button data-llm-id=y disabled>Edit</button>`)
	}
	s := situation(t, "click the last Edit button", html.String())
	for i := range s.Page.Elements {
		s.Page.Elements[i].ID = "e" + strings.Repeat("i", i)
	}
	search := do.Explain(s)[0].Searches[0]
	if len(search.Candidates) != do.MaxCandidates || search.More != 2*do.MaxCandidates || len(search.Refused) != do.MaxCandidates {
		t.Errorf("%d candidates, %d more, %d refused", len(search.Candidates), search.More, len(search.Refused))
	}
	if !search.Candidates[0].Meant {
		t.Error("what is meant is told also where others come before it")
	}
}

// Each part of a step that stands for something on the page is looked for.
func TestExplain_Parts(t *testing.T) {
	t.Parallel()
	for task, want := range map[string]string{
		`drag Card to Help`:                        "place to see, target to see",
		`type the value of Language into Nickname`: "source to fill, field to fill",
		`if there is a Help link, click Details`:   "condition to see, target to click",
		`press Escape`:                             "",
	} {
		steps := do.Explain(situation(t, task, people))
		var got []string
		for _, s := range steps[len(steps)-1].Searches {
			got = append(got, s.Of+" to "+s.Need.String())
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %v", task, got)
		}
	}
}
