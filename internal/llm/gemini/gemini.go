// Package gemini is the llm.Generator on Google's Gemini API, by
// google.golang.org/genai. It is the only importer of that library.
//
// One Generate is one HTTP request: the library's automatic continuation (on
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
	"net/http"
	"net/url"
	"strings"

	"google.golang.org/genai"

	"github.com/stepledger/stepledger/internal/llm"
)

// DefaultBaseURL is Google's endpoint.
const DefaultBaseURL = "https://generativelanguage.googleapis.com/"

// Generator asks Gemini models. It is safe for concurrent use.
type Generator struct {
	client *genai.Client
	key    string
}

var _ llm.Generator = (*Generator)(nil)

// Open makes a Generator for an API key. An empty base URL means
// DefaultBaseURL. Nothing is sent until Generate.
func Open(ctx context.Context, apiKey, baseURL string) (*Generator, error) {
	if apiKey == "" || strings.ContainsFunc(apiKey, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("gemini: the API key is empty or holds characters no key has")
	}
	if baseURL == "" {
		baseURL = DefaultBaseURL // else the library asks the environment
	}
	if u, err := url.Parse(baseURL); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("gemini: the base URL is no absolute http(s) URL")
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:      apiKey,
		Backend:     genai.BackendGeminiAPI,
		HTTPClient:  httpClient(),
		HTTPOptions: genai.HTTPOptions{BaseURL: baseURL},
	})
	if err != nil {
		// The library prints its whole configuration, key included.
		return nil, errors.New("gemini: the library refuses the configuration")
	}
	return &Generator{client, apiKey}, nil
}

// httpClient follows no redirects: the key header would go along to whatever
// host they name.
func httpClient() *http.Client {
	return &http.Client{
		Transport:     tee{http.DefaultTransport.(*http.Transport).Clone()},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Format prints the name only: the library's client holds the key.
func (g *Generator) Format(s fmt.State, _ rune) { _, _ = fmt.Fprint(s, "gemini") }

// Generate implements llm.Generator.
func (g *Generator) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	config, err := configOf(r)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.Rejected, Unbilled: true, Msg: "the request's schema is not JSON", Cause: err}
	}
	var x exchange
	out, err := g.client.Models.GenerateContent(x.in(ctx), r.Model, contents(r.User), config)
	if err != nil {
		return llm.Response{}, g.errorOf(ctx, err, x)
	}
	resp := llm.Response{
		Text:     text(out),
		Finish:   finish(out),
		RawUsage: x.usage,
		Model:    short(strings.TrimPrefix(out.ModelVersion, "models/")),
		ID:       short(out.ResponseID),
	}
	resp.Usage, err = usageOf(x.usage)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.Unavailable, Status: x.status, Msg: "the answer's usage cannot be read"}
	}
	return resp, nil
}

// short keeps names that go into the ledger to a length names have.
func short(name string) string { return name[:min(len(name), 200)] }

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

// text is the answer without the model's thoughts.
func text(r *genai.GenerateContentResponse) string {
	if len(r.Candidates) == 0 || r.Candidates[0].Content == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range r.Candidates[0].Content.Parts {
		if p != nil && !p.Thought {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func finish(r *genai.GenerateContentResponse) llm.Finish {
	if len(r.Candidates) == 0 {
		if r.PromptFeedback != nil && r.PromptFeedback.BlockReason != "" {
			return llm.Refused
		}
		return llm.Other
	}
	switch r.Candidates[0].FinishReason {
	case genai.FinishReasonStop:
		return llm.Stop
	case genai.FinishReasonMaxTokens, genai.FinishReasonContinuation:
		return llm.MaxTokens
	case genai.FinishReasonSafety, genai.FinishReasonRecitation, genai.FinishReasonBlocklist,
		genai.FinishReasonProhibitedContent, genai.FinishReasonSPII:
		return llm.Refused
	}
	return llm.Other
}
