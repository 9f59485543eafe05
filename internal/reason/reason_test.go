package reason_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason"
)

// says is a reasoner that gives one answer to everything.
type says struct {
	by        string
	undecided bool
	err       error
	asked     *int
}

func (s says) ask() {
	if s.asked != nil {
		*s.asked++
	}
}

func (s says) Act(context.Context, reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	s.ask()
	return reasoning.ActAnswer{By: s.by, Undecided: s.undecided, Tokens: reasoning.Tokens{Prompt: 1}, Action: action.Action{Name: action.GoBack}}, s.err
}

func (s says) Verify(context.Context, reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	s.ask()
	return reasoning.Verdict{By: s.by, Undecided: s.undecided}, s.err
}

func (s says) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	s.ask()
	return reasoning.Correction{By: s.by, Undecided: s.undecided}, s.err
}

func (s says) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	s.ask()
	return reasoning.Verdict{By: s.by, Undecided: s.undecided}, s.err
}

var (
	errDown   = errors.New("down")
	errSpoken = domain.Errorf(domain.Unavailable, domain.CodeLLM, "busy")
	errSpent  = domain.Errorf(domain.Limited, "QUOTA_EXCEEDED", "used up")
)

// known is a question with a page before, without which nobody is asked.
var known = reasoning.VerifyQuestion{Before: page.Before{URL: "https://clinic.example/"}}

// outcome of a question: who answered it and how.
type outcome struct {
	By        string
	Undecided bool
	Err       string
}

func TestChain(t *testing.T) {
	t.Parallel()
	rules, unsure := says{by: "rules"}, says{by: "rules", undecided: true}
	model, lost := says{by: "model"}, says{by: "model", undecided: true}
	const generic = "LLM_ERROR: The assistant is not available at the moment. Please try again.: down"
	tests := []struct {
		name                 string
		chain                reason.Chain
		act, verify, correct outcome
		confirm              outcome // where it is not that of verify
	}{
		{"without a model the rules answer", reason.Chain{Rules: rules},
			outcome{By: "rules"}, outcome{By: "rules"}, outcome{By: "rules"}, outcome{}},
		{"and say that they do not know", reason.Chain{Rules: unsure},
			outcome{By: "rules", Undecided: true}, outcome{By: "rules", Undecided: true}, outcome{By: "rules", Undecided: true}, outcome{}},
		{"a model acts, rules judge", reason.Chain{Rules: rules, Model: model},
			outcome{By: "model"}, outcome{By: "rules"}, outcome{By: "rules"}, outcome{By: "model"}},
		{"where the rules do not know the model judges", reason.Chain{Rules: unsure, Model: model},
			outcome{By: "model"}, outcome{By: "model"}, outcome{By: "model"}, outcome{}},
		{"where the model does not know the rules act", reason.Chain{Rules: rules, Model: lost},
			outcome{By: "rules"}, outcome{By: "rules"}, outcome{By: "rules"}, outcome{By: "model", Undecided: true}},
		{"where neither knows nobody guesses", reason.Chain{Rules: unsure, Model: lost},
			outcome{By: "model", Undecided: true}, outcome{By: "model", Undecided: true}, outcome{By: "rules", Undecided: true}, outcome{}},
		{"where the budget is used up the rules act, which costs nothing", reason.Chain{Rules: rules, Model: says{err: errSpent}},
			outcome{By: "rules"}, outcome{By: "rules"}, outcome{By: "rules"}, outcome{}},
		{"and where they cannot, the user is told why", reason.Chain{Rules: unsure, Model: says{err: errSpent}},
			outcome{Err: errSpent.Error()}, outcome{Err: errSpent.Error()}, outcome{Err: errSpent.Error()}, outcome{}},
		{"a model that is down is replaced by the rules", reason.Chain{Rules: rules, Model: says{err: errDown}},
			outcome{By: "rules"}, outcome{By: "rules"}, outcome{By: "rules"}, outcome{}},
		{"if they know", reason.Chain{Rules: unsure, Model: says{err: errDown}},
			outcome{Err: generic}, outcome{Err: generic}, outcome{Err: generic}, outcome{}},
		{"what the model has to say to the user stays", reason.Chain{Rules: unsure, Model: says{err: errSpoken}},
			outcome{Err: "LLM_ERROR: busy"}, outcome{Err: "LLM_ERROR: busy"}, outcome{Err: "LLM_ERROR: busy"}, outcome{}},
		{"rules that fail are no hindrance", reason.Chain{Rules: says{err: errDown}, Model: model},
			outcome{By: "model"}, outcome{By: "model"}, outcome{By: "model"}, outcome{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a, err := tt.chain.Act(t.Context(), reasoning.ActQuestion{})
			check(t, "act", tt.act, outcome{a.By, a.Undecided, text(err)})
			v, err := tt.chain.Verify(t.Context(), known)
			check(t, "verify", tt.verify, outcome{v.By, v.Undecided, text(err)})
			v, err = tt.chain.Confirm(t.Context(), reasoning.ConfirmQuestion{})
			if tt.confirm == (outcome{}) {
				tt.confirm = tt.verify
			}
			check(t, "confirm", tt.confirm, outcome{v.By, v.Undecided, text(err)})
			c, err := tt.chain.Correct(t.Context(), reasoning.CorrectQuestion{})
			check(t, "correct", tt.correct, outcome{c.By, c.Undecided, text(err)})
		})
	}
}

