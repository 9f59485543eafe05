package interact_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// What a turn took is part of its answer, and the same when the answer is sent again.
func TestAnswer_Metrics(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	answer := click("14")
	answer.Tokens = reasoning.Tokens{Prompt: 1000, Completion: 50}
	r.reasons.acts = []any{answer}
	req := request(t, form, "a")
	req.ReceivedAt = r.deps.Clock().Add(-1500 * time.Millisecond)
	first, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	want := &interact.Metrics{Turn: 1, StepCount: 1, DurationMS: 1500, PromptTokens: 1000, CompletionTokens: 50, TotalTokens: 1050}
	if diff := cmp.Diff(want, answerOf(t, first).Metrics); diff != "" {
		t.Error(diff)
	}
	req.ReceivedAt = r.deps.Clock()
	again, err := r.Interact(t.Context(), req)
	if err != nil || !again.Replayed || !bytes.Equal(first.Answer, again.Answer) {
		t.Errorf("sent again: %s, %v, want %s", again.Answer, err, first.Answer)
	}
}

func TestAnswer_ToolAction(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		does action.Action
		want interact.ToolAction
	}{
		"text":    {action.Action{Name: action.SetValue, Target: "5", Text: "Jas"}, interact.ToolAction{ToolName: "setValue", ToolType: "DOM", Parameters: interact.ToolParameters{ElementID: "5", Text: "Jas"}}},
		"seconds": {action.Action{Name: action.Wait, Seconds: 2}, interact.ToolAction{ToolName: "wait", ToolType: "DOM", Parameters: interact.ToolParameters{Seconds: 2}}},
		"the end": {action.Action{Name: action.Fail, Text: "no"}, interact.ToolAction{ToolName: "fail", ToolType: "SERVER", Parameters: interact.ToolParameters{Text: "no"}}},
	} {
		r := newRig(t)
		r.reasons.acts = []any{reasoning.ActAnswer{Thought: "I do.", Action: tt.does, Confidence: 0.9}}
		a := begin(t, r)
		if a.ToolAction == nil {
			t.Errorf("%s: none in %+v", name, a)
			continue
		}
		if diff := cmp.Diff(tt.want, *a.ToolAction); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
