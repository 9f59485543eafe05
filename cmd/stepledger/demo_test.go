package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// The demo is the end to end test in a real browser: it does the canonical
// task on a page that works, on one whose button is dead, and once more with
// what was learnt.
func TestDemo(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // Chromium may have to be installed
	defer cancel()
	if _, err := browser.Ensure(ctx, testLog(slog.LevelWarn)); errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skipf("%v; then: make test", err)
	}
	env := map[string]string{
		"DATABASE_URL": pgtest.Database(t, "stepledger", migrate), "STEPLEDGER_STATE_DIR": t.TempDir(), "LOG_LEVEL": "error",
	}
	var out, errOut bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &errOut)
	cmd.SetArgs([]string{"demo"})
	if err := cmd.ExecuteContext(ctx); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &out, &errOut)
	}
	runs := strings.Split(out.String(), "   task: ")
	if len(runs) != len(demoRuns)+1 {
		t.Fatalf("%d runs in:\n%s", len(runs)-1, &out)
	}
	for i, r := range runs[1:] {
		if !strings.Contains(r, "completed after") {
			t.Errorf("run %d did not complete:\n%s", i+1, r)
		}
		corrected := strings.Contains(r, "     correct   ")
		learnt := strings.Contains(r, "   learnt    ")
		if corrected != (i == 1) || learnt != (i > 0) {
			t.Errorf("run %d: corrected %v, learnt %v:\n%s", i+1, corrected, learnt, r)
		}
		if !strings.Contains(r, "   finance   0 model calls") || !strings.Contains(r, "stepledger task state ") {
			t.Errorf("run %d does not show what the readers get:\n%s", i+1, r)
		}
	}
}
