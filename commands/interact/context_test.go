package interact_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// sites is a search that finds as many pages on the task's site and on the whole web as
// it is told, and keeps what it was asked.
type sites struct {
	here, everywhere int
	fail             error
	asked            []reasoning.WebQuery
}

func (s *sites) Find(_ context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error) {
	s.asked = append(s.asked, q)
	n, at := s.everywhere, "https://web.example/"
	if len(q.Domains) > 0 {
		n, at = s.here, "https://clinic.example/help/"
	}
	var out []reasoning.WebResult
	for i := range n {
		out = append(out, reasoning.WebResult{Title: "About " + q.Text, URL: at + string(rune('a'+i)), Snippet: strings.Repeat("It is 42. ", 200)})
	}
	return out, s.fail
}

func needsWeb(query string, confidence float64) reasoning.PlanAnswer {
	return reasoning.PlanAnswer{Sources: []reasoning.Source{reasoning.FromWeb}, Evidence: "The page does not say.", Search: query, Confidence: confidence, By: "a-model"}
}

func planned(confidence float64, sources ...reasoning.Source) reasoning.PlanAnswer {
	return reasoning.PlanAnswer{Sources: sources, Evidence: "The page says.", Steps: steps("Open the form", "Save"), Confidence: confidence, By: "a-model"}
}

// Where the information is that a task needs is decided before anything is done: the
// web is searched for it at most three times, each time for something else, the user is
// asked for what nothing else tells, and what came of each is in the events.
func TestContext(t *testing.T) {
	t.Parallel()
	asks := reasoning.PlanAnswer{Sources: []reasoning.Source{reasoning.FromUser, reasoning.FromWeb}, Question: "Which ward?", Missing: []string{"ward"}, Evidence: "Nothing says it.", Confidence: 0.4, By: "a-model"}
	probably := planned(0.8, reasoning.FromPage)
	probably.Search = "how to add a patient"
	for name, tt := range map[string]struct {
		plans    []reasoning.PlanAnswer
		search   *sites
		status   string
		searched []string // for what, and how many pages were found
		checked  []string // the route of each analysis or check
		told     bool     // that a search was made
	}{
		"the page has it":               {[]reasoning.PlanAnswer{planned(0.95, reasoning.FromPage)}, &sites{}, "executing", nil, []string{"proceed"}, false},
		"the web has it":                {[]reasoning.PlanAnswer{needsWeb("wards", 0.8), planned(0.9)}, &sites{here: 4}, "executing", []string{"context 4"}, []string{"search", "proceed"}, false},
		"the page probably has it":      {[]reasoning.PlanAnswer{probably, probably}, &sites{here: 3}, "executing", []string{"verification 3"}, []string{"verify", "proceed"}, false},
		"three hops and no further":     {[]reasoning.PlanAnswer{needsWeb("a", 0.8), needsWeb("b", 0.8), needsWeb("c", 0.8), planned(0.6)}, &sites{here: 3}, "executing", []string{"context 3", "context 3", "context 3"}, []string{"search", "search", "search", "proceed"}, false},
		"the site has little":           {[]reasoning.PlanAnswer{needsWeb("wards", 0.8), planned(0.9)}, &sites{here: 1, everywhere: 9}, "executing", []string{"context 5 widened"}, []string{"search", "proceed"}, false},
		"the search is down":            {[]reasoning.PlanAnswer{needsWeb("wards", 0.8), planned(0.9)}, &sites{fail: errors.New("down")}, "executing", []string{"context 0 widened failed"}, []string{"search", "proceed"}, false},
		"only the user knows":           {[]reasoning.PlanAnswer{asks}, &sites{}, "needs_user_input", nil, []string{"ask"}, false},
		"and the web does not know it":  {[]reasoning.PlanAnswer{needsWeb("wards", 0.8), asks}, &sites{here: 3}, "needs_user_input", []string{"context 3"}, []string{"search", "ask"}, true},
		"there is no search to be made": {[]reasoning.PlanAnswer{func() reasoning.PlanAnswer { p := planned(0.8, reasoning.FromWeb); p.Search = "wards"; return p }()}, nil, "executing", nil, []string{"proceed"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &planner{plans: tt.plans}
			r := newRig(t, func(d *interact.Deps) {
				d.Planner = p
				if tt.search != nil {
					d.Search = tt.search
				}
			})
			r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1)}
			req := request(t, graphPage(0), "1")
			req.Query = longTask
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			a := answerOf(t, res)
			if a.Status != tt.status || (a.Context != nil && a.Context.SearchPerformed) != tt.told || tt.told && a.Context.SearchSummary == "" {
				t.Errorf("%s, %+v", a.Status, a.Context)
			}
			searched, routes := research(r.eventsOf(t, res.TaskID))
			if !slices.Equal(searched, tt.searched) || !slices.Equal(routes, tt.checked) {
				t.Errorf("searched %q, routes %q", searched, routes)
			}
			if len(p.asked) > 1 && len(p.asked[len(p.asked)-1].Searches) != len(tt.searched) {
				t.Errorf("whoever plans is shown %d searches", len(p.asked[len(p.asked)-1].Searches))
			}
			if acted := r.reasons.asked; len(acted) > 0 && tt.search == nil && (len(acted[0].Searches) != 1 || acted[0].Searches[0].Failed == "") {
				t.Errorf("whoever acts is not told that there was no search: %+v", acted[0].Searches)
			}
		})
	}
}

