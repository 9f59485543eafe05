package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	nats "github.com/nats-io/nats-server/v2/server"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections/tasks"
)

// reacted waits until every consumer has handled the whole log, what reactions
// have added to it included.
func (s *server) reacted(t testing.TB) {
	t.Helper()
	eventually(t, "the consumers are at the end of the log", func() bool {
		all, err := s.feed.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Position < c.Head {
				return false
			}
		}
		return true
	})
}

// begun starts a task and gives it with its first action waiting to be done.
func begun(t *testing.T, c client) *pursuit {
	t.Helper()
	p := newPursuit()
	if err := p.step(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return p
}

// count is how often an event of a type happened to a task, as an engineer sees.
func (c client) count(t *testing.T, id, name string) (n int) {
	t.Helper()
	type events struct{ Events []struct{ Type string } }
	for _, e := range data[events](t, c.get(t, "/api/debug/tasks/"+id+"/events?limit=200")).Events {
		if e.Type == name {
			n++
		}
	}
	return n
}

func (c client) archive(t *testing.T, session string) (reply, error) {
	t.Helper()
	return c.do(t.Context(), http.MethodPost, "/api/session", map[string]string{"sessionId": session}, nil)
}

func TestReactions_AnArchivedSessionInterruptsItsTasks(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	s, other := rig.serve(t), rig.serve(t) // two replicas: one of them reacts
	p, theirs := begun(t, s.client), begun(t, other.client)
	if r, err := s.archive(t, p.session); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %s %v", r.status, r.body, err)
	}
	eventually(t, "the task is interrupted", func() bool {
		type stood struct{ State struct{ Status string } }
		return data[stood](t, other.get(t, "/api/debug/tasks/"+p.task+"/state")).State.Status == "interrupted"
	})
	s.reacted(t)
	if n := s.count(t, p.task, task.NameTaskInterrupted); n != 1 {
		t.Errorf("the task was interrupted %d times", n)
	}
	if n := s.count(t, theirs.task, task.NameTaskInterrupted); n != 0 {
		t.Error("a task of another session was interrupted")
	}
	key, body := p.request()
	if r, err := s.interact(t.Context(), key, body); err != nil || r.status != http.StatusConflict {
		t.Errorf("a request of the task: %d %s, %v", r.status, r.body, err)
	}
	s.replays(t, t.Name(), p.task)
}

// The server dies inside the command of a reaction, or after it and before the
// event is acknowledged: the next one sees the event again, and the task is
// interrupted once.
func TestReactions_OneEffectWhereverTheServerDies(t *testing.T) {
	t.Parallel()
	const appends = 3 // two of the turn, with the session in the first, and the archiving; the next is the reaction's
	for _, point := range []string{"append.begin", "append.sent", "append.committed", "append.acknowledged"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			rig := newCrashRig(t, nil)
			c := rig.start(t, fmt.Sprintf("%s@%d", point, appends+1))
			p := begun(t, rig.client(c))
			if r, err := rig.client(c).archive(t, p.session); err != nil && !errors.Is(err, errGone) {
				t.Fatalf("%d %s %v", r.status, r.body, err)
			}
			await(t, "the reaction's server dies", c.dead)
			s := rig.serve(t)
			s.reacted(t)
			if n := s.count(t, p.task, task.NameTaskInterrupted); n != 1 {
				t.Errorf("the task was interrupted %d times", n)
			}
		})
	}
}

// A consumer that starts over sees the whole log again and adds nothing to it.
func TestReactions_StartingOverChangesNothing(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	rig := newCrashRig(t, model)
	c := rig.start(t, "model.answered@1") // its call is closed by a reaction
	p := newModelPursuit()
	if err := p.step(t.Context(), rig.client(c)); !errors.Is(err, errGone) {
		t.Fatalf("the server was not killed: %v", err)
	}
	c = rig.start(t, "")
	p.finish(t, rig.client(c))
	archived := begun(t, rig.client(c))
	if r, err := rig.client(c).archive(t, archived.session); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %s %v", r.status, r.body, err)
	}
	s := rig.serve(t)
	s.reacted(t)
	if n := s.count(t, archived.task, task.NameTaskInterrupted); n != 1 {
		t.Fatalf("the task was interrupted %d times", n)
	}
	if calls := ledgerOf(t, s.system, p.task); len(calls.Open()) != 0 {
		t.Fatalf("calls of the turn that was given up are open: %+v", calls.Open())
	}
	before := headOf(t, s)
	c.kill()
	s.stop()
	forget(t, rig.url)
	s = rig.serve(t)
	s.reacted(t)
	if after := headOf(t, s); after != before {
		t.Errorf("the log went from %d to %d", before, after)
	}
}

