package esdbtest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
	"github.com/stepledger/stepledger/internal/debian"
)

const lockFile = "testdata/node/package-lock.json"

// TestNodeClient has the official client of another language do its own round
// trip: what one client overlooks the other may stumble over.
func TestNodeClient(t *testing.T) {
	t.Parallel()
	dir := installNodeClient(t)
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
	cmd := exec.CommandContext(t.Context(), "node", "roundtrip.js", url)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s%s", err, out, stderr.Bytes())
	}
	checks := 0
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); checks++ {
		var check struct{ Name, Error string }
		if err := json.Unmarshal(lines.Bytes(), &check); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		t.Run(check.Name, func(t *testing.T) {
			if check.Error != "" {
				t.Error(check.Error)
			}
		})
	}
	if checks == 0 {
		t.Error("the script checked nothing")
	}
}

// installNodeClient gives a directory with the script and the client module.
func installNodeClient(t *testing.T) string {
	t.Helper()
	requireNode(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/node")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		unavailable(t, "npm ci: "+err.Error()+": "+strings.TrimSpace(string(out)))
	}
	return dir
}

// requireNode finds node and npm; root on a Debian-like system gets them.
func requireNode(t *testing.T) {
	t.Helper()
	missing := func() bool {
		_, nodeErr := exec.LookPath("node")
		_, npmErr := exec.LookPath("npm")
		return nodeErr != nil || npmErr != nil
	}
	if !missing() {
		return
	}
	if _, err := exec.LookPath("apt-get"); err == nil && runtime.GOOS == "linux" && os.Geteuid() == 0 {
		if err := debian.Install(t.Context(), slog.New(slog.DiscardHandler), "nodejs", "npm"); err != nil {
			unavailable(t, "install nodejs and npm: "+err.Error())
		}
	}
	if missing() {
		unavailable(t, "this test needs node and npm, type: sudo apt-get install -y nodejs npm")
	}
}

// unavailable skips what needs something this machine does not have; on CI it
// fails.
func unavailable(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
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
