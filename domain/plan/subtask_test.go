package plan_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/plan"
)

// trip needs a date, finds a flight by it, books that, and, with nothing of the
// others, looks at the weather.
func trip(t *testing.T) plan.Hierarchy {
	t.Helper()
	h, err := plan.Break([]plan.SubTask{
		{ID: "find", Goal: "find a flight", Inputs: []string{"date"}, Outputs: []string{"flight"}},
		{ID: "book", Goal: "book it", Inputs: []string{"flight"}, Outputs: []string{"code"}},
		{ID: "weather", Goal: "say what the weather is", Inputs: []string{"date"}},
	}, map[string]string{"date": "1 May", "name": "Jas"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func standing(h plan.Hierarchy) (out []string) {
	for _, s := range h.SubTasks {
		out = append(out, s.ID+" "+string(s.Status))
	}
	return out
}

func subTaskDone(yes bool) plan.Verdict {
	return plan.Verdict{ActionSucceeded: true, SubTaskCompleted: &yes}
}

func TestHierarchy_AdvancesBySubTaskCompleted(t *testing.T) {
	t.Parallel()
	h := trip(t)
	if diff := cmp.Diff(map[string]string{"date": "1 May"}, h.Inputs()); diff != "" {
		t.Error(diff)
	}
	h, move := h.Verified(subTaskDone(false), map[string]string{"flight": "DY1", "price": "99"})
	if s, _ := h.SubTask(); move != plan.Stays || s.ID != "find" || s.Steps != 1 {
		t.Errorf("%s %+v", move, s)
	}
	h, move = h.Verified(subTaskDone(true), nil)
	if diff := cmp.Diff([]string{"find completed", "book active", "weather pending"}, standing(h)); diff != "" || move != plan.Advanced {
		t.Error(move, diff)
	}
	if diff := cmp.Diff(map[string]string{"flight": "DY1"}, h.Inputs()); diff != "" {
		t.Errorf("its context begins anew: %s", diff)
	}
	h, _ = h.Verified(subTaskDone(true), map[string]string{"code": "X"})
	h, move = h.Verified(subTaskDone(true), nil)
	if _, under := h.SubTask(); move != plan.Finished || under || !h.Complete() || h.Inputs() != nil {
		t.Errorf("%s %v", move, standing(h))
	}
	if _, known := h.Values["price"]; known {
		t.Error("what no contract names is kept")
	}
	if again, move := h.Verified(worked, nil); move != plan.Finished || !again.Complete() {
		t.Errorf("a verdict after the end: %s", move)
	}
	if _, move := h.Fail("late"); move != plan.Finished {
		t.Errorf("a failure after the end: %s", move)
	}
}

func TestHierarchy_Fails(t *testing.T) {
	t.Parallel()
	repeat := func(h plan.Hierarchy, v plan.Verdict, n int) (plan.Hierarchy, plan.Move) {
		var move plan.Move
		for range n {
			h, move = h.Verified(v, nil)
		}
		return h, move
	}
	without := []string{"find failed", "book skipped", "weather active"}
	for _, c := range []struct {
		name string
		when func(plan.Hierarchy) (plan.Hierarchy, plan.Move)
	}{
		{"its actions do not work", func(h plan.Hierarchy) (plan.Hierarchy, plan.Move) {
			return repeat(h, didNot, plan.MaxSubTaskFailures)
		}},
		{"it takes too many steps", func(h plan.Hierarchy) (plan.Hierarchy, plan.Move) {
			return repeat(h, worked, plan.MaxSubTaskSteps)
		}},
		{"it does not give what it promised", func(h plan.Hierarchy) (plan.Hierarchy, plan.Move) {
			return h.Verified(subTaskDone(true), map[string]string{"hotel": "Ritz"})
		}},
		{"it is given up", func(h plan.Hierarchy) (plan.Hierarchy, plan.Move) { return h.Fail("the site is down") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h, move := c.when(trip(t))
			if diff := cmp.Diff(without, standing(h)); diff != "" || move != plan.Broken || h.SubTasks[0].Why == "" || h.SubTasks[1].Why == "" {
				t.Error(move, diff)
			}
			h, move = h.Verified(subTaskDone(true), nil)
			if move != plan.Finished || h.Complete() {
				t.Errorf("the end of a task of which a part failed: %s, complete %v", move, h.Complete())
			}
		})
	}
}

func TestHierarchy_FailuresInARowCount(t *testing.T) {
	t.Parallel()
	h := trip(t)
	var move plan.Move
	for _, v := range []plan.Verdict{didNot, didNot, worked, didNot, didNot} {
		h, move = h.Verified(v, nil)
	}
	if move != plan.Stays {
		t.Errorf("%s %v", move, standing(h))
	}
	unsure := subTaskDone(true)
	unsure.ActionSucceeded = false
	if _, move := trip(t).Verified(unsure, map[string]string{"flight": "DY1"}); move != plan.Stays {
		t.Errorf("completed by an action that did not work is not believed: %s", move)
	}
}

func TestHierarchy_EndsWithTheTask(t *testing.T) {
	t.Parallel()
	h, move := trip(t).Verified(isDone, nil)
	if diff := cmp.Diff([]string{"find completed", "book skipped", "weather skipped"}, standing(h)); diff != "" || move != plan.Finished {
		t.Error(move, diff)
	}
}

func TestBreak_RefusesWhatCannotBeDone(t *testing.T) {
	t.Parallel()
	a := plan.SubTask{ID: "a", Goal: "do a"}
	for name, list := range map[string][]plan.SubTask{
		"no sub-task":                   {},
		"too many":                      make([]plan.SubTask, plan.MaxSubTasks+1),
		"one without an id":             {{Goal: "x"}},
		"one without a goal":            {{ID: "x"}},
		"two with one id":               {a, a},
		"an input nobody gives":         {{ID: "x", Goal: "x", Inputs: []string{"y"}}},
		"an input given only later":     {{ID: "x", Goal: "x", Inputs: []string{"y"}}, {ID: "z", Goal: "z", Outputs: []string{"y"}}},
		"an input given only by itself": {{ID: "x", Goal: "x", Inputs: []string{"y"}, Outputs: []string{"y"}}},
	} {
		_, err := plan.Break(list, nil)
		var refused *domain.Error
		if !errors.As(err, &refused) || refused.Code != domain.CodeInvalidPlan {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever happens: the one under way has all its inputs, it comes to an end, and
// a hierarchy given away is not changed.
func TestHierarchy_KeepsItsContracts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"p", "q", "r"}
		known := []string{"p"}
		var list []plan.SubTask
		for i := range rapid.IntRange(1, 5).Draw(t, "sub-tasks") {
			one := plan.SubTask{ID: string(rune('a' + i)), Goal: "g"}
			one.Inputs = rapid.SliceOfNDistinct(rapid.SampledFrom(known), 0, len(known), rapid.ID).Draw(t, "inputs")
			one.Outputs = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 3, rapid.ID).Draw(t, "outputs")
			known = append(known, one.Outputs...)
			list = append(list, one)
		}
		h, err := plan.Break(list, map[string]string{"p": "1"})
		if err != nil {
			t.Fatal(err)
		}
		for turns := 0; ; turns++ {
			s, ok := h.SubTask()
			if !ok {
				break
			}
			if turns > len(list)*plan.MaxSubTaskSteps {
				t.Fatal("it goes on for ever")
			}
			for _, name := range s.Inputs {
				if _, known := h.Values[name]; !known {
					t.Fatalf("%s began without %s", s.ID, name)
				}
			}
			was, values := standing(h), maps.Clone(h.Values)
			completed := rapid.Bool().Draw(t, "completed")
			outputs := map[string]string{}
			for _, name := range rapid.SliceOf(rapid.SampledFrom(names)).Draw(t, "given") {
				outputs[name] = "v"
			}
			next, _ := h.Verified(plan.Verdict{ActionSucceeded: rapid.Bool().Draw(t, "worked"), SubTaskCompleted: &completed}, outputs)
			if diff := cmp.Diff(was, standing(h)) + cmp.Diff(values, h.Values); diff != "" {
				t.Fatal(diff)
			}
			h = next
		}
	})
}
