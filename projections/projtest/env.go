// Package projtest has what the tests of projections share: a database with
// the schema read, a log in memory, keys, and small builders of histories.
// Test code only.
package projtest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

// Tenant and User are whose the histories are, unless a test says otherwise.
const (
	Tenant = "acme"
	User   = "ann"
)

// Env is everything a projection runs on, one per test.
type Env struct {
	T     testing.TB
	Pool  *pgxpool.Pool
	Store eventstore.Store
	Keys  *Keys
	// Tenant is whose the sessions and tasks are that are written.
	Tenant string
}

// Of is the same environment for the histories of another tenant.
func (e *Env) Of(tenant string) *Env {
	other := *e
	other.Tenant = tenant
	return &other
}

// New makes an environment that ends with the test.
func New(t testing.TB) *Env {
	t.Helper()
	url := pgtest.Database(t, "projections", projections.Migrate)
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	e := WithoutDatabase(t)
	e.Pool = pool
	return e
}

// WithoutDatabase makes an environment of a log and keys only.
func WithoutDatabase(t testing.TB) *Env {
	return &Env{T: t, Store: memory.New(memory.Options{}), Keys: &Keys{}, Tenant: Tenant}
}

// Config is a runner's, to be altered.
func (e *Env) Config(ps ...projections.Projection) projections.Config {
	return projections.Config{
		DB: e.Pool, Feed: e.Store, Keys: e.Keys, Log: slog.New(slog.DiscardHandler), Projections: ps,
		Standby: 20 * time.Millisecond, MaxBackoff: 20 * time.Millisecond,
	}
}

// CatchUp applies everything in the log.
func (e *Env) CatchUp(ps ...projections.Projection) {
	e.T.Helper()
	if err := projections.NewRunner(e.Config(ps...)).CatchUp(e.T.Context()); err != nil {
		e.T.Fatal(err)
	}
}

// Append encodes events of the environment's tenant and adds them to the end of a stream.
func Append[E any](env *Env, reg *codec.Registry[E], stream string, events ...E) {
	env.T.Helper()
	appendAs(env, reg, env.Tenant, stream, events...)
}

func appendAs[E any](env *Env, reg *codec.Registry[E], tenant, stream string, events ...E) {
	env.T.Helper()
	subject := projections.Subject(stream)
	key, _ := env.Keys.Key(env.T.Context(), tenant, subject)
	var out []eventstore.Proposed
	for _, e := range events {
		id := domain.NewUUID()
		name, data, err := reg.Encode(e, id, key)
		if err != nil {
			env.T.Fatal(err)
		}
		meta := eventstore.Metadata{Tenant: tenant, Actor: User, Correlation: subject, Schema: 1}
		out = append(out, eventstore.Proposed{ID: id, Type: name, Data: data, Meta: meta.Encode()})
	}
	if _, err := env.Store.Append(env.T.Context(), stream, eventstore.Any, out); err != nil {
		env.T.Fatal(err)
	}
}

// Dump is all rows of all tables of a projection's live generation, in an
// order that depends on their content only.
func (e *Env) Dump(p projections.Projection) string {
	e.T.Helper()
	var schema string
	err := e.Pool.QueryRow(e.T.Context(),
		`select 'read_' || projection || '_' || generation from read.checkpoint where live and projection = $1`, p.Name,
	).Scan(&schema)
	if err != nil {
		e.T.Fatal(err)
	}
	var out strings.Builder
	for _, table := range e.strings(`select tablename::text from pg_tables where schemaname = $1 order by 1`, schema) {
		rows := e.strings(fmt.Sprintf(`select r::text from %s r order by r::text collate "C"`,
			pgx.Identifier{schema, table}.Sanitize()))
		fmt.Fprintf(&out, "%s\n\t%s\n", table, strings.Join(rows, "\n\t"))
	}
	return out.String()
}

func (e *Env) strings(sql string, args ...any) []string {
	e.T.Helper()
	rows, err := e.Pool.Query(e.T.Context(), sql, args...)
	if err != nil {
		e.T.Fatal(err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		e.T.Fatal(err)
	}
	return out
}

// Count answers a query for one number.
func (e *Env) Count(sql string, args ...any) int {
	e.T.Helper()
	var n int
	if err := e.Pool.QueryRow(e.T.Context(), sql, args...).Scan(&n); err != nil {
		e.T.Fatal(err)
	}
	return n
}

// Eventually polls until a condition holds; the test fails after ten seconds.
func Eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}
