package projections_test

import (
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

func TestMigrate_BySeveralAtOnceAndAgain(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
	var g errgroup.Group
	for range 4 {
		g.Go(func() error { return projections.Migrate(t.Context(), url) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := projections.Migrate(t.Context(), url); err != nil {
		t.Errorf("again: %v", err)
	}
}

func TestMigrate_SaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	err := projections.Migrate(t.Context(), "postgres://127.0.0.1:1/nowhere?connect_timeout=1")
	if err == nil {
		t.Fatal("a server that is not there was migrated")
	}
}
