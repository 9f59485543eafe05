package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/projections/history"
)

// colleague is another user of the server's tenant.
func (s *server) colleague(t *testing.T, email string) client {
	t.Helper()
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	user := identity.NewUser{TenantID: tenant, Email: email, Name: "Ann", Role: account.Admin, Password: testPassword}
	if _, err := s.identity.CreateUser(t.Context(), account.Actor{}, user); err != nil {
		t.Fatal(err)
	}
	return s.loginAs(t, email)
}

func (c client) hold(t *testing.T, id, what string, body map[string]string) api.PausedData {
	t.Helper()
	return data[api.PausedData](t, c.post(t, "/api/debug/tasks/"+id+"/"+what, body, nil))
}

// heldTurns is what turns say of who held the task.
type heldTurns struct {
	Paused *history.Hold
	Turns  []struct {
		Holds []history.Hold
		Reply string
	}
}

// mustStep is a request that is answered.
func (p *pursuit) mustStep(t *testing.T, c client) {
	t.Helper()
	if err := p.step(t.Context(), c); err != nil {
		t.Fatal(err)
	}
}

// recapture drops the request that was refused: the page has changed.
func (p *pursuit) recapture() { p.pending = nil }

// A colleague takes a task over while it runs: its client is told to wait, nothing
// happens, everybody who looks sees who has it, and after the hand-back the same request
// is served, the task ends, and its replay shows the takeover and differs in nothing.
func TestPause_OverHTTP(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	ann := s.colleague(t, "ann@acme.example")
	annID := data[api.SessionData](t, ann.get(t, "/api/v1/auth/session")).User.ID
	p := newPursuit()
	p.mustStep(t, s.client)
	p.mustStep(t, s.client)
	debug := "/api/debug/tasks/" + p.task

	for range 2 {
		if d := ann.hold(t, p.task, "pause", map[string]string{"kind": "takeover", "note": "I look at it"}); d.Paused == nil || d.Paused.By != annID || d.Paused.Kind != "takeover" || d.TurnOpen {
			t.Fatalf("%+v", d)
		}
	}
	was := streamOf(t, s.system, p.task)
	key, body := p.request()
	r, err := s.interact(t.Context(), key, body)
	if err != nil || r.status != http.StatusConflict || r.code() != "TASK_PAUSED" || r.header.Get("Retry-After") != "5" || !strings.Contains(string(r.body), "taken over by user "+annID) {
		t.Fatalf("status %d, Retry-After %q (%v): %s", r.status, r.header.Get("Retry-After"), err, r.body)
	}
	if now := streamOf(t, s.system, p.task); len(now) != len(was) {
		t.Errorf("%d events were appended", len(now)-len(was))
	}
	again, err := s.interact(t.Context(), p.exchanges[0].key, p.exchanges[0].request)
	if err != nil || !bytes.Equal(again.body, p.exchanges[0].reply) {
		t.Errorf("a request answered before gets %s (%v)", again.body, err)
	}
	s.catchUp(t)
	held := data[api.TasksData](t, s.get(t, "/api/debug/tasks?status=paused")).Tasks
	if len(held) != 1 || held[0].TaskID != p.task || held[0].Paused == nil || held[0].Paused.By != annID || held[0].Status != "executing" {
		t.Errorf("held: %+v", held)
	}
	if a := data[api.ActiveTaskData](t, s.get(t, "/api/session/"+p.session+"/task/active")); a.Paused == nil || a.Paused.Kind != "takeover" {
		t.Errorf("active: %+v", a)
	}
	if turns := data[heldTurns](t, s.get(t, debug+"/turns")); turns.Paused == nil || turns.Paused.By != annID || turns.Paused.Note != "I look at it" {
		t.Errorf("turns: %+v", turns.Paused)
	}

	if d := s.hold(t, p.task, "resume", map[string]string{"note": "the list is in order"}); d.Paused != nil {
		t.Fatalf("%+v", d)
	}
	p.finish(t, s.client)
	s.catchUp(t)
	if held := data[api.TasksData](t, s.get(t, "/api/debug/tasks?status=paused")).Tasks; len(held) != 0 {
		t.Errorf("still held: %+v", held)
	}
	turns := data[heldTurns](t, s.get(t, debug+"/turns"))
	if h := turns.Turns[1].Holds; turns.Paused != nil || len(h) != 2 || h[0].Kind != "takeover" || h[1].Kind != "handed_back" || turns.Turns[2].Reply != "the list is in order" {
		t.Errorf("holds %+v, reply %q", h, turns.Turns[2].Reply)
	}
	if r := ann.post(t, debug+"/pause", map[string]string{}, nil); r.status != http.StatusConflict || r.code() != "TASK_COMPLETED" {
		t.Errorf("a task that has ended: %d %s", r.status, r.body)
	}
	if report := s.replayed(t, p.task); len(report.Turns[1].Holds) != 2 {
		t.Errorf("replay: %+v", report.Turns)
	}
	s.replays(t, "taken over and handed back", p.task)
	if out := s.tool(t, "task", "replay", p.task); !strings.Contains(out, "taken over by user "+annID) || !strings.Contains(out, "handed back") {
		t.Errorf("the replay is printed as\n%s", out)
	}
	if out := s.tool(t, "task", "show", p.task, "--turn", "2"); !strings.Contains(out, "taken over") || !strings.Contains(out, "I look at it") {
		t.Errorf("the turn is printed as\n%s", out)
	}
}

