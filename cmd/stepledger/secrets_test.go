package main

import (
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/leaktest"
)

// What is secret in the login below, by where it comes from. Each is looked for in
// all that is kept in clear or shown.
var seeds = map[string]string{
	"the password of the task":        `Hunt"2&zz!`,
	"the password of an address":      "Urlpw77aa",
	"a parameter of an address":       "Tok3nAAAA",
	"the fragment of an address":      "Idt0kBBBB",
	"a parameter of the last address": "Prevpw55b",
	"what a password field held":      "Prefill66x",
	"a link":                          "Sig88CCCC",
	"a hidden field":                  "Csrf99DDD",
	"an editable element":             "Edit11EEE",
	"a field called Hasło":            "Has22FFFF",
	"a text area called API key":      "Key33GGGG",
	"a refused request":               "Jsid44HHH",
	"a message of the client":         "Err55IIII",
	"a reply":                         "Reply66JJJ",
}

// leakyLogin is a page that leaks: it shows the password it was given in clear, and
// quotes it.
type leakyLogin struct {
	email, password string
	tried           int
}

func (l *leakyLogin) url() string {
	return "https://jo:" + seeds["the password of an address"] + "@shop.example/login?access_token=" + seeds["a parameter of an address"] +
		"&page=1#id_token=" + seeds["the fragment of an address"]
}

func (l *leakyLogin) dom() string {
	typ, alert := "password", ""
	if l.tried > 0 {
		typ = "text"
		alert = "<div role=alert>Login failed: no account for " + html.EscapeString(strings.ToUpper(l.password)) + " or " + seeds["what a password field held"] + "</div>"
	}
	field := seeds["what a password field held"]
	return fmt.Sprintf(`<title>Log in %s</title><h1>Log in</h1>%s<form action="/login?password=%s">
		<label>Email <input data-llm-id=1 type=email value="%s"></label>
		<label>Password <input data-llm-id=2 type=%s value="%s"></label>
		<button data-llm-id=3>Log in</button></form>
		<input data-llm-id=4 type=password aria-label="Old" value="%s"><p>Remembered: %s</p>
		<a data-llm-id=5 href="/help?sig=%s">Help</a><input type=hidden name=csrf_token value="%s">
		<div data-llm-id=6 contenteditable aria-label="Master password">%s</div>
		<label>Hasło <input data-llm-id=7 value="%s"></label><textarea data-llm-id=8 aria-label="API key">%s</textarea>`,
		field, alert, url.QueryEscape(l.password), l.email, typ, html.EscapeString(l.password), field, field,
		seeds["a link"], seeds["a hidden field"], seeds["an editable element"], seeds["a field called Hasło"], seeds["a text area called API key"])
}

func (l *leakyLogin) execute(a action.Action) {
	switch {
	case a.Name == action.SetValue && a.Target == "1":
		l.email = a.Text
	case a.Name == action.SetValue && a.Target == "2":
		l.password = a.Text
	case a.Name == action.Click && a.Target == "3":
		l.tried++
	}
}

// leakyVisit is a client as the specification describes one: no key, every optional
// field it knows of.
type leakyVisit struct {
	leakyLogin
	task, session string
	query         string
	last          string
	// answers are as they came but for the action, which is the client's alone;
	// typed is what it was told to type.
	answers, typed []string
}

func (v *leakyVisit) step(t *testing.T, c client) (ended bool) {
	t.Helper()
	body := map[string]any{
		"url": v.url(), "dom": v.dom(), "query": v.query, "previousUrl": "https://shop.example/?password=" + seeds["a parameter of the last address"],
		"recentEvents":         []string{"Typed " + v.password, "GET https://x.example/?token=" + seeds["a message of the client"]},
		"clientObservations":   map[string]any{"didDomMutate": true, "didNetworkOccur": true, "failedRequests": []any{map[string]any{"method": "POST", "path": "/in;jsessionid=" + seeds["a refused request"], "status": 401}}},
		"verification_message": "Saw " + html.EscapeString(v.password),
	}
	if v.task != "" {
		body["taskId"], body["sessionId"] = v.task, v.session
		body["lastActionStatus"] = "success"
	}
	r, err := c.do(t.Context(), "POST", "/api/agent/interact", body, nil)
	if err != nil {
		t.Fatal(err)
	}
	var envelope struct {
		Success bool
		Data    interact.Answer
	}
	if err := json.Unmarshal(r.body, &envelope); err != nil || !envelope.Success {
		v.answers = append(v.answers, string(r.body))
		return true
	}
	answer := envelope.Data
	v.task, v.session = answer.TaskID, answer.SessionID
	a, err := action.Parse(answer.Action)
	if err == nil {
		v.typed = append(v.typed, a.Text)
		v.execute(a)
	}
	if answer.Status == "executing" || answer.Status == "correcting" { // else it is a message
		answer.Action, answer.ActionDetails, answer.ToolAction = "", nil, nil
	}
	rest, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	v.answers = append(v.answers, string(rest))
	if answer.Status == "needs_user_input" {
		v.query = "The verification code is " + seeds["a reply"]
		return v.last == answer.UserQuestion
	}
	v.last = answer.UserQuestion
	return answer.Status == "completed" || answer.Status == "failed"
}

