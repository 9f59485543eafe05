package browser

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/demoapp"
)

// shared is the one Chromium of this test binary, or why there is none; every
// test has a tab of its own.
var (
	shared *Browser
	absent error
)

// quick waits as the specification says, in a tenth of the time.
var quick = Stability{NetworkIdle: 60 * time.Millisecond, DOMSettled: 60 * time.Millisecond, Min: 50 * time.Millisecond, Max: 3 * time.Second}

// patience is longer than anything takes on a busy machine.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	// More tabs at once than cores only make each other slow.
	_ = flag.Set("test.parallel", "2")
	os.Exit(runWithBrowser(m))
}

func runWithBrowser(m *testing.M) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	path, err := Ensure(ctx, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if mayBeAbsent(err) {
		absent = err
		return m.Run()
	}
	if err == nil {
		shared, err = Start(ctx, Options{Path: path, Stability: quick})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return max(code, 1)
	}
	return code
}

// mayBeAbsent says whether the tests that need a browser are skipped for this
// error: on a developer's machine that has none. On CI a skip would make a
// green build that tested nothing.
func mayBeAbsent(err error) bool { return errors.Is(err, ErrNotFound) && os.Getenv("CI") == "" }

// chromium returns the shared browser, or skips the test.
func chromium(t *testing.T) *Browser {
	t.Helper()
	if absent != nil {
		t.Skipf("%v; then: make test", absent)
	}
	return shared
}

// newTab opens a tab that closes with the test.
func newTab(t *testing.T) *Tab {
	t.Helper()
	tab, err := chromium(t).NewTab(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	return tab
}

// openDemo shows a fresh patient registry.
func openDemo(t *testing.T, o demoapp.Options, path string) *Tab {
	t.Helper()
	srv := httptest.NewServer(demoapp.New(o))
	t.Cleanup(srv.Close)
	return open(t, srv.URL+path)
}

// openHTML shows a page with this body.
func openHTML(t *testing.T, body string) *Tab {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, "<!doctype html><title>test</title>", body)
			return
		case "/stall":
			<-r.Context().Done()
			return
		case "/refused":
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, "<!doctype html><title>other</title><h1>", html.EscapeString(r.URL.Path), "</h1>")
	}))
	t.Cleanup(srv.Close)
	return open(t, srv.URL+"/")
}

func open(t *testing.T, url string) *Tab {
	t.Helper()
	tab := newTab(t)
	if err := tab.Open(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return tab
}

func (t *Tab) mustCapture(test *testing.T) Capture {
	test.Helper()
	c, err := t.Capture(test.Context())
	if err != nil {
		test.Fatal(err)
	}
	return c
}

// node finds the one node with this role and name.
func node(t *testing.T, c Capture, role, name string) page.NodeV3 {
	t.Helper()
	var found []page.NodeV3
	for _, n := range c.Tree {
		if n.Role == role && string(n.Name) == name {
			found = append(found, n)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d nodes %s %q in:\n%s", len(found), role, name, treeText(c))
	}
	return found[0]
}

func id(t *testing.T, c Capture, role, name string) string {
	t.Helper()
	return string(node(t, c, role, name).ID)
}

func treeText(c Capture) string {
	var b strings.Builder
	for _, n := range c.Tree {
		fmt.Fprintf(&b, "%s %s %q value=%q state=%q occluded=%v\n", n.ID, n.Role, n.Name, n.Value, n.State, n.Occluded)
	}
	return b.String()
}

func (t *Tab) mustExecute(test *testing.T, a action.Action) Report {
	test.Helper()
	r, err := t.Execute(test.Context(), a)
	if err != nil {
		test.Fatal(err)
	}
	return r
}

// does executes an action that must succeed.
func (t *Tab) does(test *testing.T, a action.Action) Report {
	test.Helper()
	r := t.mustExecute(test, a)
	if r.Status != StatusSuccess {
		test.Fatalf("%s: %v", a, r.Error)
	}
	return r
}

// fails executes an action that must be refused with this code.
func (t *Tab) fails(test *testing.T, a action.Action, code string) Report {
	test.Helper()
	r := t.mustExecute(test, a)
	if r.Status != StatusFailure || r.Error == nil || r.Error.Code != code {
		test.Fatalf("%s: status %s, error %v, want %s", a, r.Status, r.Error, code)
	}
	return r
}

// eval changes the page from its own world, as its scripts would.
func (t *Tab) eval(test *testing.T, expression string) {
	test.Helper()
	err := t.do(test.Context(), func(ctx context.Context, target *chromedp.Target) error {
		_, err := chromedp.Evaluate[chromedp.Void](expression)(ctx, target)
		return err
	})
	if err != nil {
		test.Fatal(err)
	}
}

func click(id string) action.Action { return action.Action{Name: action.Click, Target: id} }

func setValue(id, text string) action.Action {
	return action.Action{Name: action.SetValue, Target: id, Text: text}
}

func TestTab_Screenshot(t *testing.T) {
	t.Parallel()
	tab := openDemo(t, demoapp.Options{}, "/")
	png, err := tab.Screenshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(png), "\x89PNG") {
		t.Errorf("not a PNG: %q", png[:min(8, len(png))])
	}
}
