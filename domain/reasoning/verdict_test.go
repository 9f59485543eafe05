package reasoning_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestVerdict_Outcome(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		confidence float64
		undecided  bool
		degraded   bool
		want       reasoning.Outcome
	}{
		{1, false, false, reasoning.Succeeded},
		{0.7, false, false, reasoning.Succeeded},
		{0.699, false, false, reasoning.Undecided},
		{0.5, false, false, reasoning.Undecided},
		{0.499, false, false, reasoning.Failed},
		{0, false, false, reasoning.Failed},
		{0.6, false, true, reasoning.Succeeded},
		{0.599, false, true, reasoning.Undecided},
		{0.5, false, true, reasoning.Undecided},
		{0.499, false, true, reasoning.Failed},
		{0.95, true, false, reasoning.Undecided},
		{0.05, true, false, reasoning.Undecided},
		{0.95, true, true, reasoning.Undecided},
	} {
		for _, says := range []bool{true, false} { // what it says of itself does not count
			v := reasoning.Verdict{Confidence: c.confidence, Undecided: c.undecided, Degraded: c.degraded, ActionSucceeded: says, TaskCompleted: says}
			if got := v.Outcome(); got != c.want {
				t.Errorf("%+v: %s, want %s", c, got, c.want)
			}
			if v.GoalAchieved() != (says && c.want == reasoning.Succeeded) {
				t.Errorf("%+v: goal achieved %v", c, v.GoalAchieved())
			}
		}
	}
}

func TestVerdict_Sanitised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		v    reasoning.Verdict
		want reasoning.Verdict
		sane bool
	}{
		{"a success", reasoning.Verdict{Confidence: 0.9, TaskCompleted: true}, reasoning.Verdict{Confidence: 0.9, ActionSucceeded: true, TaskCompleted: true}, true},
		{"a failure that says it worked", reasoning.Verdict{Confidence: 0.2, ActionSucceeded: true, TaskCompleted: true}, reasoning.Verdict{Confidence: 0.2}, true},
		{"a yes that is not sure", reasoning.Verdict{Confidence: 0.6, ActionSucceeded: true, TaskCompleted: true},
			reasoning.Verdict{Confidence: 0.6, Undecided: true, Missing: reasoning.MissingSign}, true},
		{"undecided and sure", reasoning.Verdict{Confidence: 0.9, Undecided: true, Missing: reasoning.MissingAnswer},
			reasoning.Verdict{Confidence: 0.5, Undecided: true, Missing: reasoning.MissingAnswer}, true},
		{"undecided and improbable", reasoning.Verdict{Confidence: 0.1, Undecided: true}, reasoning.Verdict{Confidence: 0.5, Undecided: true, Missing: reasoning.MissingSign}, true},
		{"undecided by a stand-in", reasoning.Verdict{Confidence: 0.65, Undecided: true, Degraded: true},
			reasoning.Verdict{Confidence: 0.5, Undecided: true, Degraded: true, Missing: reasoning.MissingSign}, true},
		{"decided, and something is missing", reasoning.Verdict{Confidence: 0.2, Missing: reasoning.MissingAnswer}, reasoning.Verdict{Confidence: 0.2}, true},
		{"no probability", reasoning.Verdict{Confidence: 95, ActionSucceeded: true}, reasoning.Verdict{Confidence: 0.5, Undecided: true, Missing: reasoning.MissingSign}, false},
		{"no number", reasoning.Verdict{Confidence: math.NaN(), ActionSucceeded: true}, reasoning.Verdict{Confidence: 0.5, Undecided: true, Missing: reasoning.MissingSign}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got, sane := c.v.Sanitised(); !cmp.Equal(got, c.want) || sane != c.sane {
				t.Errorf("%+v, sane %v", got, sane)
			}
		})
	}
}

