package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
)

// quick waits as the contract says, in a fraction of the time.
var quick = browser.Stability{NetworkIdle: 60 * time.Millisecond, DOMSettled: 60 * time.Millisecond, Min: 50 * time.Millisecond, Max: 3 * time.Second}

// TestPages_Headless does the table with the client that drives Chromium from outside.
func TestPages_Headless(t *testing.T) {
	t.Parallel()
	path, err := browser.Ensure(t.Context(), quietLog)
	if errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skipf("%v; then: make test", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	chromium, err := browser.Start(t.Context(), browser.Options{Path: path, Stability: quick, Files: fstest.MapFS{"report.txt": {Data: []byte(report)}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chromium.Close() })
	b := newBrain(t)
	for _, p := range pages(t) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, p)
			task := b.begin(p.name, s.steps())
			tab, err := chromium.NewTab(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer tab.Close()
			if err := tab.Open(t.Context(), s.address()); err != nil {
				t.Fatal(err)
			}
			client := browser.Client{BaseURL: b.URL, Token: "token"}
			outcome, err := client.Run(t.Context(), tab, browser.Goal{Query: p.name + " " + p.Asks})
			if err != nil {
				t.Fatal(err)
			}
			task.judge(t, p.Hidden)
			if outcome.Status != "completed" && !t.Failed() {
				t.Errorf("the task is %s: %s", outcome.Status, outcome.Message)
			}
			p.judge(t, s, func(expression string) json.RawMessage {
				value, err := tab.Evaluate(t.Context(), expression)
				if err != nil {
					t.Fatal(err)
				}
				return value
			})
		})
	}
}
