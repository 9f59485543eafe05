package interact_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// planner answers with what it is told, and keeps what it was asked.
type planner struct {
	plans     []reasoning.PlanAnswer
	critiques []reasoning.Critique
	err       error
	asked     []reasoning.PlanQuestion
	reviewed  []reasoning.CritiqueQuestion
	checks    []reasoning.PlanCheck
	checked   []reasoning.PlanCheckQuestion
}

func (p *planner) Plan(_ context.Context, q reasoning.PlanQuestion) (reasoning.PlanAnswer, error) {
	p.asked = append(p.asked, q)
	if p.err != nil || len(p.plans) == 0 {
		return reasoning.PlanAnswer{}, errors.Join(p.err, errors.New("nobody plans"))
	}
	answer := p.plans[0]
	p.plans = p.plans[1:]
	return answer, nil
}

func (p *planner) CheckPlan(_ context.Context, q reasoning.PlanCheckQuestion) (reasoning.PlanCheck, error) {
	p.checked = append(p.checked, q)
	if p.err != nil || len(p.checks) == 0 {
		return reasoning.PlanCheck{}, errors.Join(p.err, errors.New("nobody checks"))
	}
	c := p.checks[0]
	p.checks = p.checks[1:]
	return c, nil
}

func (p *planner) Critique(_ context.Context, q reasoning.CritiqueQuestion) (reasoning.Critique, error) {
	p.reviewed = append(p.reviewed, q)
	if p.err != nil || len(p.critiques) == 0 {
		return reasoning.Critique{}, errors.Join(p.err, errors.New("nobody criticises"))
	}
	c := p.critiques[0]
	p.critiques = p.critiques[1:]
	return c, nil
}

func steps(descriptions ...string) []plan.Step {
	var out []plan.Step
	for _, d := range descriptions {
		out = append(out, plan.Step{Description: d, Tool: plan.DOM})
	}
	return out
}

func clickBy(by, id string, confidence float64, planStep int) reasoning.ActAnswer {
	return reasoning.ActAnswer{Action: action.Action{Name: action.Click, Target: id}, Thought: "I go on.", Confidence: confidence, By: by, PlanStep: planStep}
}

// A task of several parts has its plan in the answer and in the events; it moves as
// whoever acts says which step an action is for.
func TestPlan_IsMadeOnceAndMoves(t *testing.T) {
	t.Parallel()
	p := &planner{plans: []reasoning.PlanAnswer{{Steps: steps("Open the form", "Save"), Sources: []reasoning.Source{reasoning.FromPage}, Confidence: 0.9, By: "a-model"}}}
	r := newRig(t, func(d *interact.Deps) { d.Planner = p })
	r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1), clickBy("a-model", "14", 0.95, 2)}
	r.reasons.verdicts = []any{reasoning.Verdict{ActionSucceeded: true, Confidence: 0.95, Tier: 1, By: "rules"}}
	req := request(t, graphPage(0), "1")
	req.Query = longTask
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	a := answerOf(t, res)
	if a.Plan == nil || len(a.Plan.Steps) != 2 || *a.CurrentStep != 0 || *a.TotalSteps != 2 || a.Plan.Steps[0].Status != "active" {
		t.Errorf("%+v", a.Plan)
	}
	next := request(t, graphPage(0), "2")
	next.TaskID = res.TaskID
	if res, err = r.Interact(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	if a = answerOf(t, res); *a.CurrentStep != 1 || a.Plan.Steps[0].Status != "completed" || a.Plan.Steps[1].Status != "active" {
		t.Errorf("%+v", a.Plan)
	}
	if len(p.asked) != 1 {
		t.Errorf("a plan that fits is not asked for again: %d", len(p.asked))
	}
}

// Nothing depends on a plan: without a planner, with one that fails, or whose plan is
// none, the task goes on, and a simple task is not planned at all.
func TestPlan_NothingDependsOnIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		planner *planner
		query   string
		asked   int
	}{
		"no planner":           {nil, longTask, 0},
		"one that is down":     {&planner{err: errors.New("down")}, longTask, 1},
		"a plan without steps": {&planner{plans: []reasoning.PlanAnswer{{Confidence: 1}}}, longTask, 1},
		"a simple task":        {&planner{}, "save it", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(d *interact.Deps) {
				if tt.planner != nil {
					d.Planner = tt.planner
				}
			})
			r.reasons.acts = []any{clickBy("rules", "14", 0.95, 0)}
			req := request(t, graphPage(0), "1")
			req.Query = tt.query
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Status != "executing" || a.Plan != nil {
				t.Errorf("%s, plan %+v", a.Status, a.Plan)
			}
			if tt.planner != nil && len(tt.planner.asked) != tt.asked {
				t.Errorf("asked %d times", len(tt.planner.asked))
			}
		})
	}
}

