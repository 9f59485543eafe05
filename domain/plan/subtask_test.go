package plan_test

import (
	"errors"
	"maps"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/plan"
)

// trip finds a flight, books it, and, with nothing of the others, looks at the weather.
func trip(t *testing.T) plan.Hierarchy {
	t.Helper()
	h, err := plan.Break([]plan.SubTask{
		{Goal: "find a flight", Outputs: []string{"flight"}},
		{Goal: "book it", Inputs: []string{"flight"}, Outputs: []string{"code"}},
		{Goal: "say what the weather is"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func standing(h plan.Hierarchy) (out []string) {
	for _, s := range h.SubTasks {
		out = append(out, s.Goal+": "+string(s.Status))
	}
	return out
}

func TestHierarchy_Advances(t *testing.T) {
	t.Parallel()
	h := trip(t)
	if got := h.Inputs(); len(got) != 0 || h.IsLast() {
		t.Errorf("%v", got)
	}
	h = h.Counted(true).Completed(map[string]string{"flight": "DY1", "price": "99"})
	if diff := cmp.Diff([]string{"find a flight: completed", "book it: active", "say what the weather is: pending"}, standing(h)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"flight": "DY1"}, h.Inputs()); diff != "" {
		t.Errorf("it knows what its contract names and nothing else: %s", diff)
	}
	h = h.Completed(map[string]string{"code": "X"})
	if !h.IsLast() || len(h.Inputs()) != 0 {
		t.Errorf("%v", standing(h))
	}
	h = h.Completed(nil)
	if _, under := h.SubTask(); under || len(h.Undone()) > 0 || h.Inputs() != nil {
		t.Errorf("%v", standing(h))
	}
	if _, known := h.Values["price"]; known {
		t.Error("what no contract names is kept")
	}
	for name, again := range map[string]plan.Hierarchy{"completed": h.Completed(nil), "failed": h.Failed("late"), "counted": h.Counted(true)} {
		if diff := cmp.Diff(h, again); diff != "" {
			t.Errorf("%s after the end: %s", name, diff)
		}
	}
}

func TestHierarchy_Fails(t *testing.T) {
	t.Parallel()
	want := []string{"find a flight: failed", "book it: skipped", "say what the weather is: active"}
	for name, h := range map[string]plan.Hierarchy{
		"it is given up":                     trip(t).Failed("the site is down"),
		"it does not give what it promised":  trip(t).Completed(map[string]string{"hotel": "Ritz"}),
		"and the values it gives are no use": trip(t).Completed(nil),
	} {
		if diff := cmp.Diff(want, standing(h)); diff != "" || h.SubTasks[0].Why == "" || h.SubTasks[1].Why == "" {
			t.Errorf("%s: %s", name, diff)
		}
		if undone := h.Completed(nil).Undone(); len(undone) != 2 {
			t.Errorf("%s: undone %v", name, undone)
		}
	}
}

func TestHierarchy_Spent(t *testing.T) {
	t.Parallel()
	after := func(verdicts ...bool) bool {
		h := trip(t)
		for _, v := range verdicts {
			h = h.Counted(v)
		}
		_, spent := h.Spent()
		return spent
	}
	many := make([]bool, plan.MaxSubTaskSteps)
	for i := range many {
		many[i] = true
	}
	for name, tt := range map[string]struct {
		verdicts []bool
		want     bool
	}{
		"nothing yet":                {},
		"three failures":             {[]bool{false, false, false}, true},
		"failures, but not in a row": {[]bool{false, false, true, false, false}, false},
		"as many actions as it may":  {many, true},
		"one less":                   {many[1:], false},
	} {
		if got := after(tt.verdicts...); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestBreak_RefusesWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	for name, list := range map[string][]plan.SubTask{
		"no sub-task":                   {},
		"too many":                      make([]plan.SubTask, plan.MaxSubTasks+1),
		"one without a goal":            {{Goal: " "}},
		"an input nobody gives":         {{Goal: "x", Inputs: []string{"y"}}},
		"an input given only later":     {{Goal: "x", Inputs: []string{"y"}}, {Goal: "z", Outputs: []string{"y"}}},
		"an input given only by itself": {{Goal: "x", Inputs: []string{"y"}, Outputs: []string{"y"}}},
	} {
		_, err := plan.Break(list)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != domain.CodeInvalidPlan {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever happens: the current one has all its inputs, it comes to an end, and a
// hierarchy given away is not changed.
func TestHierarchy_KeepsItsContracts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"p", "q", "r"}
		var known []string
		var list []plan.SubTask
		for i := range rapid.IntRange(1, 5).Draw(t, "sub-tasks") {
			one := plan.SubTask{Goal: "g" + strconv.Itoa(i)}
			if len(known) > 0 {
				one.Inputs = rapid.SliceOfNDistinct(rapid.SampledFrom(known), 0, 1, rapid.ID).Draw(t, "inputs")
			}
			one.Outputs = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 3, rapid.ID).Draw(t, "outputs")
			known = append(known, one.Outputs...)
			list = append(list, one)
		}
		h, err := plan.Break(list)
		if err != nil {
			t.Fatal(err)
		}
		for turns := 0; ; turns++ {
			s, ok := h.SubTask()
			if !ok {
				break
			}
			if turns > len(list)*(plan.MaxSubTaskSteps+1) {
				t.Fatal("it goes on for ever")
			}
			for _, name := range s.Inputs {
				if _, known := h.Values[name]; !known {
					t.Fatalf("%s began without %s", s.Goal, name)
				}
			}
			was, values := standing(h), maps.Clone(h.Values)
			next := h.Counted(rapid.Bool().Draw(t, "worked"))
			if why, spent := next.Spent(); spent {
				next = next.Failed(why)
			} else if rapid.Bool().Draw(t, "completed") {
				outputs := map[string]string{}
				for _, name := range rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "given") {
					outputs[name] = "v"
				}
				next = next.Completed(outputs)
			}
			if diff := cmp.Diff(was, standing(h)) + cmp.Diff(values, h.Values); diff != "" {
				t.Fatal(diff)
			}
			h = next
		}
	})
}
