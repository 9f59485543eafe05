package postgres

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/storetest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// patience bounds the waits of these tests.
const patience = 30 * time.Second

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Subject{
		Name: "postgres",
		Open: func(t testing.TB) eventstore.Store { return open(t, database(t), Options{}) },
		Log:  database,
		Dial: dial,
	})
}

func database(t testing.TB) (url string) {
	t.Helper()
	return pgtest.Database(t, "log", Migrate)
}

func open(t testing.TB, url string, o Options) *Store {
	t.Helper()
	s, err := Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func dial(ctx context.Context, url string) (eventstore.Store, func(), error) {
	s, err := Open(ctx, url, Options{})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}

// connect opens a connection that plays another process.
func connect(t testing.TB, url string) *pgx.Conn {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(context.Background()) })
	return c
}

func mustExec(t testing.TB, c *pgx.Conn, sql string, args ...any) {
	t.Helper()
	if _, err := c.Exec(t.Context(), sql, args...); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func event() eventstore.Proposed {
	return eventstore.Proposed{
		ID: uuid.NewString(), Type: "test.happened.v1",
		Data: fmt.Appendf(nil, `{"at":%q}`, time.Now()), Meta: eventstore.Metadata{Tenant: "t1"}.Encode(),
	}
}

func events(n int) []eventstore.Proposed {
	out := make([]eventstore.Proposed, n)
	for i := range out {
		out[i] = event()
	}
	return out
}

func mustAppend(t testing.TB, s eventstore.Log, stream string, expected int64, in ...eventstore.Proposed) eventstore.Receipt {
	t.Helper()
	r, err := s.Append(bounded(t), stream, expected, in)
	if err != nil {
		t.Fatalf("append to %s: %v", stream, err)
	}
	return r
}

// bounded is a context that ends when patience does.
func bounded(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits, without sleeping longer than need be, until a condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	ctx := bounded(t)
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("waited %v in vain until %s", patience, what)
		}
	}
}

// wantOnce wants each of these events in the log exactly once, and no others.
func wantOnce(t testing.TB, s eventstore.Feed, want []eventstore.Proposed) {
	t.Helper()
	count := make(map[string]int)
	for after := int64(0); ; {
		p, err := s.ReadAll(bounded(t), after, 0, eventstore.Filter{})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range p.Events {
			count[e.ID]++
		}
		if p.Scanned == after {
			break
		}
		after = p.Scanned
	}
	for _, e := range want {
		if count[e.ID] != 1 {
			t.Errorf("event %s is in the log %d times", e.ID, count[e.ID])
		}
	}
	if len(count) != len(want) {
		t.Errorf("%d events in the log, want %d", len(count), len(want))
	}
}
