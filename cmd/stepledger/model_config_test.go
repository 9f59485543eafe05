package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadConfig_Models(t *testing.T) {
	t.Parallel()
	key := func(more ...string) map[string]string {
		env := map[string]string{}
		for i := 0; i+1 < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		return env
	}
	tests := []struct {
		name        string
		env         map[string]string
		smart, fast string
	}{
		{"no key: by rules", nil, "/ / 0.3", "/ / 0.7"},
		{"Gemini", key("GEMINI_API_KEY", "k"),
			"gemini/gemini-3.1-pro-preview gemini/gemini-2.5-pro 0.3", "gemini/gemini-3.5-flash gemini/gemini-2.5-flash 0.7"},
		{"OpenAI", key("OPENAI_API_KEY", "k"), "openai/gpt-4o openai/gpt-4o-mini 0.3", "openai/gpt-4o-mini / 0.7"},
		{"Gemini goes first", key("GEMINI_API_KEY", "k", "OPENAI_API_KEY", "k", "SMART_MODEL_NAME", "a"),
			"gemini/a gemini/gemini-2.5-pro 0.3", "gemini/gemini-3.5-flash gemini/gemini-2.5-flash 0.7"},
		{"the library some chose", key("GEMINI_API_KEY", "k", "SMART_MODEL_PROVIDER", "generativeai", "SMART_MODEL_FALLBACK", "none"),
			"generativeai/gemini-3.1-pro-preview / 0.3", "gemini/gemini-3.5-flash gemini/gemini-2.5-flash 0.7"},
		{"one at home", key("OPENAI_BASE_URL", "http://localhost:11434/v1", "SMART_MODEL_NAME", "qwen3:32b", "FAST_MODEL_NAME", "qwen3:8b", "FAST_MODEL_TEMPERATURE", "none"),
			"openai/qwen3:32b / 0.3", "openai/qwen3:8b / the provider's"},
		{"a fallback of another provider", key("GEMINI_API_KEY", "k", "OPENAI_API_KEY", "k", "SMART_MODEL_FALLBACK_PROVIDER", "OpenAI", "FAST_MODEL_FALLBACK", "f"),
			"gemini/gemini-3.1-pro-preview openai/gpt-4o 0.3", "gemini/gemini-3.5-flash gemini/f 0.7"},
		{"each its own", key("GEMINI_API_KEY", "k", "OPENAI_API_KEY", "k", "FAST_MODEL_PROVIDER", "openai", "FAST_MODEL_NAME", "gpt-x", "FAST_MODEL_TEMPERATURE", "1"),
			"gemini/gemini-3.1-pro-preview gemini/gemini-2.5-pro 0.3", "openai/gpt-x / 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := modelsFrom(t, tt.env)
			said := func(r roleConfig) string {
				return fmt.Sprintf("%s/%s %s/%s %s", r.Model.Adapter, r.Model.Name, r.Fallback.Adapter, r.Fallback.Name, r.Temperature)
			}
			if diff := cmp.Diff([]string{tt.smart, tt.fast}, []string{said(c.Smart), said(c.Fast)}); diff != "" {
				t.Error(diff)
			}
			if c.configured() != (tt.env != nil) {
				t.Errorf("configured: %t", c.configured())
			}
		})
	}
}

