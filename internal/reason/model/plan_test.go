package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// ward is a plan under way.
var ward = plan.Plan{Current: 1, Steps: []plan.Step{
	{Description: "Open the form", Tool: plan.DOM, Status: plan.Completed},
	{Description: "Enter the name and save", Tool: plan.DOM, Status: plan.Active},
}}

func planQuestion() reasoning.PlanQuestion {
	q := actQuestion()
	return reasoning.PlanQuestion{
		On: q.On, Query: q.Query, Page: q.Page, Steps: q.Steps, Plan: ward, Cause: "url", Reason: "another page is shown",
		MayDivide: true, MaySearch: true, Knowledge: []reasoning.Chunk{{Title: "Handbook", Page: 4, Text: "Patients are named by their family name."}},
		Searches: []reasoning.WebSearch{{Query: "ward names", Results: []reasoning.WebResult{{Title: "Wards", URL: "https://a.example/", Snippet: "North and South."}}}, {Query: "wards 2026", Failed: "the search could not be made"}},
	}
}

func planCheckQuestion() reasoning.PlanCheckQuestion {
	q := actQuestion()
	return reasoning.PlanCheckQuestion{
		On: q.On, Query: q.Query, Page: q.Page, Steps: ward.Steps,
		Knowledge: []reasoning.Chunk{{Title: "Handbook", Page: 4, Text: "Patients are named by their family name."}},
		Part:      &reasoning.Part{Number: 1, Of: 2, Goal: "Find the ward", Outputs: []string{"ward"}},
		SubTasks:  []plan.SubTask{{Goal: "Find the ward", Outputs: []string{"ward"}}, {Goal: "Move Jas there", Inputs: []string{"ward"}}},
	}
}

func critiqueQuestion() reasoning.CritiqueQuestion {
	q := actQuestion()
	return reasoning.CritiqueQuestion{
		On: q.On, Query: q.Query, Action: action.Action{Name: action.Click, Target: "14"},
		Target: page.Element{ID: "14", Role: "button", Name: "Save", Group: "Patient"}, Thought: "I save it.", Objections: []string{"that was the wrong one"},
	}
}

