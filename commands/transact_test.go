package commands_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/session"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
)

const sessionID = "5e55104a-0000-4000-8000-000000000001"

func writing() commands.Writing {
	return commands.Writing{Meta: eventstore.Metadata{Tenant: "acme"}, ID: commands.RandomIDs(domain.NewUUID)}
}

func open(t *testing.T, log eventstore.Log) {
	t.Helper()
	_, err := commands.Sessions.Transact(t.Context(), log, session.Stream(sessionID), nil, writing(), session.Start{Tenant: "acme", User: "jo"})
	if err != nil {
		t.Fatal(err)
	}
}

func head(t *testing.T, log eventstore.Log, stream string) int64 {
	t.Helper()
	slice, err := log.ReadStream(t.Context(), stream, eventstore.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return slice.Head
}

// interloper appends something of its own just before the first append of
// others, as another process might.
type interloper struct {
	eventstore.Log
	once sync.Once
	do   func()
}

func (i *interloper) Append(ctx context.Context, stream string, at int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	i.once.Do(i.do)
	return i.Log.Append(ctx, stream, at, events)
}

func TestTransact_DecidesAnewAfterLosingARace(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{})
	open(t, store)
	archive := commands.ArchiveSession{Log: store, IDs: domain.NewUUID}
	log := &interloper{Log: store, do: func() {
		if _, err := archive.ArchiveSession(t.Context(), "acme", "jo", sessionID); err != nil {
			t.Error(err)
		}
	}}
	// Both want the session archived: the second finds that it is.
	late := commands.ArchiveSession{Log: log, IDs: domain.NewUUID}
	if _, err := late.ArchiveSession(t.Context(), "acme", "jo", sessionID); err != nil {
		t.Fatal(err)
	}
	if got := head(t, store, session.Stream(sessionID)); got != 1 {
		t.Errorf("the stream is at %d, want one start and one end", got)
	}
}

func TestTransact_GivesUpOnAnUnavailableStore(t *testing.T) {
	t.Parallel()
	down := &eventstore.UnavailableError{Op: "append", Cause: errors.New("down")}
	log := failing{memory.New(memory.Options{}), down}
	_, err := commands.Sessions.Transact(t.Context(), log, session.Stream(sessionID), nil, writing(), session.Start{Tenant: "acme", User: "jo"})
	if !errors.Is(err, down) {
		t.Errorf("error %v", err)
	}
}

type failing struct {
	eventstore.Log
	err error
}

func (f failing) Append(context.Context, string, int64, []eventstore.Proposed) (eventstore.Receipt, error) {
	return eventstore.Receipt{}, f.err
}

func TestAppend_RepeatedGivesTheSameVersion(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{})
	w := writing()
	events := []session.Event{session.SessionStarted{Tenant: "acme", User: "jo"}}
	at := commands.Sessions.Start()
	first, err := commands.Sessions.Append(t.Context(), store, session.Stream(sessionID), nil, at, w, events)
	if err != nil {
		t.Fatal(err)
	}
	again, err := commands.Sessions.Append(t.Context(), store, session.Stream(sessionID), nil, at, w, events)
	if err != nil || again != first || first.Revision != 0 || !first.State.Exists {
		t.Errorf("first %+v, again %+v, %v", first, again, err)
	}
	none, err := commands.Sessions.Append(t.Context(), store, session.Stream(sessionID), nil, first, w, nil)
	if err != nil || none != first {
		t.Errorf("no events give %+v, %v", none, err)
	}
}

func TestArchiveSession(t *testing.T) {
	t.Parallel()
	store := memory.New(memory.Options{})
	open(t, store)
	archive := commands.ArchiveSession{Log: store, IDs: domain.NewUUID}
	for name, who := range map[string][2]string{"another tenant": {"globex", "jo"}, "another user": {"acme", "eve"}} {
		if _, err := archive.ArchiveSession(t.Context(), who[0], who[1], sessionID); domain.KindOf(err) != domain.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	first, err := archive.ArchiveSession(t.Context(), "acme", "jo", sessionID)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := archive.ArchiveSession(t.Context(), "acme", "jo", sessionID); err != nil || again != first {
		t.Errorf("archived twice: position %d after %d, %v", again, first, err)
	}
}
