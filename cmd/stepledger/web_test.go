package main

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/web"
)

// visitor goes to pages as a browser without scripts does, but follows no redirect.
type visitor struct {
	*testing.T
	client *http.Client
	base   string
}

func newVisitor(t *testing.T, s *server) visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return visitor{t, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, s.base}
}

func (v visitor) send(method, path string, form url.Values, header map[string]string) reply {
	v.Helper()
	req, err := http.NewRequestWithContext(v.Context(), method, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	res, err := v.client.Do(req)
	if err != nil {
		v.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		v.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, body}
}

func (v visitor) get(path string) reply { v.Helper(); return v.send(http.MethodGet, path, nil, nil) }

func (v visitor) signIn(email, next string) reply {
	v.Helper()
	return v.send(http.MethodPost, "/login", url.Values{"email": {email}, "password": {testPassword.Reveal()}, "next": {next}}, nil)
}

func TestWeb_SignIn(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	email := newUser(t, s.identity, "sam@acme.example")
	v := newVisitor(t, s)
	wants := func(r reply, status int, location string) {
		t.Helper()
		if r.status != status || r.header.Get("Location") != location {
			t.Errorf("status %d to %q, want %d to %q: %.200s", r.status, r.header.Get("Location"), status, location, r.body)
		}
	}
	wants(v.get("/"), http.StatusSeeOther, "/tasks")
	wants(v.get("/tasks?status=failed"), http.StatusSeeOther, "/login?next=%2Ftasks%3Fstatus%3Dfailed")
	wrong := v.send(http.MethodPost, "/login", url.Values{"email": {email}, "password": {"wrong"}}, nil)
	if wants(wrong, http.StatusUnauthorized, ""); !strings.Contains(string(wrong.body), `role="alert"`) || wrong.header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong password: %v %s", wrong.header, wrong.body)
	}
	elsewhere := v.send(http.MethodPost, "/login", url.Values{"email": {email}, "password": {testPassword.Reveal()}}, map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"})
	if wants(elsewhere, http.StatusForbidden, ""); elsewhere.header.Get("Set-Cookie") != "" {
		t.Errorf("another site signs people in: %v", elsewhere.header)
	}
	for next, leads := range map[string]string{
		"/tasks?status=failed": "/tasks?status=failed", "": "/tasks", "//evil.example/": "/tasks", "https://evil.example/": "/tasks", `/\evil.example`: "/tasks", "tasks": "/tasks",
	} {
		wants(v.signIn(email, next), http.StatusSeeOther, leads)
	}
	in := v.signIn(email, "/usage")
	if c := in.header.Get("Set-Cookie"); !strings.Contains(c, "HttpOnly") || !strings.Contains(c, "SameSite=Lax") {
		t.Errorf("the cookie is %q", c)
	}
	wants(v.get("/tasks"), http.StatusOK, "")
	wants(v.get("/nowhere"), http.StatusNotFound, "")

	at, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	kept := v.client.Jar.Cookies(at)
	wants(v.send(http.MethodPost, "/logout", nil, map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}), http.StatusForbidden, "")
	wants(v.send(http.MethodPost, "/logout", nil, nil), http.StatusSeeOther, "/login")
	v.client.Jar.SetCookies(at, kept)
	wants(v.get("/tasks"), http.StatusSeeOther, "/login?next=%2Ftasks") // the token is revoked, not only forgotten
}

