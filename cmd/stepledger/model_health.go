package main

import (
	"context"
	"fmt"
	"sync"

	"github.com/stepledger/stepledger/internal/llm"
)

// modelHealth remembers how the last attempt at a provider went: asking one
// just to see would be billed.
type modelHealth struct {
	llm.Generator
	mu   sync.Mutex
	last error
}

// Generate implements llm.Generator.
func (m *modelHealth) Generate(ctx context.Context, r llm.Request) (llm.Response, error) {
	res, err := m.Generator.Generate(ctx, r)
	if llm.KindOf(err) == llm.Cancelled {
		return res, err // the caller's doing
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = err
	return res, err
}

// probe fails while the last attempt failed.
func (m *modelHealth) probe(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last != nil {
		return fmt.Errorf("the last model call failed: %w", m.last)
	}
	return nil
}