func research(events []task.Event) (searched, routes []string) {
	for _, e := range events {
		switch e := e.(type) {
		case task.WebSearched:
			s := string(e.For) + " " + string(rune('0'+e.Results))
			if e.Widened {
				s += " widened"
			}
			if e.Failed {
				s += " failed"
			}
			searched = append(searched, s)
		case task.ContextAnalyzed:
			routes = append(routes, string(e.Route))
		case task.InformationChecked:
			routes = append(routes, string(e.Route))
			if e.CanProceed != (e.Route == reasoning.Proceed) || e.Hops == 0 {
				routes = append(routes, "wrong")
			}
		}
	}
	return searched, routes
}

// A search is of the task's site first; what it brings is bounded, and holds no secret
// of the user.
func TestContext_WhatASearchBrings(t *testing.T) {
	t.Parallel()
	s := &sites{here: 1, everywhere: 2}
	r := newRig(t, func(d *interact.Deps) {
		d.Planner, d.Search = &planner{plans: []reasoning.PlanAnswer{needsWeb("ward of hunter2", 0.8), planned(0.9)}}, s
	})
	r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1)}
	req := request(t, graphPage(0), "1")
	req.Query = longTask + ` with the password "hunter2"`
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.asked) != 2 || !slices.Equal(s.asked[0].Domains, []string{"clinic.example"}) || s.asked[1].Domains != nil || strings.Contains(s.asked[0].Text, "hunter2") {
		t.Errorf("%+v", s.asked)
	}
	found := r.reasons.asked[0].Searches[0].Results
	if len(found) != 3 || len(found[0].Snippet) > 700 {
		t.Errorf("%d results, the first with %d characters", len(found), len(found[0].Snippet))
	}
	for _, e := range r.eventsOf(t, res.TaskID) {
		if w, ok := e.(task.WebSearched); ok && strings.Contains(w.Search.Query, "hunter2") {
			t.Error("a secret is in the event of a search")
		}
	}
}

// A value that is missing in the middle of a task is looked up where the web may have
// it, once, and asked for where only the user knows it: it is never made up.
func TestMissingInfo(t *testing.T) {
	t.Parallel()
	lacks := func(what string) reasoning.ActAnswer {
		return reasoning.ActAnswer{Lacks: what, Thought: "I need it for the form.", Confidence: 0.8, By: "a-model"}
	}
	for name, tt := range map[string]struct {
		acts     []any
		noSearch bool
		status   string
		searched []string
	}{
		"the web knows it":           {[]any{lacks("VAT rate of Norway"), click("3")}, false, "executing", []string{"missing 3"}},
		"the web does not tell":      {[]any{lacks("VAT rate of Norway"), lacks("vat rate of norway")}, false, "needs_user_input", []string{"missing 3"}},
		"only the user knows it":     {[]any{lacks("date of birth")}, false, "needs_user_input", nil},
		"the web cannot be searched": {[]any{lacks("VAT rate of Norway")}, true, "needs_user_input", nil},
		"one thing after the other":  {[]any{lacks("VAT rate of Norway"), lacks("capital of Norway"), lacks("river of Oslo")}, false, "needs_user_input", []string{"missing 3", "missing 3"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(d *interact.Deps) {
				if !tt.noSearch {
					d.Search = &sites{here: 3}
				}
			})
			r.reasons.acts = tt.acts
			res, err := r.Interact(t.Context(), request(t, graphPage(0), "1"))
			if err != nil {
				t.Fatal(err)
			}
			a := answerOf(t, res)
			if a.Status != tt.status || a.Status == "needs_user_input" && (len(a.MissingInformation) != 1 || a.Context == nil || a.Context.SearchPerformed != (len(tt.searched) > 0)) {
				t.Errorf("%+v, %+v", a, a.Context)
			}
			if searched, _ := research(r.eventsOf(t, res.TaskID)); !slices.Equal(searched, tt.searched) {
				t.Errorf("searched %q", searched)
			}
		})
	}
}

