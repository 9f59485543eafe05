// Package openai is the llm.Generator on OpenAI's chat completions and the llm.Embedder on
// its embeddings, by github.com/openai/openai-go/v3. It is the only importer of that library.
// Whatever speaks the same protocol can be asked: OpenAI, Azure, Ollama, vLLM,
// Google's and Anthropic's compatible endpoints.
//
// One Generate, or Embed, is one HTTP request: the library's retries are off and it reads
// nothing from the environment. The library only sends; what came is read here. The
// API key is in no error and no printout.
//
// OpenAI itself is asked in strict mode, where an answer cannot but follow the
// schema; other endpoints get the schema as it is, less the words some refuse,
// and the limit under its older name, which all of them know.
//
// Not supported: streaming, tools, audio, the Responses API.
package openai

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

// DefaultBaseURL is OpenAI's endpoint.
const DefaultBaseURL = "https://api.openai.com/v1/"

// Options of a Generator.
type Options struct {
	// APIKey may be empty for endpoints that need none, such as Ollama and vLLM.
	APIKey string
	// BaseURL is the URL before /chat/completions; empty means DefaultBaseURL.
	BaseURL string
	// Compatible: the endpoint is not OpenAI's own. See IsOpenAI.
	Compatible bool
}

// IsOpenAI reports whether a base URL is OpenAI's or that of its models on Azure. An
// empty one is.
func IsOpenAI(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return base == "" || host == "api.openai.com" || strings.HasSuffix(host, ".api.openai.com") || strings.HasSuffix(host, ".openai.azure.com")
}

// Generator asks models behind one endpoint, and makes vectors there. It is safe for concurrent use.
type Generator struct {
	chat       openai.ChatCompletionService
	embeddings openai.EmbeddingService
	key        string
	compatible bool
}

var (
	_ llm.Generator = (*Generator)(nil)
	_ llm.Lacking   = (*Generator)(nil)
)

// Open returns a Generator. Nothing is sent until Generate.
func Open(o Options) (*Generator, error) {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	if err := wire.CheckURL(o.BaseURL); err != nil {
		return nil, fmt.Errorf("openai: %w", err)
	}
	g := &Generator{key: o.APIKey, compatible: o.Compatible}
	options := []option.RequestOption{
		option.WithBaseURL(o.BaseURL), option.WithMaxRetries(0), option.WithHTTPClient(wire.Client(nil)),
	}
	if o.APIKey != "" || !o.Compatible {
		if err := wire.CheckKey(o.APIKey); err != nil {
			return nil, fmt.Errorf("openai: %w", err)
		}
		options = append(options, option.WithAPIKey(o.APIKey))
	}
	g.chat, g.embeddings = openai.NewChatCompletionService(options...), openai.NewEmbeddingService(options...)
	return g, nil
}

// Lacks implements llm.Lacking.
func (*Generator) Lacks() []llm.Lack {
	return []llm.Lack{llm.LacksThinkingBudget, llm.LacksToolMeter}
}

// Format prints only the name, since the library's options hold the key.
func (g *Generator) Format(s fmt.State, _ rune) { _, _ = fmt.Fprint(s, "openai") }

// Generate implements llm.Generator.
func (g *Generator) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	params, err := g.params(r)
	if err != nil {
		return llm.Response{}, &llm.Error{Kind: llm.Rejected, Unbilled: true, Msg: "the request's schema is not JSON", Cause: err}
	}
	var x wire.Exchange
	_, err = g.chat.New(x.In(ctx), params)
	m, whole := x.Members()
	account := m.Of("usage")
	resp := llm.Response{
		Usage:       Usage(account, int64(r.OutputLimit())),
		RawUsage:    wire.Kept(account),
		Model:       wire.Name(m.Text("model")),
		ID:          wire.Name(m.Text("id")),
		ServiceTier: wire.Name(m.Text("service_tier")),
	}
	resp.Text, resp.Finish = answer(m)
	if !x.Answered() || !whole && m.Of("choices") == nil || resp.Text == "" && x.HoldsError() {
		return llm.Response{}, wire.Used(g.failure(ctx, err, &x), resp.Usage, account)
	}
	return resp, nil
}

// failure recognises two refusals that share a status with others: an account without
// credit does not recover by waiting, and a filtered prompt is no fault of the
// configuration.
func (g *Generator) failure(ctx context.Context, err error, x *wire.Exchange) *llm.Error {
	e := x.Failure(ctx, err, g.key)
	if !e.Unbilled || e.Status == 0 {
		return e
	}
	switch x.Refusal().Code {
	case "insufficient_quota":
		e.Kind, e.RetryAfter = llm.Rejected, 0
	case "content_filter", "content_policy_violation":
		e.Kind = llm.Blocked
	}
	return e
}

func (g *Generator) params(r llm.Request) (openai.ChatCompletionNewParams, error) {
	p := openai.ChatCompletionNewParams{Model: r.Model}
	if r.System != "" {
		p.Messages = append(p.Messages, openai.SystemMessage(r.System))
	}
	p.Messages = append(p.Messages, userMessage(r.User))
	if limit := param.NewOpt(int64(r.OutputLimit())); g.compatible {
		p.MaxTokens = limit
	} else {
		p.MaxCompletionTokens = limit
	}
	if r.Temperature != nil {
		p.Temperature = param.NewOpt(*r.Temperature)
	}
	if r.Schema == nil {
		return p, nil
	}
	schema, strict, err := reduce(r.Schema, !g.compatible)
	if err != nil {
		return p, err
	}
	name := r.SchemaName
	if name == "" {
		name = "answer"
	}
	p.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{
		JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: name, Schema: schema, Strict: param.NewOpt(strict)},
	}
	return p, nil
}

// userMessage is plain text if possible: some servers of text models accept no list
// of parts.
func userMessage(parts []llm.Part) openai.ChatCompletionMessageParamUnion {
	if len(parts) == 1 && !parts[0].IsImage() {
		return openai.UserMessage(parts[0].Text)
	}
	out := make([]openai.ChatCompletionContentPartUnionParam, len(parts))
	for i, p := range parts {
		if !p.IsImage() {
			out[i] = openai.TextContentPart(p.Text)
			continue
		}
		data := "data:" + p.MIME + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
		out[i] = openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: data})
	}
	return openai.UserMessage(out)
}
