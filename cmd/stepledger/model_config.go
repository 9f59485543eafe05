package main

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/llm/openai"
)

// modelsConfig says which models are asked, and how they are reached.
type modelsConfig struct {
	Gemini, OpenAI endpoint
	Smart, Fast    roleConfig
	Embedding      embeddingConfig
	// TextOnly are the names of models that take no images.
	TextOnly []string
	// Concurrent bounds the calls under way at one provider.
	Concurrent int
	// PageTokens is how much of a prompt a page may take.
	PageTokens int
}

// endpoint is where a provider is.
type endpoint struct {
	Key account.Secret
	URL string
	// PricedAs is the provider its models' prices are kept under.
	PricedAs string
}

func (p endpoint) configured() bool { return p.Key != "" || p.URL != "" }

// roleConfig is one of the two roles: the model asked first, the one asked when
// it cannot answer, and their temperature, nil for the provider's own.
type roleConfig struct {
	Model, Fallback modelConfig
	Temperature     temperature
}

// modelConfig is a model and the adapter it is asked by; zero is none.
type modelConfig struct{ Adapter, Name string }

// embeddingConfig is the model that makes vectors of what is known and of questions, and
// the length of vector it is asked for, 0 for its own.
type embeddingConfig struct {
	Model      modelConfig
	Dimensions int
}

func (c embeddingConfig) configured() bool { return c.Model.Adapter != "" }

// temperature prints as a number.
type temperature struct{ value *float64 }

func (t temperature) String() string {
	if t.value == nil {
		return "the provider's"
	}
	return fmt.Sprint(*t.value)
}

// The adapters.
const (
	byGemini       = "gemini"
	byGenerativeAI = "generativeai"
	byOpenAI       = "openai"
)

var adapters = []string{byGemini, byGenerativeAI, byOpenAI}

// Defaults of the model roles (spec §4.7.2). Names are configuration: models
// come and go.
const (
	defaultSmartModel    = "gemini-3.1-pro-preview"
	defaultSmartFallback = "gemini-2.5-pro"
	defaultFastModel     = "gemini-3.5-flash"
	defaultFastFallback  = "gemini-2.5-flash"
)

// defaultModels of a role by adapter: its own and its fallback.
var defaultModels = map[string]map[string][2]string{
	byGemini:       {"SMART": {defaultSmartModel, defaultSmartFallback}, "FAST": {defaultFastModel, defaultFastFallback}},
	byGenerativeAI: {"SMART": {defaultSmartModel, defaultSmartFallback}, "FAST": {defaultFastModel, defaultFastFallback}},
	byOpenAI:       {"SMART": {"gpt-4o", "gpt-4o-mini"}, "FAST": {"gpt-4o-mini", ""}},
}

// models reads what the environment says of models.
func (e *env) models() modelsConfig {
	c := modelsConfig{
		Gemini: endpoint{account.Secret(e.text("GEMINI_API_KEY", "")), e.text("GOOGLE_GEMINI_BASE_URL", ""), usage.Google},
		OpenAI: endpoint{
			account.Secret(e.text("OPENAI_API_KEY", "")), e.text("OPENAI_BASE_URL", ""), e.text("OPENAI_PRICED_AS", ""),
		},
		TextOnly:   e.list("TEXT_ONLY_MODELS"),
		Concurrent: e.count("STEPLEDGER_MODEL_CALLS", defaultModelCalls),
		PageTokens: e.pageTokens("STEPLEDGER_PAGE_TOKENS"),
	}
	c.OpenAI.PricedAs = cmp.Or(c.OpenAI.PricedAs, pricedAs(c.OpenAI.URL))
	c.Smart, c.Fast = e.role("SMART", 0.3, c), e.role("FAST", 0.7, c)
	c.Embedding = e.embedding(c)
	return c
}

const defaultModelCalls = 32

// maxPageTokens is what the smallest context windows hold.
const maxPageTokens = 100_000

func (e *env) pageTokens(name string) int {
	n := e.count(name, prompt.MaxTokens)
	if n < prompt.MinTokens || n > maxPageTokens {
		e.faults = append(e.faults, fmt.Errorf("%s: %d is not between %d and %d tokens", name, n, prompt.MinTokens, maxPageTokens))
	}
	return n
}

