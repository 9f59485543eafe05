package billing

import (
	"context"
	"testing"

	"github.com/pressly/goose/v3"

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
	err := withMigrations(t.Context(), url, func(p *goose.Provider) error {
		_, err := p.DownTo(t.Context(), 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
}
