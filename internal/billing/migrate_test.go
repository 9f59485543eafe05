package billing

import (
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestMigrate_UpDownUp(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "empty", nil)
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
