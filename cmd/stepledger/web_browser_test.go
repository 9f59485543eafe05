package main

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/browser"
)

// axeVersion is the release of axe-core pages are checked with.
const axeVersion = "axe-core@4.10.3"

// axe is the source of axe-core, from the npm registry. Without npm the test is
// skipped, and fails on CI.
func axe(ctx context.Context, t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.CommandContext(ctx, "npm", "pack", axeVersion, "--pack-destination", dir, "--silent")
	out, err := cmd.Output()
	if err != nil && os.Getenv("CI") == "" {
		t.Skipf("no axe-core to check with: npm pack: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(filepath.Join(dir, strings.TrimSpace(string(out))))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(unzipped); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			t.Fatal("axe.min.js is not in the package")
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Name == "package/axe.min.js" {
			source, err := io.ReadAll(archive)
			if err != nil {
				t.Fatal(err)
			}
			return string(source)
		}
	}
}

// reader is a person in front of the pages.
type reader struct {
	testing.TB
	ctx  context.Context
	tab  *browser.Tab
	base string
}

// open goes to a page and returns when it and what is in it have loaded.
func (r reader) open(path string) {
	r.Helper()
	r.leave(`location.assign(` + strconv.Quote(r.base+path) + `)`)
}

// leave evaluates what leads to another document, and returns when that and what is in it
// have loaded. A document is known by when it began: what a page writes into itself, its
// title or its address, may come late or be the same in the next.
func (r reader) leave(expression string) {
	r.Helper()
	r.becomes(`document.readyState`, "complete") // a page that still loads may yet take the place of the next
	before := r.eval(`performance.timeOrigin`)
	r.eval(`setTimeout(() => { ` + expression + ` })`) // the answer is out before the document goes
	r.becomes(`[document.readyState, performance.timeOrigin !== `+before+`].join()`, "complete,true")
}

// click clicks on what a selector finds, once it is there.
func (r reader) click(selector string) {
	r.Helper()
	found := `document.querySelector(` + strconv.Quote(selector) + `)`
	r.becomes(found+` !== null`, "true")
	r.eval(found + `.click()`)
}

// eval evaluates an expression, as a text.
func (r reader) eval(expression string) string {
	r.Helper()
	text, err := r.evaluate(expression)
	if err != nil {
		r.Fatalf("%s: %v", expression, err)
	}
	return text
}

func (r reader) evaluate(expression string) (text string, err error) {
	value, err := r.tab.Evaluate(r.ctx, "Promise.resolve("+expression+").then(String)")
	if err != nil {
		return "", err
	}
	return text, json.Unmarshal(value, &text)
}

// becomes waits until an expression has a value, from one document to the next.
func (r reader) becomes(expression, want string) {
	r.Helper()
	var got string
	var err error
	for range 500 {
		if got, err = r.evaluate(expression); err == nil && got == want {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.Fatalf("%s is %q (%v), want %q", expression, got, err, want)
}

func (r reader) signIn(email, password string) {
	r.Helper()
	r.open("/tasks")
	r.becomes("location.pathname", "/login")
	r.leave(fmt.Sprintf(`document.querySelector("[name=email]").value = %q, document.querySelector("[name=password]").value = %q, document.querySelector("main button").click()`, email, password))
	r.becomes("location.pathname", "/tasks")
}

// picture is kept with the artefacts of the test.
func (r reader) picture(name string) {
	r.Helper()
	png, err := r.tab.Screenshot(r.ctx)
	if err != nil {
		r.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.ArtifactDir(), name+".png"), png, 0o600); err != nil {
		r.Fatal(err)
	}
}

// violations are the serious ones axe finds on the page.
func (r reader) violations(source string) string {
	r.Helper()
	r.eval("(" + "() => {" + source + "; return ''" + "})()")
	return r.eval(`axe.run(document, {iframes: false, resultTypes: ["violations"]}).then(found => found.violations
		.filter(v => v.impact === "serious" || v.impact === "critical")
		.map(v => v.id + ": " + v.nodes.map(n => n.target + " " + (n.any[0]?.message ?? n.all[0]?.message ?? "")).join(" | ")).join("\n"))`)
}

// newReader opens a window of a width on a server's login.
func newReader(ctx context.Context, t testing.TB, path string, width int, base string) reader {
	t.Helper()
	chromium, err := browser.Start(ctx, browser.Options{Path: path, Width: width, Height: 844})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = chromium.Close() })
	tab, err := chromium.NewTab(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := tab.Open(ctx, base+"/login"); err != nil {
		t.Fatal(err)
	}
	return reader{t, ctx, tab, base}
}

// Whoever looks sees every page of two tasks at both widths, light and dark, without a
// serious finding of axe, without anything wider than the window, and without a request
// to anywhere else. The pictures are kept: go test -artifacts.
func TestWeb_EveryPageInABrowser(t *testing.T) {
	t.Parallel()
	ctx, path := chromiumPath(t)
	source := axe(ctx, t)
	s := newModelServer(t, newFakeGemini(t), hooks{})
	first, second := newModelPursuit(), newModelPursuit()
	first.finish(t, s.client)
	second.finish(t, s.client)
	s.catchUp(t)
	call := data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+first.task)).Calls[0].CallID
	task := "/tasks/" + first.task
	pages := map[string]string{
		"tasks": "/tasks", "task": task + "?turn=2", "state": task + "/state?revision=6", "events": task + "/events?importance=high",
		"diff": task + "/diff?from=1&to=6", "graph": task + "/graph?turn=2", "call": task + "/calls/" + call,
		"replay": task + "/replay", "bisect": task + "/bisect?condition=%2Fstatus+%3D+completed",
		"compare": "/compare?a=" + first.task + "&b=" + second.task,
		"usage":   "/usage", "skills": "/skills", "calibration": "/calibration", "projections": "/projections",
		"nothing": "/tasks/" + first.session,
	}
	for width, schemes := range map[int][]string{1280: {"light", "dark"}, 390: {"dark"}} {
		r := newReader(ctx, t, path, width, s.base)
		r.picture(fmt.Sprintf("login-%d", width))
		r.signIn("jo@acme.example", testPassword.Reveal())
		for name, target := range pages {
			r.open(target)
			for _, scheme := range schemes {
				r.eval(`document.documentElement.style.colorScheme = "` + scheme + `"`)
				if found := r.violations(source); found != "" {
					t.Errorf("%s, %d pixels, %s:\n%s", name, width, scheme, found)
				}
				r.picture(fmt.Sprintf("%s-%d-%s", name, width, scheme))
			}
			if wide := r.eval("document.documentElement.scrollWidth > innerWidth"); wide != "false" {
				t.Errorf("%s is wider than the window of %d", name, width)
			}
			if strangers := r.eval(`performance.getEntriesByType("resource").map(e => e.name).filter(n => !n.startsWith(location.origin)).join()`); strangers != "" {
				t.Errorf("%s asked for %s", name, strangers)
			}
		}
	}
}

