package wire

import (
	"encoding/json"

	"github.com/stepledger/stepledger/internal/llm"
)

// GeminiUsage separates the overlapping counts of Gemini's usageMetadata and returns
// the service tier. The prompt count includes cached tokens and every modality; tool
// results, candidates and thoughts are separate. A count of zero may be missing.
//
// It returns nil if there are no counts, or if one of the separate counts cannot be
// read. Parts of the prompt that cannot be read or contradict it make the usage
// unclear.
func GeminiUsage(account json.RawMessage) (u *llm.Usage, tier string) {
	m, _ := ReadMembers(account)
	tier = Name(m.Text("serviceTier")) // a word; a number says nothing to us
	prompt, tool := m.Count("promptTokenCount"), m.Count("toolUsePromptTokenCount")
	candidates, thoughts := m.Count("candidatesTokenCount"), m.Count("thoughtsTokenCount")
	if prompt.Lost() || tool.Lost() || candidates.Lost() || thoughts.Lost() || !prompt.Said && !candidates.Said && !thoughts.Said {
		return nil, tier
	}
	cached, total := m.Count("cachedContentTokenCount"), m.Count("totalTokenCount")
	sent, fromCache := m.audio("promptTokensDetails"), m.audio("cacheTokensDetails")
	audio := max(0, sent.Tokens-fromCache.Tokens)
	u = &llm.Usage{
		InputUncached: max(0, prompt.Tokens-cached.Tokens-audio),
		InputCached:   cached.Tokens,
		InputTool:     tool.Tokens,
		InputAudio:    audio,
		Output:        candidates.Tokens,
		Thinking:      thoughts.Tokens,
		Unclear: cached.Unclear || total.Unclear || sent.Unclear || fromCache.Unclear ||
			cached.Tokens+audio > prompt.Tokens || fromCache.Tokens > sent.Tokens,
	}
	if total.Said {
		u.Total = &total.Tokens
	}
	return u, tier
}

// audio is the audio part of a list of modalities.
func (m Members) audio(name string) (sum Count) {
	if m.Of(name) == nil {
		return sum
	}
	list := m.List(name)
	sum.Unclear = list == nil
	for _, raw := range list {
		part, _ := ReadMembers(raw)
		n := part.Count("tokenCount")
		sum.Unclear = sum.Unclear || part == nil || n.Unclear
		switch string(part.Of("modality")) {
		case `"AUDIO"`, audioNumber:
			sum.Tokens += n.Tokens
		}
	}
	if sum.Tokens > maxTokens {
		return Count{Unclear: true}
	}
	return sum
}

// audioNumber is AUDIO in Gemini's enumeration of modalities.
const audioNumber = "4"