func anyVerdict(t *rapid.T) reasoning.Verdict {
	return reasoning.Verdict{
		Confidence:      rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0.5, 0.6, 0.7, 0, 1, math.NaN(), math.Inf(1)})).Draw(t, "confidence"),
		Undecided:       rapid.Bool().Draw(t, "undecided"),
		NoEffect:        rapid.Bool().Draw(t, "no effect"),
		ActionSucceeded: rapid.Bool().Draw(t, "succeeded"),
		TaskCompleted:   rapid.Bool().Draw(t, "completed"),
		Degraded:        rapid.Bool().Draw(t, "degraded"),
		Missing:         rapid.SampledFrom([]reasoning.Missing{"", reasoning.MissingAnswer, reasoning.MissingSign}).Draw(t, "missing"),
	}
}

// Whatever is said of an action: one of three outcomes, and everything else follows
// from it, once and for all. Patience makes a failure wait and changes nothing else.
func TestVerdict_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, _ := anyVerdict(t).Sanitised()
		holds(t, v)
		if again, sane := v.Sanitised(); !cmp.Equal(again, v) || !sane {
			t.Fatalf("%+v is made %+v", v, again)
		}
		p := reasoning.Patience{
			Looks: rapid.IntRange(0, 4).Draw(t, "looks"), MaxLooks: rapid.IntRange(0, 4).Draw(t, "at most"),
			MaySubmit: rapid.Bool().Draw(t, "may submit"), SawNoEffect: rapid.Bool().Draw(t, "no effect seen"),
		}
		patient := v.WithPatience(p)
		holds(t, patient)
		if !cmp.Equal(patient, v) && (v.Outcome() != reasoning.Failed || !v.NoEffect || patient.Outcome() != reasoning.Undecided) {
			t.Fatalf("%+v is made %+v", v, patient)
		}
		if p.MaySubmit && v.NoEffect && patient.Outcome() == reasoning.Failed && !p.SawNoEffect {
			t.Fatalf("what may have been submitted counts as failed: %+v", patient)
		}
		ahead := v.LookAhead(&page.NextGoal{Description: "a form", Text: "Form", Required: rapid.Bool().Draw(t, "required")}, page.Page{Headings: []string{"Nothing"}})
		if v.Outcome() != reasoning.Succeeded && ahead.Outcome() != v.Outcome() || ahead.ActionSucceeded != (ahead.Outcome() == reasoning.Succeeded) {
			t.Fatalf("%+v ahead is %+v", v, ahead)
		}
	})
}

func holds(t *rapid.T, v reasoning.Verdict) {
	outcome := v.Outcome()
	switch {
	case v.Confidence < 0 || v.Confidence > 1 || math.IsNaN(v.Confidence),
		v.ActionSucceeded != (outcome == reasoning.Succeeded),
		v.Undecided != (outcome == reasoning.Undecided),
		v.TaskCompleted && !v.ActionSucceeded,
		(v.Missing != "") != v.Undecided:
		t.Fatalf("%s: %+v", outcome, v)
	}
}