func check(t *testing.T, what string, want, got outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestChain_theModelIsNotPaidForWhatRulesKnow(t *testing.T) {
	t.Parallel()
	asked := 0
	c := reason.Chain{Rules: says{by: "rules"}, Model: says{by: "model", asked: &asked}}
	_, _ = c.Verify(t.Context(), known)
	_, _ = c.Correct(t.Context(), reasoning.CorrectQuestion{})
	if asked != 0 {
		t.Fatalf("it was asked %d times", asked)
	}
}

// correcting answers corrections: harmless ones and others.
type correcting struct {
	says
	harmless, other reasoning.Correction
}

func (c correcting) Correct(_ context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	if q.Harmless {
		return c.harmless, nil
	}
	return c.other, nil
}

// Given a model, rules correct only what needs no judgement; without one, or when it
// fails, they correct what they can.
func TestChain_WithAModelItCorrects(t *testing.T) {
	t.Parallel()
	lost := reasoning.Correction{Undecided: true, Strategy: reasoning.GiveUp, By: "rules"}
	moved := reasoning.Correction{Strategy: reasoning.AlternativeSelector, By: "rules"}
	another := reasoning.Correction{Strategy: reasoning.AlternativeTool, By: "rules"}
	for name, tt := range map[string]struct {
		rules correcting
		model reason.Reasoner
		want  reasoning.Strategy
		by    string
	}{
		"an element found again":               {correcting{harmless: moved, other: another}, says{by: "model"}, reasoning.AlternativeSelector, "rules"},
		"another way is the model's":           {correcting{harmless: lost, other: another}, says{by: "model"}, "", "model"},
		"unless it is down":                    {correcting{harmless: lost, other: another}, says{err: errDown}, reasoning.AlternativeTool, "rules"},
		"or does not know":                     {correcting{harmless: lost, other: another}, says{by: "model", undecided: true}, reasoning.AlternativeTool, "rules"},
		"and without a model it is the rules'": {correcting{harmless: lost, other: another}, nil, reasoning.AlternativeTool, "rules"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := reason.Chain{Rules: tt.rules, Model: tt.model}.Correct(t.Context(), reasoning.CorrectQuestion{})
			if err != nil || c.By != tt.by || c.Strategy != tt.want {
				t.Errorf("%s by %q, %v", c.Strategy, c.By, err)
			}
		})
	}
}

// completing is a verdict of rules that see the task done, unless only the action is
// asked about.
type completing struct{ says }

func (completing) Verify(_ context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	return reasoning.Verdict{ActionSucceeded: true, TaskCompleted: !q.ActionOnly, Confidence: 0.95, Tier: 1, By: "rules"}, nil
}

// Given a model, a task is done when it says so, and not because a rule reads it so.
func TestChain_WithAModelItSaysWhenTheTaskIsDone(t *testing.T) {
	t.Parallel()
	all := judging{verdict: reasoning.Verdict{ActionSucceeded: true, TaskCompleted: true, Confidence: 0.9, Tier: 3, By: "model"}}
	for name, tt := range map[string]struct {
		chain reason.Chain
		final bool
		done  bool
	}{
		"a rule's reading, without a model":     {reason.Chain{Rules: completing{}}, false, true},
		"a rule's reading, with one":            {reason.Chain{Rules: completing{}, Model: all}, false, false},
		"the model's verdict on a middle step":  {reason.Chain{Rules: says{undecided: true}, Model: all}, false, false},
		"a step that the model called its last": {reason.Chain{Rules: completing{}, Model: all}, true, true},
		"or judged so itself":                   {reason.Chain{Rules: says{undecided: true}, Model: all}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, err := tt.chain.Verify(t.Context(), reasoning.VerifyQuestion{Final: tt.final, Before: known.Before})
			if err != nil || v.TaskCompleted != tt.done {
				t.Errorf("%+v, %v", v, err)
			}
		})
	}
}

