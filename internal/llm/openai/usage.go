package openai

import (
	"encoding/json"

	"github.com/stepledger/stepledger/internal/llm"
)

// counts is the usage of a chat completion as far as it is billed, or of an
// embedding, which has no more than prompt and total. Prompt includes what is
// cached and audio, Completion includes reasoning: so OpenAI has it. Endpoints that
// imitate it differ, see Usage.
type counts struct {
	Prompt     int64  `json:"prompt_tokens"`
	Completion int64  `json:"completion_tokens"`
	Total      *int64 `json:"total_tokens"`
	PromptBy   struct {
		Cached int64 `json:"cached_tokens"`
		Audio  int64 `json:"audio_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionBy struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

// Usage takes the overlapping counts of an answer's usage apart; nil for none.
//
// Google's compatible endpoint counts thoughts in the total only: what the total
// has beyond prompt and completion is reasoning. Where it names them as well they
// stand beside the completion, not in it; where it does not, they are derived, and
// said to be. A total that is less than its parts contradicts them, and the
// ledger flags that.
func Usage(raw json.RawMessage) (*llm.Usage, error) {
	if raw == nil {
		return nil, nil
	}
	var c counts
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	cached, audio, thinking := max(0, c.PromptBy.Cached), max(0, c.PromptBy.Audio), max(0, c.CompletionBy.Reasoning)
	u := &llm.Usage{
		InputUncached: max(0, c.Prompt-cached-audio),
		InputCached:   cached,
		InputAudio:    audio,
		Output:        max(0, c.Completion-thinking),
		Thinking:      thinking,
		Total:         c.Total,
	}
	beyond := int64(0)
	if c.Total != nil {
		beyond = *c.Total - c.Prompt - c.Completion
	}
	switch {
	case beyond <= 0:
	case thinking == 0:
		u.Thinking, u.Derived = beyond, true
	case beyond == thinking:
		u.Output = max(0, c.Completion)
	}
	return u, nil
}
