package uitest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/browser"
)

//go:embed testdata/fake.js
var fake string

type object = map[string]any

// contents is what a document finds: what is stored, and what the browser answers.
type contents struct {
	Storage   object   `json:"storage"`
	ActiveTab int      `json:"activeTab"`
	Manifest  object   `json:"manifest"`
	Origins   []string `json:"origins"`
	Grants    bool     `json:"grants"`
	Refuses   object   `json:"refuses"`

	dark bool
}

var login = object{"accessToken": "t", "expiresAt": "2999-01-01T00:00:00Z", "email": "ana@clinic.example"}

// with are contents with these stored; somebody is logged in.
func with(items object) contents {
	all := object{"login": login}
	for key, value := range items {
		all[key] = value
	}
	return contents{Storage: all, ActiveTab: 1, Grants: true}
}

// record is that of a task in tab 1, as the worker writes it.
func record(phase string, parts object) object {
	all := object{
		"taskId": "t1", "sessionId": "s1", "url": "https://clinic.example/patients", "timestamp": 1, "tabId": 1, "runId": "r1",
		"query": "Add a new patient with name 'Jas'", "phase": phase, "message": "", "turns": 3, "costUSD": "0.0312045", "loop": nil,
	}
	for key, value := range parts {
		all[key] = value
	}
	return all
}

// entries are the log of that task.
var entries = []object{
	{"at": 1, "kind": "user", "text": "Add a new patient with name 'Jas'"},
	{"at": 2, "kind": "thought", "text": "The list has a button for a new patient.", "stepIndex": 0},
	{"at": 3, "kind": "action", "text": "Click “New patient”", "stepIndex": 0},
	{"at": 4, "kind": "verdict", "text": "", "stepIndex": 0, "outcome": "succeeded", "confidence": 0.96, "reason": "The form is open"},
	{"at": 5, "kind": "thought", "text": "The form asks for a name.", "stepIndex": 1},
	{"at": 6, "kind": "action", "text": "Write “Jas” into “Name”", "stepIndex": 1},
	{"at": 7, "kind": "verdict", "text": "", "stepIndex": 1, "outcome": "failed", "confidence": 0.81, "reason": "The field is still empty"},
	{"at": 8, "kind": "action", "text": "Write “Jas” into “Full name”", "stepIndex": 1},
	{"at": 9, "kind": "verdict", "text": "", "stepIndex": 1, "outcome": "undecided", "reason": "No answer of the server yet"},
}

// open opens a document of the extension (sidepanel.html, options.html) with contents.
func open(t *testing.T, document string, c contents) *browser.Tab {
	t.Helper()
	tab := newTab(t)
	if err := tab.Open(t.Context(), serve(t, c)+"/"+document); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the document", func() bool { return evaluate[bool](t, tab, `!!document.querySelector("main")`) })
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 10*time.Second)
		defer cancel()
		if problems, err := tab.Evaluate(ctx, "problems"); err != nil || string(problems) != "[]" {
			t.Errorf("in the document: %s, %v", problems, err)
		}
	})
	return tab
}

// serve serves the built extension under the policy its pages have, with the fake before
// their own scripts.
func serve(t *testing.T, c contents) string {
	t.Helper()
	root := extension(t)
	dist := filepath.Join(root, "dist")
	var manifest object
	readJSON(t, filepath.Join(dist, "manifest.json"), &manifest)
	if c.Manifest == nil {
		c.Manifest = manifest
	}
	prepared, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	policy, _ := manifest["content_security_policy"].(object)["extension_pages"].(string)
	files := http.FileServer(http.Dir(dist))
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path
		switch {
		case name == "/fake.js":
			send(w, "text/javascript", fmt.Sprintf("globalThis.contents = %s\n%s", prepared, fake))
		case name == "/axe.js":
			http.ServeFile(w, r, filepath.Join(root, "node_modules/axe-core/axe.min.js"))
		case strings.HasPrefix(name, "/store"):
			http.ServeFile(w, r, filepath.Join("testdata", filepath.Base(name)))
		case strings.HasSuffix(name, ".html"):
			w.Header().Set("Content-Security-Policy", policy)
			send(w, "text/html", withFake(read(filepath.Join(dist, name))))
		case strings.HasSuffix(name, ".css") && c.dark:
			send(w, "text/css", strings.ReplaceAll(read(filepath.Join(dist, name)), "prefers-color-scheme:dark", "min-width:1px"))
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func withFake(document string) string {
	return strings.Replace(document, "<head>", `<head><script src="/fake.js"></script><script src="/axe.js"></script>`, 1)
}

func send(w http.ResponseWriter, kind, body string) {
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	fmt.Fprint(w, body)
}

// read gives the text of a file, "" if there is none.
func read(name string) string {
	data, _ := os.ReadFile(name)
	return string(data)
}

// put changes what is stored, as the worker would.
func put(t *testing.T, tab *browser.Tab, items object) {
	t.Helper()
	data, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	evaluate[bool](t, tab, fmt.Sprintf("put(%s), true", data))
	settle(t, tab)
}

func settle(t *testing.T, tab *browser.Tab) {
	t.Helper()
	if _, err := tab.WaitStable(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// asked are the messages to the worker, without those that only wake it.
func asked(t *testing.T, tab *browser.Tab) []object {
	t.Helper()
	return evaluate[[]object](t, tab, `calls.filter((c) => c.name === "sendMessage").map((c) => c.args[0]).filter((m) => m.do !== "wake")`)
}

// called are the arguments with which a function of chrome.* was called.
func called(t *testing.T, tab *browser.Tab, name string) [][]any {
	t.Helper()
	return evaluate[[][]any](t, tab, fmt.Sprintf("calls.filter((c) => c.name === %q).map((c) => c.args)", name))
}

// do executes an action that must be possible.
func do(t *testing.T, tab *browser.Tab, a action.Action) {
	t.Helper()
	r, err := tab.Execute(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if r.Error != nil {
		t.Fatalf("%s: %v", a, r.Error)
	}
}

func press(t *testing.T, tab *browser.Tab, key string) {
	t.Helper()
	do(t, tab, action.Action{Name: action.Press, Text: key})
}

func write(t *testing.T, tab *browser.Tab, text string) {
	t.Helper()
	do(t, tab, action.Action{Name: action.Type, Text: text})
}

// click clicks the one control with this name.
func click(t *testing.T, tab *browser.Tab, name string) {
	t.Helper()
	do(t, tab, action.Action{Name: action.Click, Target: idOf(t, tab, name)})
}

func idOf(t *testing.T, tab *browser.Tab, name string) string {
	t.Helper()
	c, err := tab.Capture(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var found, all []string
	for _, n := range c.Tree {
		all = append(all, fmt.Sprintf("%s %q", n.Role, n.Name))
		if string(n.Name) == name {
			found = append(found, string(n.ID))
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d controls are named %q, of %v", len(found), name, all)
	}
	return found[0]
}
