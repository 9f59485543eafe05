package wire

import (
	"encoding/json"

	"github.com/stepledger/stepledger/internal/llm"
)

// counts is Gemini's usageMetadata as far as it is billed. The prompt count
// includes cached tokens and every modality; tool results, candidates and
// thoughts stand beside it.
type counts struct {
	Prompt     int64      `json:"promptTokenCount"`
	Cached     int64      `json:"cachedContentTokenCount"`
	Tool       int64      `json:"toolUsePromptTokenCount"`
	Candidates int64      `json:"candidatesTokenCount"`
	Thoughts   int64      `json:"thoughtsTokenCount"`
	Total      *int64     `json:"totalTokenCount"`
	PromptBy   modalities `json:"promptTokensDetails"`
	CachedBy   modalities `json:"cacheTokensDetails"`
	Tier       any        `json:"serviceTier"` // a word; a number says nothing to us
}

type modalities []struct {
	Modality any   `json:"modality"` // a word, or the number some ask for
	Tokens   int64 `json:"tokenCount"`
}

// audioNumber is AUDIO in Gemini's enumeration of modalities.
const audioNumber = 4.0

func (m modalities) audio() int64 {
	var n int64
	for _, d := range m {
		if d.Modality == "AUDIO" || d.Modality == audioNumber {
			n += d.Tokens
		}
	}
	return n
}

// GeminiUsage takes the overlapping counts of Gemini's usageMetadata apart, and
// gives the service tier beside them; nil for none. Counts that contradict each other (more cached than sent) give zero
// on the meter at fault, so that the meters no longer add up to the total, which
// the ledger flags.
func GeminiUsage(raw json.RawMessage) (u *llm.Usage, tier string, err error) {
	if raw == nil {
		return nil, "", nil
	}
	var c counts
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, "", err
	}
	tier, _ = c.Tier.(string)
	audio := max(0, c.PromptBy.audio()-c.CachedBy.audio())
	return &llm.Usage{
		InputUncached: max(0, c.Prompt-c.Cached-audio),
		InputCached:   max(0, c.Cached),
		InputTool:     max(0, c.Tool),
		InputAudio:    audio,
		Output:        max(0, c.Candidates),
		Thinking:      max(0, c.Thoughts),
		Total:         c.Total,
	}, Name(tier), nil
}
