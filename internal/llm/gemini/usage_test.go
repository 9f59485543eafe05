package gemini_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/gemini"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

func FuzzGenerator_account(f *testing.F) {
	f.Add(`{"promptTokenCount":11125,"cachedContentTokenCount":7441,"candidatesTokenCount":20,"thoughtsTokenCount":409,"totalTokenCount":11554}`)
	f.Add(`{"promptTokenCount":"1e3","toolUsePromptTokenCount":5.0,"promptTokensDetails":[{"modality":4,"tokenCount":3},7],"cacheTokensDetails":{},"serviceTier":2}`)
	llmtest.FuzzAccounts(f, func(t testing.TB, url string) llm.Generator {
		g, err := gemini.Open(t.Context(), key, url)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}, func(account string) string {
		return strings.Replace(`{"usageMetadata":ACCOUNT,"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"hello"}]}}]}`, "ACCOUNT", account, 1)
	})
}
