package consumer

import (
	"database/sql"
	"testing"

	"github.com/pressly/goose/v3"

	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestMigrate_UpDownUp(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "feed", Migrate)
	db, err := sql.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	down := func(p *goose.Provider) error { _, err := p.DownTo(t.Context(), 0); return err }
	if err := migrate(t.Context(), db, down); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
}