const leakyTurns = 12

func leakyTask() string {
	return "Log in with email jo@shop.example and password '" + seeds["the password of the task"] + "'"
}

func TestSecrets_goToTheExecutingClientAlone(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	v := &leakyVisit{query: leakyTask()}
	for range leakyTurns {
		if v.step(t, s.client) {
			break
		}
	}
	if !slices.Contains(v.typed, seeds["the password of the task"]) {
		t.Fatalf("the client was never told the password; it typed %q: %s", v.typed, v.answers)
	}
	s.catchUp(t)
	shown := strings.Join(v.answers, "\n") + everyAnswer(t, s, v)
	findSeeds(t, "what is shown", shown)
	if !strings.Contains(shown, "[secret]") || !strings.Contains(shown, "jo@shop.example") || !strings.Contains(shown, "page=1") {
		t.Errorf("what is no secret is gone too, or nothing was cut: %s", shown)
	}
	findSeeds(t, "what is kept in clear", everyRow(t, s))
	findSeeds(t, "the export", s.tool(t, "task", "export", v.task))
	s.replays(t, t.Name(), v.task)
}

// A model is asked without the password and says by name what to type.
func TestSecrets_noModelSeesOne(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{})
	v := &leakyVisit{query: leakyTask()}
	for _, says := range []string{
		`{"thought":"I type {secret 1}.","action":"setValue(\"2\", \"{secret 1}\")","confidence":0.9}`,
		`{"thought":"I go on.","action":"click(\"3\")","confidence":0.9}`,
		`{"thought":"Again.","action":"setValue(\"2\", \"{secret 1}\")","confidence":0.9}`,
	} {
		model.set(func(f *fakeGemini) { f.says = says })
		v.step(t, s.client)
	}
	model.mu.Lock()
	prompts := strings.Join(model.prompts, "\n")
	model.mu.Unlock()
	if len(v.typed) == 0 || v.typed[0] != seeds["the password of the task"] || !strings.Contains(prompts, "{secret 1}") {
		t.Errorf("typed %q, told %s, asked %s", v.typed, v.answers, prompts)
	}
	findSeeds(t, "the prompts", prompts)
	s.catchUp(t)
	findSeeds(t, "what is shown", strings.Join(v.answers, "\n")+everyAnswer(t, s, v))
	findSeeds(t, "what is kept in clear", everyRow(t, s))
	findSeeds(t, "the export", s.tool(t, "task", "export", v.task))
	s.replays(t, t.Name(), v.task)
}

// everyAnswer is what all routes and all commands that look say of the task.
func everyAnswer(t *testing.T, s *server, v *leakyVisit) string {
	t.Helper()
	var all strings.Builder
	for _, path := range []string{
		"/api/session", "/api/session?includeArchived=true", "/api/session/latest", "/api/session/" + v.session + "/messages?limit=100",
		"/api/session/" + v.session + "/task/active", "/api/session/" + v.session + "/task/active?url=" + url.QueryEscape(v.url()),
		"/api/debug/tasks/" + v.task + "/events?limit=1000", "/api/debug/tasks/" + v.task + "/turns?limit=200", "/api/debug/logs?limit=1000",
		"/api/usage/summary", "/api/usage/calls", "/api/usage/export", "/api/health",
	} {
		all.Write(s.get(t, path).body)
	}
	l := looked{task: v.task, other: v.task, tenant: data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID}
	if calls := data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+v.task)).Calls; len(calls) > 0 {
		l.call = calls[0].CallID
	}
	for _, target := range s.questions(t, l) {
		all.Write(s.get(t, target).body)
	}
	file := filepath.Join(t.TempDir(), "task.html")
	if out, err := s.toolWith(t, nil, "task", "export", v.task, "--out", file); err != nil { // there may be nothing to export any more
		fmt.Fprintln(&all, out, err)
	}
	for _, args := range append(lookingCommands(t, l, file), []string{"task", "fork", v.task, "--turn", "2"}) {
		out, err := s.toolWith(t, nil, args...) // a replay may differ: that is no fault here
		fmt.Fprintln(&all, out, err)
	}
	type events struct{ Head int }
	for i := range data[events](t, s.get(t, "/api/debug/tasks/"+v.task+"/events")).Head + 1 {
		all.Write(s.get(t, fmt.Sprintf("/api/debug/tasks/%s/state?revision=%d", v.task, i)).body)
	}
	return all.String()
}

// everyRow is what any table of the database has in clear.
func everyRow(t *testing.T, s *server) string {
	t.Helper()
	tables := leaktest.Tables(t, s.url)
	if len(tables) < 100 {
		t.Fatalf("%d columns", len(tables))
	}
	return leaktest.Text(tables)
}

// findSeeds looks for the secrets.
func findSeeds(t *testing.T, where, text string) {
	t.Helper()
	leaktest.Markers(seeds).Find(t, where, text)
}
