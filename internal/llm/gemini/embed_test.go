package gemini_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

func embedder(t *testing.T, s llmtest.Script) llmtest.EmbedProvider {
	t.Helper()
	srv := llmtest.NewGemini(t, s)
	return llmtest.EmbedProvider{Embedder: open(t, srv.URL), Requests: srv.Embedded}
}

func TestEmbedder(t *testing.T) {
	t.Parallel()
	llmtest.EmbedContract(t, embedder)
}

func TestClient_vectorsOverTheWire(t *testing.T) {
	t.Parallel()
	llmtest.EmbedBills(t, embedder)
}

func TestEmbedder_sendsTheRequest(t *testing.T) {
	t.Parallel()
	part := func(text string) map[string]any {
		return map[string]any{"role": "user", "parts": []any{map[string]any{"text": text}}}
	}
	for name, tt := range map[string]struct {
		request llm.EmbedRequest
		want    map[string]any
	}{
		"texts, to a model with task types": {
			llm.EmbedRequest{Model: "gemini-embedding-001", Texts: []string{"fees"}, Dimensions: 768},
			map[string]any{"model": "models/gemini-embedding-001", "content": part("fees"), "taskType": "RETRIEVAL_DOCUMENT", "outputDimensionality": 768.0},
		},
		"a question": {
			llm.EmbedRequest{Model: "gemini-embedding-001", Texts: []string{"fees"}, Questions: true},
			map[string]any{"model": "models/gemini-embedding-001", "content": part("fees"), "taskType": "RETRIEVAL_QUERY"},
		},
		"texts, to a model that is told in words": {
			llm.EmbedRequest{Model: "gemini-embedding-2", Texts: []string{"fees"}},
			map[string]any{"model": "models/gemini-embedding-2", "content": part("title: none | text: fees")},
		},
		"a question in words": {
			llm.EmbedRequest{Model: "gemini-embedding-2", Texts: []string{"fees"}, Questions: true},
			map[string]any{"model": "models/gemini-embedding-2", "content": part("task: search result | query: fees")},
		},
	} {
		srv := llmtest.NewGemini(t, llmtest.Steps(llmtest.Step{}))
		if _, err := open(t, srv.URL).Embed(t.Context(), tt.request); err != nil {
			t.Fatal(err)
		}
		got := srv.Received()[0]
		if got.Path != "/v1beta/models/"+tt.request.Model+":batchEmbedContents" || got.Header.Get("X-Goog-Api-Key") != key {
			t.Errorf("%s: sent to %s", name, got.Path)
		}
		if diff := cmp.Diff(map[string]any{"requests": []any{tt.want}}, got.Body); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The libraries lose the account of an embedding; it is in the body.
func TestEmbedder_accounts(t *testing.T) {
	t.Parallel()
	const values = `{"embeddings":[{"values":[0.013,-0.008]}],"modelVersion":"models/m"`
	of := func(tokens int64) *llm.Usage { return &llm.Usage{InputUncached: tokens} }
	for account, want := range map[string]*llm.Usage{
		``: nil, `,"usageMetadata":{"other":"thing"}`: nil,
		`,"usageMetadata":{"promptTokenCount":0}`:                                                            of(0),
		`,"usageMetadata":{"promptTokenCount":20}`:                                                           of(20),
		`,"usageMetadata":{"promptTokenCount":7,"promptTokensDetails":[{"modality":"TEXT","tokenCount":7}]}`: of(7),
	} {
		got, err := open(t, respond(t, 200, values+account+"}")).Embed(t.Context(), llm.EmbedRequest{Model: "m", Texts: []string{"x"}})
		if err != nil || len(got.List) != 1 || got.Model != "m" {
			t.Errorf("%s: %+v, %v", account, got, err)
		}
		if diff := cmp.Diff(want, got.Usage); diff != "" {
			t.Errorf("%s: %s", account, diff)
		}
	}
}
