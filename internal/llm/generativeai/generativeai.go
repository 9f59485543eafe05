// Package generativeai is the llm.Generator on Google's Gemini API by
// github.com/google/generative-ai-go, for those who chose that library. It and
// google.golang.org/api have no other importer. The library has not been
// supported since August 2025; package gemini is the default.
//
// What the library lacks and the wire has is read from the body as it came: the
// whole account of usage (the library drops thoughts and tools, which can be
// nearly all of a bill), also that of a refused prompt, the model that answered,
// the id of the answer, and which parts are thoughts. What it cannot say to the
// provider Lacks declares: a budget for thinking, and most of a schema.
//
// One Generate is one HTTP request: the retries hidden in the library end at
// package wire. With an HTTP client of ours the library sends no key, so we do,
// in the header and not in the URL.
package generativeai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/generative-ai-go/genai"
	"google.golang.org/api/option"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// DefaultBaseURL is Google's endpoint.
const DefaultBaseURL = "https://generativelanguage.googleapis.com"

// Generator asks Gemini models. It is safe for concurrent use.
type Generator struct {
	client *genai.Client
	key    string
}

var (
	_ llm.Generator = (*Generator)(nil)
	_ llm.Lacking   = (*Generator)(nil)
)

// Open makes a Generator for an API key. An empty base URL means
// DefaultBaseURL. Nothing is sent until Generate.
func Open(ctx context.Context, apiKey, baseURL string) (*Generator, error) {
	if baseURL == "" {
		baseURL = DefaultBaseURL
	}
	if err := errors.Join(wire.CheckKey(apiKey), wire.CheckURL(baseURL)); err != nil {
		return nil, fmt.Errorf("generativeai: %w", err)
	}
	client, err := genai.NewClient(ctx,
		option.WithAPIKey(apiKey), option.WithEndpoint(strings.TrimRight(baseURL, "/")),
		option.WithHTTPClient(wire.Client(func(r *http.Request) { r.Header.Set("X-Goog-Api-Key", apiKey) })))
	if err != nil {
		return nil, errors.New("generativeai: the library refuses the configuration")
	}
	return &Generator{client, apiKey}, nil
}

// Lacks implements llm.Lacking.
func (*Generator) Lacks() []llm.Lack { return []llm.Lack{llm.LacksThinkingBudget, llm.LacksSchema} }

// Format prints the name only: the library's client holds the key.
func (g *Generator) Format(s fmt.State, _ rune) { _, _ = fmt.Fprint(s, "generativeai") }

// Generate implements llm.Generator.
func (g *Generator) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	model, err := g.model(r)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.Rejected, Unbilled: true, Msg: "the request's schema is not JSON", Cause: err}
	}
	var x wire.Exchange
	out, err := model.GenerateContent(x.In(ctx), parts(r.User)...)
	var blocked *genai.BlockedError
	if err != nil && !errors.As(err, &blocked) {
		return llm.Response{}, x.Failure(ctx, err, g.key)
	}
	return respond(out, blocked, &x)
}

func (g *Generator) model(r llm.Request) (*genai.GenerativeModel, error) {
	m := g.client.GenerativeModel(r.Model)
	m.SetMaxOutputTokens(int32(min(r.OutputLimit(), 1<<30))) //nolint:gosec // bounded
	if r.System != "" {
		m.SystemInstruction = genai.NewUserContent(genai.Text(r.System))
	}
	if r.Temperature != nil {
		m.SetTemperature(float32(*r.Temperature))
	}
	if r.Schema == nil {
		return m, nil
	}
	schema, err := reduce(r.Schema)
	m.ResponseMIMEType, m.ResponseSchema = "application/json", schema
	return m, err
}

func parts(list []llm.Part) []genai.Part {
	out := make([]genai.Part, len(list))
	for i, p := range list {
		if p.IsImage() {
			out[i] = genai.Blob{MIMEType: p.MIME, Data: p.Data}
			continue
		}
		out[i] = genai.Text(p.Text)
	}
	return out
}

// told is what the wire has and the library does not.
type told struct {
	ModelVersion, ResponseID string
	Candidates               []struct {
		Content struct{ Parts []*struct{ Thought bool } }
	}
}

func respond(out *genai.GenerateContentResponse, blocked *genai.BlockedError, x *wire.Exchange) (llm.Response, error) {
	unreadable := &llm.Error{Kind: llm.Unavailable, Status: x.Status, Msg: "the answer's usage cannot be read"}
	var t told
	if err := json.Unmarshal(x.Body, &t); err != nil {
		return llm.Response{}, unreadable
	}
	resp := llm.Response{
		RawUsage: x.Account("usageMetadata"),
		Model:    wire.Name(strings.TrimPrefix(t.ModelVersion, "models/")),
		ID:       wire.Name(t.ResponseID),
		Finish:   llm.Refused,
	}
	var err error
	if resp.Usage, resp.ServiceTier, err = wire.GeminiUsage(resp.RawUsage); err != nil {
		return llm.Response{}, unreadable
	}
	if blocked == nil {
		resp.Text, resp.Finish = text(out, t), finish(out)
	}
	return resp, nil
}

// text is the answer without the model's thoughts, which the library gives out
// as if they were part of it.
func text(r *genai.GenerateContentResponse, t told) string {
	if len(r.Candidates) == 0 || r.Candidates[0].Content == nil {
		return ""
	}
	var b strings.Builder
	for i, p := range r.Candidates[0].Content.Parts {
		if s, ok := p.(genai.Text); ok && !t.thought(i) {
			b.WriteString(string(s))
		}
	}
	return b.String()
}

func (t told) thought(part int) bool {
	if len(t.Candidates) == 0 || part >= len(t.Candidates[0].Content.Parts) {
		return false
	}
	p := t.Candidates[0].Content.Parts[part]
	return p != nil && p.Thought
}

// Reasons to finish the library has no names for, by their numbers.
const (
	blocklist         genai.FinishReason = 7
	prohibitedContent genai.FinishReason = 8
	spii              genai.FinishReason = 9
)

func finish(r *genai.GenerateContentResponse) llm.Finish {
	if len(r.Candidates) == 0 {
		return llm.Other
	}
	switch r.Candidates[0].FinishReason {
	case genai.FinishReasonStop:
		return llm.Stop
	case genai.FinishReasonMaxTokens:
		return llm.MaxTokens
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, blocklist, prohibitedContent, spii:
		return llm.Refused
	}
	return llm.Other
}
