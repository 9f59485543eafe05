package llm_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
)

func kept(t *testing.T, call, text string) []byte {
	t.Helper()
	b, err := json.Marshal(map[string]any{
		"response":  llm.Response{Text: text, Finish: llm.Stop, Usage: &llm.Usage{InputUncached: 7, Output: 3}},
		"completed": llm.CallCompleted{Call: call, Outcome: llm.OutcomeOK},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A tape answers each question by the next recorded one of its kind, whatever the
// version of its prompt, fails as it failed, and says what it knows nothing of.
func TestTape(t *testing.T) {
	t.Parallel()
	take := func(call, purpose, prompt string, attempt int, o llm.Outcome, answer string) llm.Take {
		k := llm.Take{Call: call, Purpose: purpose, PromptName: prompt, Model: "m", Provider: "p", Attempt: attempt, Outcome: o}
		if answer != "" {
			k.Kept = kept(t, call, answer)
		}
		return k
	}
	fallback := take("4", "ACT", "act/7", 2, llm.OutcomeOK, "second")
	fallback.Model = "another"
	tape := llm.NewTape([]llm.Take{
		take("1", "VERIFY", "verify/4", 1, llm.OutcomeOK, "yes"),
		take("2", "ACT", "act/7", 1, llm.OutcomeOK, "first"),
		take("3", "ACT", "act/7", 1, llm.Outcome(llm.Unavailable), ""), fallback,
		take("5", "ACT", "act/7+repair", 1, llm.OutcomeOK, "repaired"),
		take("6", "PLAN", "plan/3", 1, llm.Outcome(llm.RateLimited), ""),
		take("7", "PLAN", "plan/3", 1, llm.OutcomeOK, ""), // its answer is gone
	}, func(s string) int { return len(s) })
	ask := func(purpose, prompt string, check func(string) error) (llm.Answer, error) {
		return tape.Ask(t.Context(), llm.Question{
			Purpose: purpose, PromptName: prompt, Role: llm.Fast, Check: check,
			Request: llm.Request{System: "12345", User: llm.Text("678"), MaxOutputTokens: 9},
		})
	}
	for i, tt := range []struct {
		purpose, prompt, text string
		kind                  llm.Kind
		refused               bool
	}{
		{"ACT", "act/9", "first", "", false},
		{"VERIFY", "verify/5", "yes", "", false},
		{"ACT", "act/9", "second", "", false},
		{"ACT", "act/9+repair", "", llm.Malformed, true},
		{"PLAN", "plan/3", "", llm.RateLimited, false},
		{"PLAN", "plan/3", "", llm.Unavailable, false},
		{"CRITIC", "critique/1", "", llm.Unavailable, false},
	} {
		var check func(string) error
		if tt.refused {
			check = func(string) error { return errors.New("no") }
		}
		got, err := ask(tt.purpose, tt.prompt, check)
		if got.Text != tt.text || llm.KindOf(err) != tt.kind || got.Fallback != (tt.text == "second") {
			t.Errorf("%d: %+v %v", i, got, err)
		}
		if tt.text != "" && (got.Usage == nil || got.Usage.Input() != 7) {
			t.Errorf("%d: usage %+v", i, got.Usage)
		}
	}
	missed := tape.Missed()
	if len(missed) != 2 || missed[0].Purpose != "PLAN" || missed[1] != (llm.Miss{Purpose: "CRITIC", Role: llm.Fast, Input: 8, Output: 9}) {
		t.Errorf("%+v", missed)
	}
}
