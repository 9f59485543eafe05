package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/erasure"
	of "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/leaktest"
	"github.com/stepledger/stepledger/internal/trace/tracetest"
	"github.com/stepledger/stepledger/projections/kpi"
)

// personal are the texts of somebody, by where they come from.
func personal(who string) leaktest.Markers {
	m := leaktest.Markers{}
	for _, what := range []string{"email", "name", "preferences", "query", "typed", "title", "heading", "paragraph", "address", "label", "reply", "event", "thought"} {
		m[what] = who + what + "77"
	}
	return m
}

// member makes a user of a tenant whose texts are known.
func (s *server) member(t *testing.T, tenant string, m leaktest.Markers) client {
	t.Helper()
	email := m["email"] + "@example.org"
	user := identity.NewUser{TenantID: tenant, Email: email, Name: m["name"], Role: account.Member, Password: testPassword}
	if _, err := s.identity.CreateUser(t.Context(), account.Actor{}, user); err != nil {
		t.Fatal(err)
	}
	c := s.loginAs(t, email)
	c.post(t, "/api/v1/user/preferences", map[string]any{"preferences": map[string]string{"theme": m["preferences"]}}, nil)
	return c
}

// form is a page made of somebody's texts, with a field and a button.
type form struct {
	m             leaktest.Markers
	value         string
	saved         bool
	task, session string
	answers       []string
}

func (f *form) dom() string {
	done := ""
	if f.saved {
		done = `<div role=status>Saved ` + f.m["paragraph"] + `</div>`
	}
	return fmt.Sprintf(`<title>%s</title><h1>%s</h1><p>%s</p>%s<form><label>%s <input data-llm-id=1 value="%s"></label><button type=submit data-llm-id=2>Save</button></form>`,
		f.m["title"], f.m["heading"], f.m["paragraph"], done, f.m["label"], f.value)
}

// step is one request of the form's client; over says that the task has ended or was refused.
func (f *form) step(t *testing.T, c client) (over bool) {
	t.Helper()
	body := map[string]any{
		"url": "https://clinic.example/" + f.m["address"] + "?id=" + f.m["address"], "dom": f.dom(),
		"query":        fmt.Sprintf("Enter %q into the %q field, then click the \"Save\" button", f.m["typed"]+" "+f.m["query"], f.m["label"]),
		"recentEvents": []string{"Added: " + f.m["event"]},
	}
	if f.task != "" {
		body["taskId"], body["sessionId"], body["lastActionStatus"] = f.task, f.session, "success"
	}
	r, err := c.do(t.Context(), http.MethodPost, "/api/agent/interact", body, nil)
	if err != nil {
		t.Fatal(err)
	}
	f.answers = append(f.answers, string(r.body))
	var envelope struct {
		Success bool
		Data    interact.Answer
	}
	if err := json.Unmarshal(r.body, &envelope); err != nil || !envelope.Success {
		return true
	}
	f.task, f.session = envelope.Data.TaskID, envelope.Data.SessionID
	if a, err := action.Parse(envelope.Data.Action); err == nil {
		if a.Name == action.SetValue {
			f.value = a.Text
		}
		f.saved = f.saved || a.Name == action.Click
	}
	return envelope.Data.Status == "completed" || envelope.Data.Status == "failed"
}

func (f *form) fill(t *testing.T, c client) *form {
	t.Helper()
	for range 8 {
		if f.step(t, c) {
			break
		}
	}
	if f.task == "" || f.value == "" {
		t.Fatalf("nothing was done: %.1000s", strings.Join(f.answers, "\n"))
	}
	return f
}

// everyword is all that an engineer of the tenant, and an operator, can be told of a task.
func (s *server) everyword(t *testing.T, f *form) string {
	t.Helper()
	return everyAnswer(t, s, &leakyVisit{task: f.task, session: f.session}) + s.operators(t, f)
}

// operators is what commands tell of a task that was erased, or was not.
func (s *server) operators(t *testing.T, f *form) string {
	t.Helper()
	var all strings.Builder
	for _, args := range [][]string{
		{"erase", "list"}, {"skills"}, {"task", "list"}, {"task", "show", f.task}, {"task", "events", f.task}, {"task", "export", f.task}, {"keys", "status"},
	} {
		out, err := s.toolWith(t, nil, args...)
		fmt.Fprintln(&all, out, err)
	}
	return all.String()
}

