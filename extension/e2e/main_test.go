// Package e2e tests the browser extension as it is delivered: built, loaded into a real
// Chromium, against a server. A table of pages, on each of which something has to
// happen that the page itself tells, is done with both clients, the extension and the
// one of internal/browser.
package e2e

import (
	"flag"
	"log/slog"
	"os"
	"testing"
)

var quietLog = slog.New(slog.DiscardHandler)

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // pages wait most of their time
	code := m.Run()
	removeBuilt()
	os.Exit(code)
}
