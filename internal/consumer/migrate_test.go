package consumer

import (
	"testing"

	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestMigrate_UpDownUp(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t, "feed", Migrate)
	if err := Schema.To(t.Context(), url, 0); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
	}
}
