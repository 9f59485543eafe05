// Package consumertest opens an internal/consumer store for tests that use it through
// its ports. It is test code only.
package consumertest

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/internal/consumer"
)

// Open opens the store of a migrated database. It is closed when the test ends.
func Open(t testing.TB, url string) consumer.Store {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return consumer.Store{DB: pool}
}
