// Package gemini is the llm.Generator and llm.Embedder on Google's Gemini API, by
// google.golang.org/genai. It is the only importer of that library.
//
// One Generate, or Embed, is one HTTP request: the library's automatic continuation (on
// by default, and summing the usage of its hops) and its retries are off. The
// usage is read from the body as it came, since the library's types cannot
// tell a count of zero from none. The API key is in no error and no printout.
//
// Not supported: streaming, tools, Vertex AI, cached contents.
package gemini

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/genai"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// DefaultBaseURL is Google's endpoint.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/"

// Generator asks Gemini models, and makes vectors. It is safe for concurrent use.
type Generator struct {
	client *genai.Client
	key    string
}

var _ llm.Generator = (*Generator)(nil)

// Open returns a Generator for an API key. An empty base URL means DefaultBaseURL.
// Nothing is sent until Generate.
func Open(ctx context.Context, apiKey, baseURL string) (*Generator, error) {
	if err := wire.CheckKey(apiKey); err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	if baseURL == "" {
		baseURL = DefaultBaseURL // else the library asks the environment
	}
	if err := wire.CheckURL(baseURL); err != nil {
		return nil, fmt.Errorf("gemini: %w", err)
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      apiKey,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  wire.Client(nil),
		HTTPOptions: genai.HTTPOptions{BaseURL: baseURL},
	})
	if err != nil {
		// The library's error would contain its whole configuration with the key.
		return nil, errors.New("gemini: the library refuses the configuration")
	}
	return &Generator{client, apiKey}, nil
}

// Format prints only the name, since the library's client holds the key.
func (g *Generator) Format(s fmt.State, _ rune) { _, _ = fmt.Fprint(s, "gemini") }

// Generate implements llm.Generator.
func (g *Generator) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	config, err := configOf(r)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.Rejected, Unbilled: true, Msg: "the request's schema is not JSON", Cause: err}
	}
	var x wire.Exchange
	_, err = g.client.Models.GenerateContent(x.In(ctx), r.Model, contents(r.User), config)
	return x.Gemini(ctx, err, g.key)
}

func configOf(r llm.Request) (*genai.GenerateContentConfig, error) {
	c := &genai.GenerateContentConfig{
		AutomaticContinuation: genai.Ptr(false),
		MaxOutputTokens:       int32(min(r.OutputLimit(), 1<<30)), //nolint:gosec // bounded
	}
	if r.System != "" {
		c.SystemInstruction = genai.NewContentFromText(r.System, genai.RoleUser)
	}
	if r.Temperature != nil {
		c.Temperature = genai.Ptr(float32(*r.Temperature))
	}
	if r.ThinkingBudget != nil {
		c.ThinkingConfig = &genai.ThinkingConfig{ThinkingBudget: genai.Ptr(int32(*r.ThinkingBudget))} //nolint:gosec // thousands
	}
	if r.Schema == nil {
		return c, nil
	}
	schema, err := reduce(r.Schema)
	if err != nil {
		return nil, err
	}
	c.ResponseMIMEType, c.ResponseJsonSchema = "application/json", schema
	return c, nil
}

func contents(parts []llm.Part) []*genai.Content {
	out := make([]*genai.Part, 0, len(parts))
	for _, p := range parts {
		if len(p.Data) > 0 {
			out = append(out, genai.NewPartFromBytes(p.Data, p.MIME))
			continue
		}
		out = append(out, genai.NewPartFromText(p.Text))
	}
	return []*genai.Content{genai.NewContentFromParts(out, genai.RoleUser)}
}
