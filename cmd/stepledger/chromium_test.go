package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
)

// chromiumPath makes sure of a Chromium, and returns it with a context for the rest of
// the test. Without one the test is skipped, and fails on CI.
func chromiumPath(t *testing.T) (ctx context.Context, path string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // Chromium may have to be installed
	t.Cleanup(cancel)
	path, err := browser.Ensure(ctx, testLog(slog.LevelWarn))
	if errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		t.Skipf("%v; then: make test", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return ctx, path
}

// startChromium starts one that ends with the test.
func startChromium(t *testing.T) (context.Context, *browser.Browser) {
	t.Helper()
	ctx, path := chromiumPath(t)
	chromium, err := browser.Start(ctx, browser.Options{Path: path, Log: testLog(slog.LevelWarn)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chromium.Close() })
	return ctx, chromium
}
