package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/codec"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

// futureEnv has a child be of a version that knows an event more.
const futureEnv = "STEPLEDGER_TEST_FUTURE"

const futureType = "task.dreamt.v1"

// dreamt is an event of the next version.
type dreamt struct {
	task.Unknown
	Note string `json:"note"`
}

// learnFuture makes of this process one of the next version.
func learnFuture() {
	known := map[string]task.Event{futureType: dreamt{}}
	for _, name := range task.Codec.Names() {
		e, err := task.Codec.Clear(name, []byte("{}"))
		if err != nil {
			panic(err)
		}
		known[name] = e
	}
	*task.Codec = *codec.New(known)
	knownTypes = append(knownTypes, futureType)
}

// writeFuture appends what a newer version would to streams.
func (s *server) writeFuture(t testing.TB, eventType string, streams ...string) {
	t.Helper()
	a, err := s.identity.Admit(t.Context(), account.Secret(s.token), account.Account, -1)
	if err != nil {
		t.Fatal(err)
	}
	meta := eventstore.Metadata{Tenant: a.Principal.TenantID, Schema: 1}.Encode()
	for _, stream := range streams {
		e := eventstore.Proposed{ID: domain.NewUUID(), Type: eventType, Data: []byte(`{"note":"of tomorrow"}`), Meta: meta}
		if _, err := s.events.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{e}); err != nil {
			t.Fatal(err)
		}
	}
}

