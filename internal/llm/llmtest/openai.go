package llmtest

import (
	"encoding/base64"
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

// NewOpenAI starts a server that speaks OpenAI's chat completions; it stops
// with the test. It is as strict about schemas as the original, and refuses with
// its words.
func NewOpenAI(t testing.TB, s Script) *Server {
	t.Helper()
	return newServer(t, openAI{}, s)
}

type openAI struct{}

func (openAI) read(r *http.Request, body []byte) (llm.Request, error) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		return llm.Request{}, fmt.Errorf("the path is %s", r.URL.Path)
	}
	var b struct {
		Model    string
		Messages []struct {
			Role    string
			Content json.RawMessage
		}
		Temperature         *float64
		MaxTokens           int `json:"max_tokens"`
		MaxCompletionTokens int `json:"max_completion_tokens"`
		ResponseFormat      *struct {
			Type       string
			JSONSchema struct {
				Name   string
				Strict bool
				Schema json.RawMessage
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return llm.Request{}, err
	}
	q := llm.Request{Model: b.Model, Temperature: b.Temperature, MaxOutputTokens: b.MaxTokens + b.MaxCompletionTokens}
	if b.MaxTokens != 0 && b.MaxCompletionTokens != 0 {
		return q, errors.New("both limits are set")
	}
	for _, m := range b.Messages {
		parts, err := openAIParts(m.Content)
		switch {
		case err != nil:
			return q, err
		case m.Role == "system" && len(parts) == 1:
			q.System = parts[0].Text
		case m.Role == "user" && q.User == nil:
			q.User = parts
		default:
			return q, fmt.Errorf("a message of %s", m.Role)
		}
	}
	f := b.ResponseFormat
	if f == nil {
		return q, nil
	}
	q.Schema, q.SchemaName = f.JSONSchema.Schema, f.JSONSchema.Name
	if f.Type != "json_schema" || q.SchemaName == "" {
		return q, errors.New("a format without a named schema")
	}
	if f.JSONSchema.Strict {
		return q, strict(q.Schema)
	}
	return q, nil
}

func openAIParts(raw json.RawMessage) ([]llm.Part, error) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return llm.Text(text), nil
	}
	var list []struct {
		Type, Text string
		ImageURL   struct{ URL string } `json:"image_url"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var out []llm.Part
	for _, p := range list {
		if p.Type == "text" {
			out = append(out, llm.Part{Text: p.Text})
			continue
		}
		mime, data, ok := strings.Cut(strings.TrimPrefix(p.ImageURL.URL, "data:"), ";base64,")
		b, err := base64.StdEncoding.DecodeString(data)
		if p.Type != "image_url" || !ok || err != nil {
			return nil, fmt.Errorf("a part of type %s that is no image", p.Type)
		}
		out = append(out, llm.Part{MIME: mime, Data: b})
	}
	return out, nil
}

// strict refuses what the original's strict mode does: objects that may have
// other properties or need not have theirs, values of no type, words it does not
// know (https://platform.openai.com/docs/guides/structured-outputs).
func strict(raw json.RawMessage) error {
	var s map[string]any
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if s["type"] != "object" {
		return errors.New(`schema must have type "object"`)
	}
	return strictPart(s)
}

func strictPart(s map[string]any) error {
	if s["type"] == nil && s["anyOf"] == nil && s["$ref"] == nil && s["enum"] == nil {
		return errors.New(`schema must have a "type" key`)
	}
	for _, word := range []string{"oneOf", "allOf", "not", "if", "patternProperties", "const", "minLength", "default"} {
		if s[word] != nil {
			return fmt.Errorf("%q is not permitted", word)
		}
	}
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	switch {
	case s["type"] != "object":
	case s["additionalProperties"] != false:
		return errors.New(`"additionalProperties" is required to be supplied and to be false`)
	case len(required) != len(properties):
		return errors.New(`"required" is required to be supplied and to be an array including every key in properties`)
	}
	parts := slices.Collect(maps.Values(properties))
	if list, ok := s["anyOf"].([]any); ok {
		parts = append(parts, list...)
	}
	if items, ok := s["items"]; ok {
		parts = append(parts, items)
	}
	for _, p := range parts {
		sub, _ := p.(map[string]any)
		if err := strictPart(sub); err != nil {
			return err
		}
	}
	return nil
}

func (openAI) refusal(s Step, h http.Header) any {
	retryHeader(s, h)
	return map[string]any{"error": map[string]any{
		"message": s.Message, "type": "error", "param": nil, "code": openAICode[s.Status],
	}}
}

var openAICode = map[int]string{401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}

func (openAI) answer(s Step, _ *http.Request, model string) any {
	message := map[string]any{"role": "assistant", "content": s.Text}
	if s.BlockPrompt {
		message["content"], message["refusal"] = nil, "I cannot help with that."
	}
	out := map[string]any{
		"id": "response", "object": "chat.completion", "created": 1, "model": model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": openAIFinish(s)}},
	}
	if u := s.usage(); u != nil {
		out["usage"] = openAIUsage(*u)
	}
	if s.Account != nil {
		out["usage"] = s.Account
	}
	if s.ServiceTier != "" {
		out["service_tier"] = s.ServiceTier
	}
	return out
}

func openAIFinish(s Step) string {
	if s.BlockPrompt {
		return "stop" // beside the refusal
	}
	return map[llm.Finish]string{
		llm.Stop: "stop", llm.MaxTokens: "length", llm.Refused: "content_filter", llm.Other: "another",
	}[s.finish()]
}

// openAIUsage puts the meters back into OpenAI's overlapping counts; what its own
// tools fed back is a part of the prompt there.
func openAIUsage(u llm.Usage) map[string]any {
	out := map[string]any{
		"prompt_tokens":     u.Input(),
		"completion_tokens": u.Outputs(),
		"prompt_tokens_details": map[string]any{
			"cached_tokens": u.InputCached, "audio_tokens": u.InputAudio,
		},
		"completion_tokens_details": map[string]any{
			"reasoning_tokens": u.Thinking, "audio_tokens": 0, "accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0,
		},
	}
	if u.Total != nil {
		out["total_tokens"] = *u.Total
	}
	return out
}