// stateFiles is what the installation has written beside its database.
func stateFiles(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(&all, "%s: %s\n", path, b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// After a user is erased no text of theirs is in clear in any table, the log, traces or
// what anybody is told; a colleague's are where they were.
func TestErase_User_ZeroHits(t *testing.T) {
	t.Parallel()
	traces := tracetest.New(t)
	cfg := traced(t, traces)
	cfg.LogLevel = slog.LevelDebug
	var log leaktest.Output
	s := startWith(t, cfg, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "engineer@acme.example"))
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	gone, stays := personal("zerzura"), personal("thule")
	victim, other := s.member(t, tenant, gone), s.member(t, tenant, stays)
	clinic := library{s, t, tenant}.add(of.SourceAdded{Kind: of.Seen, URL: "https://clinic.example/"})
	forms := []*form{(&form{m: gone}).fill(t, victim), (&form{m: gone}).fill(t, victim)}
	open := &form{m: gone}
	open.step(t, victim) // one that is under way
	kept := (&form{m: stays}).fill(t, other)
	forms = append(forms, open)
	s.catchUp(t)
	s.reacted(t)
	library{s, t, tenant}.settled(clinic, patience)
	s.catchUp(t)
	s.knows(t, clinic, gone, stays)
	before := slices.Sorted(slices.Values(gone.In(leaktest.Text(leaktest.Tables(t, s.url)) + s.operators(t, forms[0]))))
	for _, what := range []string{"email", "name", "preferences", "query", "typed", "title", "address"} {
		if !slices.Contains(before, what) {
			t.Errorf("%s is nowhere before: nothing would be shown by its absence (%v)", what, before)
		}
	}

	report := s.tool(t, "erase", "user", gone["email"]+"@example.org", "--tenant", tenant)
	t.Log(report)
	s.catchUp(t)
	s.reacted(t)
	tables := leaktest.Tables(t, s.url)
	for _, table := range slices.Sorted(maps.Keys(tables)) {
		gone.Find(t, table, tables[table])
	}
	gone.Find(t, "the report", report)
	gone.Find(t, "the log", log.String())
	gone.Find(t, "the traces", traces.Wire())
	gone.Find(t, "the files", stateFiles(t, s.cfg.StateDir))
	gone.Find(t, "what is told", s.everyword(t, forms[0]))
	for _, f := range forms[1:] {
		gone.Find(t, "what is told", s.operators(t, f))
	}
	told := s.operators(t, kept) + leaktest.Text(tables)
	for _, what := range []string{"email", "name", "preferences", "query", "typed", "title", "address"} {
		if len(leaktest.Markers{what: stays[what]}.In(told)) == 0 {
			t.Errorf("a colleague's %s is gone", what)
		}
	}
	if r, err := victim.do(t.Context(), http.MethodGet, "/api/v1/auth/session", nil, nil); err != nil || r.status != http.StatusUnauthorized {
		t.Errorf("the user's token: %d, %v", r.status, err)
	}
	s.knows(t, clinic, stays)
	for _, want := range []string{"data keys", "messages", "users", "logins", "preferences", "skills taught", "pages seen", "STAYS"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not tell of %s: %s", want, report)
		}
	}
	s.rebuiltTheSame(t)
	again := s.tool(t, "erase", "user", userOf(t, s, tenant, erasure.User), "--tenant", tenant)
	if again != report {
		t.Errorf("erased again: %s", again)
	}
}

// knows checks that pages with these texts are found.
func (s *server) knows(t *testing.T, source string, who ...leaktest.Markers) {
	t.Helper()
	var all string
	err := s.db.QueryRow(t.Context(), `select coalesce(string_agg(concat_ws(' ', path, title, headings, text), ' '), '') from read.chunk c join read.document d using (document_id) where c.source_id = $1`, source).Scan(&all)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range who {
		for _, what := range []string{"heading", "paragraph"} {
			if !strings.Contains(all, m[what]) {
				t.Errorf("%s is not among what is known: %s", what, all)
			}
		}
	}
}

// userOf is the id of what was erased of a kind.
func userOf(t *testing.T, s *server, tenant string, kind erasure.Kind) string {
	t.Helper()
	all, err := s.erasing().Erasures(t.Context(), tenant)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if e.Kind == kind {
			return e.Subject
		}
	}
	t.Fatalf("no %s was erased", kind)
	return ""
}

// tallies are the figures but for what a rebuild cannot know of an erased task; see package
// kpi.
const tallies = `(select hour, name, label, count from read.tally where name <> '` + kpi.Simple + `')`