// An engineer goes along a task by slider, keys and links; the address names the turn,
// and leads there again.
func TestWeb_AlongATask(t *testing.T) {
	t.Parallel()
	ctx, path := chromiumPath(t)
	s := newModelServer(t, newFakeGemini(t), hooks{})
	p := newModelPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	r := newReader(ctx, t, path, 1280, s.base)
	r.signIn("jo@acme.example", testPassword.Reveal())
	const (
		turn    = `[location.search, document.querySelector("#part article").getAttribute("aria-label"), document.querySelector("output").value].join(" ")`
		slider  = `document.querySelector("input[type=range]")`
		pressed = `document.body.dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`
	)
	r.open("/tasks/" + p.task + "?turn=2")
	r.becomes(turn, "?turn=2 Turn 2 2 of 4")
	r.becomes(`document.querySelectorAll("#part iframe").length`, "2")
	r.eval(slider + `.value = 3, ` + slider + `.dispatchEvent(new Event("input"))`)
	r.becomes(turn, "?turn=3 Turn 3 3 of 4")
	r.eval(fmt.Sprintf(pressed, "ArrowLeft"))
	r.becomes(turn, "?turn=2 Turn 2 2 of 4")
	r.eval(fmt.Sprintf(pressed, "End"))
	r.becomes(turn, "?turn=4 Turn 4 4 of 4")
	r.click(`[data-go='1']`)
	r.becomes(turn, "?turn=1 Turn 1 1 of 4")
	r.leave(`location.reload()`)
	r.becomes(turn, "?turn=1 Turn 1 1 of 4")
	r.open("/tasks/" + p.task + "/state?revision=0")
	const state = `[location.search, document.querySelector("#part h2").textContent].join(" ")`
	r.click(`[data-step='1']`)
	r.becomes(state, "?revision=1 State after event 1: task_started")
}

// A captured page that would do much is shown, and does nothing: no script, no request,
// no way out of its frame.
func TestWeb_AHostilePage(t *testing.T) {
	t.Parallel()
	ctx, path := chromiumPath(t)
	var b beacons
	site := httptest.NewServer(&b)
	defer site.Close()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	hostile := strings.ReplaceAll(hostilePage, "/beacon/", site.URL+"/beacon/")
	hostile += `<svg><script href="` + site.URL + `/beacon/late"></script></svg><script>top.location = "` + site.URL + `/beacon/top"</script>`
	body, err := s.interact(ctx, domain.NewUUID(), map[string]any{"url": "https://evil.example/", "dom": hostile, "query": "Save it"})
	if err != nil {
		t.Fatal(err)
	}
	task := data[interact.Answer](t, body).TaskID
	s.catchUp(t)
	r := newReader(ctx, t, path, 1280, s.base)
	r.signIn("jo@acme.example", testPassword.Reveal())
	r.open("/tasks/" + task)
	r.eval(`new Promise(done => setTimeout(done, 1500))`) // the refresh would have been after a second
	if hits := b.taken(); len(hits) > 0 {
		t.Errorf("the captured page fetched %v", hits)
	}
	if at := r.eval("location.pathname + document.title"); !strings.HasPrefix(at, "/tasks/"+task) || strings.Contains(at, "owned") {
		t.Errorf("the page is at %s", at)
	}
	if n := r.eval(`document.querySelectorAll("#part iframe[sandbox='']").length`); n != "1" {
		t.Errorf("%s frames show the page", n)
	}
	r.picture("hostile")

	// Its export, too, is one file that asks for nothing.
	file := filepath.Join(t.TempDir(), "task.html")
	s.tool(t, "task", "export", task, "--out", file)
	var asked atomic.Int64
	alone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/favicon.ico" {
			asked.Add(1)
		}
		http.ServeFile(w, req, file)
	}))
	defer alone.Close()
	r.base = alone.URL
	r.open("/")
	r.eval(`new Promise(done => setTimeout(done, 1500))`)
	if hits := b.taken(); len(hits) > 0 || asked.Load() != 1 {
		t.Errorf("the export fetched %v, and from its own server %d times", hits, asked.Load())
	}
	if shown := r.eval("document.body.innerText"); !strings.Contains(shown, "Save it") {
		t.Errorf("the export shows %s", shown)
	}
	r.picture("export")
}