// addresses are pages for every pattern, of the owner's tasks.
func addresses(l looked) map[string][]string {
	task := "/tasks/" + l.task
	return map[string][]string{
		"GET /{$}":                            {"/"},
		"GET /tasks":                          {"/tasks", "/tasks?text=patient&status=completed&from=2020-01-01", "/tasks?limit=1"},
		"GET /tasks/{task}":                   {task, task + "?turn=1"},
		"GET /tasks/{task}/turns/{turn}":      {task + "/turns/2"},
		"GET /tasks/{task}/turns/{turn}/page": {task + "/turns/2/page"},
		"GET /tasks/{task}/calls/{call}":      {task + "/calls/" + l.call},
		"GET /tasks/{task}/events":            {task + "/events", task + "/events?text=patient&importance=high"},
		"GET /tasks/{task}/state":             {task + "/state", task + "/state?revision=0", task + "/state?revision=5"},
		"GET /tasks/{task}/diff":              {task + "/diff", task + "/diff?from=1&to=6"},
		"GET /tasks/{task}/graph":             {task + "/graph", task + "/graph?turn=2"},
		"GET /tasks/{task}/replay":            {task + "/replay"},
		"GET /tasks/{task}/bisect":            {task + "/bisect", task + "/bisect?condition=%2Fstatus+%3D+completed"},
		"GET /compare":                        {"/compare?a=" + l.task + "&b=" + l.other, "/compare?task=" + l.task + "&task=" + l.other},
		"GET /usage":                          {"/usage", "/usage?from=2026-01-01&to=2026-01-31"},
		"GET /usage/export":                   {"/usage/export?format=focus"},
		"GET /skills":                         {"/skills"},
		"GET /calibration":                    {"/calibration"},
		"GET /projections":                    {"/projections"},
		"GET /knowledge":                      {"/knowledge", "/knowledge?q=gift+card", "/knowledge?q=gift+card&url=https%3A%2F%2Fapp.acme.example%2F"},
		"GET /knowledge/{source}":             {"/knowledge/" + l.source, "/knowledge/" + l.source + "?status=indexed"},
	}
}

// forms change something; TestWeb_Forms sends them.
var forms = []string{
	"POST /projections/{name}/retry", "POST /tasks/{task}/forks", "POST /tasks/{task}/pause", "POST /tasks/{task}/resume",
	"POST /knowledge/files", "POST /knowledge/links", "POST /knowledge/{source}/crawl", "POST /knowledge/{source}/remove",
	"POST /knowledge/{source}/documents/{document}/remove",
}

// The owner is shown every page and a stranger none of it; nothing is different after
// it; and what somebody typed is text wherever it is shown.
func TestWeb_EveryPageOverHTTP(t *testing.T) {
	t.Parallel()
	const hostile = `<script>alert(1)</script><img src=x onerror=alert(2)>`
	s := newModelServer(t, newFakeGemini(t), hooks{})
	first, second := newModelPursuit(), newModelPursuit()
	first.query += " " + hostile
	first.finish(t, s.client)
	second.finish(t, s.client)
	source := s.known(t).SourceID
	s.library(t).settled(source, patience)
	s.catchUp(t)
	l := looked{
		source: source,
		tenant: data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, task: first.task, other: second.task,
		call: data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+first.task)).Calls[0].CallID,
	}
	owner, stranger := newVisitor(t, s), newVisitor(t, s)
	owner.signIn("jo@acme.example", "")
	stranger.signIn(newUser(t, s.identity, "eve@globex.example"), "")
	pages := s.api.Web.(*web.Pages)
	of := addresses(l)
	before := s.fingerprint(t)
	for _, pattern := range pages.Patterns() {
		if pattern == "/" || slices.Contains(forms, pattern) {
			continue
		}
		if len(of[pattern]) == 0 {
			t.Errorf("no address for %s", pattern)
		}
		for _, address := range of[pattern] {
			for _, part := range []string{"", "1"} {
				mine := owner.send(http.MethodGet, address, nil, map[string]string{"X-Part": part})
				if mine.status >= http.StatusBadRequest || strings.Contains(string(mine.body), "<script>alert") || strings.Contains(string(mine.body), "<img src=x") || strings.Contains(string(mine.body), "%!") {
					t.Errorf("%s: status %d: %.500s", address, mine.status, mine.body)
				}
				theirs := stranger.send(http.MethodGet, address, nil, map[string]string{"X-Part": part})
				for _, id := range []string{l.task, l.other, l.call, l.source, "Jas"} {
					// An error may repeat the address it is about.
					if strings.Contains(string(theirs.body), id) && theirs.status != http.StatusNotFound && !strings.Contains(theirs.header.Get("Location"), id) {
						t.Errorf("%s tells a stranger of %s, status %d: %.500s", address, id, theirs.status, theirs.body)
					}
				}
				named := strings.Contains(address, l.task) || strings.Contains(address, l.source)
				if named && theirs.status != http.StatusNotFound && theirs.status != http.StatusSeeOther {
					t.Errorf("%s answers a stranger with %d", address, theirs.status)
				}
			}
		}
	}
	if diff := cmp.Diff(before, s.fingerprint(t)); diff != "" {
		t.Errorf("looking changed something (-before +after):\n%s", diff)
	}
	shown := string(owner.get("/tasks/" + l.task).body)
	if !strings.Contains(shown, "&lt;script&gt;alert(1)&lt;/script&gt;") {
		t.Error("the query is not shown as it was typed")
	}
	for _, address := range []string{"/tasks/" + l.task + "?turn=99", "/tasks/" + l.task + "/state?revision=999", "/tasks/x", "/usage?from=x", "/compare?task=" + l.task, "/tasks?after=x"} {
		if r := owner.get(address); r.status < http.StatusBadRequest || r.status >= http.StatusInternalServerError || !strings.Contains(string(r.body), "<h1>") {
			t.Errorf("%s: status %d: %.300s", address, r.status, r.body)
		}
	}
}

