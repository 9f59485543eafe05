package main

import (
	"context"
	"errors"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/content"
)

// intake is that of a log in the Postgres that also keeps the content, nil for any other.
func (s *system) intake() commands.Intake {
	if log, ok := s.events.(*postgres.Store); ok {
		return together{log, s.content}
	}
	return nil
}

// together takes content and events in with one commit.
type together struct {
	log     *postgres.Store
	content *content.Store
}

// Begin implements commands.Intake.
func (t together) Begin(tenant, subject string, trust bool) commands.Taking {
	return &taking{Pending: t.content.Begin(tenant, subject, trust), log: t.log}
}

type taking struct {
	*content.Pending
	log    *postgres.Store
	beside []postgres.Beside
}

// Beside implements commands.Taking.
func (t *taking) Beside(stream string, at int64, events []eventstore.Proposed) {
	t.beside = append(t.beside, postgres.Beside{Stream: stream, At: at, Events: events})
}

// Append implements commands.Taking.
func (t *taking) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	along := postgres.Along{Beside: t.beside}
	for _, st := range t.Statements() {
		along.Statements = append(along.Statements, postgres.Statement(st))
	}
	receipt, err := t.log.AppendAlong(ctx, stream, expected, events, along)
	if errors.Is(err, content.ErrKeyGone) {
		t.Forget()
		return receipt, domain.ErrErased
	}
	return receipt, err
}