// judging answers every verdict with the same one.
type judging struct {
	says
	verdict reasoning.Verdict
}

func (j judging) Verify(context.Context, reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	j.ask()
	return j.verdict, j.err
}

func (j judging) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	j.ask()
	return j.verdict, j.err
}

// Given a final action that the rules saw working, whether the task is done is
// asked of the model; its word on the action does not count.
func TestChain_theModelIsAskedWhetherAFinalActionWasAll(t *testing.T) {
	t.Parallel()
	worked := judging{verdict: reasoning.Verdict{ActionSucceeded: true, Confidence: 0.9, Tier: 1, Rule: "field holds the value", By: "rules", Reason: "It holds it."}}
	complete := worked
	complete.verdict.TaskCompleted = true
	failed := judging{verdict: reasoning.Verdict{Confidence: 0.1, Tier: 1, By: "rules", Reason: "It failed."}}
	done := judging{verdict: reasoning.Verdict{ActionSucceeded: true, TaskCompleted: true, Confidence: 0.8, Tier: 2, By: "model", Reason: "All is done.", Tokens: reasoning.Tokens{Prompt: 100}}}
	open := judging{verdict: reasoning.Verdict{ActionSucceeded: false, Confidence: 0.1, Tier: 3, By: "model", Tokens: reasoning.Tokens{Prompt: 100}}}
	both := worked.verdict
	both.TaskCompleted, both.Tier, both.By, both.Reason, both.Tokens = true, 2, "model", "All is done.", reasoning.Tokens{Prompt: 100}
	notAll := worked.verdict
	notAll.Tier, notAll.By, notAll.Tokens = 3, "model", reasoning.Tokens{Prompt: 100}
	for _, tt := range []struct {
		name         string
		rules, model reason.Reasoner
		final        bool
		want         reasoning.Verdict
	}{
		{"an intermediate step costs nothing", worked, done, false, worked.verdict},
		{"a final one is completed by the model", worked, done, true, both},
		{"or not", worked, open, true, notAll},
		{"what the rules see complete is", complete, open, true, complete.verdict},
		{"what failed completes nothing", failed, done, true, failed.verdict},
		{"a model that is down changes nothing", worked, says{err: errDown}, true, worked.verdict},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := reason.Chain{Rules: tt.rules, Model: tt.model}.Verify(t.Context(), reasoning.VerifyQuestion{Final: tt.final, Before: known.Before})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestChain_aStandInSignsAndTokensAreCounted(t *testing.T) {
	t.Parallel()
	a, err := reason.Chain{Rules: says{by: "rules"}, Model: says{err: errDown}}.Act(t.Context(), reasoning.ActQuestion{})
	if err != nil || a.By != "rules" {
		t.Errorf("%q, %v", a.By, err)
	}
	a, err = reason.Chain{Rules: says{by: "rules"}, Model: says{undecided: true}}.Act(t.Context(), reasoning.ActQuestion{})
	if err != nil || a.Tokens.Prompt != 2 {
		t.Errorf("%+v, %v", a.Tokens, err)
	}
}

type seeking struct{ says }

func (seeking) Act(context.Context, reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	return reasoning.ActAnswer{Undecided: true, Seeks: "a search box"}, nil
}

func TestChain_whatTheRulesAreMissingIsKept(t *testing.T) {
	t.Parallel()
	c := reason.Chain{Rules: seeking{}, Model: says{by: "model", undecided: true}}
	if a, err := c.Act(t.Context(), reasoning.ActQuestion{}); err != nil || a.By != "model" || a.Seeks != "a search box" {
		t.Errorf("%+v, %v", a, err)
	}
}

// Given an action of which nobody knows what the page was like before, nobody is
// asked for a verdict.
func TestChain_withoutAPageBeforeNobodyIsAsked(t *testing.T) {
	t.Parallel()
	asked := 0
	c := reason.Chain{Rules: says{by: "rules", asked: &asked}, Model: says{by: "model", asked: &asked}}
	v, err := c.Verify(t.Context(), reasoning.VerifyQuestion{Final: true})
	if err != nil || !v.Undecided || v.Reason == "" || asked != 0 {
		t.Errorf("%+v, %v, %d asked", v, err, asked)
	}
}

// Given a model whose confidence is no probability, what it says is no success.
func TestChain_aConfidenceThatIsNoneIsNotTrusted(t *testing.T) {
	t.Parallel()
	for _, confidence := range []float64{math.NaN(), math.Inf(1), 1.01, 95, -0.1} {
		sure := judging{verdict: reasoning.Verdict{ActionSucceeded: true, TaskCompleted: true, Confidence: confidence, By: "model"}}
		unsure := judging{says: says{undecided: true}, verdict: reasoning.Verdict{Undecided: true}}
		got, err := reason.Chain{Rules: unsure, Model: sure}.Verify(t.Context(), known)
		if err != nil || got.ActionSucceeded || got.GoalAchieved() || got.Confidence != 0.5 {
			t.Errorf("%g makes the verdict %+v, %v", confidence, got, err)
		}
		got, err = reason.Chain{Rules: unsure, Model: sure}.Confirm(t.Context(), reasoning.ConfirmQuestion{})
		if err != nil || got.ActionSucceeded || got.Confidence != 0.5 {
			t.Errorf("%g makes the proof %+v, %v", confidence, got, err)
		}
		worked := judging{verdict: reasoning.Verdict{ActionSucceeded: true, Confidence: 0.9, By: "rules"}}
		got, err = reason.Chain{Rules: worked, Model: sure}.Verify(t.Context(), reasoning.VerifyQuestion{Final: true, Before: known.Before})
		if err != nil || got.TaskCompleted {
			t.Errorf("%g completes the task: %+v, %v", confidence, got, err)
		}
	}
}

// fixing corrects with one answer.
type fixing struct {
	says
	fix reasoning.Correction
}

func (f fixing) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return f.fix, f.err
}

// Given rules that give up, when the model's answers cannot be used, then the task
// ends with the rules' reason; an outage leaves it open. What was used is counted
// in either case.
func TestChain_aCorrectionTheModelCannotGive(t *testing.T) {
	t.Parallel()
	rules := fixing{fix: reasoning.Correction{Undecided: true, Strategy: reasoning.GiveUp, Reason: "I tried.", By: "rules"}}
	used := reasoning.Correction{Tokens: reasoning.Tokens{Prompt: 7}}
	useless := domain.Errorf(domain.Internal, domain.CodeLLM, "not usable")
	got, err := reason.Chain{Rules: rules, Model: fixing{says{err: useless}, used}}.Correct(t.Context(), reasoning.CorrectQuestion{})
	if err != nil || got.Reason != "I tried." || got.Strategy != reasoning.GiveUp || got.Tokens.Prompt != 7 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = reason.Chain{Rules: rules, Model: fixing{says{err: errSpoken}, used}}.Correct(t.Context(), reasoning.CorrectQuestion{})
	if domain.KindOf(err) != domain.Unavailable || got.Tokens.Prompt != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

// What the rules wait for may come by itself: a look at the page is cheaper than a
// model, which is asked where no look is left, or none helps.
func TestChain_whatMayStillComeIsNotAskedOfAModel(t *testing.T) {
	t.Parallel()
	byModel := reasoning.Verdict{ActionSucceeded: true, Confidence: 0.9, Tier: 3, By: "model"}
	for _, tt := range []struct {
		name    string
		rules   reasoning.Verdict
		mayLook bool
		want    string
	}{
		{"the answer may come", reasoning.Verdict{Undecided: true, Confidence: 0.5, Missing: reasoning.MissingAnswer}, true, "rules"},
		{"the page may come to rest", reasoning.Verdict{Undecided: true, Confidence: 0.5, Missing: reasoning.MissingRest}, true, "rules"},
		{"an effect may come", reasoning.Verdict{Undecided: true, Confidence: 0.5, Missing: reasoning.MissingEffect}, true, "rules"},
		{"no look is left", reasoning.Verdict{Undecided: true, Confidence: 0.5, Missing: reasoning.MissingAnswer}, false, "model"},
		{"no sign comes by itself", reasoning.Verdict{Undecided: true, Confidence: 0.5, Missing: reasoning.MissingSign}, true, "model"},
		{"nobody says what is missing", reasoning.Verdict{Undecided: true, Confidence: 0.5}, true, "model"},
		{"neither sure enough nor sure of the opposite", reasoning.Verdict{ActionSucceeded: true, Confidence: 0.69}, true, "model"},
		{"just as little", reasoning.Verdict{Confidence: 0.5}, true, "model"},
		{"sure enough", reasoning.Verdict{ActionSucceeded: true, Confidence: 0.7}, true, "rules"},
		{"sure that it failed", reasoning.Verdict{Confidence: 0.49}, true, "rules"},
		{"a failure is not asked about, whatever is missing", reasoning.Verdict{Confidence: 0.2, NoEffect: true}, false, "rules"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.rules.By = "rules"
			asked := 0
			chain := reason.Chain{Rules: judging{verdict: tt.rules}, Model: judging{says{asked: &asked}, byModel}}
			q := known
			q.MayLook = tt.mayLook
			got, err := chain.Verify(t.Context(), q)
			if err != nil || got.By != tt.want || asked != map[string]int{"model": 1}[tt.want] {
				t.Errorf("by %q after %d questions, %v", got.By, asked, err)
			}
		})
	}
}

// Rules that waited for an effect and then know of nothing more that may come are not the
// last word: the model is asked if it was not before, since the page is looked at again
// only after a submission.
func TestChain_theModelIsAskedWhenLookingEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name                  string
		maySubmit, modelAsked bool
		want                  int
	}{
		{"it was not asked", false, false, 1},
		{"it was asked, and did not know", false, true, 0},
		{"a submission is looked at again", true, false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			q := known
			q.MayLook, q.Looks, q.MaySubmit, q.ModelAsked = true, 1, tt.maySubmit, tt.modelAsked
			chain := reason.Chain{
				Rules: judging{verdict: reasoning.Verdict{Undecided: true, Confidence: 0.5, Missing: reasoning.MissingSign}},
				Model: judging{says{asked: &asked}, reasoning.Verdict{Confidence: 0.1, Tier: 3}},
			}
			if _, err := chain.Verify(t.Context(), q); err != nil || asked != tt.want {
				t.Errorf("the model was asked %d times, want %d; %v", asked, tt.want, err)
			}
		})
	}
}

