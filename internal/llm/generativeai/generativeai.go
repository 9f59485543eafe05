// Package generativeai is the llm.Generator on Google's Gemini API by
// github.com/google/generative-ai-go, for those who chose that library. It and
// google.golang.org/api have no other importer. The library has not been
// supported since August 2025; package gemini is the default.
//
// The library only sends; what came is read by package wire. The library would drop
// thoughts and tools from the account of usage, which can be nearly all of a bill,
// the whole account of a refused prompt, the model that answered, the id of the
// answer, and which parts are thoughts. What it cannot say to the provider Lacks
// declares: a budget for thinking, and most of a schema.
//
// One Generate is one HTTP request: the retries hidden in the library end at
// package wire. With an HTTP client of ours the library sends no key, so we do,
// in the header and not in the URL.
package generativeai

import (
	"context"
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

// Open returns a Generator for an API key. An empty base URL means DefaultBaseURL.
// Nothing is sent until Generate.
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

// Format prints only the name, since the library's client holds the key.
func (g *Generator) Format(s fmt.State, _ rune) { _, _ = fmt.Fprint(s, "generativeai") }

// Generate implements llm.Generator.
func (g *Generator) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	model, err := g.model(r)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.Rejected, Unbilled: true, Msg: "the request's schema is not JSON", Cause: err}
	}
	var x wire.Exchange
	_, err = model.GenerateContent(x.In(ctx), parts(r.User)...)
	return x.Gemini(ctx, err, g.key)
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
