package openai_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

func embedder(compatible bool) func(*testing.T, llmtest.Script) llmtest.EmbedProvider {
	return func(t *testing.T, s llmtest.Script) llmtest.EmbedProvider {
		t.Helper()
		srv := llmtest.NewOpenAI(t, s)
		return llmtest.EmbedProvider{Embedder: open(t, srv.URL+"/v1", compatible), Requests: srv.Embedded, Blind: true}
	}
}

func TestEmbedder(t *testing.T) {
	t.Parallel()
	for name, compatible := range map[string]bool{"OpenAI": false, "another endpoint": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.EmbedContract(t, embedder(compatible))
		})
	}
}

func TestClient_vectorsOverTheWire(t *testing.T) {
	t.Parallel()
	for name, compatible := range map[string]bool{"in base64": false, "in digits": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			llmtest.EmbedBills(t, embedder(compatible))
		})
	}
}

func TestEmbedder_sendsTheRequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		compatible bool
		dimensions int
		want       map[string]any
	}{
		"OpenAI":           {false, 512, map[string]any{"model": "m", "input": []any{"fees", "hours"}, "dimensions": 512.0, "encoding_format": "base64"}},
		"another endpoint": {true, 0, map[string]any{"model": "m", "input": []any{"fees", "hours"}}},
	} {
		srv := llmtest.NewOpenAI(t, llmtest.Steps(llmtest.Step{}))
		_, err := open(t, srv.URL+"/v1", tt.compatible).Embed(t.Context(), llm.EmbedRequest{Model: "m", Texts: []string{"fees", "hours"}, Dimensions: tt.dimensions})
		if err != nil {
			t.Fatal(err)
		}
		got := srv.Received()[0]
		if got.Path != "/v1/embeddings" || got.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s: sent to %s", name, got.Path)
		}
		if diff := cmp.Diff(tt.want, got.Body); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Endpoints that imitate the protocol leave out indexes; where the indexes are no order,
// nobody knows whose a vector is.
func TestEmbedder_order(t *testing.T) {
	t.Parallel()
	for data, want := range map[string][][]float32{
		`{"embedding":[1,0]},{"embedding":[0,1]}`:                             {{1, 0}, {0, 1}},
		`{"index":1,"embedding":[0,1]},{"index":0,"embedding":[1,0]}`:         {{1, 0}, {0, 1}},
		`{"index":0,"embedding":[0,1]},{"index":0,"embedding":[1,0]}`:         {nil, nil},
		`{"index":1,"embedding":[0,1]},{"index":2,"embedding":[1,0]}`:         {nil, nil},
		`{"index":0,"embedding":"AACAPwAAAAA="},{"index":1,"embedding":"AA"}`: {{1, 0}, nil},
		`{"index":0,"embedding":"AAA="},{"index":1,"embedding":[1,"0"]}`:      {nil, nil},
		`{"index":0,"embedding":[1,null]},{"index":1,"embedding":[1e300]}`:    {nil, nil},
		`7,{"index":1}`: {nil, nil},
	} {
		url := respond(t, 200, `{"object":"list","model":"m","data":[`+data+`],"usage":{"prompt_tokens":4,"total_tokens":4}}`)
		got, err := open(t, url, true).Embed(t.Context(), llm.EmbedRequest{Model: "m", Texts: []string{"x", "y"}})
		if diff := cmp.Diff(want, got.List); err != nil || diff != "" {
			t.Errorf("%s: %v, %s", data, err, diff)
		}
		if got.Usage == nil || got.Usage.InputUncached != 4 {
			t.Errorf("%s: %+v", data, got.Usage)
		}
	}
}
