package uitest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/browser"
)

// view is what the panel shows in one situation.
type view struct {
	contents contents
	texts    []string // keys of texts, or texts
	buttons  []string // keys of texts: all of the task, in order
}

var about = object{"text": "Click “Save patient”", "target": "14"}

// views are the phases and what else the panel can be in.
var views = map[string]view{
	"nobody is logged in": {contents{Storage: object{}, ActiveTab: 1}, []string{"login.title", "Server: http://127.0.0.1:8484", "login.hint"}, []string{"login.submit"}},
	"the login has ended": {
		contents{Storage: object{"login": object{"accessToken": "t", "expiresAt": "2001-01-01T00:00:00Z", "email": "a@b.example"}, "task_1": record("trouble", nil)}, ActiveTab: 1},
		[]string{"login.expired", "phase.trouble"}, []string{"login.submit", "task.retry", "task.stop", "task.takeOver"},
	},
	"login refused": {
		running("trouble", object{"message": "Log in to go on.", "failure": object{"code": "UNAUTHORIZED", "message": "Log in to go on."}}),
		[]string{"login.title", "Log in to go on."}, []string{"login.submit", "task.retry", "task.stop", "task.takeOver"},
	},
	"no task":        {with(nil), []string{"start.title"}, []string{"start.submit"}},
	"no tab":         {contents{Storage: object{"login": login}}, []string{"start.notab"}, []string{"start.submit"}},
	"look":           {running("look", nil), []string{"phase.look", "Cost so far: $0.0312", "3 turns"}, []string{"task.stop", "task.takeOver"}},
	"ask":            {running("ask", nil), []string{"phase.ask"}, []string{"task.stop", "task.takeOver"}},
	"act":            {running("act", object{"about": about}), []string{"phase.act", "about.title", "Click “Save patient”", "about.highlight"}, []string{"task.stop", "task.takeOver"}},
	"settle":         {running("settle", nil), []string{"phase.settle"}, []string{"task.stop", "task.takeOver"}},
	"question":       {running("question", object{"message": "When was Jas born?", "missing": []string{"date of birth"}}), []string{"phase.question", "When was Jas born?", "question.missing", "date of birth"}, []string{"task.stop", "reply.submit"}},
	"permission":     {running("permission", object{"origins": []string{"https://clinic.example/*"}}), []string{"phase.permission", "permission.text", "https://clinic.example"}, []string{"permission.allow", "task.stop", "task.retry"}},
	"unknown site":   {running("permission", object{"origins": []string{}}), []string{"permission.unknown"}, []string{"task.stop", "task.retry"}},
	"file":           {running("file", object{"message": "photo.jpg", "about": object{"text": "Upload into “Photo”", "target": "9"}}), []string{"phase.file", "The task wants to upload “photo.jpg”.", "file.text", "file.label"}, []string{"file.submit", "task.stop", "task.takeOver"}},
	"held":           {running("held", nil), []string{"phase.held", "held.text"}, []string{"task.handBack", "task.stop"}},
	"trouble":        {running("trouble", object{"message": "The server is out of reach.", "failure": object{"code": "UNREACHABLE", "message": "The server is out of reach."}}), []string{"The server is out of reach.", "trouble.text"}, []string{"task.retry", "task.stop", "task.takeOver"}},
	"restricted":     {running("trouble", object{"message": "x", "failure": object{"code": "RESTRICTED_PAGE", "message": "x"}}), []string{"failure.RESTRICTED_PAGE"}, []string{"task.retry", "task.stop", "task.takeOver"}},
	"done":           {running("done", object{"message": "Jas is in the list."}), []string{"phase.done", "Jas is in the list."}, []string{"task.forget", "start.submit"}},
	"failed":         {running("failed", object{"message": "There is no such list."}), []string{"phase.failed"}, []string{"start.again", "task.forget", "start.submit"}},
	"stopped":        {running("stopped", nil), []string{"phase.stopped"}, []string{"task.goOn", "task.forget", "start.submit"}},
	"in another tab": {elsewhere(), []string{"task.others", "Find a bed (Your answer is needed)"}, []string{"task.stop", "task.takeOver"}},
}

func running(phase string, parts object) contents {
	return with(object{"task_1": record(phase, parts), "log_r1": entries})
}

// elsewhere has a task in the active tab, and another.
func elsewhere() contents {
	c := running("look", nil)
	c.Storage["task_2"] = record("question", object{"tabId": 2, "runId": "r2", "query": "Find a bed", "message": "For when?"})
	return c
}

