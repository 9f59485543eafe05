package billing

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

func TestMigrate_UpDownUp(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	for _, up := range []func(context.Context, string) error{identity.Migrate, projections.Migrate} { // what the views are of
		if err := up(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	results := make(chan error)
	for range 3 { // processes that start together
		go func() { results <- Migrate(t.Context(), url) }()
	}
	for range 3 {
		if err := <-results; err != nil {
			t.Fatal(err)
		}
	}
	if err := Schema.To(t.Context(), url, 0); err != nil {
		t.Fatal(err)
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
}

// Rows of before a price said where its long prompts begin go on at 200,000 tokens,
// and are still never changed.
func TestMigrate_OldRowsKeepTheirBound(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	for _, up := range []func(context.Context, string) error{identity.Migrate, projections.Migrate} {
		if err := up(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
	if err := Schema.To(t.Context(), url, 12); err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	_, err = pool.Exec(t.Context(), `
		insert into billing.price (version, provider, model, input, has_long, long_input, valid_from, source)
		values ('a', 'p', 'long', 1e-6, true, 2e-6, '2026-01-01', 's'), ('b', 'p', 'plain', 1e-6, false, null, '2026-01-01', 's')`)
	if err != nil {
		t.Fatal(err)
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	rows, err := readPrices(t.Context(), pool)
	if err != nil {
		t.Fatal(err)
	}
	if got := pricesOf(rows); got[0].Long == nil || got[0].Long.Above != 200_000 || got[1].Long != nil {
		t.Errorf("%+v", got)
	}
	if _, err := pool.Exec(t.Context(), `update billing.price set long_above = 1`); err == nil {
		t.Error("a row was changed")
	}
}
