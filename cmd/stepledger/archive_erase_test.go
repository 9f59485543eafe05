package main

import (
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/erasure"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/archive"
	"github.com/stepledger/stepledger/internal/leaktest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// segmentsOf are all files of an archive: as they are, and every column of every event in them.
func segmentsOf(t *testing.T, folder string) string {
	t.Helper()
	var all strings.Builder
	events := 0
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path) //nolint:gosec // of the test's own folder
		if err != nil {
			return err
		}
		all.WriteString(path + string(content))
		segment, err := archive.Parse(content)
		if err != nil {
			return err
		}
		return segment.Read(0, segment.Rows(), func(e eventstore.Recorded) bool {
			events++
			all.WriteString(strings.Join([]string{"", e.Stream, e.Type, e.ID, leaktest.Readable(e.Data), leaktest.Readable(e.Meta)}, "\n"))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if events < 10 {
		t.Fatalf("only %d events are in the archive", events)
	}
	return all.String()
}

// wantNothing looks for texts wherever they might be left after an erasure.
func (s *server) wantNothing(t *testing.T, gone leaktest.Markers, forms ...*form) {
	t.Helper()
	s.catchUp(t)
	s.reacted(t)
	for table, text := range leaktest.Tables(t, s.url) {
		gone.Find(t, table, text)
	}
	gone.Find(t, "the archive", segmentsOf(t, s.cfg.Archive.Address))
	gone.Find(t, "the files", stateFiles(t, s.cfg.StateDir))
	for _, f := range forms {
		gone.Find(t, "what is told", s.operators(t, f))
	}
}

// ofItsOwn is what differs between two tasks that did the same.
var ofItsOwn = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32,}|\d{4}-\d\d-\d\dT[0-9:.]+Z|"(position|head|recordedAt)":[^,}]*`)

// A user is erased some of whose tasks are archived: no text of theirs is left anywhere, in
// segments neither, an archived task reads as one that is not, and a colleague's is as it was.
func TestArchive_ErasedUser(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.Archive = archiveConfig{Address: t.TempDir(), AfterDays: archivedAfter}
	var log leaktest.Output
	s := startWith(t, cfg, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})), hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "engineer@acme.example"))
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	gone, stays := personal("zerzura"), personal("thule")
	victim, other := s.member(t, tenant, gone), s.member(t, tenant, stays)
	shelved, kept := (&form{m: gone}).fill(t, victim), (&form{m: stays}).fill(t, other)
	s.archives(t)
	s.isArchived(t, task.Stream(shelved.task), task.Stream(kept.task))
	live := (&form{m: gone}).fill(t, victim)
	if found := gone.In(s.operators(t, shelved)); len(found) < 5 {
		t.Fatalf("only %v are told before: nothing would be shown by their absence", found)
	}

	report := s.tool(t, "erase", "user", gone["email"]+"@example.org", "--tenant", tenant)
	if !strings.Contains(report, "data keys") || !regexp.MustCompile(`tasks +log +2\n`).MatchString(report) {
		t.Errorf("the report: %s", report)
	}
	s.wantNothing(t, gone, live)
	gone.Find(t, "what is told", s.everyword(t, shelved))
	gone.Find(t, "the log", log.String())
	state := func(id string) string {
		text := string(s.get(t, "/api/debug/tasks/"+id+"/state?revision=8").body) + string(s.get(t, "/api/debug/tasks/"+id+"/state").body)
		if !strings.Contains(text, "[erased]") || !strings.Contains(text, `"erased":true`) {
			t.Errorf("it does not say that it is erased: %s", text)
		}
		return ofItsOwn.ReplaceAllString(withoutTheClock(text), "…")
	}
	if a, b := state(shelved.task), state(live.task); a != b {
		t.Errorf("archived and erased:\n%s\nerased:\n%s", a, b)
	}
	if found := stays.In(s.operators(t, kept)); len(found) < 5 {
		t.Errorf("of a colleague only %v are told", found)
	}
	s.rebuiltTheSame(t)
	s.archives(t)
	s.isArchived(t, task.Stream(shelved.task), task.Stream(live.task))
	s.wantNothing(t, gone)
	if again := s.tool(t, "erase", "user", userOf(t, s, tenant, erasure.User), "--tenant", tenant); again != report {
		t.Errorf("erased again: %s", again)
	}
}

// A task, and a whole tenant, are erased that are archived.
func TestArchive_ErasedTaskAndTenant(t *testing.T) {
	t.Parallel()
	s := newArchivedServer(t, nil)
	one, all := personal("zerzura"), personal("thule")
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	first := (&form{m: one}).fill(t, s.client)
	second := (&form{m: all}).fill(t, s.member(t, tenant, all))
	s.archives(t)
	s.isArchived(t, task.Stream(first.task), task.Stream(second.task))
	s.tool(t, "erase", "task", first.task)
	s.wantNothing(t, one, first)
	if found := all.In(s.operators(t, second)); len(found) < 5 {
		t.Errorf("of another task only %v are told", found)
	}
	s.tool(t, "erase", "tenant", tenant, "--yes")
	s.catchUp(t)
	all.Find(t, "a table", leaktest.Text(leaktest.Tables(t, s.url)))
	all.Find(t, "the archive", segmentsOf(t, s.cfg.Archive.Address))
	all.Find(t, "what is told", s.operators(t, second))
}

// Backups from before and after a task was archived, both from before its user was erased, are
// restored beside the archive as it is: both erase again before they serve, nothing is left, and
// what the older one has in the database is archived anew.
func TestArchive_ErasedInARestoredBackup(t *testing.T) {
	t.Parallel()
	for name, archivedFirst := range map[string]bool{"from before": false, "from after": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newArchivedServer(t, nil)
			gone := personal("zerzura")
			tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
			f := (&form{m: gone}).fill(t, s.member(t, tenant, gone))
			if archivedFirst {
				s.archives(t)
			}
			s.catchUp(t)
			s.stop()
			backup := copyOf(t, s.url)
			if !archivedFirst {
				s.tool(t, "archive", "run", "--after-days", "0")
			}
			s.tool(t, "erase", "user", gone["email"]+"@example.org", "--tenant", tenant)
			cfg := testConfigOf(s)
			cfg.DatabaseURL = testConfig(backup, "").DatabaseURL
			restored := start(t, cfg, hooks{})
			restored.client = restored.loginAs(t, "jo@acme.example")
			restored.wantNothing(t, gone, f)
			restored.archives(t)
			restored.isArchived(t, task.Stream(f.task))
			restored.wantNothing(t, gone)
			restored.rebuiltTheSame(t)
			if r := restored.get(t, "/api/debug/tasks/"+f.task+"/state"); r.status != http.StatusOK || !strings.Contains(string(r.body), `"erased":true`) {
				t.Errorf("its state: %d %s", r.status, r.body)
			}
			if out := restored.tool(t, "archive", "verify"); !strings.Contains(out, " 0 are wrong") {
				t.Errorf("the archive: %s", out)
			}
		})
	}
}