// What changes something is refused without a login and from other sites.
func TestWeb_Forms(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	s.catchUp(t)
	v := newVisitor(t, s)
	const retry = "/projections/tasks/retry"
	if r := v.send(http.MethodPost, retry, url.Values{}, nil); r.status != http.StatusUnauthorized {
		t.Errorf("without a login: status %d", r.status)
	}
	v.signIn("jo@acme.example", "")
	if r := v.send(http.MethodPost, retry, url.Values{}, map[string]string{"Sec-Fetch-Site": "cross-site"}); r.status != http.StatusForbidden {
		t.Errorf("from another site: status %d", r.status)
	}
	if r := v.send(http.MethodPost, retry, url.Values{}, nil); r.status != http.StatusOK || !strings.Contains(string(r.body), "tasks: 0 events applied, 0 left.") {
		t.Errorf("status %d: %.500s", r.status, r.body)
	}
	if r := v.send(http.MethodPost, "/projections/none/retry", url.Values{}, nil); r.status != http.StatusNotFound {
		t.Errorf("of a read model there is not: status %d", r.status)
	}
}

// A turn is forked from its page: nobody is asked, and the task and its bill stay as they
// are. What cannot be forked is said on the page; a stranger's is not there.
func TestWeb_Fork(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	p := newModelPursuit()
	p.finish(t, s.client)
	s.catchUp(t)
	v, stranger := newVisitor(t, s), newVisitor(t, s)
	v.signIn("jo@acme.example", "")
	stranger.signIn(newUser(t, s.identity, "eve@globex.example"), "")
	events, bill := s.get(t, "/api/debug/tasks/"+p.task+"/events").body, usageOf(t, s, p, "").Totals
	fork := func(v visitor, form url.Values) reply {
		t.Helper()
		return v.send(http.MethodPost, "/tasks/"+p.task+"/forks", form, nil)
	}
	for name, tt := range map[string]struct {
		form url.Values
		want string
	}{
		"as it was":         {url.Values{"turn": {"2"}}, "decided as it was"},
		"another answer":    {url.Values{"turn": {"1"}, "answer": {`{"thought": "No.", "action": "fail(\"I will not.\")"}`}}, "decided otherwise"},
		"another page":      {url.Values{"turn": {"2"}, "page": {"<h1>Nothing here</h1>"}}, "decided otherwise"},
		"no such setting":   {url.Values{"turn": {"2"}, "settings": {"DATABASE_URL=postgres://x"}}, "is not a setting a fork can change"},
		"no number":         {url.Values{"turn": {"2"}, "settings": {"STEPLEDGER_MAX_STEPS=many"}}, "not a number"},
		"no such turn":      {url.Values{"turn": {"99"}}, "no decided turn 99"},
		"none":              {url.Values{"turn": {"x"}}, "numbered from 1"},
		"another threshold": {url.Values{"turn": {"3"}, "settings": {"STEPLEDGER_MAX_STEPS=1"}}, "decided otherwise"},
	} {
		if r := fork(v, tt.form); r.status >= http.StatusInternalServerError || !strings.Contains(string(r.body), tt.want) {
			t.Errorf("%s: status %d, want %q in %s", name, r.status, tt.want, r.body)
		}
	}
	if r := fork(stranger, url.Values{"turn": {"2"}}); r.status != http.StatusNotFound {
		t.Errorf("a stranger forks: status %d", r.status)
	}
	s.catchUp(t)
	if now := s.get(t, "/api/debug/tasks/"+p.task+"/events").body; string(now) != string(events) {
		t.Error("a fork changed the task")
	}
	if now := usageOf(t, s, p, "").Totals; now != bill {
		t.Errorf("a fork is on the bill: %+v, before %+v", now, bill)
	}
	if r := v.get("/tasks/" + p.task + "/replay"); !strings.Contains(string(r.body), "Today’s code decides the same") {
		t.Errorf("the replay says %s", r.body)
	}
	if r := v.get("/tasks/" + p.task + "/bisect?condition=" + url.QueryEscape("/status = completed")); !strings.Contains(string(r.body), "It holds from revision") {
		t.Errorf("the bisect says %s", r.body)
	}
	if r := v.get("/tasks/" + p.task + "/bisect?condition=x"); !strings.Contains(string(r.body), "no condition such as") {
		t.Errorf("a condition that is none: %s", r.body)
	}
}