// A plan is looked at again when the page is another one, and kept or replaced.
func TestPlan_IsCheckedWhenThePageChanges(t *testing.T) {
	t.Parallel()
	first := reasoning.PlanAnswer{Steps: steps("Open the form", "Save"), Confidence: 0.9, By: "a-model"}
	goesOn, doesNot := clickBy("a-model", "14", 0.95, 0), reasoning.ActAnswer{Replan: "There is a login first.", By: "a-model"}
	for name, tt := range map[string]struct {
		acts  []any
		again reasoning.PlanAnswer
		asked int
		want  string // the first step of the plan then
	}{
		"whoever acts goes on":               {[]any{goesOn}, reasoning.PlanAnswer{}, 1, "Open the form"},
		"whoever acts cannot go on by it":    {[]any{doesNot, goesOn}, reasoning.PlanAnswer{Steps: steps("Log in", "Open the form", "Save"), Confidence: 0.9, By: "a-model"}, 2, "Log in"},
		"and whoever plans thinks otherwise": {[]any{doesNot, goesOn}, reasoning.PlanAnswer{Fits: true, Confidence: 0.9}, 2, "Open the form"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &planner{plans: []reasoning.PlanAnswer{first, tt.again}}
			r := newRig(t, func(d *interact.Deps) { d.Planner = p })
			r.reasons.acts = append([]any{clickBy("a-model", "3", 0.95, 1)}, tt.acts...)
			r.reasons.verdicts = []any{reasoning.Verdict{ActionSucceeded: true, Confidence: 0.95, Tier: 1, By: "rules"}}
			req := request(t, graphPage(0), "1")
			req.Query = longTask
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			next := request(t, graphPage(1), "2")
			next.TaskID, next.Capture.URL = res.TaskID, "https://clinic.example/login"
			if res, err = r.Interact(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			a := answerOf(t, res)
			if len(p.asked) != tt.asked || a.Plan == nil || a.Plan.Steps[0].Description != tt.want {
				t.Errorf("asked %d times, plan %+v", len(p.asked), a.Plan)
			}
			if tt.asked > 1 && (p.asked[1].Cause != "url" || p.asked[1].Reason != "There is a login first.") {
				t.Errorf("%s: %s", p.asked[1].Cause, p.asked[1].Reason)
			}
			if q := r.reasons.asked[1]; q.PlanDoubt != "another page is shown" {
				t.Errorf("whoever acts is told %q", q.PlanDoubt)
			}
		})
	}
}

// A plan goes through a checkpoint before it is carried out: a middling one is made
// again, by what was wrong with it, at most twice; a bad one leads to a question. What
// came of each is in the events.
func TestPlan_Checkpoint(t *testing.T) {
	t.Parallel()
	scored := func(v float64, issues ...string) reasoning.PlanAnswer {
		return reasoning.PlanAnswer{
			Steps: steps("Open the form", "Save"), Confidence: 0.9, By: "a-model",
			Check: &reasoning.PlanCheck{Scores: plan.Scores{Completeness: v, Consistency: v, Groundedness: v, Routability: v}, Issues: issues},
		}
	}
	for name, tt := range map[string]struct {
		query    string
		plans    []reasoning.PlanAnswer
		checks   []reasoning.PlanCheck
		verdicts []string
		status   string
		planned  bool
	}{
		"good":                  {plans: []reasoning.PlanAnswer{scored(0.9)}, verdicts: []string{"self PASS"}, status: "executing", planned: true},
		"nobody judged it":      {plans: []reasoning.PlanAnswer{{Steps: steps("Save"), Confidence: 1}}, status: "executing", planned: true},
		"middling, then better": {plans: []reasoning.PlanAnswer{scored(0.6, "It is not saved."), scored(0.8)}, verdicts: []string{"self RETRY", "self PASS"}, status: "executing", planned: true},
		"middling for ever": {
			plans:    []reasoning.PlanAnswer{scored(0.6, "It is not saved."), scored(0.6, "It is not saved."), scored(0.6, "It is not saved.")},
			verdicts: []string{"self RETRY", "self RETRY", "self FAIL"}, status: "needs_user_input",
		},
		"bad":                          {plans: []reasoning.PlanAnswer{scored(0.3, "Most of it is missing.")}, verdicts: []string{"self FAIL"}, status: "needs_user_input"},
		"bad, and nobody says why":     {plans: []reasoning.PlanAnswer{scored(0.3)}, verdicts: []string{"self FAIL"}, status: "executing"},
		"a retry nobody has a plan at": {plans: []reasoning.PlanAnswer{scored(0.6, "It is not saved.")}, verdicts: []string{"self RETRY"}, status: "executing"},
		"somebody else finds fault with it": {
			query: longestTask, plans: []reasoning.PlanAnswer{scored(1), scored(1)},
			checks:   []reasoning.PlanCheck{{Scores: plan.Scores{Completeness: 0.4, Consistency: 0.8, Groundedness: 0.8, Routability: 0.8}, By: "another"}, {Scores: plan.Scores{Completeness: 1, Consistency: 1, Groundedness: 1, Routability: 1}, By: "another"}},
			verdicts: []string{"adversarial RETRY", "adversarial PASS"}, status: "executing", planned: true,
		},
		"somebody else is out of reach": {query: longestTask, plans: []reasoning.PlanAnswer{scored(1)}, verdicts: []string{"self PASS"}, status: "executing", planned: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &planner{plans: tt.plans, checks: tt.checks}
			r := newRig(t, func(d *interact.Deps) { d.Planner = p })
			r.reasons.acts = []any{clickBy("a-model", "3", 0.95, 1)}
			req := request(t, graphPage(0), "1")
			req.Query = cmp.Or(tt.query, longTask)
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			a := answerOf(t, res)
			if a.Status != tt.status || (a.Plan != nil) != tt.planned {
				t.Errorf("%s, plan %+v", a.Status, a.Plan)
			}
			if a.Status == "needs_user_input" && (a.Context == nil || a.Context.Reasoning == "") {
				t.Error("the user is not told why")
			}
			var verdicts []string
			for _, e := range r.eventsOf(t, res.TaskID) {
				if c, ok := e.(task.PlanChecked); ok {
					verdicts = append(verdicts, c.Option+" "+string(c.Verdict))
				}
			}
			if !slices.Equal(verdicts, tt.verdicts) {
				t.Errorf("%q, want %q", verdicts, tt.verdicts)
			}
			for _, q := range p.asked[1:] {
				if len(q.Rejected) == 0 {
					t.Error("a plan made again is not told of the one before")
				}
			}
		})
	}
}

