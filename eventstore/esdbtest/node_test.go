package esdbtest_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
	"github.com/stepledger/stepledger/internal/nodetest"
)

const lockFile = "testdata/node/package-lock.json"

// TestNodeClient has the official client of another language do its own round
// trip: what one client overlooks the other may stumble over.
func TestNodeClient(t *testing.T) {
	t.Parallel()
	dir := nodetest.Install(t, os.DirFS("testdata/node"))
	for _, test := range []struct {
		name    string
		options esdbtest.Options
		calls   string // the method that must have been used
		unused  string
	}{
		{"appends in batches where the server lists them", esdbtest.Options{}, "BatchAppend", "Append"},
		{"appends one by one where it does not", esdbtest.Options{WithoutBatchAppend: true}, "Append", "BatchAppend"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := esdbtest.Start(t, test.options)
			roundTrip(t, dir, s.URL())
			if s.Calls(test.calls) == 0 || s.Calls(test.unused) > 0 {
				t.Errorf("%d calls of %s, %d of %s", s.Calls(test.calls), test.calls, s.Calls(test.unused), test.unused)
			}
		})
	}
}

// roundTrip runs the script and makes a subtest of each of its checks.
func roundTrip(t *testing.T, dir, url string) {
	t.Helper()
	nodetest.Checks(t, nodetest.Run(t, dir, nil, "node", "roundtrip.js", url))
}

func TestNodeClient_lockFileNamesNoRegistry(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(lockFile)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("http")) {
		t.Errorf("%s holds an address: npm install --package-lock-only --omit-lockfile-registry-resolved writes none", lockFile)
	}
}
