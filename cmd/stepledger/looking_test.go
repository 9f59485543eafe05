package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/api/apitest"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections/history"
)

// looks has the arguments of every command that looks, with a dot for a space within one; writers are the others there are
// of the groups of commands for engineers, and the one that reads as task events does but
// waits for the task to end.
var (
	looks = map[string]string{
		"task list": "--tenant {tenant}", "task show": "{taskId}", "task page": "{taskId} --turn 1", "task call": "{taskId} {callId}", "task at": "{taskId} 3",
		"task events": "{taskId} --text patient", "task compare": "{taskId} {other}", "task diff": "{taskId} 1 6", "task fields": "{taskId}",
		"task graph": "{taskId}", "task replay": "{taskId}", "task batch": "--tenant {tenant}", "task bisect": "/status·=·completed {taskId}",
		"task export": "{taskId}", "task import": "{file}", "events tail": "--from 0 --limit 20", "projection list": "", "projection parked": "",
	}
	writers = map[string]bool{"task fork": true, "task pause": true, "task resume": true, "task watch": true, "projection rebuild": true, "projection retry": true}
)

// lookedAt is a server with two finished tasks of a tenant.
func lookedAt(t *testing.T) (*server, looked) {
	t.Helper()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	first, second := newModelPursuit(), newModelPursuit()
	first.finish(t, s.client)
	second.finish(t, s.client)
	s.catchUp(t)
	return s, looked{
		tenant: data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID, task: first.task, other: second.task,
		call: data[api.UsageCallsData](t, s.get(t, "/api/usage/calls?taskId="+first.task)).Calls[0].CallID,
	}
}

// questions are the GET routes of the debugger, filled.
func (s *server) questions(t *testing.T, l looked) (targets []string) {
	t.Helper()
	for _, r := range apitest.Routes(t, s.base) {
		if r.Method != http.MethodGet || !strings.HasPrefix(r.Path, "/api/debug/") {
			continue
		}
		target := l.fill(r.Path)
		if r.Path == "/api/debug/compare" {
			target += l.fill("?a={taskId}&b={other}")
		}
		if strings.HasSuffix(r.Path, "/bisect") {
			target += "?condition=%2Fstatus+%3D+completed"
		}
		targets = append(targets, target)
	}
	if len(targets) < 15 {
		t.Fatalf("only %v", targets)
	}
	return targets
}

// lookingCommands are the commands that look, filled. One that is new and in neither
// table fails the test.
func lookingCommands(t *testing.T, l looked, file string) (commands [][]string) {
	t.Helper()
	for _, group := range newRoot(os.Getenv, nil, nil).Commands() {
		if group.Name() != "task" && group.Name() != "events" && group.Name() != "projection" {
			continue
		}
		for _, c := range group.Commands() {
			path := strings.TrimPrefix(c.CommandPath(), "stepledger ")
			args, known := looks[path]
			if known == writers[path] {
				t.Errorf("%s: say in looks how it is asked, or in writers that it writes", path)
			}
			if known && isLeaf(c) {
				words := append(strings.Fields(path), strings.Fields(strings.ReplaceAll(l.fill(args), "{file}", file))...)
				for i, w := range words {
					words[i] = strings.ReplaceAll(w, "·", " ")
				}
				commands = append(commands, words)
			}
		}
	}
	return commands
}

func isLeaf(c *cobra.Command) bool { return !c.HasSubCommands() }

// Whatever is looked at, over HTTP or on the command line: no event is appended, and no row
// of the log, of a read model, of the content store or of billing is another one.
func TestLooking_ChangesNothing(t *testing.T) {
	t.Parallel()
	s, l := lookedAt(t)
	file := filepath.Join(t.TempDir(), "task.html")
	s.tool(t, "task", "export", l.task, "--out", file)
	before := s.fingerprint(t)
	unchanged := func(what string) {
		t.Helper()
		if diff := cmp.Diff(before, s.fingerprint(t)); diff != "" {
			t.Fatalf("%s changed something (-before +after):\n%s", what, diff)
		}
	}
	for _, target := range s.questions(t, l) {
		if r := s.get(t, target); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", target, r.status, r.body)
		}
		unchanged(target)
	}
	for _, args := range lookingCommands(t, l, file) {
		s.tool(t, args...)
		unchanged(strings.Join(args, " "))
	}
}

