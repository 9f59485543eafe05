package model_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestReasoner_Verify(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text          string
		confidence          float64
		succeeded, complete bool
	}{
		{"success", `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true,"confidence":0.95}`, 0.95, true, true},
		{"success of a step", `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":false,"confidence":0.8}`, 0.8, true, false},
		{"sure that it failed", `{"reason":"Saved.","actionSucceeded":false,"taskCompleted":false,"confidence":0.95}`, 0.05, false, false},
		{"a low probability", `{"reason":"Saved.","actionSucceeded":false,"taskCompleted":false,"confidence":0.1}`, 0.1, false, false},
		{"success it does not believe in", `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true,"confidence":0.3}`, 0.3, false, false},
		{"no probability", `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":false,"confidence":95}`, 0.5, false, false},
		{"truths in quotes", `{"reason":"Saved.","actionSucceeded":"true","taskCompleted":"False","confidence":"0.7"}`, 0.7, true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(tt.text), answer("no repair should be needed"))
			got, err := b.Verify(t.Context(), verifyQuestion())
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.Confidence-tt.confidence) < 1e-9 {
				got.Confidence = tt.confidence
			}
			want := reasoning.Verdict{
				ActionSucceeded: tt.succeeded, TaskCompleted: tt.complete, Confidence: tt.confidence,
				Reason: "Saved.", Tier: 3, By: "a-model", Tokens: reasoning.Tokens{Prompt: 125, Completion: 16},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const saved = `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true,"confidence":0.95}`

func TestReasoner_Verify_seesObservationsOnly(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(saved))
	if _, err := b.Verify(t.Context(), verifyQuestion()); err != nil {
		t.Fatal(err)
	}
	_, user := b.prompt(t, 0)
	for _, part := range []string{"Add patient Jas", `click button "Save"`, "New message: Patient saved"} {
		if !strings.Contains(user, part) {
			t.Errorf("the prompt lacks %q: %s", part, user)
		}
	}
	for _, part := range []string{"Delete", "clinic.example", "private thought", "expectation", "Fill in the form"} {
		if strings.Contains(user, part) {
			t.Errorf("the prompt holds %q of the page or the plan", part)
		}
	}
}

func TestReasoner_Verify_tiers(t *testing.T) {
	t.Parallel()
	many := make([]page.Observation, 9)
	tests := []struct {
		name   string
		change func(*reasoning.VerifyQuestion)
		tier   int
		call   string
	}{
		{"a step on the way", func(*reasoning.VerifyQuestion) {}, 3, "verify/2 VERIFICATION smart ok"},
		{"a simple final step", func(q *reasoning.VerifyQuestion) { q.Final = true }, 2, "verify-light/2 VERIFICATION fast ok"},
		{"the final step of a long task", func(q *reasoning.VerifyQuestion) { q.Final, q.Query = true, strings.Repeat("word ", 13) }, 3, "verify/2 VERIFICATION smart ok"},
		{"a final step with much to weigh", func(q *reasoning.VerifyQuestion) { q.Final, q.Observations = true, many }, 3, "verify/2 VERIFICATION smart ok"},
		{"finish itself", func(q *reasoning.VerifyQuestion) { q.Final, q.Action = true, action.Action{Name: action.Finish} }, 3, "verify/2 VERIFICATION smart ok"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(saved))
			q := verifyQuestion()
			tt.change(&q)
			got, err := b.Verify(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if got.Tier != tt.tier || (got.TokensSaved > 0) != (tt.tier == 2) {
				t.Errorf("tier %d, %d tokens saved", got.Tier, got.TokensSaved)
			}
			if diff := cmp.Diff([]string{tt.call}, b.outcomes(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReasoner_Verify_aVerdictThatCannotBeReadIsNoVerdict(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"It worked!", `{"reason":"r","confidence":1}`, `{"reason":1,"actionSucceeded":true,"taskCompleted":true,"confidence":1}`,
		`{"reason":"r","actionSucceeded":"maybe","taskCompleted":true,"confidence":1}`, saved[:len(saved)-4],
	} {
		b := newBench(t, answer(text))
		got, err := b.Verify(t.Context(), verifyQuestion())
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != "LLM_ERROR" || got != (reasoning.Verdict{Tokens: got.Tokens}) || got.Tokens.Prompt == 0 {
			t.Errorf("%s gave %+v, %v", text, got, err)
		}
		if b.fake.Attempts() != 2 {
			t.Errorf("%s: %d attempts", text, b.fake.Attempts())
		}
	}
}

func TestReasoner_Verify_aTypedSecretIsMasked(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(saved))
	q := verifyQuestion()
	q.Action = action.Action{Name: action.SetValue, Target: "15", Text: "hunter2"}
	q.Target = page.Element{ID: "15", Role: "textbox", Name: "PIN", State: page.State{Secret: true}}
	if _, err := b.Verify(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	if _, user := b.prompt(t, 0); strings.Contains(user, "hunter2") || !strings.Contains(user, "[secret]") {
		t.Errorf("the prompt is %s", user)
	}
}
