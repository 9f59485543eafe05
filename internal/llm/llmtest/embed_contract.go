package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/stepledger/stepledger/internal/llm"
)

// EmbedProvider is an Embedder whose provider follows a script.
type EmbedProvider struct {
	llm.Embedder
	// Requests are those that arrived, as the provider understood them.
	Requests func() []llm.EmbedRequest
	// Blind: the provider does not tell questions from texts.
	Blind bool
}

// EmbedContract is what every Embedder keeps. open gives one whose provider follows a
// script.
func EmbedContract(t *testing.T, open func(t *testing.T, s Script) EmbedProvider) {
	t.Helper()
	t.Run("the texts arrive as they are", func(t *testing.T) {
		t.Parallel()
		testEmbedArrives(t, open)
	})
	t.Run("vectors come in the order of the texts, with their usage", func(t *testing.T) {
		t.Parallel()
		testVectors(t, open)
	})
	t.Run("an account nobody can read costs no vectors", func(t *testing.T) {
		t.Parallel()
		for _, account := range oddAccounts() {
			p := open(t, Steps(Step{Account: json.RawMessage(account)}))
			got, err := p.Embed(t.Context(), embedRequest())
			if err != nil || len(got.List) != len(embedRequest().Texts) || got.Usage != nil {
				t.Errorf("%.60s: %+v, %v", account, got.Usage, err)
			}
			if got.RawUsage != nil && string(got.RawUsage) != account {
				t.Errorf("%.60s is kept as %.60s", account, got.RawUsage)
			}
		}
	})
	t.Run("vectors nobody can use are an answer", func(t *testing.T) {
		t.Parallel()
		testUselessVectors(t, open)
	})
	testAttempts(t, func(t *testing.T, s Script) attempt {
		t.Helper()
		p := open(t, s)
		return attempt{
			ask:  func(ctx context.Context) error { _, err := p.Embed(ctx, embedRequest()); return err },
			made: func() int { return len(p.Requests()) },
		}
	})
}

func embedRequest() llm.EmbedRequest {
	return llm.EmbedRequest{Model: "a-model", Texts: []string{"opening hours", "a text with \"quotes\", ü and\nlines", "fees"}}
}

func testEmbedArrives(t *testing.T, open func(*testing.T, Script) EmbedProvider) {
	t.Helper()
	p := open(t, Steps(Step{}))
	short, question, many := embedRequest(), embedRequest(), embedRequest()
	short.Dimensions, question.Questions, many.Model = 3, true, "another-model-1.5"
	many.Texts = nil
	for i := range 100 {
		many.Texts = append(many.Texts, fmt.Sprint("text ", i))
	}
	want := []llm.EmbedRequest{embedRequest(), short, question, many}
	for _, r := range want {
		if _, err := p.Embed(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	want[2].Questions = !p.Blind
	if diff := cmp.Diff(want, p.Requests()); diff != "" {
		t.Error(diff)
	}
}

func testVectors(t *testing.T, open func(*testing.T, Script) EmbedProvider) {
	t.Helper()
	total := int64(3 * perText)
	for name, tt := range map[string]struct {
		step Step
		want *llm.Usage
	}{
		"usage that is told":                 {Step{}, &llm.Usage{InputUncached: total, Total: &total}},
		"usage that was not told is missing": {Step{NoUsage: true}, nil},
	} {
		for _, dimensions := range []int{0, 3} {
			r := embedRequest()
			r.Dimensions = dimensions
			got, err := open(t, Steps(tt.step)).Embed(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(Step{}.vectors(r), got.List); diff != "" {
				t.Errorf("%s, %d dimensions: %s", name, dimensions, diff)
			}
			if diff := cmp.Diff(tt.want, got.Usage); diff != "" || (got.RawUsage == nil) != (tt.want == nil) {
				t.Errorf("%s: raw %s, %s", name, got.RawUsage, diff)
			}
		}
	}
}

// testUselessVectors is that an answer is returned, since it is billed, with whatever of it
// can be read.
func testUselessVectors(t *testing.T, open func(*testing.T, Script) EmbedProvider) {
	t.Helper()
	nan, inf := float32(math.NaN()), float32(math.Inf(-1))
	for name, list := range map[string][][]float32{
		"none": {}, "too few": {{1}}, "of different lengths": {{1, 2}, {1}, {}},
	} {
		got, err := open(t, Steps(Step{Vectors: list})).Embed(t.Context(), embedRequest())
		if diff := cmp.Diff(list, got.List, cmpopts.EquateEmpty()); err != nil || diff != "" || got.Usage == nil {
			t.Errorf("%s: %v, usage %v, %s", name, err, got.Usage, diff)
		}
	}
	got, err := open(t, Steps(Step{Vectors: [][]float32{{nan, 1}, {1, inf}, {1, 2}}})).Embed(t.Context(), embedRequest())
	if err != nil || len(got.List) != 3 || len(got.List[2]) != 2 || got.Usage == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, v := range got.List[:2] { // in digits it cannot be read, in base64 it can
		if len(v) > 0 && !strings.ContainsAny(fmt.Sprint(v), "NI") {
			t.Errorf("no number became one: %v", v)
		}
	}
}