// translated gives the text of a key, and what is no key as it is.
func translated(t *testing.T, keyOrText string) string {
	t.Helper()
	if strings.Contains(keyOrText, " ") || !strings.Contains(keyOrText, ".") || strings.Contains(keyOrText, "/") {
		return keyOrText
	}
	return text(t, keyOrText)
}

const buttonsShown = `[...document.querySelectorAll("main button:not(.link)")].map((b) => b.textContent)`

func TestPanel_Views(t *testing.T) {
	t.Parallel()
	for name, v := range views {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := open(t, "sidepanel.html", v.contents)
			shown := evaluate[string](t, tab, "document.body.innerText")
			for _, want := range v.texts {
				if want = translated(t, want); !strings.Contains(shown, want) {
					t.Errorf("%q is not shown in\n%s", want, shown)
				}
			}
			var buttons []string
			for _, key := range v.buttons {
				buttons = append(buttons, text(t, key))
			}
			if diff := cmp.Diff(buttons, evaluate[[]string](t, tab, buttonsShown)); diff != "" {
				t.Errorf("buttons (-want +got)\n%s", diff)
			}
			checkAccessible(t, tab)
		})
	}
}

// Colours differ in the dark scheme, and nothing else.
func TestPanel_Dark(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{"question": "sidepanel.html", "nobody is logged in": "sidepanel.html", "done": "options.html", "act": "sidepanel.html", "failed": "sidepanel.html"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := views[name].contents
			c.dark = true
			tab := open(t, document, c)
			if ground := evaluate[string](t, tab, "getComputedStyle(document.body).backgroundColor"); ground != "rgb(21, 26, 34)" {
				t.Fatalf("the ground is %s: this is not the dark scheme", ground)
			}
			checkAccessible(t, tab)
		})
	}
}

// checkAccessible fails for each serious or critical violation that axe-core finds.
func checkAccessible(t *testing.T, tab *browser.Tab) {
	t.Helper()
	type node struct{ HTML, FailureSummary string }
	type violation struct {
		ID, Impact, Help string
		Nodes            []node
	}
	found := evaluate[struct {
		Violations []violation
		Passes     int
	}](t, tab, `axe.run().then((r) => ({ passes: r.passes.length, violations: r.violations.map((v) => ({ id: v.id, impact: v.impact, help: v.help, nodes: v.nodes.map((n) => ({ html: n.html, failureSummary: n.failureSummary })) })) }))`)
	if found.Passes < 10 {
		t.Errorf("axe-core found only %d rules to hold: it did not see the document", found.Passes)
	}
	for _, v := range found.Violations {
		report := t.Logf
		if v.Impact == "serious" || v.Impact == "critical" {
			report = t.Errorf
		}
		report("%s %s: %s %+v", v.Impact, v.ID, v.Help, v.Nodes)
	}
}

// Everything is done without a mouse, and the focus is never lost on the way.
func TestPanel_KeyboardAlone(t *testing.T) {
	t.Parallel()
	tab := open(t, "sidepanel.html", with(nil))

	tabTo(t, tab, "textarea")
	write(t, tab, "Add a new patient")
	press(t, tab, "Enter")
	put(t, tab, object{"task_1": record("look", nil), "log_r1": entries[:1]})
	if focused := focusedText(t, tab); focused != text(t, "task.stop") {
		t.Errorf("after the start the focus is on %q", focused)
	}

	put(t, tab, object{"task_1": record("question", object{"message": "When was Jas born?"})})
	tabTo(t, tab, "textarea")
	write(t, tab, "1990-05-17")
	press(t, tab, "Enter")
	put(t, tab, object{"task_1": record("ask", nil)})
	if focused := focusedText(t, tab); focused != text(t, "task.stop") {
		t.Errorf("after the reply the focus is on %q", focused)
	}
	press(t, tab, "Enter")

	want := []object{
		{"panel": 1.0, "do": "start", "tabId": 1.0, "query": "Add a new patient"},
		{"panel": 1.0, "do": "reply", "tabId": 1.0, "text": "1990-05-17"},
		{"panel": 1.0, "do": "stop", "tabId": 1.0},
	}
	if diff := cmp.Diff(want, asked(t, tab)); diff != "" {
		t.Errorf("asked of the worker (-want +got)\n%s", diff)
	}
	put(t, tab, object{"task_1": record("stopped", nil)})
	if where := evaluate[string](t, tab, "document.activeElement.localName"); where == "body" {
		t.Error("after the stop the focus is nowhere")
	}
}

