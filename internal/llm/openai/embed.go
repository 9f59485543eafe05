package openai

import (
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

var _ llm.Embedder = (*Generator)(nil)

// Embed implements llm.Embedder by the embeddings endpoint. OpenAI is asked for vectors
// in base64, a quarter of their size in digits; of other endpoints either form is read.
// Questions are not told apart from texts.
func (g *Generator) Embed(ctx context.Context, r llm.EmbedRequest) (llm.Vectors, error) {
	p := openai.EmbeddingNewParams{Model: r.Model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: r.Texts}}
	if r.Dimensions > 0 {
		p.Dimensions = param.NewOpt(int64(r.Dimensions))
	}
	if !g.compatible {
		p.EncodingFormat = openai.EmbeddingNewParamsEncodingFormatBase64
	}
	var x wire.Exchange
	_, err := g.embeddings.New(x.In(ctx), p)
	m, _ := x.Members()
	account, data := m.Of("usage"), m.List("data")
	v := llm.Vectors{
		List: vectors(data), Usage: Usage(account, 0), RawUsage: wire.Kept(account),
		Model: wire.Name(m.Text("model")), ID: wire.Name(m.Text("id")), ServiceTier: wire.Name(m.Text("service_tier")),
	}
	if !x.Answered() || data == nil {
		return llm.Vectors{}, wire.Used(g.failure(ctx, err, &x), v.Usage, account)
	}
	return v, nil
}

// vectors are in the order of their indexes. Where those are no order of the list they
// cannot be read.
func vectors(data []json.RawMessage) [][]float32 {
	out, taken := make([][]float32, len(data)), make([]bool, len(data))
	for i, raw := range data {
		m, _ := wire.ReadMembers(raw)
		at := int64(i)
		if index := m.Count("index"); index.Said {
			at = index.Tokens
		}
		if at >= int64(len(out)) || taken[at] {
			return make([][]float32, len(data))
		}
		out[at], taken[at] = vector(m), true
	}
	return out
}

// vector reads one in digits or in base64.
func vector(m wire.Members) []float32 {
	if packed := m.Text("embedding"); packed != "" {
		b, err := base64.StdEncoding.DecodeString(packed)
		if err != nil {
			return nil
		}
		return llm.Unpack(b)
	}
	return wire.Floats(m.Of("embedding"))
}