// What only the user knows is asked before anything is done, with the reason.
func TestPlan_AsksTheUserFirst(t *testing.T) {
	t.Parallel()
	p := &planner{plans: []reasoning.PlanAnswer{{
		Sources: []reasoning.Source{reasoning.FromUser}, Question: "Which ward?", Missing: []string{"ward"}, Evidence: "No ward is named.", Confidence: 0.4,
	}}}
	r := newRig(t, func(d *interact.Deps) { d.Planner = p })
	req := request(t, graphPage(0), "1")
	req.Query = longTask
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	a := answerOf(t, res)
	if a.Status != "needs_user_input" || a.UserQuestion != "Which ward?" || a.Context == nil || a.Context.Reasoning != "No ward is named." || a.Context.SearchPerformed {
		t.Errorf("%+v, %+v", a, a.Context)
	}
}

// An action that is a clear mistake is not sent: whoever acts hears why, and proposes
// another. A critic fails open, and the last objection is not heard.
func TestReview(t *testing.T) {
	t.Parallel()
	name := func(text string) reasoning.ActAnswer {
		return reasoning.ActAnswer{Action: enter("1", text), Thought: "I enter it.", Confidence: 0.95, By: "a-model"}
	}
	unsure := clickBy("a-model", "14", 0.6, 0)
	for n, tt := range map[string]struct {
		acts      []any
		critiques []reasoning.Critique
		want      string // the action that is sent
		objected  int
		reviewed  int
	}{
		"a date for a name":            {[]any{name("01/01/1990"), name("Jas")}, nil, `setValue("1", "Jas")`, 1, 0},
		"again and again":              {[]any{name("01/01/1990"), name("02/01/1990"), name("03/01/1990")}, nil, `setValue("1", "03/01/1990")`, 2, 0},
		"an unsure click, approved":    {[]any{unsure}, []reasoning.Critique{{Approved: true}}, `click("14")`, 0, 1},
		"an unsure click, objected":    {[]any{unsure, clickBy("a-model", "3", 0.95, 0)}, []reasoning.Critique{{Reason: "the wrong one", By: "a-model"}}, `click("3")`, 1, 1},
		"a critic that is down":        {[]any{unsure}, nil, `click("14")`, 0, 1},
		"a sure click is not reviewed": {[]any{clickBy("a-model", "14", 0.95, 0)}, nil, `click("14")`, 0, 0},
		"nor what rules decided":       {[]any{clickBy("rules", "14", 0.6, 0)}, nil, `click("14")`, 0, 0},
	} {
		t.Run(n, func(t *testing.T) {
			t.Parallel()
			p := &planner{critiques: tt.critiques}
			r := newRig(t, func(d *interact.Deps) { d.Planner = p })
			r.reasons.acts = tt.acts
			res, err := r.Interact(t.Context(), request(t, namePage(), "1"))
			if err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Action != tt.want {
				t.Errorf("%s, want %s: %s", a.Action, tt.want, a.Thought)
			}
			var objections []string
			for _, e := range r.eventsOf(t, res.TaskID) {
				if c, ok := e.(task.ActionCriticised); ok {
					objections = append(objections, c.Objection)
				}
			}
			asked := r.reasons.asked
			if len(objections) != tt.objected || len(p.reviewed) != tt.reviewed || len(asked[len(asked)-1].Objections) != tt.objected {
				t.Errorf("objections %q, reviewed %d times", objections, len(p.reviewed))
			}
			if strings.Contains(strings.Join(objections, ""), "hunter2") {
				t.Error("a secret is in an objection")
			}
		})
	}
}

// namePage has a field for a name beside what form has.
func namePage() page.Page {
	p := graphPage(0)
	p.Elements = append(slices.Clone(p.Elements), page.Element{ID: "1", Key: "textbox|Full name", Role: "textbox", Tag: "input", Name: "Full name"})
	return p
}