// A running task is taken over and handed back from its page; until then its client is
// told to wait, and a stranger finds no task.
func TestWeb_TakeOver(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	if err := p.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	s.catchUp(t)
	v, stranger := newVisitor(t, s), newVisitor(t, s)
	v.signIn("jo@acme.example", "")
	stranger.signIn(newUser(t, s.identity, "eve@globex.example"), "")
	page := "/tasks/" + p.task
	if r := stranger.send(http.MethodPost, page+"/pause", url.Values{"kind": {"takeover"}}, nil); r.status != http.StatusNotFound {
		t.Errorf("a stranger takes over: status %d", r.status)
	}
	if r := v.send(http.MethodPost, page+"/pause", url.Values{"kind": {"takeover"}, "note": {"I do it <b>myself</b>"}}, nil); r.status != http.StatusSeeOther || r.header.Get("Location") != page {
		t.Errorf("taken over: status %d: %.300s", r.status, r.body)
	}
	if shown := string(v.get(page).body); !strings.Contains(shown, "Taken over") || !strings.Contains(shown, "I do it &lt;b&gt;myself&lt;/b&gt;") || !strings.Contains(shown, "Hand back") {
		t.Errorf("the page says %s", shown)
	}
	key, body := p.request()
	if r, err := s.interact(t.Context(), key, body); err != nil || r.code() != "TASK_PAUSED" {
		t.Errorf("its client is answered %d %s, %v", r.status, r.body, err)
	}
	v.send(http.MethodPost, page+"/resume", url.Values{"note": {"go on"}}, nil)
	if shown := string(v.get(page).body); strings.Contains(shown, "Hand back") || !strings.Contains(shown, "Pause, or take over") {
		t.Errorf("handed back the page says %s", shown)
	}
	p.finish(t, s.client)
	if r := v.send(http.MethodPost, page+"/pause", url.Values{"kind": {"pause"}}, nil); r.status != http.StatusConflict {
		t.Errorf("a task that has ended is paused: status %d", r.status)
	}
}