// pricedAs is the provider whose prices apply to an endpoint with OpenAI's protocol.
// An unknown endpoint has its own under its host's name: a local Ollama is not billed
// as OpenAI.
func pricedAs(base string) string {
	u, err := url.Parse(base)
	switch {
	case openai.IsOpenAI(base) || err != nil:
		return usage.OpenAI
	case u.Hostname() == "generativelanguage.googleapis.com":
		return usage.Google
	case u.Hostname() == "api.anthropic.com":
		return usage.Anthropic
	}
	return u.Hostname()
}

// configured reports whether there is a model to ask.
func (c modelsConfig) configured() bool { return c.Smart.Model.Adapter != "" }

// reachable reports whether an adapter has what it needs.
func (c modelsConfig) reachable(adapter string) bool {
	if adapter == byOpenAI {
		return c.OpenAI.configured()
	}
	return c.Gemini.Key != ""
}

func (e *env) role(role string, warmth float64, c modelsConfig) roleConfig {
	r := roleConfig{Temperature: e.temperature(role+"_MODEL_TEMPERATURE", warmth)}
	adapter := e.provider(role+"_MODEL_PROVIDER", c)
	if adapter == "" {
		return r // by rules
	}
	defaults := c.defaults(adapter, role)
	r.Model = modelConfig{adapter, e.text(role+"_MODEL_NAME", defaults[0])}
	if r.Model.Name == "" {
		e.faults = append(e.faults, fmt.Errorf("%s_MODEL_NAME: a model at %s has to be named", role, c.OpenAI.URL))
	}
	def := defaults[1]
	second := e.adapter(role+"_MODEL_FALLBACK_PROVIDER", adapter, c)
	if second != adapter {
		def = c.defaults(second, role)[0]
	}
	if name := e.text(role+"_MODEL_FALLBACK", def); name != "" && !strings.EqualFold(name, none) {
		r.Fallback = modelConfig{second, name}
	}
	return r
}

// embedding is none unless its model is named.
func (e *env) embedding(c modelsConfig) embeddingConfig {
	name := e.text("STEPLEDGER_EMBEDDING_MODEL", "")
	if name == "" {
		return embeddingConfig{}
	}
	adapter := e.provider("STEPLEDGER_EMBEDDING_PROVIDER", c)
	switch adapter {
	case "":
		e.faults = append(e.faults, fmt.Errorf("STEPLEDGER_EMBEDDING_MODEL: %s needs GEMINI_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL", name))
	case byGenerativeAI:
		e.faults = append(e.faults, fmt.Errorf("STEPLEDGER_EMBEDDING_PROVIDER: %s makes no vectors, %s does", adapter, byGemini))
	}
	return embeddingConfig{modelConfig{adapter, name}, e.count("STEPLEDGER_EMBEDDING_DIMENSIONS", 0)}
}

// none is the word for a fallback or a temperature that is not wanted.
const none = "none"

// defaults are the models of a role that names none: its own and its fallback. For an
// endpoint that is not OpenAI's there are none.
func (c modelsConfig) defaults(adapter, role string) [2]string {
	if adapter == byOpenAI && !openai.IsOpenAI(c.OpenAI.URL) {
		return [2]string{}
	}
	return defaultModels[adapter][role]
}

// provider reads the name of an adapter; where none is named it is the first that has
// what it needs, "" if none has.
func (e *env) provider(name string, c modelsConfig) string {
	if a := e.adapter(name, "", c); a != "" {
		return a
	}
	for _, a := range []string{byGemini, byOpenAI} {
		if c.reachable(a) {
			return a
		}
	}
	return ""
}

// adapter reads the name of one that can be used.
func (e *env) adapter(name, def string, c modelsConfig) string {
	a := strings.ToLower(e.text(name, def))
	switch {
	case a == "":
	case !slices.Contains(adapters, a):
		e.faults = append(e.faults, fmt.Errorf("%s: %q is none of %s", name, a, strings.Join(adapters, ", ")))
	case !c.reachable(a):
		needs := "GEMINI_API_KEY"
		if a == byOpenAI {
			needs = "OPENAI_API_KEY or OPENAI_BASE_URL"
		}
		e.faults = append(e.faults, fmt.Errorf("%s: %s needs %s", name, a, needs))
	}
	return a
}

// temperature reads one; "none" leaves it to the provider, as models that take
// none demand.
func (e *env) temperature(name string, def float64) temperature {
	if strings.EqualFold(e.text(name, ""), none) {
		return temperature{}
	}
	n := e.number(name, def)
	return temperature{&n}
}