// A turn that is given up takes its calls with it, and those before, but not
// those of the turn after it.
func TestReactions_CallsOfTheTurnAfterStayOpen(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	id := domain.NewUUID()
	calls := []string{domain.NewUUID(), domain.NewUUID(), domain.NewUUID()}
	for i, call := range calls {
		s.startCall(t, id, call, i+1, time.Now())
	}
	s.abandoned(t, task.Stream(id), `{"turn":2,"why":"its process is gone"}`)
	s.reacted(t)
	ledger := ledgerOf(t, s.system, id)
	for i, call := range calls {
		if c := ledger.Calls[call]; c.Settled != (i < 2) {
			t.Errorf("the call of turn %d: %+v", i+1, c)
		}
	}
}

// An archiving of which the read model does not know yet could have tasks before
// it that it does not know either.
func TestOpenTasks_WaitsForTheReadModel(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	system, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{}) // nothing runs
	if err != nil {
		t.Fatal(err)
	}
	defer system.close()
	s := &server{system: system}
	at := s.abandoned(t, task.Stream(domain.NewUUID()), `{"turn":1}`).Position
	open := openTasks{tasks.Queries{DB: s.db}, s.waiter()}
	if _, err := open.Open(t.Context(), "acme", domain.NewUUID(), at); !isOutage(err) {
		t.Errorf("it did not wait: %v", err)
	}
	if err := s.runner.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := open.Open(t.Context(), "acme", domain.NewUUID(), at); err != nil {
		t.Error(err)
	}
}

func headOf(t *testing.T, s *server) int64 {
	t.Helper()
	head, err := s.events.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// forget takes all checkpoints away.
func forget(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	tag, err := conn.Exec(t.Context(), `delete from feed.checkpoint`)
	if err != nil || tag.RowsAffected() != 4 {
		t.Fatalf("%d checkpoints, %v", tag.RowsAffected(), err)
	}
}

// tool runs a subcommand on a server's database.
// toolEnv are the settings of a command beside the server.
func (s *server) toolEnv() map[string]string {
	return map[string]string{"DATABASE_URL": s.url, "STEPLEDGER_STATE_DIR": s.cfg.StateDir, "LOG_LEVEL": "error", "STEPLEDGER_ARCHIVE": s.cfg.Archive.Address}
}

func (s *server) tool(t *testing.T, args ...string) string {
	t.Helper()
	env := s.toolEnv()
	var out, errOut bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &errOut)
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, &errOut)
	}
	return out.String()
}

// abandoned appends a turn that was given up, readable or not, to a stream.
func (s *server) abandoned(t *testing.T, stream, body string) eventstore.Recorded {
	t.Helper()
	e := eventstore.Proposed{
		ID: domain.NewUUID(), Type: task.NameTurnAbandoned, Data: []byte(body),
		Meta: eventstore.Metadata{Tenant: "acme", Schema: 1}.Encode(),
	}
	at, err := s.events.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{e})
	if err != nil {
		t.Fatal(err)
	}
	return eventstore.Recorded{ID: e.ID, Type: e.Type, Stream: stream, Revision: at.Revision, Position: at.Position}
}

