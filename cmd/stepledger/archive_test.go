package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

// newArchivedServer has an archive in a folder of its own. Nothing goes there before a test
// says so.
func newArchivedServer(t *testing.T, env map[string]string) *server {
	t.Helper()
	folder := t.TempDir()
	return newChangedServer(t, env, hooks{}, func(c *config) { c.Archive = archiveConfig{Address: folder, AfterDays: archivedAfter} })
}

// archives moves all that has ended to the archive, by the command, and returns how things
// stand then.
func (s *server) archives(t *testing.T) (status archiveStatus) {
	t.Helper()
	s.catchUp(t)
	s.reacted(t)
	s.tool(t, "archive", "run", "--after-days", "0")
	if err := json.Unmarshal([]byte(s.tool(t, "archive", "status", "--json")), &status); err != nil {
		t.Fatal(err)
	}
	if status.Position != status.Head {
		t.Errorf("not all was looked at: %+v", status)
	}
	return status
}

// isArchived checks that of streams only the last event is in the database.
func (s *server) isArchived(t *testing.T, streams ...string) {
	t.Helper()
	for _, stream := range streams {
		var rows, revision int64
		if err := s.db.QueryRow(t.Context(), `select count(*), max(revision) from log.events where stream = $1`, stream).Scan(&rows, &revision); err != nil {
			t.Fatal(err)
		}
		if rows != 1 || revision == 0 {
			t.Errorf("%s has %d events in the database, the last is at %d", stream, rows, revision)
		}
	}
}

// byTheClock is what differs by when it is asked.
var byTheClock = regexp.MustCompile(`"(timestamp|requestId|exportedAt)":\s*"[^"]*"|"from":"[^"]*","more"|<dt>Exported</dt><dd>[^<]*</dd>`)

func withoutTheClock(text string) string { return byTheClock.ReplaceAllString(text, "…") }

// said is everything a server has to tell of two tasks: over HTTP, with its tag, and on pages.
func (s *server) said(t *testing.T, l looked) map[string]string {
	t.Helper()
	said := map[string]string{}
	targets := append(s.questions(t, l), "/api/usage/summary?groupBy=model", "/api/usage/calls?taskId="+l.task, "/api/usage/export", "/api/usage/summary?taskId="+l.task)
	for _, id := range []string{l.task, l.other} {
		targets = append(targets, "/api/debug/tasks/"+id+"/events?limit=1000&text=patient")
		for i := range s.heads(t, id)[0] + 1 {
			targets = append(targets, fmt.Sprintf("/api/debug/tasks/%s/state?revision=%d", id, i))
		}
	}
	for _, target := range targets {
		r := s.get(t, target)
		said[target] = withoutTheClock(fmt.Sprintln(r.status, r.header.Get("ETag"), string(r.body)))
	}
	v := newVisitor(t, s)
	v.signIn("jo@acme.example", "")
	for _, pages := range addresses(l) {
		for _, page := range pages {
			if !strings.HasPrefix(page, "/knowledge/") {
				said["page "+page] = withoutTheClock(string(v.get(page).body))
			}
		}
	}
	return said
}

// printed is what commands tell of two tasks, each in a process of its own.
func (s *server) printed(t *testing.T, l looked) map[string]string {
	t.Helper()
	printed := map[string]string{}
	file := filepath.Join(t.TempDir(), "task.html")
	s.tool(t, "task", "export", l.task, "--out", file)
	for _, args := range append(lookingCommands(t, l, file),
		[]string{"task", "at", l.task, "--json"}, []string{"usage", "reconcile"}, []string{"usage", "export", "--tenant", l.tenant}) {
		out, err := s.toolWith(t, nil, args...)
		printed[strings.ReplaceAll(strings.Join(args, " "), file, "FILE")] = withoutTheClock(fmt.Sprintln(strings.ReplaceAll(out, file, "FILE"), err))
	}
	return printed
}

// pursued are two tasks that ended.
func (s *server) pursued(t *testing.T, first, second *pursuit) looked {
	t.Helper()
	first.finish(t, s.client)
	second.finish(t, s.client)
	s.catchUp(t)
	l := looked{tenant: data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, task: first.task, other: second.task}
	if calls := data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+first.task)).Calls; len(calls) > 0 {
		l.call = calls[0].CallID
	}
	return l
}

// Whatever can be asked of tasks that rules did is answered with the same bytes once they are
// archived, by the process that was there and by another.
func TestArchive_SaysTheSame(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, nil)
	first := newPursuit()
	l := s.pursued(t, first, newPursuit())
	s.saysTheSame(t, first, l, "task")
}

