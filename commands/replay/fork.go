package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/fork"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Forks are kept: each in a stream of its own, under the key of the task it was made of.
var Forks = commands.Aggregate[fork.State, fork.Event, fork.Event]{Decider: fork.Decider, Codec: fork.Codec}

// At returns the turn of a number. Of a turn that was claimed more than once it is the
// one that was decided.
func (t Task) At(number int) (Turn, error) {
	if t.Newer != nil {
		return Turn{}, fmt.Errorf("turn %d of task %s: %w", number, t.ID, t.Newer)
	}
	for _, turn := range t.Turns {
		if turn.Number == number && len(turn.Decided) > 0 {
			return turn, nil
		}
	}
	return Turn{}, domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "the task has no decided turn %d", number).At("turn")
}

// WithPage returns the turn with another document in place of its page.
func (t Turn) WithPage(html string) (Turn, error) {
	var c page.Capture
	if t.page != nil {
		if err := json.Unmarshal(t.page, &c); err != nil {
			return t, fmt.Errorf("stored page: %w", err)
		}
	}
	changed := page.Capture{URL: c.URL, Title: c.Title, Mode: page.ModeFull, DOM: html}
	var err error
	t.page, err = json.Marshal(changed)
	t.Observed.DOMMode, t.Observed.Page, t.gone = page.ModeFull, "edited", nil
	return t, err
}

// Change is what an experiment changes of a turn: settings of the program, the page, the
// first answer of a model. What is empty stays as it was.
type Change struct {
	Turn     int
	Settings map[string]string
	Page     string
	Answer   string
}

// Fork is an experiment with a turn.
type Fork struct {
	Log    eventstore.Log
	Key    domain.Sealer
	ID     string
	Start  fork.ForkStarted
	NewIDs commands.IDs
}

// Outcome is what came of it.
type Outcome struct {
	ForkID string `json:"forkId"`
	Result
	// Decided are the names of the events it led to.
	Decided  []string    `json:"decided"`
	Estimate *usage.Pico `json:"estimate,omitempty"`
	Spent    *usage.Pico `json:"spent,omitempty"`
	Calls    int         `json:"calls"`
}

// Run decides the turn by a mind, whose model calls are told to Called, and keeps what
// came of it. A turn that cannot be decided is an outcome too, with its error.
func (f Fork) Run(ctx context.Context, turn Turn, mind func(called func(fork.ModelCalled) error) (Mind, error)) (Outcome, error) {
	out := Outcome{ForkID: f.ID, Estimate: f.Start.Estimate, Decided: []string{}}
	if err := f.put(ctx, f.Start); err != nil {
		return out, err
	}
	spent, priced := usage.Pico(0), true
	decides, err := mind(func(c fork.ModelCalled) error {
		out.Calls++
		if c.Cost == nil {
			priced = false
		} else if sum, err := spent.Plus(*c.Cost); err == nil {
			spent = sum
		}
		return f.put(ctx, c)
	})
	if err != nil {
		return out, err
	}
	result, got, err := decide(ctx, turn, decides)
	end := fork.ForkEnded{}
	if priced {
		out.Spent, end.Spent = &spent, &spent
	}
	switch {
	case err != nil:
		end.Error = err.Error()
	default:
		out.Result, end.Same = result, result.Same
		for _, e := range got {
			out.Decided = append(out.Decided, task.Codec.Name(e))
		}
		if end.Decided, err = json.Marshal(named(got, turn.secrets)); err != nil {
			return out, err
		}
	}
	return out, errors.Join(err, f.put(ctx, end))
}

// named are events with their names, without secrets.
func named(events []task.Event, secrets *secret.Set) (out []map[string]task.Event) {
	for _, e := range events {
		out = append(out, map[string]task.Event{task.Codec.Name(e): task.RedactForReaders(e, secrets)})
	}
	return out
}

func (f Fork) put(ctx context.Context, e fork.Event) error {
	w := commands.Writing{
		Meta: eventstore.Metadata{Tenant: f.Start.Tenant, Actor: f.Start.Actor, Correlation: f.Start.Task, Causation: f.ID, Schema: 1},
		ID:   commands.RandomIDs(f.NewIDs),
	}
	_, err := Forks.Transact(ctx, f.Log, fork.Stream(f.ID), f.Key, w, e)
	return err
}
