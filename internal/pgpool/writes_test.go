package pgpool

import (
	"fmt"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestWrites_Can(t *testing.T) {
	t.Parallel()
	var w Writes
	pool := open(t, pgtest.Database(t, "empty", nil), Options{Writes: &w})
	for range 3 {
		if err := w.Check(t.Context(), pool); err != nil {
			t.Fatal(err)
		}
	}
}

// Real refusals of a real server, each for a reason of its own.
func TestWrites_Cannot(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]string{
		"a database that only reads": `alter database %s set default_transaction_read_only = on`,
		"no place for files":         `alter database %s set temp_file_limit = 0`,
	} {
		var w Writes
		url := pgtest.Database(t, "empty", nil)
		var database string
		before := open(t, url, Options{})
		if err := before.QueryRow(t.Context(), `select quote_ident(current_database())`).Scan(&database); err != nil {
			t.Fatal(err)
		}
		if _, err := before.Exec(t.Context(), fmt.Sprintf(fault, database)); err != nil {
			t.Fatal(err)
		}
		if err := w.Check(t.Context(), open(t, url, Options{Writes: &w})); err == nil {
			t.Errorf("%s: it can be written to", name)
		}
	}
}

func TestWrites_AFailedOneCounts(t *testing.T) {
	t.Parallel()
	pool := open(t, pgtest.Database(t, "empty", nil), Options{})
	for _, code := range []string{"53100", "58030"} {
		var w Writes
		w.note(code)
		if err := w.Check(t.Context(), pool); err == nil {
			t.Errorf("%s counts for nothing", code)
		}
		w.failedAt = time.Now().Add(-failedFor)
		if err := w.Check(t.Context(), pool); err != nil {
			t.Errorf("%s for ever: %v", code, err)
		}
	}
	for _, code := range []string{"23505", "40001", "57014", "25006", ""} {
		var w Writes
		w.note(code)
		if err := w.Check(t.Context(), pool); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
}