func tabTo(t *testing.T, tab *browser.Tab, element string) {
	t.Helper()
	for range 15 {
		if evaluate[string](t, tab, "document.activeElement.localName") == element {
			return
		}
		press(t, tab, "Tab")
		if !evaluate[bool](t, tab, `document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle !== "none"`) {
			t.Errorf("the focus on %q is not seen", focusedText(t, tab))
		}
	}
	t.Fatalf("the key Tab does not lead to a %s", element)
}

func focusedText(t *testing.T, tab *browser.Tab) string {
	t.Helper()
	return evaluate[string](t, tab, "document.activeElement.textContent")
}

// A site is asked for by the click, with the origins of the record, and then tried again.
func TestPanel_Permission(t *testing.T) {
	t.Parallel()
	for _, granted := range []bool{true, false} {
		t.Run(strconv.FormatBool(granted), func(t *testing.T) {
			t.Parallel()
			c := views["permission"].contents
			c.Grants = granted
			tab := open(t, "sidepanel.html", c)
			if n := len(called(t, tab, "permissions.request")); n != 0 {
				t.Fatalf("%d permissions were asked for without a click", n)
			}
			click(t, tab, text(t, "permission.allow"))
			want := [][]any{{object{"origins": []any{"https://clinic.example/*"}}}}
			if diff := cmp.Diff(want, called(t, tab, "permissions.request")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if retried := len(asked(t, tab)) == 1; retried != granted {
				t.Errorf("asked of the worker: %v", asked(t, tab))
			}
			if said := strings.Contains(evaluate[string](t, tab, "document.body.innerText"), text(t, "permission.denied")); said == granted {
				t.Errorf("it is said that the site was not allowed: %v", said)
			}
		})
	}
}

// Frames that are left out are offered in every phase of an open task, and asked for by a
// click alone.
func TestPanel_ClosedFrames(t *testing.T) {
	t.Parallel()
	closed := object{"closedFrames": []string{"https://pay.example/*"}}
	tab := open(t, "sidepanel.html", running("question", closed))
	if n := len(called(t, tab, "permissions.request")); n != 0 {
		t.Fatalf("%d permissions were asked for without a click", n)
	}
	click(t, tab, strings.ReplaceAll(text(t, "closed.allow"), "{sites}", "https://pay.example"))
	want := [][]any{{object{"origins": []any{"https://pay.example/*"}}}}
	if diff := cmp.Diff(want, called(t, tab, "permissions.request")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkAccessible(t, tab)
	if asked := asked(t, tab); len(asked) != 0 {
		t.Errorf("the task was told %v", asked)
	}
	done := open(t, "sidepanel.html", running("done", closed))
	if shown := evaluate[string](t, done, "document.body.innerText"); strings.Contains(shown, text(t, "closed.text")) {
		t.Error("a task that has ended offers them")
	}
}

// The password is in one message, and nowhere afterwards.
func TestPanel_Login(t *testing.T) {
	t.Parallel()
	c := views["nobody is logged in"].contents
	c.Refuses = object{"code": "INVALID_CREDENTIALS", "message": "Email or password is wrong."}
	tab := open(t, "sidepanel.html", c)
	press(t, tab, "Tab") // options
	tabTo(t, tab, "input")
	write(t, tab, "ana@clinic.example")
	press(t, tab, "Tab")
	write(t, tab, "hunter2zz")
	press(t, tab, "Enter")
	want := []object{{"panel": 1.0, "do": "login", "email": "ana@clinic.example", "password": "hunter2zz"}}
	if diff := cmp.Diff(want, asked(t, tab)); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if left := evaluate[string](t, tab, `document.querySelector("#password").value + JSON.stringify(stored)`); strings.Contains(left, "hunter2zz") {
		t.Errorf("the password is still there: %s", left)
	}
	if shown := evaluate[string](t, tab, "document.body.innerText"); !strings.Contains(shown, "Email or password is wrong.") {
		t.Errorf("the refusal is not shown in\n%s", shown)
	}
	put(t, tab, object{"login": login})
	if shown := evaluate[string](t, tab, "document.body.innerText"); !strings.Contains(shown, text(t, "start.title")) {
		t.Errorf("after the login there is no place for a task in\n%s", shown)
	}
}

// Switching to a tab without a task leaves the task in view; another one is picked, and a
// new one begun, only by hand.
func TestPanel_Tabs(t *testing.T) {
	t.Parallel()
	tab := open(t, "sidepanel.html", elsewhere())
	heading := func() string { return evaluate[string](t, tab, `document.querySelector("main h2").textContent`) }
	activate := func(id int) {
		evaluate[bool](t, tab, fmt.Sprintf("activate(%d), true", id))
		settle(t, tab)
	}
	const first, second = "Add a new patient with name 'Jas'", "Find a bed"
	for _, step := range []struct {
		does func()
		want string
	}{
		{func() {}, first},
		{func() { activate(9) }, first},
		{func() { activate(2) }, second},
		{func() { activate(9) }, second},
		{func() { click(t, tab, first+" ("+text(t, "phase.look")+")") }, first},
		{func() { put(t, tab, object{"task_1": nil, "task_9": record("look", object{"tabId": 9})}) }, first},
		{func() { activate(7) }, first},
		{func() { click(t, tab, text(t, "start.here")) }, text(t, "start.title")},
		{func() { click(t, tab, text(t, "task.back")) }, first},
	} {
		step.does()
		if got := heading(); got != step.want {
			t.Fatalf("in view is %q, want %q", got, step.want)
		}
	}
	if moved := called(t, tab, "tabs.update"); len(moved) != 0 {
		t.Errorf("the panel changed tabs by itself: %v", moved)
	}
}

// A screen reader is told what waits for the person, and what came of a step.
func TestPanel_News(t *testing.T) {
	t.Parallel()
	tab := open(t, "sidepanel.html", with(object{"task_1": record("look", nil), "log_r1": entries[:3]}))
	said := func(role string) string {
		return evaluate[string](t, tab, fmt.Sprintf(`document.querySelector(".unseen[role=%s]").textContent`, role))
	}
	if s := said("status") + said("alert"); s != "" {
		t.Errorf("of what was there already is said %q", s)
	}
	put(t, tab, object{"log_r1": entries[:4]})
	if s := said("status"); s != "Step 1: "+text(t, "verdict.succeeded") {
		t.Errorf("of a verdict is said %q", s)
	}
	put(t, tab, object{"task_1": record("question", object{"message": "When was Jas born?"})})
	if s := said("alert"); !strings.Contains(s, "When was Jas born?") {
		t.Errorf("of a question is said %q", s)
	}
}

// The target of an action is outlined while it stands in the panel, unless that is
// switched off, also from the panel.
func TestPanel_Highlight(t *testing.T) {
	t.Parallel()
	tab := open(t, "sidepanel.html", views["act"].contents)
	outlines := func() (ids []string) {
		for _, args := range called(t, tab, "tabs.sendMessage") {
			data, err := json.Marshal(args[1])
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				Call string
				Args []string
			}
			if err := json.Unmarshal(data, &m); err != nil || m.Call != "highlight" || args[0] != 1.0 {
				t.Fatalf("the page is told %s: %v", data, err)
			}
			ids = append(ids, m.Args...)
		}
		return ids
	}
	if got := outlines(); !slices.Equal(got, []string{"14"}) {
		t.Fatalf("outlined: %q", got)
	}
	click(t, tab, text(t, "about.highlight"))
	if got := outlines(); !slices.Equal(got, []string{"14", ""}) {
		t.Errorf("after it was switched off: %q", got)
	}
	if !evaluate[bool](t, tab, "stored.settings.highlight === false") {
		t.Error("the choice is not stored")
	}
	click(t, tab, text(t, "about.highlight"))
	put(t, tab, object{"task_1": record("settle", nil)})
	if got := outlines(); !slices.Equal(got, []string{"14", "", "14", ""}) {
		t.Errorf("after the action: %q", got)
	}
}

// The worker is asked to go on as soon as the panel is there.
func TestPanel_Wakes(t *testing.T) {
	t.Parallel()
	wakes := func(tab *browser.Tab) []float64 {
		return evaluate[[]float64](t, tab, `calls.filter((c) => c.args[0].do === "wake").map((c) => c.args[0].tabId)`)
	}
	if got := wakes(open(t, "sidepanel.html", elsewhere())); !slices.Equal(got, []float64{1, 2}) {
		t.Errorf("woken for the tabs %v", got)
	}
	if got := wakes(open(t, "sidepanel.html", with(nil))); !slices.Equal(got, []float64{1}) {
		t.Errorf("woken for %v, where the task of tab 1 may be lost", got)
	}
	if got := wakes(open(t, "sidepanel.html", views["done"].contents)); len(got) != 0 {
		t.Errorf("woken for %v, where nothing is to be done", got)
	}
}
