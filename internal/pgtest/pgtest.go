// Package pgtest gives each test a Postgres database of its own.
//
// The databases live in the server DATABASE_URL names or, without it, in a
// private cluster of the test process, started by the first test that asks,
// ended by the kernel with the process and removed then (or, where both were
// killed, by the next run). A schema is migrated once per process into a
// template; each test's database is a clone of it, made in 10 to 40 ms and
// dropped when the test ends. Everything may be used from parallel tests.
//
// Where no server can be had the test is skipped, on CI (CI is set) failed.
//
// The private cluster is not durable (fsync is off), except in a run of
// benchmarks, which would otherwise measure a database nobody would use. Test
// code only: a rule of internal/archtest.
package pgtest

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/pgembed"
)

// timeout bounds every single thing done to the server here. Cloning takes
// milliseconds, unless 200 tests want to at once.
const timeout = time.Minute

// Database returns the URL of a fresh database that migrate has prepared,
// dropped when the test ends. Databases of one key share a template, so
// migrate runs once per process and key; it must close its connections. A nil
// migrate leaves the database empty.
func Database(t testing.TB, key string, migrate func(ctx context.Context, url string) error) (url string) {
	t.Helper()
	c := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	template, err := c.template(key, migrate)
	if err != nil {
		t.Fatalf("prepare template database %q: %v", key, err)
	}
	name, err := c.create(ctx, template)
	if err != nil {
		t.Fatalf("clone template database %q: %v", key, err)
	}
	t.Cleanup(func() {
		// The test's own context has ended by now.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), timeout)
		defer cancel()
		if err := c.drop(ctx, name); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return c.databaseURL(name)
}

// AdminURL returns the URL of the server's maintenance database, for a
// superuser when the server is private. For tests about roles, connections or
// databases themselves; they clean up what they make.
func AdminURL(t testing.TB) string {
	t.Helper()
	return open(t).url.String()
}

var shared = sync.OnceValues(connect)

func open(t testing.TB) *cluster {
	t.Helper()
	c, err := shared()
	if err != nil {
		refuse(t, err)
	}
	return c
}

// refuse ends a test that has no server: silently passed over on CI, it would
// make a green build that tested nothing.
func refuse(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, pgembed.ErrNoPostgres) && os.Getenv("CI") == "" {
		t.Skipf("%v; then: make test", err)
	} else {
		t.Fatalf("open the test database server: %v", err)
	}
}
