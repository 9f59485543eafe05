package projections_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

// tally is a projection for tests of the runner: it adds up numbers by stream,
// and chokes on some.
func tally() projections.Projection {
	return projections.Projection{
		Name: "tally", Version: 1,
		Filter: eventstore.Filter{Categories: []string{"number"}},
		Tables: `create table tally (stream text primary key, total bigint not null check (total >= 0), last bigint not null)`,
		Views:  []string{"tally"},
		Apply:  addUp,
	}
}

const add = `
	insert into tally (stream, total, last) values (@stream, @n, @n)
	on conflict (stream) do update set total = tally.total + excluded.total, last = excluded.last`

var errUnreadable = errors.New("unreadable")

// addUp refuses the number 13; the database refuses totals below zero.
func addUp(b *projections.Batch, e eventstore.Recorded, _ domain.Sealer) error {
	var n int
	if err := json.Unmarshal(e.Data, &n); err != nil {
		return err
	}
	b.Queue(add, pgx.NamedArgs{"stream": e.Stream, "n": n})
	if n == 13 {
		return errUnreadable
	}
	return nil
}

// put appends numbers to a stream, each an event.
func put(e *projtest.Env, stream string, numbers ...int) {
	e.T.Helper()
	putFor(e, projtest.Tenant, stream, numbers...)
}

func putFor(e *projtest.Env, tenant, stream string, numbers ...int) {
	e.T.Helper()
	meta := eventstore.Metadata{Tenant: tenant, Schema: 1}.Encode()
	var events []eventstore.Proposed
	for _, n := range numbers {
		data, _ := json.Marshal(n)
		events = append(events, eventstore.Proposed{ID: domain.NewUUID(), Type: "number.added.v1", Data: data, Meta: meta})
	}
	if _, err := e.Store.Append(e.T.Context(), stream, eventstore.Any, events); err != nil {
		e.T.Fatal(err)
	}
}

func totals(t *testing.T, e *projtest.Env) map[string]int {
	t.Helper()
	rows, err := e.Pool.Query(t.Context(), `select stream, total from read.tally`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]int{}
	for rows.Next() {
		var stream string
		var total int
		if err := rows.Scan(&stream, &total); err != nil {
			t.Fatal(err)
		}
		out[stream] = total
	}
	return out
}

func head(e *projtest.Env) int64 {
	e.T.Helper()
	at, err := e.Store.Head(e.T.Context())
	if err != nil {
		e.T.Fatal(err)
	}
	return at
}

// running runs a runner until the test ends.
func running(t *testing.T, c projections.Config) *projections.Runner {
	t.Helper()
	r := projections.NewRunner(c)
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(t.Context())
	}()
	t.Cleanup(func() { <-done }) // the test's context ends before its cleanups
	return r
}

func position(e *projtest.Env, name string) int {
	return e.Count(`select coalesce(max(position), 0) from read.checkpoint where live and projection = $1`, name)
}
