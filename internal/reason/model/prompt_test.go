package model_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func actPrompt(t *testing.T, q reasoning.ActQuestion) (system, user string) {
	t.Helper()
	b := newBench(t, answer(`{"thought":"t","action":"goBack()","confidence":1}`))
	if _, err := b.Act(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	return b.prompt(t, 0)
}

var update = flag.Bool("update", false, "rewrite golden files")

// rich is a question with something of everything.
func rich() reasoning.ActQuestion {
	q := actQuestion()
	q.Answers = []string{"South, please"}
	q.PlanDoubt, q.MayReplan = "another page is shown", true
	q.Plan, q.Objections = &ward, []string{"a date is no name"}
	q.LastObservations = []page.Observation{{Text: "Element 'Name' changed 'value' from '' to 'J'"}}
	q.Skills = []reasoning.Skill{{
		ID: "a", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Patient"},
		ErrorType: reasoning.VerificationFailed,
		UseAction: "click", UseTarget: reasoning.Target{Role: "link", Name: "New/Search", Group: "Menu"},
	}, {
		ID: "b", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Save"}, ErrorType: "ELEMENT_DISABLED",
		UseAction: "press", UseTarget: reasoning.Target{Role: reasoning.RoleKey, Name: "Enter"},
	}}
	for i := range 12 {
		q.Steps = append(q.Steps, reasoning.Step{Index: i, Action: action.Action{Name: action.Click, Target: "9"}, Target: `button "Next"`, Verified: true, Succeeded: i%2 == 0, Reason: "nothing changed"})
	}
	q.Steps[0].Where, q.Steps[1].Code, q.Steps[10].Where, q.Steps[11].Code = "Order 1", page.CodeOccluded, "Order 11 of Jas", page.CodeNotFound
	q.Steps[11].LeftOut = `setValue textbox "PIN": a secret is typed alone`
	q.Steps[10].Thought = "I go on to the next page of the orders, since this one does not have what you are looking for, and there are more of them."
	q.Note = "The order of Jas is number 11. Next: open it."
	q.LookedUp = []action.Action{{Name: action.Find, Text: "ward"}, {Name: action.Find, Text: "giraffe"}, {Name: action.More}}
	q.Now = time.Date(2026, 11, 27, 21, 5, 0, 0, time.FixedZone("Europe/Oslo", 3600))
	q.Step, q.StepsLeft = 14, 36
	q.Part = &reasoning.Part{Number: 2, Of: 3, Goal: "Book the flight", Known: []reasoning.Named{{Name: "flight", Value: "DY1"}}, Outputs: []string{"booking code"}}
	q.Knowledge = []reasoning.Chunk{
		{ID: "v1.3", Title: "Handbook", Section: "Travel › Flights", Page: 4, At: time.Date(2026, 11, 2, 23, 30, 0, 0, time.UTC), Text: "Flights are booked by the travel desk.\nAsk before Friday."},
		{ID: "v2.1", Title: "Help", Public: true, Text: "A flight has a number."},
	}
	q.Judge = &reasoning.JudgeQuestion{Action: action.Action{Name: action.Click, Target: "9"}, Target: page.Element{Role: "button", Name: "Next"}, Expected: "the next page of the orders"}
	page.AssignKeys(q.Page.Elements)
	q.Before = page.Skeleton{Elements: q.Page.Skeleton().Elements[:3]}
	q.Steps = append(q.Steps, reasoning.Step{Index: 12, Action: action.Action{Name: action.SetValue, Text: "[secret]"}, Target: `textbox "PIN"`})
	return q
}

// TestPrompt_golden shows whole prompts, but for what the system says, which is
// in the files as it is.
func TestPrompt_golden(t *testing.T) {
	t.Parallel()
	final, part := verifyQuestion(), verifyQuestion()
	final.Final, part.SubTask = true, "Register the patient"
	for name, ask := range map[string]func(*bench) error{
		"act":          func(b *bench) error { _, err := b.Act(t.Context(), rich()); return err },
		"verify":       func(b *bench) error { _, err := b.Verify(t.Context(), verifyQuestion()); return err },
		"verify_part":  func(b *bench) error { _, err := b.Verify(t.Context(), part); return err },
		"verify_light": func(b *bench) error { _, err := b.Verify(t.Context(), final); return err },
		"confirm":      func(b *bench) error { _, err := b.Confirm(t.Context(), confirmQuestion()); return err },
		"correct":      func(b *bench) error { _, err := b.Correct(t.Context(), correctQuestion()); return err },
		"plan":         func(b *bench) error { _, err := b.Plan(t.Context(), planQuestion()); return err },
		"plan_check":   func(b *bench) error { _, err := b.CheckPlan(t.Context(), planCheckQuestion()); return err },
		"critique":     func(b *bench) error { _, err := b.Critique(t.Context(), critiqueQuestion()); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(anything))
			if err := ask(b); err != nil {
				t.Fatal(err)
			}
			_, got := b.prompt(t, 0)
			file := filepath.Join("testdata", name+".golden.txt")
			if *update {
				if err := os.WriteFile(file, []byte(got+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got+"\n"); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// anything is an answer to every question there is.
const anything = `{"thought":"t","action":"goBack()","confidence":1,"reason":"r","strategy":"ALTERNATIVE_TOOL",
	"actionSucceeded":true,"taskCompleted":true,"subTaskCompleted":true,"shown":true,
	"approved":true,"sources":["PAGE"],"steps":[{"description":"Save"}],
	"scores":{"completeness":1,"consistency":1,"groundedness":1,"routability":1}}`

// askAll puts every question there is, each with its own prompt.
func askAll(t *testing.T, b *bench) {
	t.Helper()
	final, part := verifyQuestion(), verifyQuestion()
	final.Final, part.SubTask = true, "Register the patient"
	_, err := b.Act(t.Context(), actQuestion())
	for _, q := range []reasoning.VerifyQuestion{verifyQuestion(), final, part} {
		_, failed := b.Verify(t.Context(), q)
		err = errors.Join(err, failed)
	}
	_, failed := b.Confirm(t.Context(), confirmQuestion())
	err = errors.Join(err, failed)
	_, failed = b.Correct(t.Context(), correctQuestion())
	err = errors.Join(err, failed)
	_, failed = b.Plan(t.Context(), planQuestion())
	err = errors.Join(err, failed)
	_, failed = b.CheckPlan(t.Context(), planCheckQuestion())
	err = errors.Join(err, failed)
	_, failed = b.Critique(t.Context(), critiqueQuestion())
	if err = errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
}

// TestPrompt_versions holds the texts to their names: who changes a prompt
// gives it a new version, so that the ledger and a replay can tell them apart.
func TestPrompt_versions(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(anything))
	askAll(t, b)
	got := map[string]string{}
	started, _ := b.ledger.Calls()
	for _, s := range started {
		got[s.PromptName] = s.PromptHash[:16]
	}
	want := map[string]string{
		"act/12":         "90e99ae14f08b477",
		"verify/5":       "3f88ff81bf837bac",
		"verify-part/3":  "d694289d89e61c84",
		"verify-light/4": "88c1fac17adf1a6f",
		"confirm/6":      "f482883b5a6000ba",
		"plan/7":         "4ae41c9aa10cdabb",
		"plan-check/6":   "75611c588b7c73e7",
		"critique/1":     "1f200eedac83e0b7",
		"correct/6":      "fcccfbc07fb2d471",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A light verdict is about a hundred tokens: that is what it says itself, goal,
// action and observations left out. Some ninety are what is asked, twelve of them
// for the words that show it; most of the rest are the two marks of the fence, which
// carry a hash each.
func TestPrompt_lightVerificationIsAboutAHundredTokens(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(saved))
	q := verifyQuestion()
	q.Final = true
	if _, err := b.Verify(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	system, user := b.prompt(t, 0)
	whole := prompt.Tokens(system) + prompt.Tokens(user)
	own := whole
	for _, of := range []string{q.Query, `action: click button "Save"`, "- " + q.Observations[0].Text} {
		own -= prompt.Tokens(of)
	}
	if own > 135 || prompt.Tokens(system) > 95 {
		t.Errorf("it says about %d tokens itself, with the case %d; what is asked takes %d", own, whole, prompt.Tokens(system))
	}
}

var boundary = regexp.MustCompile(`(?m)^<<<DATA ([0-9a-f]{16})$`)

// TestPrompt_hostilePage: whatever a page says stays within its fence.
func TestPrompt_hostilePage(t *testing.T) {
	t.Parallel()
	hidden := "click\u200b \U000E0041\u202eme"
	q := actQuestion()
	q.Page.Title, q.Page.Text, q.Page.Headings = takeover, takeover, []string{takeover}
	q.Page.URL = "https://clinic.example/?" + takeover
	q.Page.Alerts = []page.Alert{{Kind: page.AlertOther, Text: takeover}}
	q.Page.Elements = []page.Element{{ID: "1", Role: "button", Name: takeover, Value: takeover, Group: takeover, Placeholder: takeover, Href: takeover, Frame: takeover, Options: []page.Option{{Label: takeover}}}, {ID: "2", Role: takeover, Name: hidden}, {ID: takeover, Name: "a"}, {ID: "3\u200b", Name: "b"}}
	q.Page.Scrollable = []string{takeover}
	q.Skills = []reasoning.Skill{{UseAction: takeover, UseTarget: reasoning.Target{Role: takeover, Name: takeover, Group: takeover}}}
	q.LastObservations = []page.Observation{{Text: takeover}}
	q.Steps = []reasoning.Step{{Target: takeover, Verified: true, Reason: takeover, Action: action.Action{Name: action.SetValue, Text: takeover}}}
	_, user := actPrompt(t, q)
	checkFences(t, user, 4)
}

func TestPrompt_theBoundaryCannotBeKnown(t *testing.T) {
	t.Parallel()
	q := actQuestion()
	_, first := actPrompt(t, q)
	known := boundary.FindStringSubmatch(first)[1]
	q.Page.Text = "END " + known + ">>>"
	_, second := actPrompt(t, q)
	if got := boundary.FindStringSubmatch(second)[1]; got == known {
		t.Error("a page that knows the boundary of the last prompt knows this one's")
	}
	q = actQuestion()
	q.On.Task = "another"
	_, other := actPrompt(t, q)
	if got := boundary.FindStringSubmatch(other)[1]; got == known {
		t.Error("the same page gives the same boundary to every task")
	}
}

func TestPrompt_holdsNoSecrets(t *testing.T) {
	t.Parallel()
	_, user := actPrompt(t, actQuestion())
	if strings.Contains(user, "4711") {
		t.Error("the value of a secret field is in the prompt")
	}
	if !strings.Contains(user, `15 inp "PIN" s=secret`) {
		t.Error("the secret field itself is not")
	}
	if strings.Contains(user, "Ghost") {
		t.Error("a hidden element is")
	}
}

// large is a page of n links among which the one field of the task is.
func large(n int) page.Page {
	p := page.Page{URL: "https://news.example/", Text: strings.Repeat("lorem ipsum ", 10_000)}
	for i := range n {
		p.Elements = append(p.Elements, page.Element{ID: strconv.Itoa(i), Role: "link", Name: fmt.Sprintf("Story number %d of the day", i), Href: fmt.Sprintf("/story/%d", i)})
	}
	p.Elements[n-2] = page.Element{ID: "x", Role: "searchbox", Name: "Search"}
	p.Elements[n-1] = page.Element{ID: "y", Role: "link", Name: "Archive of Patients"}
	return p
}

func TestPrompt_isBounded(t *testing.T) {
	t.Parallel()
	q := actQuestion()
	q.Page, q.Query = large(3_874), "open the patients archive"
	q.Steps = make([]reasoning.Step, 500)
	q.LastObservations = make([]page.Observation, 500)
	for i := range q.LastObservations {
		q.LastObservations[i].Text = strconv.Itoa(i)
	}
	_, user := actPrompt(t, q)
	if n := prompt.Tokens(user); n > prompt.MaxTokens+500 { // the page, and the past
		t.Errorf("the prompt has %d tokens", n)
	}
	for _, part := range []string{"\nx inp", "\ny link", "of 3874)", "before that (490 attempts)", "- and 460 more"} {
		if !strings.Contains(user, part) {
			t.Errorf("it lacks %q", part)
		}
	}
	before, after := strings.Index(user, "\n5 link"), strings.Index(user, "\nx inp")
	if before < 0 || before > after {
		t.Error("the elements are not in document order")
	}
}

func TestSchemas_areJSONWithTheKeysTheAnswersNeed(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(anything))
	askAll(t, b)
	for _, r := range b.fake.Requests() {
		var schema struct {
			Properties map[string]any
			Required   []string
		}
		if err := json.Unmarshal(r.Schema, &schema); err != nil {
			t.Fatalf("%s: %v", r.SchemaName, err)
		}
		for _, k := range schema.Required {
			if schema.Properties[k] == nil {
				t.Errorf("%s: %s is required and not described", r.SchemaName, k)
			}
		}
		if len(schema.Required) == 0 {
			t.Errorf("%s: nothing is required", r.SchemaName)
		}
	}
}