// What a person changed is not held against the agent: an action whose effect they took
// away is not corrected but decided anew, and after a pause without a takeover it is.
func TestPause_ThePersonChangesThePage(t *testing.T) {
	t.Parallel()
	for kind, status := range map[string]string{"pause": "correcting", "takeover": "executing"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, hooks{})
			p := newPursuit()
			for p.page.name == "" {
				p.mustStep(t, s.client)
			}
			s.hold(t, p.task, "pause", map[string]string{"kind": kind})
			p.page.name = ""
			s.hold(t, p.task, "resume", map[string]string{})
			key, body := p.request()
			r, err := s.interact(t.Context(), key, body)
			if err != nil {
				t.Fatal(err)
			}
			got := data[interact.Answer](t, r)
			want := map[string]reasoning.Outcome{"pause": reasoning.Failed, "takeover": reasoning.Undecided}[kind]
			if got.Status != status || got.Verification == nil || got.Verification.Outcome != string(want) {
				t.Errorf("%+v, %+v", got, got.Verification)
			}
			if kind == "takeover" {
				p.finish(t, s.client)
			}
			if d := differences(s.replayed(t, p.task)); len(d) > 0 {
				t.Errorf("replay: %q", d)
			}
		})
	}
}

// A form that was sent is not sent again because a person left the page that showed it:
// the user is asked.
func TestPause_ATakeoverSendsNothingTwice(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	for p.page.screen != "saved" {
		p.mustStep(t, s.client)
	}
	s.hold(t, p.task, "pause", map[string]string{"kind": "takeover"})
	p.page = clinic{screen: "form", name: "Jas"} // as it was before it was sent
	s.hold(t, p.task, "resume", map[string]string{})
	p.reply = "yes"
	p.mustStep(t, s.client)
	if got := p.answers[len(p.answers)-1]; got.Status != "needs_user_input" || !strings.Contains(got.UserQuestion, "Did it work") {
		t.Fatalf("%+v", got)
	}
	p.page = clinic{screen: "saved", name: "Jas"}
	p.finish(t, s.client)
	sent := 0
	for _, e := range streamOf(t, s.system, p.task) {
		if a, ok := e.(task.ActionGenerated); ok && a.MaySubmit {
			sent++
		}
	}
	if sent != 1 {
		t.Errorf("sent %d times", sent)
	}
}

// A turn that is at work when the pause comes is answered, and paid for once; the note of
// the hand-back is in the next prompt.
func TestPause_WhileATurnIsAtWork(t *testing.T) {
	t.Parallel()
	working, letGo := make(chan struct{}), make(chan struct{})
	var once sync.Once
	model := newFakeGemini(t)
	s := newModelServer(t, model, hooks{turn: func(point string) {
		if point == "turn.decided" {
			once.Do(func() { close(working); <-letGo })
		}
	}})
	p := newModelPursuit()
	key, body := p.request()
	who := data[api.SessionData](t, s.get(t, "/api/v1/auth/session"))
	p.task = task.IDFor(who.TenantID, who.User.ID, key)
	stepped := make(chan error, 1)
	go func() { stepped <- p.step(context.WithoutCancel(t.Context()), s.client) }()
	await(t, "the turn is decided", working)
	if d := s.hold(t, task.IDFor(who.TenantID, who.User.ID, key), "pause", map[string]string{}); !d.TurnOpen {
		t.Errorf("%+v", d)
	}
	if r, err := s.interact(t.Context(), key, body); err != nil || r.code() != "RESOURCE_CONFLICT" {
		t.Errorf("the same request meanwhile: %d %s (%v)", r.status, r.body, err)
	}
	close(letGo)
	if err := await(t, "the answer", stepped); err != nil {
		t.Fatal(err)
	}
	if err := p.step(t.Context(), s.client); !errors.Is(err, errBusy) {
		t.Errorf("the next request: %v", err)
	}
	p.recapture()
	s.hold(t, p.task, "resume", map[string]string{"note": "Mind the second surname"})
	p.finish(t, s.client)
	prompts := ""
	model.set(func(f *fakeGemini) { prompts = strings.Join(f.prompts, "\n") })
	if !strings.Contains(prompts, "Mind the second surname") {
		t.Error("no model was told what was said at the hand-back")
	}
	if d := differences(s.replayed(t, p.task)); len(d) > 0 {
		t.Errorf("replay: %q", d)
	}
}

