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
		{"success it is not sure of", `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true,"confidence":0.6}`, 0.6, false, false},
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
			if tt.confidence == 0.6 { // neither: it does not know
				want.Undecided, want.Missing = true, reasoning.MissingSign
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const savedPart = `{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true,"subTaskCompleted":true,"confidence":0.95}`

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
	for _, part := range []string{"Delete", "clinic.example", "private thought", "Fill in the form"} {
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
		{"a step on the way", func(*reasoning.VerifyQuestion) {}, 3, "verify/5 VERIFICATION smart ok"},
		{"a simple final step", func(q *reasoning.VerifyQuestion) { q.Final = true }, 2, "verify-light/4 VERIFICATION fast ok"},
		{"the final step of a long task", func(q *reasoning.VerifyQuestion) { q.Final, q.Query = true, strings.Repeat("word ", 13) }, 3, "verify/5 VERIFICATION smart ok"},
		{"a final step with much to weigh", func(q *reasoning.VerifyQuestion) { q.Final, q.Observations = true, many }, 3, "verify/5 VERIFICATION smart ok"},
		{"a final step beside an error", func(q *reasoning.VerifyQuestion) {
			q.Final = true
			q.Observations = append(q.Observations, page.Observation{Kind: page.AlertAppeared, Alert: page.AlertError, Text: "New message: the server failed"})
		}, 3, "verify/5 VERIFICATION smart ok"},
		{"a final step over a request that was refused", func(q *reasoning.VerifyQuestion) {
			q.Final, q.Witness.Refused = true, []page.Refusal{{Method: "POST", Path: "/save", Status: 500}}
		}, 3, "verify/5 VERIFICATION smart ok"},
		{"the final step of a part", func(q *reasoning.VerifyQuestion) { q.Final, q.SubTask = true, "save" }, 3, "verify-part/3 VERIFICATION smart ok"},
		{"finish itself", func(q *reasoning.VerifyQuestion) { q.Final, q.Action = true, action.Action{Name: action.Finish} }, 3, "verify/5 VERIFICATION smart ok"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(savedPart))
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
		"It worked!", `{"reason":"r","confidence":1}`, `{"reason":"r","actionSucceeded":true,"confidence":1}`, `{"reason":1,"actionSucceeded":true,"taskCompleted":true,"confidence":1}`,
		`{"reason":"r","actionSucceeded":"maybe","taskCompleted":true,"confidence":1}`, saved[:len(saved)-4],
	} {
		b := newBench(t, answer(text))
		got, err := b.Verify(t.Context(), verifyQuestion())
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != "LLM_ERROR" || !cmp.Equal(got, reasoning.Verdict{Tokens: got.Tokens}) || got.Tokens.Prompt == 0 {
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

// Given a confidence that is no probability, the verdict is no success, and what
// the model said is there to see.
func TestReasoner_Verify_aConfidenceThatIsNoneIsNoSuccess(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]float64{
		`,"confidence":95`: 95, `,"confidence":1.0001`: 1.0001, `,"confidence":-0.5`: -0.5, `,"confidence":"NaN"`: math.NaN(),
		`,"confidence":null`: math.NaN(), `,"confidence":"very"`: math.NaN(), ``: math.NaN(), `,"confidence":1e999`: math.NaN(),
	} {
		b := newBench(t, answer(`{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true`+said+`}`), answer("no repair should be needed"))
		got, err := b.Verify(t.Context(), verifyQuestion())
		if err != nil {
			t.Fatal(err)
		}
		if got.ActionSucceeded || got.TaskCompleted || got.Confidence != want && !(math.IsNaN(want) && math.IsNaN(got.Confidence)) {
			t.Errorf("%q gives %+v", said, got)
		}
		if clean, sane := got.Sanitised(); sane || clean.Confidence != 0.5 || clean.ActionSucceeded {
			t.Errorf("%q is taken for sound: %+v", said, clean)
		}
	}
}

// Given a task with parts, the model is asked whether the part is reached, and
// has to say so.
func TestReasoner_Verify_parts(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	tests := []struct {
		name, part, text string
		want             *bool
		calls            int
	}{
		{"without parts there is none", "", savedPart, nil, 1},
		{"a part that is reached", "save the patient", savedPart, &yes, 1},
		{"one that is not", "save the patient", `{"reason":"r","actionSucceeded":true,"taskCompleted":false,"subTaskCompleted":false,"confidence":0.9}`, &no, 1},
		{"an action that failed reaches none", "save the patient", `{"reason":"r","actionSucceeded":false,"taskCompleted":false,"subTaskCompleted":true,"confidence":0.1}`, &no, 1},
		{"an answer without it is asked for again", "save the patient", saved, &yes, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(tt.text), answer(savedPart))
			q := verifyQuestion()
			q.SubTask = tt.part
			got, err := b.Verify(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got.SubTaskCompleted); diff != "" || b.fake.Attempts() != tt.calls {
				t.Errorf("%d calls, %s", b.fake.Attempts(), diff)
			}
			_, user := b.prompt(t, 0)
			if asked := strings.Contains(user, "subTaskCompleted"); asked != (tt.part != "") {
				t.Errorf("asked for the part: %t", asked)
			}
			if schema := string(b.fake.Requests()[0].Schema); strings.Contains(schema, "subTaskCompleted") != (tt.part != "") {
				t.Errorf("the schema is %s", schema)
			}
		})
	}
}