// What a newer version wrote stops nobody who follows the log or looks at a task; a turn on
// it is the newer version's. Nothing is put aside by read models.
func TestNewer_NobodyStops(t *testing.T) {
	t.Parallel()
	var said lockedBuffer
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.Models = modelsFrom(t, newFakeGemini(t).env())
	s := startWith(t, cfg, slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{Level: slog.LevelWarn})), hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p, other := newModelPursuit(), newModelPursuit()
	for range 2 {
		if err := p.step(t.Context(), s.client); err != nil {
			t.Fatal(err)
		}
	}
	source := domain.NewUUID()
	s.catchUp(t)
	const probe = "probe.dreamt.v1"
	eventually(t, "what comes is counted", func() bool {
		s.writeFuture(t, probe, "probe-"+source)
		return s.metric(t, "stepledger_events_unknown_total") > 0
	})
	s.writeFuture(t, futureType, task.Stream(p.task))
	s.writeFuture(t, "session.dreamt.v1", "session-"+p.session)
	s.writeFuture(t, "usage.dreamt.v1", "usage-"+p.task)
	s.writeFuture(t, "knowledge.dreamt.v1", "knowledge-"+source, "document-"+source)
	s.writeFuture(t, "dream.dreamt.v1", "dream-"+source, "dream-"+source)

	key, body := p.request()
	for range 2 {
		r, err := s.interact(t.Context(), key, body)
		if err != nil || r.status != http.StatusServiceUnavailable || r.code() != domain.CodeNewerVersion || r.header.Get("Retry-After") == "" {
			t.Fatalf("a turn: %d %s %v", r.status, r.body, err)
		}
	}
	other.finish(t, s.client)
	s.catchUp(t)
	if parked, err := s.runner.Parked(t.Context(), projections.ParkedFilter{}); err != nil || len(parked) > 0 {
		t.Errorf("put aside: %+v, %v", parked, err)
	}
	for _, path := range []string{
		"events", "turns", "turns/1", "turns/1/page", "state", "diff?from=1&to=4", "fields", "graph", "bisect?condition=%2Fstatus+%3D+failed",
	} {
		if r := s.get(t, "/api/debug/tasks/"+p.task+"/"+path); r.status != http.StatusOK {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	for _, path := range []string{
		"/api/debug/tasks", "/api/debug/compare?a=" + p.task + "&b=" + other.task, "/api/debug/session/" + p.task + "/export", "/api/usage/calls?taskId=" + p.task,
		"/api/session/" + p.session + "/messages", "/api/debug/logs?taskId=" + p.task, "/tasks/" + p.task, "/tasks/" + p.task + "/graph",
	} {
		if r := s.get(t, path); r.status >= 400 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	if r := s.get(t, "/api/debug/tasks/"+p.task+"/events"); !bytes.Contains(r.body, []byte(futureType)) {
		t.Errorf("it is not among the events: %s", r.body)
	}
	if r := s.get(t, "/api/debug/tasks/"+p.task+"/replay"); r.status != http.StatusServiceUnavailable || r.code() != domain.CodeNewerVersion {
		t.Errorf("decided anew on what is not known: %d %s", r.status, r.body)
	}
	if out := s.tool(t, "usage", "reconcile"); !strings.Contains(out, `"differences": 0`) {
		t.Error(out)
	}
	eventually(t, "it is counted", func() bool { return s.metric(t, "stepledger_events_unknown_total", probe) == 7 })
	if n := strings.Count(said.String(), "type=dream.dreamt.v1"); n != 1 {
		t.Errorf("it is told %d times:\n%s", n, said.String())
	}
	s.tool(t, "erase", "task", p.task)
	if r := s.get(t, "/api/debug/tasks/"+p.task+"/events"); bytes.Contains(r.body, []byte("Jas")) {
		t.Errorf("erased, and shown: %s", r.body)
	}
}

// metric is the sum of a metric's values, but for those of some types.
func (s *server) metric(t testing.TB, name string, but ...string) (sum float64) {
	t.Helper()
	all, err := s.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		for _, m := range f.GetMetric() {
			if f.GetName() == name && (len(m.GetLabel()) == 0 || !slices.Contains(but, m.GetLabel()[0].GetValue())) {
				sum += m.GetCounter().GetValue() + m.GetGauge().GetValue()
			}
		}
	}
	return sum
}

// A version and the next work side by side on one database, and clients go from one to the
// other: no turn is lost or doubled, what the older cannot decide the newer does, and what
// the older put aside the newer handles once it is alone.
func TestNewer_SideBySide(t *testing.T) {
	t.Parallel()
	rig := newCrashRig(t, nil)
	s := rig.serve(t)
	rig.env[futureEnv] = "1"
	next := rig.start(t, "")
	both := []client{s.client, rig.client(next)}
	var tasks sync.WaitGroup
	done := make([]*pursuit, 6)
	for i := range done {
		done[i] = newPursuit()
		tasks.Go(func() {
			if err := s.between(t.Context(), t, done[i], both, i); err != nil {
				t.Errorf("task %d: %v", i, err)
			}
		})
	}
	tasks.Wait()
	open := begun(t, s.client)
	s.writeFuture(t, futureType, task.Stream(open.task))
	if r, err := s.archive(t, open.session); err != nil || r.status != http.StatusOK {
		t.Fatalf("archive: %d %s %v", r.status, r.body, err)
	}
	for i, p := range done {
		if n := s.count(t, p.task, task.NameTurnEnded); n != len(p.exchanges) || !p.ended {
			t.Errorf("task %d was answered %d times, and has %d turns (ended: %t)", i, len(p.exchanges), n, p.ended)
		}
		for _, e := range p.exchanges { // a repeat gets the stored answer, of the version that can read it
			r, err := both[1].interact(t.Context(), e.key, e.request)
			if err != nil || !sameAnswer(r.body, e.reply) {
				t.Errorf("task %d: the repeat of %s is %d %s, %v", i, e.key, r.status, r.body, err)
			}
		}
	}
	eventually(t, "the older version puts aside what it does not know, or the newer handles it", func() bool {
		parked, err := s.feed.Parking.Parked(t.Context(), "")
		return err == nil && len(parked) > 0 || s.count(t, open.task, task.NameTaskInterrupted) == 1
	})
	s.stop()
	next.kill()
	rig.start(t, "")
	db, err := pgx.Connect(t.Context(), rig.url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close(t.Context())
	eventually(t, "the newer version has handled it", func() bool {
		var parked, interrupted int
		err := db.QueryRow(t.Context(), `select (select count(*) from feed.parked), (select count(*) from log.events where stream = $1 and type = $2)`,
			task.Stream(open.task), task.NameTaskInterrupted).Scan(&parked, &interrupted)
		return err == nil && parked == 0 && interrupted == 1
	})
}

// between does a task by requests to one server and the other, and has the newer one write
// what the older does not know after the second turn.
func (s *server) between(ctx context.Context, t *testing.T, p *pursuit, servers []client, at int) error {
	wrote := false
	for try := 0; !p.ended; try++ {
		err := p.step(ctx, servers[(at+try)%len(servers)])
		if err != nil && !errors.Is(err, errBusy) {
			return err
		}
		if len(p.exchanges) == 2 && !wrote {
			s.writeFuture(t, futureType, task.Stream(p.task))
			wrote = true
		}
		if try > 200 {
			return fmt.Errorf("not done after %d requests: %w", try, err)
		}
	}
	return nil
}

// sameAnswer compares answers but for what is said of the request.
func sameAnswer(a, b []byte) bool {
	var x, y struct{ Data interact.Answer }
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		return false
	}
	return x.Data.Action == y.Data.Action && x.Data.Status == y.Data.Status && x.Data.TaskID == y.Data.TaskID
}
