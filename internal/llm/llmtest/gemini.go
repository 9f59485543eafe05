package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
)

// NewGemini starts a server that speaks generateContent; it stops with the
// test. Like the real one it takes both forms of a schema, and gives enums as
// numbers to who asks for that.
func NewGemini(t testing.TB, s Script) *Server {
	t.Helper()
	return newServer(t, gemini{}, s)
}

type gemini struct{}

func (gemini) read(r *http.Request, body []byte) (llm.Request, error) {
	model, ok := strings.CutSuffix(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], ":generateContent")
	if !ok {
		return llm.Request{}, fmt.Errorf("the path is %s", r.URL.Path)
	}
	var b struct {
		SystemInstruction struct{ Parts []geminiPart }
		Contents          []struct {
			Role  string
			Parts []geminiPart
		}
		GenerationConfig struct {
			Temperature        *float64
			MaxOutputTokens    int
			ResponseMimeType   string
			ResponseJSONSchema json.RawMessage
			ResponseSchema     json.RawMessage
			ThinkingConfig     struct{ ThinkingBudget *int }
		}
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return llm.Request{}, err
	}
	c := b.GenerationConfig
	q := llm.Request{
		Model: model, Temperature: c.Temperature, MaxOutputTokens: c.MaxOutputTokens, ThinkingBudget: c.ThinkingConfig.ThinkingBudget,
		Schema: c.ResponseJSONSchema,
	}
	if c.ResponseSchema != nil {
		q.Schema = c.ResponseSchema
	}
	if q.Schema != nil && c.ResponseMimeType != "application/json" {
		return q, errors.New("a schema needs the media type that goes with it")
	}
	if err := nonEmpty(q.Schema); err != nil {
		return q, err
	}
	for _, p := range b.SystemInstruction.Parts {
		q.System += p.Text
	}
	if len(b.Contents) != 1 || b.Contents[0].Role != "user" {
		return q, errors.New("there is not one content of the user")
	}
	for _, p := range b.Contents[0].Parts {
		q.User = append(q.User, llm.Part{Text: p.Text, MIME: p.InlineData.MIMEType, Data: p.InlineData.Data})
	}
	return q, nil
}

// nonEmpty refuses what Gemini refuses: an object of no properties.
func nonEmpty(schema json.RawMessage) error {
	var s struct {
		Properties map[string]json.RawMessage
		Items      json.RawMessage
		AnyOf      []json.RawMessage
	}
	_ = json.Unmarshal(schema, &s) // true, or none, has none of these
	if s.Properties != nil && len(s.Properties) == 0 {
		return errors.New("properties: should be non-empty for OBJECT type")
	}
	parts := append(slices.Collect(maps.Values(s.Properties)), s.AnyOf...)
	if s.Items != nil {
		parts = append(parts, s.Items)
	}
	for _, part := range parts {
		if err := nonEmpty(part); err != nil {
			return err
		}
	}
	return nil
}

type geminiPart struct {
	Text       string
	InlineData struct {
		MIMEType string
		Data     []byte
	}
}

func (gemini) refusal(s Step, _ http.Header) any {
	details := []any{}
	if s.RetryAfter > 0 {
		details = append(details,
			map[string]any{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": []any{}},
			map[string]any{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": fmt.Sprintf("%.9gs", s.RetryAfter.Seconds())})
	}
	return map[string]any{"error": map[string]any{
		"code": s.Status, "message": s.Message, "status": geminiStatus[s.Status], "details": details,
	}}
}

var geminiStatus = map[int]string{
	400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED",
}

// geminiEnum is a value of an enum in both its spellings.
type geminiEnum struct {
	name   string
	number int
}

func (e geminiEnum) wire(r *http.Request) any {
	if strings.Contains(r.URL.Query().Get("$alt"), "enum-encoding=int") {
		return e.number
	}
	return e.name
}

func (gemini) answer(s Step, r *http.Request, model string) any {
	out := map[string]any{"modelVersion": model, "responseId": "response"}
	if u := s.usage(); u != nil {
		account := geminiUsage(*u, r)
		if s.ServiceTier != "" {
			account["serviceTier"] = s.ServiceTier
		}
		out["usageMetadata"] = account
	}
	if s.Account != nil {
		out["usageMetadata"] = s.Account
	}
	if s.BlockPrompt {
		out["promptFeedback"] = map[string]any{"blockReason": geminiEnum{"SAFETY", 1}.wire(r)}
		return out
	}
	candidate := map[string]any{"index": 0, "finishReason": geminiFinish[s.finish()].wire(r)}
	if s.Text != "" {
		candidate["content"] = map[string]any{"role": "model", "parts": []any{
			map[string]any{"text": "what the model thought", "thought": true},
			map[string]any{"text": s.Text},
		}}
	}
	out["candidates"] = []any{candidate}
	return out
}

var geminiFinish = map[llm.Finish]geminiEnum{
	llm.Stop: {"STOP", 1}, llm.MaxTokens: {"MAX_TOKENS", 2}, llm.Refused: {"SAFETY", 3}, llm.Other: {"OTHER", 5},
}

// geminiUsage puts the meters back into Gemini's overlapping counts. Like the
// real service it leaves zeros out, the prompt's excepted.
func geminiUsage(u llm.Usage, r *http.Request) map[string]any {
	prompt := u.InputUncached + u.InputCached + u.InputAudio
	out := map[string]any{"promptTokenCount": prompt}
	put(out, "cachedContentTokenCount", u.InputCached)
	put(out, "toolUsePromptTokenCount", u.InputTool)
	put(out, "candidatesTokenCount", u.Output)
	put(out, "thoughtsTokenCount", u.Thinking)
	if u.Total != nil {
		out["totalTokenCount"] = *u.Total
	}
	details := []any{map[string]any{"modality": geminiEnum{"TEXT", 1}.wire(r), "tokenCount": prompt - u.InputAudio}}
	if u.InputAudio != 0 {
		details = append(details, map[string]any{"modality": geminiEnum{"AUDIO", 4}.wire(r), "tokenCount": u.InputAudio})
	}
	out["promptTokensDetails"] = details
	return out
}
