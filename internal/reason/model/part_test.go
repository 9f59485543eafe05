package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// A task is divided only where it may be, into parts whose contracts fit; a contract
// that does not is asked for again.
func TestReasoner_Plan_Parts(t *testing.T) {
	t.Parallel()
	const (
		rest  = `"sources":["PAGE"],"steps":[{"description":"Open"}],"confidence":0.9}`
		good  = `{"parts":[{"goal":"Find the flight","outputs":["flight"]},{"goal":"Book it","inputs":["flight"],"status":"completed"}],` + rest
		bad   = `{"parts":[{"goal":"Book it","inputs":["flight"]},{"goal":"Find the flight","outputs":["flight"]}],` + rest
		alone = `{"parts":[{"goal":"All of it"}],` + rest
	)
	want := []plan.SubTask{{Goal: "Find the flight", Outputs: []string{"flight"}}, {Goal: "Book it", Inputs: []string{"flight"}}}
	for name, tt := range map[string]struct {
		says     []string
		whole    bool // it may not be divided
		want     []plan.SubTask
		isBroken bool
	}{
		"in two":                        {says: []string{good}, want: want},
		"though it may not be":          {says: []string{good}, whole: true},
		"in an order that cannot be":    {says: []string{bad, good}, want: want},
		"in such an order all the time": {says: []string{bad, bad}, isBroken: true},
		"in one part, which is none":    {says: []string{alone}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := planQuestion()
			q.MayDivide = !tt.whole
			got, err := newBench(t, answers(tt.says...)...).Plan(t.Context(), q)
			if (err != nil) != tt.isBroken {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.SubTasks); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A wish to search needs no steps yet, where there is a search.
func TestReasoner_Plan_Search(t *testing.T) {
	t.Parallel()
	const search = `{"sources":["WEB_SEARCH"],"search":"clinic wards 2026","steps":[],"confidence":0.7}`
	q := planQuestion()
	b := newBench(t, answers(search)...)
	got, err := b.Plan(t.Context(), q)
	if err != nil || got.Search != "clinic wards 2026" {
		t.Errorf("%+v %v", got, err)
	}
	if _, user := b.prompt(t, 0); !strings.Contains(user, "North and South.") || strings.Contains(user, "There is no web search") {
		t.Error(user)
	}
	q.MaySearch = false
	b = newBench(t, answers(search, `{"sources":[],"steps":[{"description":"Open"}],"confidence":0.7}`)...)
	if got, err = b.Plan(t.Context(), q); err != nil || len(got.Steps) != 1 {
		t.Errorf("%+v %v", got, err)
	}
	if _, user := b.prompt(t, 0); !strings.Contains(user, "There is no web search") {
		t.Error(user)
	}
}

// What a part had to find out is read by the names of its contract, as a list or an
// object, and nothing else is.
func TestReasoner_Act_Outputs(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		outputs string
		want    map[string]string
	}{
		"a list":         {`[{"name":"Price","value":"99.50 EUR"},{"name":"hotel","value":"Ritz"}]`, map[string]string{"price": "99.50 EUR"}},
		"an object":      {`{"price": 99.5}`, map[string]string{"price": "99.5"}},
		"nothing usable": {`"99"`, nil},
		"nothing":        {`null`, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := actQuestion()
			q.Part = &reasoning.Part{Number: 1, Of: 2, Goal: "Find the price", Outputs: []string{"price"}}
			got, err := newBench(t, answers(`{"thought":"t","action":"finish(\"ok\")","confidence":1,"outputs":`+tt.outputs+`}`)...).Act(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.Outputs); diff != "" && len(tt.want)+len(got.Outputs) > 0 {
				t.Error(diff)
			}
			q.Part = nil
			if got, err = newBench(t, answers(`{"thought":"t","action":"finish(\"ok\")","confidence":1,"outputs":`+tt.outputs+`}`)...).Act(t.Context(), q); err != nil || got.Outputs != nil {
				t.Errorf("outside of a part: %v %v", got.Outputs, err)
			}
		})
	}
}

// A value that is missing is never typed, wherever the answer says so.
func TestReasoner_Act_MissingInfo(t *testing.T) {
	t.Parallel()
	for says, lacks := range map[string]string{
		`{"thought":"I need it.","action":"MISSING_INFO: [date_of_birth]","confidence":0.5}`:                      "date of birth",
		`{"thought":"I fill it in.","action":"setValue(\"14\", \"MISSING_INFO: middle name\")","confidence":0.9}`: "middle name",
		`{"thought":"","action":"","question":"MISSING_INFO: VAT rate","confidence":0.9}`:                         "VAT rate",
		`MISSING_INFO: ward`: "ward",
	} {
		got, err := newBench(t, answers(says)...).Act(t.Context(), actQuestion())
		if err != nil || got.Lacks != lacks || got.Action.Name != "" || strings.Contains(got.UserQuestion, "MISSING") {
			t.Errorf("%s: %+v %v", says, got, err)
		}
	}
}

// That a plan does not lead on is said in place of an action, where another can be had.
func TestReasoner_Act_Replan(t *testing.T) {
	t.Parallel()
	const replan, both = `{"thought":"t","action":"","replan":"There is a login first.","confidence":1}`, `{"thought":"t","action":"goBack()","replan":"There is a login first.","confidence":1}`
	for name, tt := range map[string]struct {
		says []string
		may  bool
		want string
	}{
		"it may be had":          {[]string{replan}, true, "There is a login first."},
		"it may not":             {[]string{replan, both}, false, ""},
		"an action comes before": {[]string{both}, true, ""},
	} {
		q := actQuestion()
		q.Plan, q.MayReplan = &ward, tt.may
		got, err := newBench(t, answers(tt.says...)...).Act(t.Context(), q)
		if err != nil || got.Replan != tt.want || (got.Action.Name == "") != (tt.want != "") {
			t.Errorf("%s: %+v %v", name, got, err)
		}
	}
}

// The verdict on the last action is read where it was asked for.
func TestReasoner_Act_Last(t *testing.T) {
	t.Parallel()
	judged := actQuestion()
	judged.Judge = &reasoning.JudgeQuestion{
		Action: action.Action{Name: action.SetValue, Target: "15", Text: "4711"}, Target: page.Element{ID: "15", Role: "textbox", Name: "PIN", State: page.State{Secret: true}},
	}
	ask := func(q reasoning.ActQuestion, last string) (*reasoning.Verdict, string) {
		b := newBench(t, answers(`{"thought":"t","action":"goBack()","confidence":1,"last":`+last+`}`)...)
		got, err := b.Act(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		_, user := b.prompt(t, 0)
		return got.Last, user
	}
	v, user := ask(judged, `{"actionSucceeded":true,"confidence":0.9,"reason":"It shows."}`)
	if v == nil || v.Outcome() != reasoning.Succeeded || v.Reason != "It shows." || v.Tier != 2 || !strings.Contains(user, "NOT JUDGED YET") || strings.Contains(user, "4711") {
		t.Errorf("%+v\n%s", v, user)
	}
	if v, _ = ask(judged, `{"actionSucceeded":false,"confidence":0.9,"reason":"It does not."}`); v == nil || v.Outcome() != reasoning.Failed {
		t.Errorf("%+v", v)
	}
	for _, rubbish := range []string{`null`, `"yes"`, `{"confidence":0.9}`} {
		if v, _ = ask(judged, rubbish); v != nil {
			t.Errorf("%s: %+v", rubbish, v)
		}
	}
	if v, user = ask(actQuestion(), `{"actionSucceeded":true,"confidence":0.9,"reason":"r"}`); v != nil || strings.Contains(user, "NOT JUDGED YET") {
		t.Errorf("not asked for: %+v", v)
	}
}