// A plan is taken as far as it can be used, and asked for again where it cannot.
func TestReasoner_Plan(t *testing.T) {
	t.Parallel()
	dom := func(description string) plan.Step { return plan.Step{Description: description, Tool: plan.DOM} }
	for name, tt := range map[string]struct {
		says  []string
		first bool // there is no plan yet
		want  reasoning.PlanAnswer
		err   bool
	}{
		"steps": {
			says: []string{`{"sources":["PAGE","MEMORY","MOON"],"evidence":"it is there","steps":[{"description":"Open","toolType":"dom"},{"description":"Look up","toolType":"SERVER"}],"confidence":0.8}`},
			want: reasoning.PlanAnswer{
				Sources: []reasoning.Source{reasoning.FromPage, reasoning.FromMemory}, Evidence: "it is there", Confidence: 0.8,
				Steps: []plan.Step{dom("Open"), {Description: "Look up", Tool: plan.Server}},
			},
		},
		"a plan that can be kept": {
			says: []string{`{"sources":["PAGE"],"fits":true,"steps":[],"confidence":1}`},
			want: reasoning.PlanAnswer{Sources: []reasoning.Source{reasoning.FromPage}, Fits: true, Confidence: 1},
		},
		"a question": {
			says: []string{`{"sources":["ASK_USER"],"question":"Which ward?","missing":["ward"],"steps":[],"confidence":0.3}`},
			want: reasoning.PlanAnswer{Sources: []reasoning.Source{reasoning.FromUser}, Question: "Which ward?", Missing: []string{"ward"}, Confidence: 0.3},
		},
		"a contingency that is none is left out": {
			says: []string{`{"sources":[],"steps":[{"description":"Open"}],"contingencies":[{"name":"","text":"x","steps":[{"description":"y"}]},{"name":"banner","text":"cookies","steps":[{"description":"Close it"}]}],"confidence":0.9}`},
			want: reasoning.PlanAnswer{
				Confidence: 0.9, Steps: []plan.Step{dom("Open")},
				Contingencies: []plan.Contingency{{Name: "banner", Trigger: plan.Trigger{Text: "cookies"}, Steps: []plan.Step{dom("Close it")}}},
			},
		},
		"steps with what their maker thinks of them": {
			says: []string{`{"sources":[],"steps":[{"description":"Open"}],"scores":{"completeness":0.6,"consistency":1,"groundedness":0.5,"routability":1},"issues":["It is not saved."],"confidence":0.9}`},
			want: reasoning.PlanAnswer{
				Confidence: 0.9, Steps: []plan.Step{dom("Open")},
				Check: &reasoning.PlanCheck{Scores: plan.Scores{Completeness: 0.6, Consistency: 1, Groundedness: 0.5, Routability: 1}, Issues: []string{"It is not saved."}},
			},
		},
		"scores that are none are left out": {
			says: []string{`{"sources":[],"steps":[{"description":"Open"}],"scores":{"completeness":6,"consistency":1,"groundedness":1,"routability":1},"confidence":0.9}`},
			want: reasoning.PlanAnswer{Confidence: 0.9, Steps: []plan.Step{dom("Open")}},
		},
		"no steps, and then some": {
			says: []string{`{"sources":["PAGE"],"steps":[],"confidence":1}`, `{"sources":["PAGE"],"steps":[{"description":"Open"}],"confidence":7}`},
			want: reasoning.PlanAnswer{Sources: []reasoning.Source{reasoning.FromPage}, Steps: []plan.Step{dom("Open")}, Confidence: 0.5},
		},
		"nothing fits a plan that is not there": {
			says: []string{`{"sources":["PAGE"],"fits":true,"steps":[],"confidence":1}`, "rubbish"}, first: true, err: true,
		},
		"rubbish twice": {says: []string{"I would begin.", "Really."}, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := planQuestion()
			if tt.first {
				q.Plan = plan.Plan{}
			}
			b := newBench(t, answers(tt.says...)...)
			got, err := b.Plan(t.Context(), q)
			if (err != nil) != tt.err {
				t.Fatal(err)
			}
			if tt.err {
				return
			}
			got.By, got.Tokens = "", reasoning.Tokens{}
			if len(got.Sources) == 0 {
				got.Sources = nil
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What somebody else thinks of a plan is read, and asked for again where it has no scores.
func TestReasoner_CheckPlan(t *testing.T) {
	t.Parallel()
	const bad = `{"scores":{"completeness":0.4,"consistency":0.5,"groundedness":0.6,"routability":1},"issues":["Nothing is saved."]}`
	want := reasoning.PlanCheck{Scores: plan.Scores{Completeness: 0.4, Consistency: 0.5, Groundedness: 0.6, Routability: 1}, Issues: []string{"Nothing is saved."}}
	for name, tt := range map[string]struct {
		says []string
		want reasoning.PlanCheck
		err  bool
	}{
		"scores":             {says: []string{bad}, want: want},
		"at the second time": {says: []string{`{"scores":{"completeness":0.4}}`, bad}, want: want},
		"never":              {says: []string{`{"scores":"good"}`, "It is good."}, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answers(tt.says...)...)
			got, err := b.CheckPlan(t.Context(), planCheckQuestion())
			if (err != nil) != tt.err {
				t.Fatal(err)
			}
			got.By, got.Tokens = "", reasoning.Tokens{}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A critic's word is read; one nobody can read approves nothing and objects to nothing.
func TestReasoner_Critique(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		says     []string
		approved bool
		reason   string
		err      bool
	}{
		"it makes sense": {says: []string{`{"approved":true,"reason":""}`}, approved: true},
		"it does not":    {says: []string{`{"approved":false,"reason":"That deletes it."}`}, reason: "That deletes it."},
		"nobody knows":   {says: []string{"hm", "hm"}, err: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answers(tt.says...)...)
			got, err := b.Critique(t.Context(), critiqueQuestion())
			if (err != nil) != tt.err || got.Approved != tt.approved || got.Reason != tt.reason || got.Undecided != tt.err {
				t.Errorf("%+v, %v", got, err)
			}
			if _, user := b.prompt(t, 0); !strings.Contains(user, "Save") || strings.Contains(user, "Full name") {
				t.Errorf("a critic sees the action and not the page:\n%s", user)
			}
		})
	}
}

func answers(said ...string) []llmtest.Step {
	steps := make([]llmtest.Step, len(said))
	for i, s := range said {
		steps[i] = answer(s)
	}
	return steps
}
