package plan_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
)

func step(description string) plan.Step { return plan.Step{Description: description, Tool: plan.DOM} }

// three is a plan of three steps.
func three(t *testing.T, contingencies ...plan.Contingency) plan.Plan {
	t.Helper()
	p, err := plan.New([]plan.Step{step("open"), step("fill"), step("send")}, contingencies)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func statuses(p plan.Plan) (out []string) {
	for _, s := range p.Steps {
		out = append(out, s.Description+" "+string(s.Status))
	}
	return out
}

func TestPlan_At(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		moves   []int
		current int
		then    []string
	}{
		"nothing yet":        {nil, 0, []string{"open active", "fill pending", "send pending"}},
		"the next":           {[]int{1}, 1, []string{"open completed", "fill active", "send pending"}},
		"one is passed over": {[]int{2}, 2, []string{"open completed", "fill completed", "send active"}},
		"and back":           {[]int{2, 0}, 0, []string{"open active", "fill pending", "send pending"}},
		"the one it is at":   {[]int{1, 1}, 1, []string{"open completed", "fill active", "send pending"}},
		"none there is":      {[]int{1, 3, -1}, 1, []string{"open completed", "fill active", "send pending"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := three(t)
			for _, at := range tt.moves {
				p = p.At(at)
			}
			if diff := cmp.Diff(tt.then, statuses(p)); diff != "" || p.Current != tt.current {
				t.Errorf("at %d: %s", p.Current, diff)
			}
			if s, ok := p.Step(); !ok || s.Description != p.Steps[p.Current].Description {
				t.Errorf("step %+v %v", s, ok)
			}
		})
	}
	if _, ok := (plan.Plan{}).Step(); ok {
		t.Error("an erased plan has a step")
	}
}

func TestNew_RefusesWhatIsNoPlan(t *testing.T) {
	t.Parallel()
	long := make([]plan.Step, plan.MaxSteps+1)
	for i := range long {
		long[i] = step("again")
	}
	on := plan.Trigger{Text: "cookies"}
	one := []plan.Step{step("x")}
	many := make([]plan.Contingency, plan.MaxContingencies+1)
	for name, c := range map[string]struct {
		steps         []plan.Step
		contingencies []plan.Contingency
	}{
		"no step":                         {nil, nil},
		"a step without words":            {[]plan.Step{step(" ")}, nil},
		"a tool there is not":             {[]plan.Step{{Description: "x", Tool: "SHELL"}}, nil},
		"too many steps":                  {long, nil},
		"a contingency without a name":    {one, []plan.Contingency{{Trigger: on, Steps: one}}},
		"a contingency without a trigger": {one, []plan.Contingency{{Name: "c", Trigger: plan.Trigger{Text: " | "}, Steps: one}}},
		"a contingency without steps":     {one, []plan.Contingency{{Name: "c", Trigger: on}}},
		"a contingency with a bad step":   {one, []plan.Contingency{{Name: "c", Trigger: on, Steps: []plan.Step{step("")}}}},
		"two contingencies of one name":   {one, []plan.Contingency{{Name: "c", Trigger: on, Steps: one}, {Name: "c", Trigger: on, Steps: one}}},
		"too many contingencies":          {one, many},
	} {
		_, err := plan.New(c.steps, c.contingencies)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != domain.CodeInvalidPlan {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Wherever a plan is moved and whatever contingencies are taken: one step is active, those
// before it are completed, and a plan given away is not changed.
func TestPlan_StaysInOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "steps")
		var steps []plan.Step
		for range n {
			steps = append(steps, step("s"))
		}
		p, err := plan.New(steps, []plan.Contingency{
			{Name: "a", Trigger: plan.Trigger{Text: "A"}, Steps: steps[:1]}, {Name: "b", Trigger: plan.Trigger{Text: "B"}, Steps: steps},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 20).Draw(t, "turns") {
			was, kept := p, statuses(p)
			p = p.At(rapid.IntRange(-1, len(p.Steps)).Draw(t, "at"))
			if f := (plan.Failure{Reason: rapid.SampledFrom([]string{"A", "B", "C"}).Draw(t, "reason")}); rapid.Bool().Draw(t, "failed") {
				if i, ok := p.Foreseen(f); ok {
					p = p.Take(i)
				}
			}
			if diff := cmp.Diff(kept, statuses(was)); diff != "" {
				t.Fatal(diff)
			}
			for i, s := range p.Steps {
				if (s.Status == plan.Completed) != (i < p.Current) || (s.Status == plan.Active) != (i == p.Current) {
					t.Fatalf("at %d: %v", p.Current, statuses(p))
				}
			}
		}
		if len(p.Steps) > 2*n+1 {
			t.Fatalf("%d steps: a contingency was taken twice", len(p.Steps))
		}
	})
}

func goal(text string, required bool) page.Outcome {
	return page.Outcome{NextGoal: &page.NextGoal{Description: "the form is open", Text: text, Required: required}}
}
