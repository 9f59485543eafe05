package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

func TestGeminiUsage(t *testing.T) {
	t.Parallel()
	total := func(n int64) *int64 { return &n }
	for _, tt := range []struct {
		name, account string
		want          *llm.Usage
	}{
		{"whole numbers as fractions, exponents and texts", `{"promptTokenCount":1000.0,"candidatesTokenCount":"10","thoughtsTokenCount":2e1,"totalTokenCount":"1030.0"}`,
			&llm.Usage{InputUncached: 1000, Output: 10, Thinking: 20, Total: total(1030)}},
		{"snake case", `{"prompt_token_count":1000,"candidates_token_count":10}`, &llm.Usage{InputUncached: 1000, Output: 10}},
		{"details that are an object", `{"promptTokenCount":1000,"candidatesTokenCount":10,"promptTokensDetails":{}}`,
			&llm.Usage{InputUncached: 1000, Output: 10, Unclear: true}},
		{"a detail that is none", `{"promptTokenCount":1000,"candidatesTokenCount":10,"promptTokensDetails":["AUDIO",{"modality":"AUDIO","tokenCount":"7"}]}`,
			&llm.Usage{InputUncached: 993, InputAudio: 7, Output: 10, Unclear: true}},
		{"more audio than prompt", `{"promptTokenCount":10,"candidatesTokenCount":1,"promptTokensDetails":[{"modality":"AUDIO","tokenCount":70}]}`,
			&llm.Usage{InputAudio: 70, Output: 1, Unclear: true}},
		{"a total that cannot be read", `{"promptTokenCount":10,"candidatesTokenCount":1,"totalTokenCount":-3}`,
			&llm.Usage{InputUncached: 10, Output: 1, Unclear: true}},
		{"thoughts that cannot be read", `{"promptTokenCount":10,"candidatesTokenCount":1,"thoughtsTokenCount":"lots"}`, nil},
		{"tool input that cannot be read", `{"promptTokenCount":10,"candidatesTokenCount":1,"toolUsePromptTokenCount":[]}`, nil},
		{"only the total", `{"totalTokenCount":11}`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, _ := wire.GeminiUsage([]byte(tt.account))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