// So it is of what a model did, with its calls and bills, and of what commands print.
func TestArchive_SaysTheSame_OfAModel(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, newFakeGemini(t).env())
	first := newModelPursuit()
	l := s.pursued(t, first, newModelPursuit())
	before := s.printed(t, l)
	s.saysTheSame(t, first, l, "task", "usage")
	if diff := cmp.Diff(before, s.printed(t, l)); diff != "" {
		t.Errorf("commands, archived (-before +after):\n%s", diff)
	}
}

func (s *server) saysTheSame(t *testing.T, first *pursuit, l looked, categories ...string) {
	t.Helper()
	before := s.said(t, l)
	status := s.archives(t)
	for _, category := range categories {
		s.isArchived(t, category+"-"+l.task, category+"-"+l.other)
	}
	if status.Events < 20 || status.Segments == 0 || status.Bytes == 0 {
		t.Errorf("%+v", status)
	}
	if diff := cmp.Diff(before, s.said(t, l)); diff != "" {
		t.Errorf("archived (-before +after):\n%s", diff)
	}
	s.answersAgain(t, first)
	other := start(t, testConfigOf(s), hooks{})
	other.client = client{base: other.base, token: s.token}
	if diff := cmp.Diff(before, other.said(t, l)); diff != "" {
		t.Errorf("archived, by another process (-before +after):\n%s", diff)
	}
	other.answersAgain(t, first)
}

// testConfigOf is the configuration of another process beside a server.
func testConfigOf(s *server) config {
	cfg := testConfig(s.url, s.cfg.StateDir)
	cfg.Models, cfg.Archive = s.cfg.Models, s.cfg.Archive
	return cfg
}

// answersAgain sends every request of a task again, and wants the answers that were given.
func (s *server) answersAgain(t *testing.T, p *pursuit) {
	t.Helper()
	for i, x := range p.exchanges {
		r, err := s.interact(t.Context(), x.key, x.request)
		if err != nil || r.status != http.StatusOK || string(r.body) != string(x.reply) {
			t.Errorf("request %d again: %d, %v: %s, want %s", i, r.status, err, r.body, x.reply)
		}
	}
}

// What is done to a task that is archived comes of it as of one that is not: another turn of
// one that was completed is refused, one that was interrupted is gone on with and ends, a bill
// is corrected. Then it is archived again.
func TestArchive_GoesOn(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, newFakeGemini(t).env())
	done, live := newModelPursuit(), newModelPursuit()
	l := s.pursued(t, done, live)
	stopped := newModelPursuit()
	stopped.mustStep(t, s.client)
	stopped.mustStep(t, s.client)
	interrupt := commands.InterruptTask{Log: s.events, Keys: s.content, IDs: domain.NewUUID}
	if err := interrupt.InterruptTask(t.Context(), l.tenant, stopped.task, "nobody asked", time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	billed, _ := s.billCall(t, l.tenant, "gemini-99", time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)) // unpriced
	refused := func(p *pursuit) string {
		body, err := json.Marshal(map[string]any{"taskId": p.task, "sessionId": p.session, "query": p.query, "url": p.page.url(), "dom": p.page.dom()})
		if err != nil {
			t.Fatal(err)
		}
		r, err := s.interact(t.Context(), "once-more-"+p.task, body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(fmt.Sprintln(r.status, r.code(), string(r.body)), p.task, "TASK")
	}
	want := refused(live)
	first := s.archives(t)
	s.isArchived(t, task.Stream(done.task), usage.Stream(done.task), task.Stream(stopped.task), usage.Stream(billed))
	if got := refused(done); withoutTheClock(got) != withoutTheClock(want) {
		t.Errorf("another turn: %s, want %s", got, want)
	}
	stopped.finish(t, s.client)
	s.tool(t, "prices", "import", priceList(t, ",google,gemini-99,2.00,8.00,2026-01-01,their page,\n"))
	if c := ledgerOf(t, s.system, billed); len(c.Calls) != 1 {
		t.Errorf("the ledger of an archived call: %+v", c)
	}
	if n := s.heads(t, billed)[1]; n != 2 {
		t.Errorf("the correction of its bill is event %d, want the third", n)
	}
	if second := s.archives(t); second.Events <= first.Events || second.Streams < first.Streams {
		t.Errorf("archived again: %+v after %+v", second, first)
	}
	s.isArchived(t, task.Stream(stopped.task), usage.Stream(billed))
	if got := s.tool(t, "usage", "reconcile"); !strings.Contains(got, `"differences": 0`) {
		t.Errorf("the bills: %s", got)
	}
	if shown := s.tool(t, "task", "show", stopped.task); !strings.Contains(shown, "interrupted") || !strings.Contains(shown, "completed") {
		t.Errorf("it does not tell both: %s", shown)
	}
	s.answersAgain(t, stopped)
	s.rebuiltTheSame(t)
}