// The words that show that a final action was all are those of whoever says so.
func TestChain_theProofIsTheModels(t *testing.T) {
	t.Parallel()
	rules := judging{verdict: reasoning.Verdict{ActionSucceeded: true, Confidence: 0.9, By: "rules", Proof: reasoning.Proof{Quote: "Jas"}}}
	model := judging{verdict: reasoning.Verdict{ActionSucceeded: true, TaskCompleted: true, Confidence: 0.9, By: "model", Proof: reasoning.Proof{Quote: "Jas was added"}}}
	q := known
	q.Final = true
	got, err := reason.Chain{Rules: rules, Model: model}.Verify(t.Context(), q)
	if err != nil || !got.TaskCompleted || got.Proof.Quote != "Jas was added" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A verdict that takes a model may come with the next action, unless the task may be
// done by it, or the rules or an expected text decide.
func TestChain_Verify_Deferred(t *testing.T) {
	t.Parallel()
	asked := 0
	model := says{by: "model", asked: &asked}
	unsure, sure := says{by: "rules", undecided: true}, judging{verdict: reasoning.Verdict{By: "rules", ActionSucceeded: true, Confidence: 0.9, Tier: 1}}
	for name, tt := range map[string]struct {
		chain           reason.Chain
		may, final      bool
		deferred, asked bool
	}{
		"it may":                     {reason.Chain{Rules: unsure, Model: model}, true, false, true, false},
		"it may not":                 {reason.Chain{Rules: unsure, Model: model}, false, false, false, true},
		"the task may be done by it": {reason.Chain{Rules: unsure, Model: model}, true, true, false, true},
		"the rules are sure":         {reason.Chain{Rules: sure, Model: model}, true, false, false, false},
		"there is no model":          {reason.Chain{Rules: unsure}, true, false, false, false},
	} {
		asked = 0
		q := known
		q.MayDefer, q.Final = tt.may, tt.final
		v, err := tt.chain.Verify(t.Context(), q)
		if err != nil || v.Deferred != tt.deferred || asked > 0 != tt.asked {
			t.Errorf("%s: %+v, asked %d times, %v", name, v, asked, err)
		}
	}
}
