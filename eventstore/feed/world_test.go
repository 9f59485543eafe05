package feed_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/eventstore/feed/feedtest"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/consumer/consumertest"
	"github.com/stepledger/stepledger/internal/liveness"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// patience bounds every wait of these tests.
const patience = 30 * time.Second

// world is a log, where checkpoints are kept, and how duties are had.
type world struct {
	store  eventstore.Store
	keeper feedtest.Keeper
	// process gives the duties of one more process; they are given up by die.
	process func(t *testing.T) (leads func(context.Context, string) (bool, error), die func())
}

// inWorlds runs a test on stores in memory, in Postgres and in EventStoreDB.
func inWorlds(t *testing.T, test func(t *testing.T, w world)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, newMemoryWorld())
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, newPostgresWorld(t))
	})
	t.Run("esdb", func(t *testing.T) {
		t.Parallel()
		w := newPostgresWorld(t) // keeps checkpoints and duties also then
		store, err := esdb.Open(t.Context(), esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(store.Close)
		w.store = store
		test(t, w)
	})
}

func newMemoryWorld() world {
	var mu sync.Mutex
	owners := map[string]int{}
	processes := 0
	return world{
		store: memory.New(memory.Options{}), keeper: feedtest.NewMemory(),
		process: func(*testing.T) (func(context.Context, string) (bool, error), func()) {
			mu.Lock()
			defer mu.Unlock()
			processes++
			own := processes
			leads := func(_ context.Context, duty string) (bool, error) {
				mu.Lock()
				defer mu.Unlock()
				if owners[duty] == 0 {
					owners[duty] = own
				}
				return owners[duty] == own, nil
			}
			die := func() {
				mu.Lock()
				defer mu.Unlock()
				for duty, owner := range owners {
					if owner == own {
						delete(owners, duty)
					}
				}
			}
			return leads, die
		},
	}
}

func newPostgresWorld(t *testing.T) world {
	t.Helper()
	url := pgtest.Database(t, "log and feed", func(ctx context.Context, url string) error {
		if err := postgres.Migrate(ctx, url); err != nil {
			return err
		}
		return consumer.Migrate(ctx, url)
	})
	store, err := postgres.Open(t.Context(), url, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return world{
		store: store, keeper: consumertest.Open(t, url),
		process: func(t *testing.T) (func(context.Context, string) (bool, error), func()) {
			t.Helper()
			registry, err := liveness.Open(t.Context(), url, uuid.NewString(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			die := sync.OnceFunc(registry.Close)
			t.Cleanup(die)
			return registry.Leads, die
		},
	}
}

// config is a fast feed of a world, and a process of its own.
func (w world) config(t *testing.T) feed.Config {
	t.Helper()
	leads, _ := w.process(t)
	return feed.Config{
		Source: w.store, Checkpoints: w.keeper, Leads: leads, Log: slog.New(slog.DiscardHandler),
		SaveEvery: 5 * time.Millisecond, Standby: 5 * time.Millisecond, MaxPause: 20 * time.Millisecond,
	}
}

// put appends an event to each of some streams, one after the other.
func (w world) put(t *testing.T, streams ...string) []eventstore.Recorded {
	t.Helper()
	var out []eventstore.Recorded
	for _, stream := range streams {
		out = append(out, w.putType(t, stream, "test.happened.v1"))
	}
	return out
}

func (w world) putType(t *testing.T, stream, name string) eventstore.Recorded {
	t.Helper()
	e := eventstore.Proposed{
		ID: uuid.NewString(), Type: name, Data: fmt.Appendf(nil, `{"of": %q}`, stream),
		Meta: eventstore.Metadata{Tenant: "acme", Actor: "jo", Correlation: "c", Causation: "d", Schema: 1}.Encode(),
	}
	at, err := w.store.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{e})
	if err != nil {
		t.Fatal(err)
	}
	return eventstore.Recorded{ID: e.ID, Type: e.Type, Stream: stream, Revision: at.Revision, Position: at.Position, Data: e.Data, Meta: e.Meta}
}

// putMany appends n events to a stream and gives the head of the log.
func (w world) putMany(t *testing.T, stream string, n int) (head int64) {
	t.Helper()
	const most = 500
	for n > 0 {
		batch := make([]eventstore.Proposed, min(n, most))
		for i := range batch {
			batch[i] = eventstore.Proposed{ID: uuid.NewString(), Type: "test.happened.v1", Data: []byte(`{}`), Meta: []byte(`{}`)}
		}
		at, err := w.store.Append(t.Context(), stream, eventstore.Any, batch)
		if err != nil {
			t.Fatal(err)
		}
		head, n = at.Position, n-len(batch)
	}
	return head
}

// subscription is a running one.
type subscription struct {
	*feed.Subscriber
	messages <-chan *message.Message
	// end ends it and waits until that is over.
	end func()
}

func subscribe(t *testing.T, c feed.Config, consumer, topic string) subscription {
	t.Helper()
	s := feed.NewSubscriber(c, consumer)
	ctx, cancel := context.WithCancel(context.Background())
	messages, err := s.Subscribe(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	end := func() {
		cancel()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(end)
	return subscription{s, messages, end}
}

// next waits for a message.
func (s subscription) next(t *testing.T) *message.Message {
	t.Helper()
	select {
	case m, ok := <-s.messages:
		if !ok {
			t.Fatal("the subscription is over")
		}
		return m
	case <-time.After(patience):
		t.Fatal("no message came")
	}
	return nil
}

// take acknowledges n messages and gives what they say.
func (s subscription) take(t *testing.T, n int) (ids []string) {
	t.Helper()
	for range n {
		m := s.next(t)
		ids = append(ids, m.UUID)
		m.Ack()
	}
	return ids
}

// none wants that nothing comes for a moment.
func (s subscription) none(t *testing.T) {
	t.Helper()
	select {
	case m := <-s.messages:
		t.Errorf("a message came: %v", m.Metadata)
	case <-time.After(30 * time.Millisecond):
	}
}

func ids(events []eventstore.Recorded) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.ID
	}
	return out
}

func wantIDs(t *testing.T, got []string, want []eventstore.Recorded) {
	t.Helper()
	if !slices.Equal(got, ids(want)) {
		t.Errorf("%d events came, want %d\n got %v\nwant %v", len(got), len(want), got, ids(want))
	}
}

func (w world) checkpoint(t *testing.T, name string) feed.Checkpoint {
	t.Helper()
	at, err := w.keeper.At(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// at is a consumer's saved position, term how often it was claimed.
func (w world) at(t *testing.T, name string) int64   { t.Helper(); return w.checkpoint(t, name).Position }
func (w world) term(t *testing.T, name string) int64 { t.Helper(); return w.checkpoint(t, name).Term }

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited %v in vain until %s", patience, what)
		}
	}
}
