package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func TestStoreCopy(t *testing.T) {
	t.Parallel()
	from, to := pgtest.Database(t, "empty", nil), pgtest.Database(t, "empty", nil) // clones of one log would have its id
	env := map[string]string{"STORE_FROM": from, "STORE_TO": to, "STEPLEDGER_STATE_DIR": filepath.Join(t.TempDir(), "state")}
	run := func(args ...string) (string, error) {
		var out bytes.Buffer
		root := newRoot(func(name string) string { return env[name] }, &out, &out)
		root.SetArgs(args)
		err := root.ExecuteContext(t.Context())
		return out.String(), err
	}
	if err := postgres.Migrate(t.Context(), from); err != nil {
		t.Fatal(err)
	}
	source, err := postgres.Open(t.Context(), from, postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(source.Close)
	grow := func(stream string, expected int64) {
		t.Helper()
		in := []eventstore.Proposed{{ID: domain.NewUUID(), Type: "test.happened.v1", Data: fmt.Appendf(nil, `{"at":%d}`, expected)}}
		if _, err := source.Append(t.Context(), stream, expected, in); err != nil {
			t.Fatal(err)
		}
	}
	for i := range int64(3) {
		grow("task-1", i-1)
	}
	t.Run("an empty target is found different", func(t *testing.T) {
		if out, err := run("store", "verify"); err == nil || !strings.Contains(err.Error(), "task-1@0") {
			t.Errorf("verified: %v\n%s", err, out)
		}
	})
	t.Run("a copy that is behind is told from one that is wrong", func(t *testing.T) {
		if _, err := run("store", "verify"); err == nil || !strings.Contains(err.Error(), "store copy brings the rest") {
			t.Errorf("error is %v", err)
		}
		if _, err := run("store", "verify", "--from", to, "--to", from); err == nil || !strings.Contains(err.Error(), "not the same") {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("copies, and compares", func(t *testing.T) {
		if out, err := run("store", "copy"); err != nil || !strings.Contains(out, "the same: 3 events, sha256 ") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("goes on where it was", func(t *testing.T) {
		grow("task-2", eventstore.NoStream)
		out, err := run("store", "copy")
		if err != nil || !strings.Contains(out, "going on after 3 events") || !strings.Contains(out, "the same: 4 events") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("does not copy a log into itself", func(t *testing.T) {
		if out, err := run("store", "copy", "--to", from); err == nil || !strings.Contains(err.Error(), "the same log") {
			t.Errorf("%v\n%s", err, out)
		}
	})
	t.Run("an address of no store is refused without being repeated", func(t *testing.T) {
		_, err := run("store", "copy", "--to", "mysql://user:hunter2@host/db")
		if err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "--to") {
			t.Errorf("error is %v", err)
		}
	})
}
