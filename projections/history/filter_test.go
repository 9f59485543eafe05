package history_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestReader_Events_ByFilter(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	wait := action.Action{Name: action.Wait}
	k := e.Task(e.Session(), url, "Save the Patient, hunter2zz").
		Turn(url).Ask("which one?").End().                                                                                                                      // 0 1 2
		Turn(url).Reply("the first").Act(projtest.Click("1"), projtest.Target("1", "button", "Save")).Typed("hunter2zz").                                       // 3 4 5 6 7
		Turn(url).Append(task.ActionVerified{Turn: 3, Succeeded: true, Confidence: 0.9, Rule: "alert-says-so", By: "rules", Reason: "The patient was saved."}). // 8 9
		Act(wait, task.Target{}).End().                                                                                                                         // 10 11
		Turn(url).Append(task.ActionVerified{Turn: 4, StepIndex: 1, Undecided: true, Rule: "busy", By: "rules"}).Complete("done")                               // 12 13 14
	for turn, pico := range map[int]ledger.Pico{2: 3_000_000_000, 3: 500_000_000} {
		cost := pico
		id := map[int]string{2: "two", 3: "three"}[turn]
		projtest.Append[ledger.Event](e, ledger.Codec, ledger.Stream(k.ID), ledger.LLMCallStarted{Call: id, Task: k.ID, Turn: turn, StartedAt: time.Now()},
			ledger.LLMCallCompleted{Call: id, Charge: ledger.Charge{Cost: &cost, CostStatus: ledger.Priced}})
	}
	least := func(usd string) *ledger.Pico {
		p, err := ledger.ParsePico(usd)
		if err != nil {
			t.Fatal(err)
		}
		return &p
	}
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	for name, tt := range map[string]struct {
		filter history.Filter
		want   []int64
	}{
		"by type":                      {history.Filter{Types: []string{"action_verified"}}, []int64{9, 13}},
		"by the whole name":            {history.Filter{Types: []string{task.NameActionVerified, "task_completed"}}, []int64{9, 13, 14}},
		"by text, in any case":         {history.Filter{Text: "PATIENT"}, []int64{0, 3, 5, 8, 9, 12}},
		"by text with quotes and tags": {history.Filter{Text: `click("1"`}, []int64{6}},
		"not by the name of a field":   {history.Filter{Text: "stepIndex"}, nil},
		"not by a secret":              {history.Filter{Text: "hunter2zz"}, nil},
		"by the mask of one":           {history.Filter{Text: "[secret]", Types: []string{"task_started"}}, []int64{5}},
		"by a field":                   {history.Filter{Field: "/target/name", Value: "Save"}, []int64{6}},
		"by a field that is a number":  {history.Filter{Field: "stepIndex", Value: "1"}, []int64{10, 13}},
		"by a field that is a boolean": {history.Filter{Field: "succeeded", Value: "true"}, []int64{9}},
		"by a field in another":        {history.Filter{Field: "before/skeleton/elements/1/n", Value: "Save"}, []int64{6, 10}},
		"by a field nothing has":       {history.Filter{Field: "nothing/0", Value: ""}, nil},
		"by verdict":                   {history.Filter{Verdict: reasoning.Undecided}, []int64{13}},
		"by another verdict":           {history.Filter{Verdict: reasoning.Succeeded}, []int64{9}},
		"by rule":                      {history.Filter{Rule: "busy"}, []int64{13}},
		"by turn":                      {history.Filter{Turn: 1}, []int64{0, 1, 2}},
		"by cost":                      {history.Filter{MinCost: least("0.003")}, []int64{3, 4, 5, 6, 7}},
		"by a low cost":                {history.Filter{MinCost: least("0.0000001"), Types: []string{"turn_ended"}}, []int64{7, 11}},
		"what matters":                 {history.Filter{Importance: history.High}, []int64{1, 4, 9, 14}},
		"without bookkeeping":          {history.Filter{Importance: history.Normal}, []int64{1, 4, 5, 6, 9, 13, 14}},
		"all levels":                   {history.Filter{Importance: history.Low, Turn: 4}, []int64{12, 13, 14}},
		"two filters":                  {history.Filter{Text: "saved", Verdict: reasoning.Succeeded}, []int64{9}},
		"from a revision on":           {history.Filter{Types: []string{"action_verified"}, From: 10}, []int64{13}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := r.Events(t.Context(), projtest.Tenant, k.ID, tt.filter)
			if err != nil || got.More || got.Head != 14 {
				t.Fatal(got, err)
			}
			var revisions []int64
			for _, e := range got.Events {
				revisions = append(revisions, e.Revision)
			}
			if diff := cmp.Diff(tt.want, revisions); diff != "" {
				t.Errorf("revisions (-want +got):\n%s", diff)
			}
		})
	}
	part, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{Types: []string{"page_observed"}, Limit: 2})
	if err != nil || len(part.Events) != 2 || !part.More || part.Events[1].Turn != 2 || part.Events[1].Importance != history.Low {
		t.Errorf("a part: %+v, %v", part, err)
	}
}

// Every event there is has been given a level on purpose or is normal.
func TestImportanceOf(t *testing.T) {
	t.Parallel()
	for e, want := range map[task.Event]history.Importance{
		task.TurnAbandoned{}: history.High, task.TaskStarted{}: history.Normal, task.TaskResumed{}: history.High,
		task.TaskPaused{}: history.High,
	} {
		if got := history.ImportanceOf(e); got != want {
			t.Errorf("%T: %s, want %s", e, got, want)
		}
	}
}

// A search finds what a look at every text of every event finds, also what is put in place
// of a secret and what stands beside it.
func TestReader_Events_ByAnyText(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := e.Task(e.Session(), url, `Sign up "Jas" <b>, Hunter2zz!`).Turn(url).
		Act(projtest.Set("3", "Hunter2zz and more"), projtest.Target("3", "textbox", "Name \\ Émile")).Typed("Hunter2zz").Turn(url).Verdict(true).Complete("done & gone")
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	all, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[int64][]string{}
	for _, event := range all.Events {
		b, err := json.Marshal(event.Data)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		texts[event.Revision] = textsIn(v)
	}
	tried := 0
	for _, of := range texts {
		for _, text := range of {
			runes := []rune(text)
			for from := range runes {
				for _, length := range []int{1, 3, 7, len(runes)} {
					wanted := string(runes[from:min(from+length, len(runes))])
					want := map[int64]bool{}
					for revision, texts := range texts {
						want[revision] = slices.ContainsFunc(texts, func(s string) bool { return strings.Contains(strings.ToLower(s), strings.ToLower(wanted)) })
					}
					got, err := r.Events(t.Context(), projtest.Tenant, k.ID, history.Filter{Text: wanted})
					if err != nil {
						t.Fatal(err)
					}
					for _, event := range got.Events {
						if !want[event.Revision] {
							t.Errorf("%q is found in event %d, which does not have it", wanted, event.Revision)
						}
						delete(want, event.Revision)
					}
					for revision, missed := range want {
						if missed {
							t.Errorf("%q is not found in event %d", wanted, revision)
						}
					}
					tried++
				}
			}
		}
	}
	if tried < 500 {
		t.Errorf("only %d searches", tried)
	}
}

func textsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, item := range v {
			out = append(out, textsIn(item)...)
		}
	case map[string]any:
		for _, item := range v {
			out = append(out, textsIn(item)...)
		}
	}
	return out
}
