// Package uitest opens the built panel and options in Chromium, with prepared contents of
// chrome.storage in place of a worker: what every phase shows, the keyboard alone,
// accessibility by axe-core, and the pictures for the store. It also checks what the
// store wants of the package.
//
// Limit: chrome.* is a fake (testdata/fake.js); the extension as it is delivered is
// package e2e's.
package uitest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/nodetest"
)

var screenshots = flag.String("screenshots", "", "folder to write the pictures of the store to; none are written without")

// shared is the one Chromium of all tests, or why there is none.
var shared struct {
	browser *browser.Browser
	absent  error
}

func TestMain(m *testing.M) {
	flag.Parse()
	_ = flag.Set("test.parallel", "4") // they wait most of their time
	os.Exit(run(m))
}

func run(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	path, err := browser.Ensure(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if errors.Is(err, browser.ErrNotFound) && os.Getenv("CI") == "" {
		shared.absent = err
		return m.Run()
	}
	if err == nil {
		quick := browser.Stability{NetworkIdle: 60 * time.Millisecond, DOMSettled: 60 * time.Millisecond, Min: 50 * time.Millisecond, Max: 3 * time.Second}
		shared.browser, err = browser.Start(ctx, browser.Options{Path: path, Stability: quick})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := errors.Join(shared.browser.Close(), os.RemoveAll(built.dir)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

func newTab(t *testing.T) *browser.Tab {
	t.Helper()
	if shared.absent != nil {
		t.Skipf("%v; then: make test", shared.absent)
	}
	tab, err := shared.browser.NewTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

// built is the extension's folder after the build, with its packages; made once.
var built struct {
	sync.Mutex
	dir string // "" until there is one
}

// extension gives the folder of the extension, with what is built and packed in dist.
func extension(t *testing.T) string {
	t.Helper()
	built.Lock()
	defer built.Unlock()
	at := func() string { return filepath.Join(built.dir, "extension") }
	if built.dir != "" {
		return at()
	}
	root := nodetest.InstallIn(t, sourcesOf("../.."), "extension")
	nodetest.Run(t, filepath.Join(root, "extension"), nil, "npm", "run", "-s", "zip") // builds, too
	dir, err := os.MkdirTemp("", "stepledger-uitest-")
	if err != nil {
		t.Fatal(err)
	}
	// It outlives the test that builds it.
	if err := os.Rename(root, filepath.Join(dir, "root")); err != nil {
		t.Fatal(err)
	}
	built.dir = filepath.Join(dir, "root")
	return at()
}

// text is one of the texts a person sees.
func text(t *testing.T, key string, values ...string) string {
	t.Helper()
	all := map[string]string{}
	readJSON(t, "../ui/texts/en.json", &all)
	found, ok := all[key]
	if !ok {
		t.Fatalf("there is no text %s", key)
	}
	return strings.NewReplacer(values...).Replace(found)
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// evaluate asks the page.
func evaluate[T any](t *testing.T, tab *browser.Tab, expression string) (out T) {
	t.Helper()
	value, err := tab.Evaluate(t.Context(), expression)
	if err == nil {
		err = json.Unmarshal(value, &out)
	}
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return out
}

// eventually waits until what is looked for is there.
func eventually(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if there() {
			return
		}
	}
	t.Fatalf("%s did not come", what)
}