// What a task may cost ends it, and says so.
func TestLimits_TokensOfATask(t *testing.T) {
	t.Parallel()
	r := newRig(t, func(d *interact.Deps) { d.Limits.MaxTokens = 1_000 })
	first := click("3")
	first.Tokens = reasoning.Tokens{Prompt: 900, Completion: 100}
	r.reasons.acts, r.reasons.verdicts = []any{first}, []any{worked}
	res, err := r.Interact(t.Context(), request(t, graphPage(0), "1"))
	if err != nil {
		t.Fatal(err)
	}
	again := request(t, graphPage(1), "2")
	again.TaskID = res.TaskID
	if _, err = r.Interact(t.Context(), again); err == nil || !strings.Contains(err.Error(), "MAX_TOKENS_EXCEEDED") {
		t.Errorf("%v", err)
	}
}

// inParts is a rig whose task is divided, at its second turn, the first action of the
// first part having worked.
func inParts(t *testing.T, parts []plan.SubTask, acts ...any) (interact.Answer, *rig, string) {
	t.Helper()
	return inPartsJudged(t, worked, parts, acts...)
}

func inPartsJudged(t *testing.T, verdict reasoning.Verdict, parts []plan.SubTask, acts ...any) (interact.Answer, *rig, string) {
	t.Helper()
	first := planned(0.95, reasoning.FromPage)
	first.SubTasks = parts
	r := newRig(t, func(d *interact.Deps) { d.Planner = &planner{plans: []reasoning.PlanAnswer{first}} })
	r.reasons.acts = append([]any{clickBy("a-model", "3", 0.95, 1)}, acts...)
	r.reasons.verdicts = []any{verdict}
	req := request(t, graphPage(0), "1")
	req.Query = longestTask
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	next := request(t, graphPage(0), "2")
	next.TaskID = res.TaskID
	if res, err = r.Interact(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	return answerOf(t, res), r, res.TaskID
}

func finishes(message string, outputs map[string]string) reasoning.ActAnswer {
	return reasoning.ActAnswer{Action: action.Action{Name: action.Finish, Text: message}, Proof: "Form", Outputs: outputs, Confidence: 0.9, By: "a-model", Thought: "I know it."}
}

var twoParts = []plan.SubTask{{Goal: "Find out the ward", Outputs: []string{"ward"}}, {Goal: "Save it", Inputs: []string{"ward"}, Outputs: []string{"number"}}}

// Whoever works on a part knows its goal and the values of its contract, and nothing of
// what was done in others.
func TestParts_ContextIsReset(t *testing.T) {
	t.Parallel()
	noted := finishes("It is South", map[string]string{"ward": "South", "other": "x"})
	noted.Note = "I came by the menu."
	a, r, id := inParts(t, twoParts, noted, clickBy("a-model", "14", 0.95, 0))
	q := r.reasons.asked[len(r.reasons.asked)-1]
	if q.Part == nil || q.Part.Number != 2 || q.Part.Goal != "Save it" || len(q.Steps) != 0 || q.Note != "" || q.Plan != nil ||
		!slices.Equal(q.Part.Known, []reasoning.Named{{Name: "ward", Value: "South"}}) {
		t.Errorf("%+v, %d steps, note %q", q.Part, len(q.Steps), q.Note)
	}
	if a.Plan == nil || len(a.Plan.SubTasks) != 2 || a.Plan.SubTasks[0].Status != "completed" || a.Plan.SubTasks[1].Status != "active" {
		t.Errorf("%+v", a.Plan)
	}
	var got []string
	for _, n := range names(r.eventsOf(t, id)) {
		if strings.Contains(n, "sub_task") {
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(n, "task.sub_task_"), ".v1"))
		}
	}
	if !slices.Equal(got, []string{"started", "output_checked", "completed", "started"}) {
		t.Errorf("%q", got)
	}
}

