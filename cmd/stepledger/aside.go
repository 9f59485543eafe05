package main

import (
	"context"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/reason/model"
)

// asideAsker lets other turns work while one waits for a model, its turn at the model
// included.
type asideAsker struct{ model.Asker }

// Ask implements model.Asker.
func (a asideAsker) Ask(ctx context.Context, q llm.Question) (llm.Answer, error) {
	defer api.StepAside(ctx)()
	return a.Asker.Ask(ctx, q)
}

// asideSearch does so while one waits for the web.
type asideSearch struct{ commands.Search }

// Find implements commands.Search.
func (s asideSearch) Find(ctx context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error) {
	defer api.StepAside(ctx)()
	return s.Search.Find(ctx, q)
}
