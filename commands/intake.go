package commands

import (
	"context"
	"fmt"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Apart is the Intake of content and a log that have no commit in common: content is
// stored before the events that refer to it are appended.
type Apart struct {
	Log     eventstore.Log
	Keys    Keys
	Content Content
}

// Begin implements Intake.
func (a Apart) Begin(tenant, subject string, _ bool) Taking {
	return &apart{Apart: a, tenant: tenant, subject: subject}
}

type apart struct {
	Apart
	tenant, subject string
	beside          []beside
}

type beside struct {
	stream string
	at     int64
	events []eventstore.Proposed
}

// Key implements Taking.
func (a *apart) Key(ctx context.Context, isNew bool) (domain.Sealer, error) {
	if isNew {
		return a.Keys.NewKey(ctx, a.tenant, a.subject)
	}
	return a.Keys.Key(ctx, a.tenant, a.subject)
}

// Put implements Taking.
func (a *apart) Put(ctx context.Context, kind string, body []byte) (string, error) {
	return a.Content.Put(ctx, a.tenant, a.subject, kind, body)
}

// Beside implements Taking.
func (a *apart) Beside(stream string, at int64, events []eventstore.Proposed) {
	a.beside = append(a.beside, beside{stream, at, events})
}

// Append implements Taking.
func (a *apart) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	for _, b := range a.beside {
		if err := a.stands(ctx, b); err != nil {
			return eventstore.Receipt{}, err
		}
	}
	return a.Log.Append(ctx, stream, expected, events)
}

func (a *apart) stands(ctx context.Context, b beside) error {
	if len(b.events) > 0 {
		_, err := a.Log.Append(ctx, b.stream, b.at, b.events)
		return err
	}
	slice, err := a.Log.ReadStream(ctx, b.stream, eventstore.ReadOptions{Limit: 1})
	if err != nil {
		return fmt.Errorf("look at %s: %w", b.stream, err)
	}
	if slice.Head != b.at {
		return &eventstore.WrongRevisionError{Stream: b.stream, Expected: b.at, Actual: slice.Head}
	}
	return nil
}