func TestVerdict_Patiently(t *testing.T) {
	t.Parallel()
	nothing := reasoning.Verdict{Confidence: 0.2, NoEffect: true}
	refused := reasoning.Verdict{Confidence: 0.2}
	worked := reasoning.Verdict{Confidence: 0.9, ActionSucceeded: true, NoEffect: true}
	for _, c := range []struct {
		name    string
		v       reasoning.Verdict
		p       reasoning.Patience
		outcome reasoning.Outcome
		missing reasoning.Missing
	}{
		{"harmless, and not looked again yet", nothing, reasoning.Patience{MaxLooks: 3}, reasoning.Undecided, reasoning.MissingEffect},
		{"harmless, and looked once", nothing, reasoning.Patience{Looks: 1, MaxLooks: 3}, reasoning.Failed, ""},
		{"harmless, and nobody may look", nothing, reasoning.Patience{}, reasoning.Failed, ""},
		{"may submit, looked once", nothing, reasoning.Patience{Looks: 1, MaxLooks: 3, MaySubmit: true}, reasoning.Undecided, reasoning.MissingEffect},
		{"may submit, silent, looked once", nothing, reasoning.Patience{Looks: 1, MaxLooks: 3, MaySubmit: true, SawNoEffect: true}, reasoning.Undecided, reasoning.MissingEffect},
		{"may submit, looked enough", nothing, reasoning.Patience{Looks: 3, MaxLooks: 3, MaySubmit: true}, reasoning.Undecided, reasoning.MissingSign},
		{"may submit, and nothing was ever sent", nothing, reasoning.Patience{Looks: 3, MaxLooks: 3, MaySubmit: true, SawNoEffect: true}, reasoning.Failed, ""},
		{"may submit, and nobody may look", nothing, reasoning.Patience{MaySubmit: true}, reasoning.Undecided, reasoning.MissingSign},
		{"more looks than there may be", nothing, reasoning.Patience{Looks: 9, MaxLooks: 3, MaySubmit: true, SawNoEffect: true}, reasoning.Failed, ""},
		{"it was refused: that is an effect", refused, reasoning.Patience{MaxLooks: 3, MaySubmit: true}, reasoning.Failed, ""},
		{"it worked", worked, reasoning.Patience{MaxLooks: 3, MaySubmit: true}, reasoning.Succeeded, ""},
		{"nobody knows anyway", reasoning.Verdict{Undecided: true, NoEffect: true, Confidence: 0.5, Missing: reasoning.MissingAnswer},
			reasoning.Patience{MaxLooks: 3, MaySubmit: true}, reasoning.Undecided, reasoning.MissingAnswer},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := c.v.WithPatience(c.p)
			if got.Outcome() != c.outcome || got.Missing != c.missing || got.ActionSucceeded != (c.outcome == reasoning.Succeeded) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestMissing_MayCome(t *testing.T) {
	t.Parallel()
	for m, want := range map[reasoning.Missing]bool{
		reasoning.MissingAnswer: true, reasoning.MissingRest: true, reasoning.MissingEffect: true, reasoning.MissingSign: false, "": false,
	} {
		if m.MayCome() != want {
			t.Errorf("%q: %v", m, m.MayCome())
		}
	}
}

func TestVerdict_LookAhead(t *testing.T) {
	t.Parallel()
	form := page.Page{Elements: []page.Element{{ID: "1", Role: "textbox", Name: "Full name"}}}
	goal := func(required bool) *page.NextGoal {
		return &page.NextGoal{Description: "the form", Text: "Full name", Required: required}
	}
	success := reasoning.Verdict{Confidence: 0.9, ActionSucceeded: true, Reason: "It opened."}
	complete := success
	complete.TaskCompleted = true
	failure := reasoning.Verdict{Confidence: 0.2, Reason: "Nothing."}
	unsure := reasoning.Verdict{Confidence: 0.5, Undecided: true, Missing: reasoning.MissingAnswer}
	met, missed := true, false
	for _, c := range []struct {
		name    string
		v       reasoning.Verdict
		goal    *page.NextGoal
		now     page.Page
		met     *bool
		outcome reasoning.Outcome
	}{
		{"nothing is needed", success, nil, form, nil, reasoning.Succeeded},
		{"it is there", success, goal(true), form, &met, reasoning.Succeeded},
		{"it is missing, and required", success, goal(true), page.Page{}, &missed, reasoning.Failed},
		{"it is missing, and that is only told", success, goal(false), page.Page{}, &missed, reasoning.Succeeded},
		{"it is missing after a failure", failure, goal(true), page.Page{}, &missed, reasoning.Failed},
		{"of what is complete nothing is needed", complete, goal(true), page.Page{}, nil, reasoning.Succeeded},
		{"of what is not decided nobody knows", unsure, goal(true), page.Page{}, nil, reasoning.Undecided},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := c.v.LookAhead(c.goal, c.now)
			if (got.NextGoalMet == nil) != (c.met == nil) || c.met != nil && *got.NextGoalMet != *c.met {
				t.Errorf("met %v", got.NextGoalMet)
			}
			if got.Outcome() != c.outcome || got.ActionSucceeded != (c.outcome == reasoning.Succeeded) {
				t.Errorf("%+v", got)
			}
		})
	}
}
