package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/pgtest"
)

// Each time it is said that the log was put back, another epoch begins.
func TestStoreRestored(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": pgtest.Database(t, "stepledger", migrate), "STEPLEDGER_STATE_DIR": t.TempDir()}
	for _, want := range []string{"epoch 2 of the log begins after position 0", "epoch 3 of the log begins after position 0"} {
		var out, problems bytes.Buffer
		cmd := newRoot(func(name string) string { return env[name] }, &out, &problems)
		cmd.SetArgs([]string{"store", "restored"})
		if err := cmd.ExecuteContext(t.Context()); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %s%s; want %s", err, out.String(), problems.String(), want)
		}
	}
}