// The command line pauses in the name of a user of the tenant, and watches the task until
// it ends.
func TestPause_OnTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	s.colleague(t, "ann@acme.example")
	newUser(t, s.identity, "eve@globex.example")
	p := newPursuit()
	p.mustStep(t, s.client)
	lines, watched := s.watching(t.Context(), t, p.task)
	stoppable, stop := context.WithCancel(t.Context())
	_, stopped := s.watching(stoppable, t, p.task)
	stop()
	if err := await(t, "the watch ends with Ctrl-C", stopped); err != nil {
		t.Errorf("stopped: %v", err)
	}
	if err := s.toolFails(t, "task", "pause", p.task, "--by", "eve@globex.example"); err == nil || !strings.Contains(err.Error(), "has no user") {
		t.Errorf("in the name of a stranger: %v", err)
	}
	if out := s.tool(t, "task", "pause", p.task, "--by", "Ann@acme.example", "--take-over", "--note", "mine"); !strings.Contains(out, "taken over by user") || !strings.Contains(out, "task resume "+p.task) {
		t.Errorf("paused: %s", out)
	}
	s.catchUp(t)
	tenant := data[api.SessionData](t, s.get(t, "/api/v1/auth/session")).TenantID
	if out := s.tool(t, "task", "list", "--tenant", tenant, "--status", "paused"); !strings.Contains(out, p.task) || !strings.Contains(out, "executing, taken over") {
		t.Errorf("listed: %s", out)
	}
	if out := s.tool(t, "task", "show", p.task); !strings.Contains(out, "taken over by user") {
		t.Errorf("shown: %s", out)
	}
	if out := s.tool(t, "task", "at", p.task); !strings.Contains(out, "taken over") {
		t.Errorf("the state: %s", out)
	}
	var resumed heldTask
	if err := json.Unmarshal([]byte(s.tool(t, "task", "resume", p.task, "--by", "ann@acme.example", "--note", "go on", "--json")), &resumed); err != nil || resumed.Paused != nil || resumed.TaskID != p.task {
		t.Errorf("resumed: %+v, %v", resumed, err)
	}
	p.finish(t, s.client)
	seen := await(t, "the watch ends with the task", watched)
	if seen != nil {
		t.Fatal(seen)
	}
	var types []string
	for _, line := range lines() {
		var e struct{ Type string }
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		types = append(types, shortType(e.Type))
	}
	if all := streamOf(t, s.system, p.task); len(types) != len(all) || types[len(types)-1] != "turn_ended" || !strings.Contains(strings.Join(types, " "), "task_paused task_handed_back") {
		t.Errorf("watched %v of %d events", types, len(all))
	}
	if out := s.tool(t, "task", "watch", p.task); !strings.Contains(out, "turn 1 ") || !strings.Contains(out, "taken over by user") || !strings.Contains(out, "setValue(") {
		t.Errorf("watched afterwards:\n%s", out)
	}
	if out := s.tool(t, "task", "watch", p.task, "--from", "1000"); out != "" {
		t.Errorf("nothing is new: %s", out)
	}
}

// watching watches a task as JSON in the background, from its first line on.
func (s *server) watching(ctx context.Context, t *testing.T, id string) (lines func() []string, ended <-chan error) {
	t.Helper()
	read, write := io.Pipe()
	env := map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error"}
	cmd := newRoot(func(name string) string { return env[name] }, write, io.Discard)
	cmd.SetArgs([]string{"task", "watch", id, "--json"})
	over, began := make(chan error, 1), make(chan struct{})
	go func() {
		over <- cmd.ExecuteContext(ctx)
		write.Close()
	}()
	var mu sync.Mutex
	var all []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		first := sync.OnceFunc(func() { close(began) })
		for scan := bufio.NewScanner(read); scan.Scan(); first() {
			mu.Lock()
			all = append(all, scan.Text())
			mu.Unlock()
		}
	}()
	await(t, "the first event is watched", began)
	return func() []string { <-done; mu.Lock(); defer mu.Unlock(); return all }, over
}

// toolFails runs a command that is refused.
func (s *server) toolFails(t *testing.T, args ...string) error {
	t.Helper()
	env := map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error"}
	cmd := newRoot(func(name string) string { return env[name] }, io.Discard, io.Discard)
	cmd.SetArgs(args)
	return cmd.ExecuteContext(t.Context())
}

// replayed is the task decided anew.
func (s *server) replayed(t *testing.T, id string) replay.Report {
	t.Helper()
	report, err := s.replay(t.Context(), s.tenantFor(t, id), id)
	if err != nil {
		t.Fatal(err)
	}
	return report
}