// What a part gives has to be all of it and to stand somewhere; what is not is asked for
// again, at most twice, and then the part has failed, with all that need it.
func TestParts_OutputIsChecked(t *testing.T) {
	t.Parallel()
	madeUp := finishes("It is Danube", map[string]string{"ward": "Danube"})
	madeUp.Note = "The ward is Danube." // vouches for nothing
	a, r, _ := inParts(t, twoParts, madeUp, finishes("It is known", nil), madeUp)
	if a.Status != "failed" || !strings.Contains(a.Thought, "Find out the ward") || !strings.Contains(a.Thought, "Save it") {
		t.Errorf("%s: %s", a.Status, a.Thought)
	}
	asked := r.reasons.asked
	if last := asked[len(asked)-1].Objections; len(last) != 2 || !strings.Contains(last[0], "Danube") || !strings.Contains(last[1], "missing") {
		t.Errorf("%q", last)
	}
}

// A verdict ends the task only where its last part has nothing to give: what it promised
// is for whoever acts to say.
func TestParts_AVerdictEndsWhatGivesNothing(t *testing.T) {
	t.Parallel()
	a, r, id := inPartsJudged(t, isDone, []plan.SubTask{{Goal: "Add Jas"}})
	if a.Status != "completed" || !slices.Contains(names(r.eventsOf(t, id)), task.NameSubTaskCompleted) {
		t.Errorf("%s: %q", a.Status, names(r.eventsOf(t, id)))
	}
	a, r, id = inPartsJudged(t, isDone, twoParts[:1], finishes("The ward is South.", map[string]string{"ward": "South"}))
	if got := names(r.eventsOf(t, id)); a.Status != "completed" || !slices.Contains(got, task.NameOutputChecked) || !slices.Contains(got, task.NameSynthesisChecked) {
		t.Errorf("%s: %q", a.Status, got)
	}
	if a, _, _ = inPartsJudged(t, isDone, twoParts, clickBy("a-model", "14", 0.95, 0)); a.Status != "executing" {
		t.Errorf("%s: a part before the last ended the task", a.Status)
	}
}

// What proved one part proves no other.
func TestParts_AProofIsOfItsPart(t *testing.T) {
	t.Parallel()
	proven := worked
	proven.Proof, proven.SubTaskCompleted = reasoning.Proof{Quote: "Form"}, new(true)
	unproven := finishes("It is saved.", nil)
	unproven.Proof = ""
	a, r, id := inPartsJudged(t, proven, []plan.SubTask{{Goal: "Open it"}, {Goal: "Save it"}}, unproven)
	if got := names(r.eventsOf(t, id)); a.Status == "completed" && !slices.Contains(got, task.NameFinishBlocked) {
		t.Errorf("%s: %q", a.Status, got)
	}
}

// The last message says nothing that neither the parts gave nor the page shows.
func TestParts_SynthesisIsChecked(t *testing.T) {
	t.Parallel()
	one := twoParts[:1]
	south := map[string]string{"ward": "South"}
	for name, tt := range map[string]struct {
		messages []string
		want     string
		verdicts []plan.CheckVerdict
	}{
		"all of it was found":     {[]string{`The ward is "South".`}, `The ward is "South".`, []plan.CheckVerdict{plan.Pass}},
		"made up, then mended":    {[]string{`The ward is "South" with 12 beds.`, "The ward is South."}, "The ward is South.", []plan.CheckVerdict{plan.Retry, plan.Pass}},
		"made up again and again": {[]string{"It has 12 beds.", "It has 12 beds.", "It has 13 beds."}, "ward: South.", []plan.CheckVerdict{plan.Retry, plan.Retry, plan.Fail}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var acts []any
			for _, m := range tt.messages {
				acts = append(acts, finishes(m, south))
			}
			a, r, id := inParts(t, one, acts...)
			if a.Status != "completed" || !strings.HasSuffix(a.Thought, tt.want) {
				t.Errorf("%s: %s", a.Status, a.Thought)
			}
			var verdicts []plan.CheckVerdict
			for _, e := range r.eventsOf(t, id) {
				if c, ok := e.(task.SynthesisChecked); ok {
					verdicts = append(verdicts, c.Verdict)
				}
			}
			if !slices.Equal(verdicts, tt.verdicts) {
				t.Errorf("%v", verdicts)
			}
		})
	}
}