// rows are those of the views of the read models.
func (s *server) rows(t testing.TB) (all []string) {
	t.Helper()
	for _, view := range []string{"read.task", "read.session", "read.message", "read.skill", "read.turn", "read.call", "read.checkpoint_score", "read.action_confidence", "read.source", "read.document", "read.chunk", tallies} {
		rows, err := s.db.Query(t.Context(), `select v::text from `+view+` v order by 1`)
		if err != nil {
			t.Fatal(err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range found {
			all = append(all, view+" "+row)
		}
	}
	return all
}

func (s *server) rebuild(t testing.TB) {
	t.Helper()
	for _, p := range readModels() {
		if err := s.runner.Rebuild(t.Context(), p.Name); err != nil {
			t.Fatal(err)
		}
	}
}

// rebuiltTheSame compares the views of the read models with those after a rebuild.
func (s *server) rebuiltTheSame(t *testing.T) {
	t.Helper()
	before := s.rows(t)
	s.rebuild(t)
	if diff := cmp.Diff(before, s.rows(t)); diff != "" {
		t.Errorf("rows (-before a rebuild +after it):\n%s", diff)
	}
}

func TestErase_Tenant(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	gone, stays := personal("zerzura"), personal("thule")
	tenant, err := s.identity.CreateTenant(t.Context(), account.Actor{}, identity.NewTenant{Name: "Zanzibar", Tier: identity.TierDemo})
	if err != nil {
		t.Fatal(err)
	}
	gone["tenant"] = "zanzibar"
	victim := s.member(t, tenant, gone)
	f := (&form{m: gone}).fill(t, victim)
	kept := (&form{m: stays}).fill(t, s.client)
	l := library{s, t, tenant}
	files := l.add(of.SourceAdded{Kind: of.Upload, Name: gone["title"]})
	l.receive(files, gone["label"]+".txt", "About "+gone["paragraph"])
	l.settled(files, patience)
	s.catchUp(t)
	s.knows(t, files, leaktest.Markers{"heading": gone["label"], "paragraph": gone["paragraph"]})
	if out, err := s.toolWith(t, nil, "erase", "tenant", tenant); err == nil || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without being sure: %v, %s", err, out)
	}
	report := s.tool(t, "erase", "tenant", tenant, "--yes", "--reason", "left")
	s.catchUp(t)
	gone.Find(t, "a table", leaktest.Text(leaktest.Tables(t, s.url)))
	gone.Find(t, "what is told", s.operators(t, f))
	if !strings.Contains(report, "sources") || !strings.Contains(report, "tenant keys") || !strings.Contains(report, "left") {
		t.Error(report)
	}
	if len(leaktest.Markers{"query": stays["query"]}.In(s.operators(t, kept))) == 0 {
		t.Error("another tenant's texts are gone")
	}
	if out, err := s.toolWith(t, nil, "erase", "tenant", tenant, "--yes", "--reason", "because Jo wants it"); err == nil {
		t.Errorf("a reason in words: %s", out)
	}
}

func TestErase_Task(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	gone, stays := personal("zerzura"), personal("thule")
	f := (&form{m: gone}).fill(t, s.client)
	kept := (&form{m: stays}).fill(t, s.client)
	s.catchUp(t)
	s.tool(t, "erase", "task", f.task)
	s.catchUp(t)
	gone.Find(t, "a table", leaktest.Text(leaktest.Tables(t, s.url)))
	gone.Find(t, "what is told", s.operators(t, f))
	if len(leaktest.Markers{"query": stays["query"]}.In(s.operators(t, kept))) == 0 {
		t.Error("another task's texts are gone")
	}
	if !f.step(t, s.client) || !strings.Contains(f.answers[len(f.answers)-1], "erased") {
		t.Errorf("it is gone on with: %s", f.answers[len(f.answers)-1])
	}
	if out, err := s.toolWith(t, nil, "erase", "task", "00000000-0000-4000-8000-000000000000"); err == nil {
		t.Errorf("a task that never was: %s", out)
	}
}

// A turn that is at work while its user is erased can append nothing, and answers nothing
// of the task.
func TestErase_UnderARunningTurn(t *testing.T) {
	t.Parallel()
	reached, release := make(chan struct{}), make(chan struct{})
	gone := personal("zerzura")
	s := newServer(t, hooks{turn: func(point string) {
		if point == "turn.decided" {
			select {
			case reached <- struct{}{}:
				<-release
			case <-release:
			}
		}
	}})
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	victim := s.member(t, tenant, gone)
	f := &form{m: gone}
	done := make(chan bool)
	go func() { done <- f.step(t, victim) }()
	<-reached
	s.tool(t, "erase", "user", gone["email"]+"@example.org", "--tenant", tenant)
	close(release)
	if refused := <-done; !refused {
		t.Errorf("it was answered: %s", f.answers)
	}
	s.catchUp(t)
	gone.Find(t, "a table", leaktest.Text(leaktest.Tables(t, s.url)))
	var n int
	if err := s.db.QueryRow(t.Context(), `select count(*) from content.blobs`).Scan(&n); err != nil || n != 0 {
		t.Errorf("%d blobs are left, %v", n, err)
	}
}

// Another replica drops what it has in memory at once, and refuses the task.
func TestErase_AnotherReplica(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	other := start(t, testConfig(s.url, s.cfg.StateDir), hooks{})
	other.client = client{base: other.base, token: s.token}
	f := &form{m: personal("zerzura")}
	f.step(t, other.client)
	s.tool(t, "erase", "task", f.task)
	if !f.step(t, other.client) || !strings.Contains(f.answers[len(f.answers)-1], "erased") {
		t.Errorf("the other replica goes on: %s", f.answers[len(f.answers)-1])
	}
	key, err := other.content.Key(t.Context(), data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, f.task)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the other replica has no key", func() bool {
		_, err := key.Seal([]byte("x"), nil)
		key, _ = other.content.Key(context.Background(), data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, f.task)
		return err != nil
	})
}
