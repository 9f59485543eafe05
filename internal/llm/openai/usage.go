package openai

import (
	"encoding/json"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// counts is the billed usage of a chat completion, or of an embedding, which has only
// prompt and total. As OpenAI reports it, prompt includes cached and audio tokens,
// and completion includes reasoning.
type counts struct {
	prompt, completion, total, cached, audio, reasoning wire.Count
	// unclear: the usage has something that cannot be read or priced.
	unclear bool
}

// Usage takes the overlapping counts of an answer's usage apart. Both spellings of
// the counts are read: prompt_tokens and completion_tokens, input_tokens and
// output_tokens. outputLimit is the most the answer could take.
//
// It is nil where nothing is counted, or the prompt or the completion cannot be
// read. Parts of them that cannot be read, or that contradict them, make the account
// unclear.
//
// Google's compatible endpoint counts thoughts in the total only: what the total
// has beyond prompt and completion is reasoning. Where it names them as well they
// stand beside the completion, not in it; where it does not, they are derived, and
// said to be. A total that is less than its parts, or more than the answer could
// take, contradicts them, and the ledger flags that.
func Usage(account json.RawMessage, outputLimit int64) *llm.Usage {
	m, _ := wire.ReadMembers(account)
	c := read(m)
	if c.prompt.Lost() || c.completion.Lost() || !c.prompt.Said && !c.completion.Said {
		return nil
	}
	cached, audio, thinking := c.cached.Tokens, c.audio.Tokens, c.reasoning.Tokens
	u := &llm.Usage{
		InputUncached: max(0, c.prompt.Tokens-cached-audio),
		InputCached:   cached,
		InputAudio:    audio,
		Output:        max(0, c.completion.Tokens-thinking),
		Thinking:      thinking,
		Unclear:       c.unclear || cached+audio > c.prompt.Tokens,
	}
	if !c.total.Said {
		if thinking > c.completion.Tokens { // then it cannot be a part of it
			u.Output, u.Unclear = c.completion.Tokens, true
		}
		return u
	}
	u.Total = &c.total.Tokens
	switch beyond := c.total.Tokens - c.prompt.Tokens - c.completion.Tokens; {
	case beyond <= 0:
	case thinking == 0 && c.completion.Tokens+beyond <= outputLimit:
		u.Thinking, u.Derived = beyond, true
	case beyond == thinking:
		u.Output = c.completion.Tokens
	}
	return u
}

func read(m wire.Members) counts {
	c := counts{
		prompt:     m.Count("prompt_tokens", "input_tokens"),
		completion: m.Count("completion_tokens", "output_tokens"),
		total:      m.Count("total_tokens"),
	}
	of := [2]wire.Members{}
	for i, names := range [2][2]string{
		{"prompt_tokens_details", "input_tokens_details"}, {"completion_tokens_details", "output_tokens_details"},
	} {
		for _, name := range names {
			if raw := m.Of(name); raw != nil {
				inner, whole := wire.ReadMembers(raw)
				c.unclear = c.unclear || !whole
				if inner != nil {
					of[i] = inner
				}
			}
		}
	}
	c.cached, c.audio = of[0].Count("cached_tokens"), of[0].Count("audio_tokens")
	c.reasoning = of[1].Count("reasoning_tokens")
	if !c.cached.Said { // DeepSeek, Moonshot and Anthropic have it beside the prompt
		c.unclear = c.unclear || c.cached.Unclear
		c.cached = m.Count("prompt_cache_hit_tokens", "cached_tokens", "cache_read_input_tokens")
	}
	written := m.Count("cache_creation_input_tokens")
	if m.Of("prompt_tokens") == nil && c.total.Tokens != c.prompt.Tokens+c.completion.Tokens {
		// Anthropic's input_tokens are what is neither read from the cache nor written
		// to it. Writing has a price of its own, and no meter here.
		c.prompt.Tokens += m.Count("cache_read_input_tokens").Tokens + written.Tokens
		c.unclear = c.unclear || written.Tokens > 0
	}
	for _, n := range []wire.Count{c.prompt, c.completion, c.total, c.cached, c.audio, c.reasoning, written} {
		c.unclear = c.unclear || n.Unclear
	}
	return c
}
