package wire

import (
	"context"
	"strings"

	"github.com/stepledger/stepledger/internal/llm"
)

// Gemini reads the answer of a generateContent. err is the library's error; secret
// must not be in any message. Text and usage are read independently of each other and
// without the library.
func (x *Exchange) Gemini(ctx context.Context, err error, secret string) (llm.Response, error) {
	m, whole := x.Members()
	account := m.Of("usageMetadata")
	u, tier := GeminiUsage(account)
	first := m.First("candidates")
	r := llm.Response{
		Text: geminiText(first), Finish: geminiFinish(m, first),
		Usage: u, RawUsage: Kept(account), ServiceTier: tier,
		Model: Name(strings.TrimPrefix(m.Text("modelVersion"), "models/")), ID: Name(m.Text("responseId")),
	}
	if !x.Answered() || !whole && m.Of("candidates") == nil || r.Text == "" && x.HoldsError() {
		return llm.Response{}, Used(x.Failure(ctx, err, secret), u, account)
	}
	return r, nil
}

// geminiText is the answer without the model's thoughts.
func geminiText(candidate Members) string {
	var b strings.Builder
	for _, raw := range candidate.Members("content").List("parts") {
		part, _ := ReadMembers(raw)
		if string(part.Of("thought")) != "true" {
			b.WriteString(part.Text("text"))
		}
	}
	return b.String()
}

// geminiFinish is why an answer ended, by the names or numbers of Gemini's
// enumeration; the libraries ask for either.
func geminiFinish(body, candidate Members) llm.Finish {
	if candidate == nil {
		switch why := string(body.Members("promptFeedback").Of("blockReason")); why {
		case "", "0", `""`:
			return llm.Other
		}
		return llm.Refused
	}
	reason := candidate.Text("finishReason")
	if reason == "" {
		reason = string(candidate.Of("finishReason"))
	}
	switch reason {
	case "STOP", "1":
		return llm.Stop
	case "MAX_TOKENS", "2", "CONTINUATION":
		return llm.MaxTokens
	case "SAFETY", "3", "RECITATION", "4", "BLOCKLIST", "7", "PROHIBITED_CONTENT", "8", "SPII", "9":
		return llm.Refused
	}
	return llm.Other
}
