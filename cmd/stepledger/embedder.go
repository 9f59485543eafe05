package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/llm"
)

// embedder makes the vectors of what is known, and of questions, by the model client.
type embedder struct {
	client *llm.Client
	model  string
}

// embedder is nil where no model is configured for it: then what is known is found by its
// words.
func (s *system) embedder() knowledge.Embedder {
	if s.models == nil || !s.models.Embeds() {
		return nil
	}
	return embedder{s.models, s.cfg.Models.Embedding.Model.Name}
}

// Embed implements knowledge.Embedder. Texts with a key are what is found, and are kept
// under it; without one they are what is looked for. The name says how long the vectors
// are, so that those of two lengths are not compared.
func (e embedder) Embed(ctx context.Context, t knowledge.Texts) ([][]float32, string, error) {
	defer api.StepAside(ctx)()
	vectors, err := e.client.Embed(ctx, llm.Embedding{
		On:      llm.On{Tenant: t.Tenant, Task: t.Subject, Request: t.Key},
		Purpose: string(usage.Embedding),
		Key:     t.Key, Texts: t.Texts, Questions: t.Key == "",
	})
	if err != nil || len(vectors) == 0 {
		return nil, "", err
	}
	return vectors, fmt.Sprintf("%s/%d", e.model, len(vectors[0])), nil
}

// embeddingTarget is nil where no model is configured.
func (c modelsConfig) embeddingTarget(ctx context.Context, h hooks) (*llm.EmbeddingTarget, error) {
	m := c.Embedding.Model
	if m.Adapter == "" {
		return nil, nil //nolint:nilnil // there is none
	}
	g, err := c.generator(ctx, m.Adapter)
	if err != nil {
		return nil, err
	}
	e, ok := g.(llm.Embedder)
	if !ok {
		return nil, errors.New(m.Adapter + " makes no vectors")
	}
	if h.model != nil {
		e = hookedEmbedder{e, h.model}
	}
	return &llm.EmbeddingTarget{Provider: c.at(m).PricedAs, Model: m.Name, Dimensions: c.Embedding.Dimensions, Embedder: e}, nil
}
