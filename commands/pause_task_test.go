package commands_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

// keysOf gives every task the same key.
type keysOf struct{ sealer domain.Sealer }

func (k keysOf) NewKey(context.Context, string, string) (domain.Sealer, error) { return k.sealer, nil }

func (k keysOf) Key(context.Context, string, string) (domain.Sealer, error) { return k.sealer, nil }

func TestPauseTask(t *testing.T) {
	t.Parallel()
	log, id := memory.New(memory.Options{}), domain.NewUUID()
	w := commands.Writing{Meta: eventstore.Metadata{Tenant: "acme"}, ID: commands.RandomIDs(domain.NewUUID)}
	claim := task.Claim{Page: task.PageObserved{Tenant: "acme", User: "jo", Query: "save it"}}
	if _, err := commands.Tasks.Transact(t.Context(), log, task.Stream(id), domaintest.Sealer{}, w, claim); err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	c := commands.PauseTask{Log: log, Keys: keysOf{domaintest.Sealer{}}, IDs: domain.NewUUID, Clock: func() time.Time { return noon }}
	for name, err := range map[string]error{
		"another tenant's": func() error {
			_, err := c.PauseTask(t.Context(), "globex", "eve", id, task.Paused, "")
			return err
		}(),
		"one that is not there": func() error {
			_, err := c.ResumeTask(t.Context(), "acme", "ann", domain.NewUUID(), "")
			return err
		}(),
	} {
		if domain.KindOf(err) != domain.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 2 { // the second time nothing happens
		h, err := c.PauseTask(t.Context(), "acme", "ann", id, task.TakenOver, "  I fill it in ")
		if err != nil || h.Pause == nil || *h.Pause != (task.Pause{By: "ann", Kind: task.TakenOver, At: noon, Note: "I fill it in"}) || !h.TurnOpen || h.Revision != 1 {
			t.Errorf("%+v, %v", h, err)
		}
	}
	for range 2 {
		if h, err := c.ResumeTask(t.Context(), "acme", "bob", id, "done"); err != nil || h.Pause != nil || h.Revision != 2 {
			t.Errorf("%+v, %v", h, err)
		}
	}
	slice, err := log.ReadStream(t.Context(), task.Stream(id), eventstore.ReadOptions{From: 1})
	if err != nil || len(slice.Events) != 2 || slice.Events[0].Metadata().Actor != "ann" || slice.Events[1].Metadata().Actor != "bob" {
		t.Errorf("%+v, %v", slice.Events, err)
	}
	c.Keys = keysOf{domaintest.Erased{}}
	_, err = c.PauseTask(t.Context(), "acme", "ann", id, task.Paused, "a note")
	if e, ok := errors.AsType[*domain.Error](err); !ok || e.Code != domain.CodeConflict {
		t.Errorf("an erased task: %v", err)
	}
}
