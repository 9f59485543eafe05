package main

import (
	"context"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// noKnowledge is that of organisations about which nothing was recorded: there is no store
// of it yet. What is public is no part of it.
type noKnowledge struct{}

// Resolve returns nothing.
func (noKnowledge) Resolve(context.Context, string, string, string) (reasoning.Known, error) {
	return reasoning.Known{}, nil
}
