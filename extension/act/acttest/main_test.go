package acttest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/stepledger/stepledger/internal/browser"
)

// tabs are those of the one Chromium of this test binary, for a test at a time; absent is
// why there is none.
var (
	tabs   = make(chan *browser.Tab, parallel)
	absent error
)

// parallel is how many tests run at once: more tabs than cores only make each other slow.
const parallel = 2

// actor is the bundle of entry.ts, ownWorld that of the script for the page's own world.
var actor, ownWorld string

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(parallel))
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	path, err := browser.Ensure(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		absent = err
		return m.Run()
	}
	if err == nil {
		actor, err = bundle("entry.ts")
	}
	if err == nil {
		ownWorld, err = bundle("world.ts")
	}
	var chromium *browser.Browser
	if err == nil {
		quick := browser.Stability{NetworkIdle: 40 * time.Millisecond, DOMSettled: 40 * time.Millisecond, Min: 30 * time.Millisecond, Max: 2 * time.Second}
		chromium, err = browser.Start(ctx, browser.Options{Path: path, Stability: quick})
	}
	for range parallel {
		var tab *browser.Tab
		if err == nil {
			tab, err = chromium.NewTab(ctx)
			tabs <- tab
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// bundle makes one script of a TypeScript file and what it imports.
func bundle(entry string) (string, error) {
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{entry}, Bundle: true, Write: false, Format: api.FormatIIFE, Target: api.ESNext, LogLevel: api.LogLevelSilent,
		TsconfigRaw: "{}",
	})
	for _, e := range result.Errors {
		return "", fmt.Errorf("bundle %s: %s (%s:%d)", entry, e.Text, e.Location.File, e.Location.Line)
	}
	return string(result.OutputFiles[0].Contents), nil
}