// A task whose key is gone says so, and nobody is shown anything of it: neither over HTTP
// nor on the command line, exported, replayed or forked. The list of tasks is left out: a
// read model keeps its rows until it is told of an erasure.
func TestLooking_AtWhatIsErased(t *testing.T) {
	t.Parallel()
	s, l := lookedAt(t)
	kept := filepath.Join(t.TempDir(), "task.html")
	s.tool(t, "task", "export", l.other, "--out", kept)
	for _, id := range []string{l.task, l.other} {
		if err := s.content.Drop(t.Context(), l.tenant, id); err != nil {
			t.Fatal(err)
		}
	}
	shown := map[string]string{}
	for _, target := range s.questions(t, l) {
		if target != "/api/debug/tasks" {
			shown[target] = string(s.get(t, target).body)
		}
	}
	for _, args := range append(lookingCommands(t, l, kept), []string{"task", "fork", l.task, "--turn", "1"}) {
		switch strings.Join(args[:2], " ") {
		case "task list", "task import": // of a read model, and of a file
			continue
		}
		out, err := s.toolWith(t, nil, args...)
		shown[strings.Join(args, " ")] = fmt.Sprintln(out, err)
	}
	for what, text := range shown {
		for _, personal := range []string{"Jas", "Full name", "Ada Lovelace", "New patient"} {
			if strings.Contains(text, personal) {
				t.Errorf("%s shows %s:\n%s", what, personal, text)
			}
		}
	}
	for _, what := range []string{
		"/api/debug/tasks/{taskId}/events", "/api/debug/tasks/{taskId}/turns", "/api/debug/tasks/{taskId}/turns/2", "/api/debug/tasks/{taskId}/turns/2/page",
		"/api/debug/tasks/{taskId}/calls/{callId}", "/api/debug/tasks/{taskId}/state", "/api/debug/tasks/{taskId}/fields", "/api/debug/logs",
		"/api/debug/session/{taskId}/export", "/api/debug/compare?a={taskId}&b={other}",
		"task show {taskId}", "task page {taskId} --turn 1", "task call {taskId} {callId}", "task at {taskId} 3", "task replay {taskId}", "task export {taskId}",
		"task fork {taskId} --turn 1", "events tail --from 0 --limit 20",
	} {
		if text := shown[l.fill(what)]; !strings.Contains(text, "erased") {
			t.Errorf("%s does not say that it is erased:\n%s", what, text)
		}
	}
}

// States are folded of the log. With every table that is derived of it gone, and in
// another process, each is the same.
func TestLooking_StatesNeedTheLogOnly(t *testing.T) {
	t.Parallel()
	url, dir := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	s := start(t, testConfig(url, dir), hooks{})
	user := newUser(t, s.identity, "jo@acme.example")
	s.client = s.loginAs(t, user)
	p := newPursuit()
	p.finish(t, s.client)
	states := func() (all []string) {
		t.Helper()
		newest := data[history.State](t, s.get(t, "/api/debug/tasks/"+p.task+"/state"))
		for revision := range newest.Head + 1 {
			all = append(all, string(s.get(t, fmt.Sprintf("/api/debug/tasks/%s/state?revision=%d", p.task, revision)).body))
		}
		return all
	}
	want := states()
	if _, err := s.db.Exec(t.Context(), `delete from read.checkpoint`); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, states()); diff != "" {
		t.Errorf("without read models (-before +after):\n%s", diff)
	}
	_, err := s.db.Exec(t.Context(), `do $$ declare s text; begin
		for s in select nspname from pg_namespace where nspname like 'read\_%' loop execute format('drop schema %I cascade', s); end loop; end $$`)
	if err != nil {
		t.Fatal(err)
	}
	c := s.client
	s.stop()
	s = start(t, testConfig(url, dir), hooks{})
	c.base = s.base
	s.client = c
	if diff := cmp.Diff(want, states()); diff != "" || len(want) < 10 {
		t.Errorf("%d states; after a start without read models (-before +after):\n%s", len(want), diff)
	}
}
