package gemini

import (
	"context"
	"strings"

	"google.golang.org/genai"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/wire"
)

var _ llm.Embedder = (*Generator)(nil)

// Embed implements llm.Embedder by one batchEmbedContents. Most models report no usage of
// it.
func (g *Generator) Embed(ctx context.Context, r llm.EmbedRequest) (llm.Vectors, error) {
	config := &genai.EmbedContentConfig{}
	if r.Dimensions > 0 {
		config.OutputDimensionality = genai.Ptr(int32(min(r.Dimensions, 1<<30))) //nolint:gosec // bounded
	}
	before := instruction(r)
	if before == "" {
		config.TaskType = taskType(r)
	}
	texts := make([]*genai.Content, len(r.Texts))
	for i, t := range r.Texts {
		texts[i] = genai.NewContentFromText(before+t, genai.RoleUser)
	}
	var x wire.Exchange
	_, err := g.client.Models.EmbedContent(x.In(ctx), r.Model, texts, config)
	m, _ := x.Members()
	account := m.Of("usageMetadata")
	u, tier := wire.GeminiUsage(account)
	v := llm.Vectors{Usage: u, RawUsage: wire.Kept(account), ServiceTier: tier}
	v.Model, v.ID = wire.Name(strings.TrimPrefix(m.Text("modelVersion"), "models/")), wire.Name(m.Text("responseId"))
	list := m.List("embeddings")
	if !x.Answered() || list == nil {
		return llm.Vectors{}, wire.Used(x.Failure(ctx, err, g.key), u, account)
	}
	for _, raw := range list {
		vector, _ := wire.ReadMembers(raw)
		v.List = append(v.List, wire.Floats(vector.Of("values")))
	}
	return v, nil
}

// readsInstructions is how the names of the models begin that are told in the text what
// it is for, and take no task type.
const readsInstructions = "gemini-embedding-2"

// instruction is what stands before a text to tell such a model; for others there is none.
func instruction(r llm.EmbedRequest) string {
	switch {
	case !strings.HasPrefix(strings.TrimPrefix(r.Model, "models/"), readsInstructions):
		return ""
	case r.Questions:
		return "task: search result | query: "
	}
	return "title: none | text: "
}

func taskType(r llm.EmbedRequest) string {
	if r.Questions {
		return "RETRIEVAL_QUERY"
	}
	return "RETRIEVAL_DOCUMENT"
}
