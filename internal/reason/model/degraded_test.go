package model_test

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/reason/model"
)

// Where another model stands in for the one that thinks, less confidence is
// enough (spec §4.10.1); where one stands in for the one that does, it is the
// better one, and it is not.
func TestReasoner_Verify_degraded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		own        llmtest.Step
		simple     bool
		confidence float64
		degraded   bool
		succeeded  bool
	}{
		{"its own model, sure enough", answer(verdict(0.7)), false, 0.7, false, true},
		{"its own model, not quite sure", answer(verdict(0.65)), false, 0.65, false, false},
		{"another, as sure", llmtest.Step{Status: 404}, false, 0.65, true, true},
		{"another, just sure enough", llmtest.Step{Status: 404}, false, 0.6, true, true},
		{"another, not sure enough", llmtest.Step{Status: 404}, false, 0.59, true, false},
		{"in the place of the fast one", llmtest.Step{Status: 404}, true, 0.65, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ids := 0
			targets := []llm.Target{
				{Provider: "p", Model: "own", Generator: llmtest.NewFake(llmtest.Steps(tt.own))},
				{Provider: "p", Model: "other", Generator: llmtest.NewFake(llmtest.Steps(answer(verdict(tt.confidence))))},
			}
			client, err := llm.NewClient(llm.Options{
				Roles:    map[llm.Role][]llm.Target{llm.Fast: targets, llm.Smart: targets},
				Recorder: llmtest.NewLedger(), Tokens: prompt.Tokens,
				NewID: func() string { ids++; return strconv.Itoa(ids) },
			})
			if err != nil {
				t.Fatal(err)
			}
			q := verifyQuestion()
			q.Final = tt.simple
			got, err := model.New(client).Verify(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if got.Degraded != tt.degraded || got.ActionSucceeded != tt.succeeded || got.TaskCompleted != tt.succeeded || got.GoalAchieved() != tt.succeeded {
				t.Errorf("the verdict is %+v", got)
			}
			if again, _ := got.Sanitised(); again.ActionSucceeded != tt.succeeded {
				t.Error("it does not last")
			}
		})
	}
}

func TestReasoner_Confirm_degraded(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{0: false, 404: true} {
		ids := 0
		proof := `{"reason":"It shows.","shown":true,"confidence":0.65}`
		client, err := llm.NewClient(llm.Options{
			Roles: map[llm.Role][]llm.Target{llm.Smart: {
				{Provider: "p", Model: "own", Generator: llmtest.NewFake(llmtest.Steps(llmtest.Step{Status: status, Text: proof}))},
				{Provider: "p", Model: "other", Generator: llmtest.NewFake(llmtest.Steps(answer(proof)))},
			}},
			Recorder: llmtest.NewLedger(), Tokens: prompt.Tokens,
			NewID: func() string { ids++; return strconv.Itoa(ids) },
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := model.New(client).Confirm(t.Context(), reasoning.ConfirmQuestion{On: onOf(), Query: "q", Statement: "c", Page: patients()})
		if err != nil || got.Degraded != want || got.ActionSucceeded != want {
			t.Errorf("status %d: %+v, %v", status, got, err)
		}
	}
}

func verdict(confidence float64) string {
	return fmt.Sprintf(`{"reason":"Saved.","actionSucceeded":true,"taskCompleted":true,"confidence":%g}`, confidence)
}