func TestReactions_WhatCannotBeHandledIsPutAside(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	broken, mended := task.Stream(domain.NewUUID()), task.Stream(domain.NewUUID())
	s.abandoned(t, broken, `{"turn":"one"}`)
	s.abandoned(t, broken, `{"turn":2}`)
	s.reacted(t)
	if err := s.feed.Parking.Park(t.Context(), "close-calls", s.abandoned(t, mended, `{"turn":1}`), "mended since"); err != nil {
		t.Fatal(err)
	}
	var reasons []string
	decoder := json.NewDecoder(strings.NewReader(s.tool(t, "reactions", "parked", "close-calls")))
	for decoder.More() {
		var p struct{ Stream, Reason string }
		if err := decoder.Decode(&p); err != nil {
			t.Fatal(err)
		}
		reasons = append(reasons, p.Stream[:6]+p.Reason)
	}
	if len(reasons) != 3 || !strings.Contains(reasons[0], "cannot unmarshal") || !strings.Contains(reasons[1], "an earlier event") || !strings.Contains(reasons[2], "mended") {
		t.Errorf("put aside are %q", reasons)
	}
	if health := s.get(t, "/api/health"); !strings.Contains(string(health.body), `"consumers":{"status":"unhealthy"`) || health.status != http.StatusOK {
		t.Errorf("health %d %s", health.status, health.body)
	}
	if got, want := s.tool(t, "reactions", "replay"), "interrupt-archived: 0 handled, 0 left\nclose-calls: 1 handled, 2 left\nbook-corrections: 0 handled, 0 left\nsee-pages: 0 handled, 0 left\n"; got != want {
		t.Errorf("the replay says %q, want %q", got, want)
	}
}

func TestMetrics(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.MetricsAddr = "127.0.0.1:0"
	cfg.Models = modelsFrom(t, newFakeGemini(t).env())
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := begun(t, s.client)
	if r, err := s.archive(t, p.session); err != nil || r.status != http.StatusOK {
		t.Fatalf("%d %s %v", r.status, r.body, err)
	}
	s.reacted(t)
	scrape, err := client{base: s.feed.metricsURL}.do(t.Context(), http.MethodGet, "", nil, nil)
	if err != nil || scrape.status != http.StatusOK {
		t.Fatalf("%d %s, %v", scrape.status, scrape.body, err)
	}
	lines := strings.Split(string(scrape.body), "\n")
	for _, want := range []string{
		`stepledger_consumer_lag_events{consumer="close-calls"} 0`,
		`stepledger_consumer_lag_seconds{consumer="interrupt-archived"} 0`,
		`stepledger_consumer_parked_events{consumer="interrupt-archived"} 0`,
		`stepledger_feed_handler_execution_time_seconds_count{handler_name="interrupt-archived",success="true"} 1`,
		`stepledger_feed_subscriber_messages_received_total{acked="acked",handler_name="interrupt-archived",subscriber_name="feed.Subscriber"} 1`,
		fmt.Sprintf("stepledger_log_head_position %d", headOf(t, s)),
		fmt.Sprintf(`stepledger_model_attempts_total{model=%q,outcome="ok",provider="google",purpose="ACTION_GENERATION",role="fast"} 1`, defaultFastModel),
		fmt.Sprintf(`stepledger_model_left_alone{model=%q,provider="google"} 0`, defaultSmartFallback),
		`stepledger_model_calls{provider="google"} 0`,
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("%s is not in\n%s", want, scrape.body)
		}
	}
	if r := s.get(t, metricsPath); r.status != http.StatusNotFound {
		t.Errorf("the API serves metrics too: %d", r.status)
	}
}

func TestMetrics_OffUnlessAsked(t *testing.T) {
	t.Parallel()
	if s := newServer(t, hooks{}); s.feed.metricsURL != "" {
		t.Errorf("metrics are served at %s", s.feed.metricsURL)
	}
}

// published are the events another system was sent, in the order it reads them.
func published(t *testing.T, url string) (out []string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	const sent = `select metadata ->> 'ce_subject' || '@' || (metadata ->> 'ce_revision') from "watermill_stepledger" order by transaction_id, "offset"`
	rows, err := conn.Query(t.Context(), sent)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		t.Fatal(err)
	}
	return out
}