func TestReadConfig_Embedding(t *testing.T) {
	t.Parallel()
	of := func(model string, more ...string) map[string]string {
		env := map[string]string{"STEPLEDGER_EMBEDDING_MODEL": model}
		for i := 0; i+1 < len(more); i += 2 {
			env[more[i]] = more[i+1]
		}
		return env
	}
	for _, tt := range []struct {
		name string
		env  map[string]string
		want embeddingConfig
	}{
		{"none is named", map[string]string{"GEMINI_API_KEY": "k", "STEPLEDGER_EMBEDDING_PROVIDER": "gemini"}, embeddingConfig{}},
		{"Gemini goes first", of("m", "GEMINI_API_KEY", "k", "OPENAI_API_KEY", "k"), embeddingConfig{modelConfig{byGemini, "m"}, 0}},
		{"OpenAI", of("m", "OPENAI_API_KEY", "k"), embeddingConfig{modelConfig{byOpenAI, "m"}, 0}},
		{"another than the one that thinks", of("m", "GEMINI_API_KEY", "k", "OPENAI_BASE_URL", "http://h", "STEPLEDGER_EMBEDDING_PROVIDER", "OpenAI"),
			embeddingConfig{modelConfig{byOpenAI, "m"}, 0}},
		{"a length", of("m", "OPENAI_API_KEY", "k", "STEPLEDGER_EMBEDDING_DIMENSIONS", "512"), embeddingConfig{modelConfig{byOpenAI, "m"}, 512}},
	} {
		got := modelsFrom(t, tt.env).Embedding
		if diff := cmp.Diff(tt.want, got); diff != "" || got.configured() != (tt.want != embeddingConfig{}) {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	for fault, env := range map[string]map[string]string{
		"STEPLEDGER_EMBEDDING_MODEL: m needs":                    of("m"),
		"STEPLEDGER_EMBEDDING_PROVIDER: openai needs":            of("m", "GEMINI_API_KEY", "k", "STEPLEDGER_EMBEDDING_PROVIDER", "openai"),
		"STEPLEDGER_EMBEDDING_PROVIDER: generativeai makes no v": of("m", "GEMINI_API_KEY", "k", "STEPLEDGER_EMBEDDING_PROVIDER", "generativeai"),
		"STEPLEDGER_EMBEDDING_DIMENSIONS":                        of("m", "GEMINI_API_KEY", "k", "STEPLEDGER_EMBEDDING_DIMENSIONS", "few"),
	} {
		if _, err := configFrom(env); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v: %v, want %s", env, err, fault)
		}
	}
}

func TestReadConfig_ModelsAtFault(t *testing.T) {
	t.Parallel()
	for fault, env := range map[string]map[string]string{
		"SMART_MODEL_PROVIDER: openai needs":             {"GEMINI_API_KEY": "k", "SMART_MODEL_PROVIDER": "openai"},
		"FAST_MODEL_PROVIDER: gemini needs":              {"OPENAI_API_KEY": "k", "FAST_MODEL_PROVIDER": "gemini"},
		`FAST_MODEL_FALLBACK_PROVIDER: "claude" is none`: {"GEMINI_API_KEY": "k", "FAST_MODEL_FALLBACK_PROVIDER": "claude"},
		"FAST_MODEL_NAME: a model at http://h":           {"OPENAI_BASE_URL": "http://h", "SMART_MODEL_NAME": "m"},
		"STEPLEDGER_MODEL_CALLS":                         {"STEPLEDGER_MODEL_CALLS": "0"},
		"SMART_MODEL_TEMPERATURE":                        {"SMART_MODEL_TEMPERATURE": "hot"},
	} {
		if _, err := configFrom(env); err == nil || !strings.Contains(err.Error(), fault) {
			t.Errorf("%v: %v, want %s", env, err, fault)
		}
	}
}

// An endpoint that is nobody's we know is not billed at OpenAI's prices.
func TestPricedAs(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"": "openai", "https://api.openai.com/v1": "openai", "https://x.openai.azure.com/openai/v1": "openai",
		"https://generativelanguage.googleapis.com/v1beta/openai/": "google", "https://api.anthropic.com/v1/": "anthropic",
		"http://localhost:11434/v1": "localhost", "https://vllm.example/v1": "vllm.example",
	} {
		if got := modelsFrom(t, map[string]string{"OPENAI_BASE_URL": url, "SMART_MODEL_NAME": "m", "FAST_MODEL_NAME": "m"}).OpenAI.PricedAs; got != want {
			t.Errorf("%q is priced as %q, want %q", url, got, want)
		}
	}
	if got := modelsFrom(t, map[string]string{"OPENAI_BASE_URL": "http://h", "OPENAI_PRICED_AS": "ours", "SMART_MODEL_NAME": "m", "FAST_MODEL_NAME": "m"}).OpenAI.PricedAs; got != "ours" {
		t.Errorf("priced as %q", got)
	}
}