// Another system follows while servers are killed: it gets every event of every
// task, in order; the last before a kill perhaps again.
func TestPublish_AtLeastOnceAcrossKills(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	otherDB := pgtest.Database(t, "publish", nil)
	rig.env["STEPLEDGER_PUBLISH_URL"] = otherDB
	p := newPursuit()
	for !p.ended {
		c := rig.start(t, "")
		eventually(t, "an answer", func() bool { return p.step(t.Context(), rig.client(c)) == nil })
		c.kill()
	}
	cfg := testConfig(rig.url, rig.env["STEPLEDGER_STATE_DIR"])
	cfg.PublishURL = account.Secret(otherDB)
	s := start(t, cfg, hooks{})
	s.reacted(t)
	next := 0
	for _, event := range published(t, otherDB) {
		var revision int
		if _, err := fmt.Sscanf(event, task.Stream(p.task)+"@%d", &revision); err != nil || revision > next {
			t.Fatalf("%s was sent after %d events (%v)", event, next, err)
		}
		next = max(next, revision+1)
	}
	if want := len(streamOf(t, s.system, p.task)); next != want {
		t.Errorf("%d of %d events were sent", next, want)
	}
}

// A server that is told to end saves what it has sent.
func TestPublish_AnOrderlyEndRepeatsNothing(t *testing.T) {
	t.Parallel()
	otherDB := pgtest.Database(t, "publish", nil)
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.PublishURL = account.Secret(otherDB)
	s := start(t, cfg, hooks{})
	c := s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	for !p.ended {
		if err := p.step(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		s.stop()
		s = start(t, cfg, hooks{})
		c.base = s.base
	}
	s.reacted(t)
	var want []string
	for i := range streamOf(t, s.system, p.task) {
		want = append(want, fmt.Sprintf("%s@%d", task.Stream(p.task), i))
	}
	if got := published(t, otherDB); !slices.Equal(got, want) {
		t.Errorf("sent %v, want %v", got, want)
	}
}

func TestPublish_ABrokerThatIsAwayHoldsNothingUpAndGetsEverything(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	port := freePort(t)
	cfg.PublishURL, cfg.MetricsAddr = account.Secret(fmt.Sprintf("nats://jo:hunter2@127.0.0.1:%d", port)), "127.0.0.1:0"
	cfg.LogLevel = 100 // the log is full of it, rightly
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newPursuit()
	p.finish(t, s.client)
	auditTask(t, s, p)
	eventually(t, "it shows in the health", func() bool {
		health := s.get(t, "/api/health")
		return health.status == http.StatusOK && strings.Contains(string(health.body), `"consumers":{"status":"unhealthy"`)
	})
	scrape, err := client{base: s.feed.metricsURL}.do(t.Context(), http.MethodGet, "", nil, nil)
	waiting := fmt.Sprintf("stepledger_consumer_lag_events{consumer=\"publish\"} %d\n", len(streamOf(t, s.system, p.task)))
	if err != nil || !strings.Contains(string(scrape.body), waiting) {
		t.Errorf("%s is not in %s, %v", waiting, scrape.body, err)
	}
	broker := startNATS(t, port)
	s.reacted(t)
	kept, err := broker.Jsz(nil)
	if want := len(streamOf(t, s.system, p.task)); err != nil || int(kept.Messages) != want {
		t.Errorf("the broker has %d of %d events, %v", kept.Messages, want, err)
	}
	eventually(t, "the health is good again", func() bool {
		return strings.Contains(string(s.get(t, "/api/health").body), `"consumers":{"status":"healthy"`)
	})
}

// freePort is one that nobody listens on.
func freePort(t testing.TB) int {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func startNATS(t *testing.T, port int) *nats.Server {
	t.Helper()
	broker, err := nats.NewServer(&nats.Options{
		Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
		Username: "jo", Password: "hunter2",
	})
	if err != nil {
		t.Fatal(err)
	}
	broker.Start()
	t.Cleanup(func() {
		broker.Shutdown()
		broker.WaitForShutdown()
	})
	if !broker.ReadyForConnections(patience) {
		t.Fatal("the broker does not start")
	}
	return broker
}

func TestPublish_ABadURLIsNamedAndNotShown(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.PublishURL = "amqp://jo:hunter2@host"
	_, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{})
	if err == nil || !strings.Contains(err.Error(), "STEPLEDGER_PUBLISH_URL") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("it says %v", err)
	}
}
