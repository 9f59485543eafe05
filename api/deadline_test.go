package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// hangs is what a database that does not answer comes to.
func hangs(ctx context.Context) error {
	<-ctx.Done()
	return fmt.Errorf("query: %w", ctx.Err())
}

// hungDoor does not even find out who calls, nor does it count.
type hungDoor struct{ *world }

func (hungDoor) Admit(ctx context.Context, _ account.Secret, _ account.Class, _ int64) (a account.Admission, err error) {
	return a, hangs(ctx)
}

func (hungDoor) TakeLogin(ctx context.Context, _, _ string) (q account.Quota, err error) {
	return q, hangs(ctx)
}

// hungExporter is one: hungHouse has the export of finance.
type hungExporter struct{}

// hungControl is one: hungHouse has the pauses of engineers.
type hungControl struct{}

func (hungControl) StopTask(ctx context.Context, _, _, _ string) (c commands.Controlled, err error) {
	return c, hangs(ctx)
}

func (hungControl) CancelTask(ctx context.Context, _, _, _ string) (c commands.Controlled, err error) {
	return c, hangs(ctx)
}

func (hungControl) ResumeTask(ctx context.Context, _, _, _ string) (c commands.Controlled, err error) {
	return c, hangs(ctx)
}

// hungHouse lets everyone in; nothing behind the door answers.
type hungHouse struct{ *world }

func (hungHouse) Login(ctx context.Context, _ string, _ account.Secret, _ account.Client) (l account.Login, err error) {
	return l, hangs(ctx)
}
func (hungHouse) Logout(ctx context.Context, _ account.Principal, _ string) error {
	return hangs(ctx)
}

func (hungHouse) Preferences(ctx context.Context, _ account.Principal) (json.RawMessage, error) {
	return nil, hangs(ctx)
}

func (hungHouse) SavePreferences(ctx context.Context, _ account.Principal, _ json.RawMessage) error {
	return hangs(ctx)
}

func (hungHouse) Interact(ctx context.Context, _ interact.Request) (r interact.Result, err error) {
	return r, hangs(ctx)
}

func (hungHouse) ArchiveSession(ctx context.Context, _, _, _ string) (int64, error) {
	return 0, hangs(ctx)
}
func (hungHouse) Head(ctx context.Context) (int64, error) { return 0, hangs(ctx) }
func (hungHouse) Wait(ctx context.Context, _ []string, _ int64, atMost time.Duration) (int64, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(atMost):
		return 0, nil // just in time, to go on to the next that hangs
	}
}

func (hungHouse) Summary(ctx context.Context, _ usage.SummaryFilter) (s usage.Summary, err error) {
	return s, hangs(ctx)
}

func (hungHouse) Calls(ctx context.Context, _ usage.CallFilter) (c usage.Calls, err error) {
	return c, hangs(ctx)
}

func (hungHouse) Events(ctx context.Context, _, _ string, _ history.Filter) (e history.Events, err error) {
	return e, hangs(ctx)
}

func (hungHouse) StateAt(ctx context.Context, _, _ string, _ int64) (s history.State, err error) {
	return s, hangs(ctx)
}

func (hungHouse) StateAtTime(ctx context.Context, _, _ string, _ time.Time) (s history.State, err error) {
	return s, hangs(ctx)
}

func (hungHouse) Turns(ctx context.Context, _, _ string, _, _ int) (t history.Turns, err error) {
	return t, hangs(ctx)
}

func (hungHouse) Turn(ctx context.Context, _, _ string, _ int) (t history.Turn, err error) {
	return t, hangs(ctx)
}

func (hungHouse) Graph(ctx context.Context, _, _ string, _ int) (g history.CausalGraph, err error) {
	return g, hangs(ctx)
}

func (hungHouse) Compare(ctx context.Context, _, _, _ string) (c history.Comparison, err error) {
	return c, hangs(ctx)
}

func (hungHouse) Page(ctx context.Context, _, _ string, _ int) (p history.TurnPage, err error) {
	return p, hangs(ctx)
}

func (hungHouse) Call(ctx context.Context, _, _, _ string) (c history.CallTexts, err error) {
	return c, hangs(ctx)
}

func (hungHouse) Diff(ctx context.Context, _, _ string, _, _ int64) (d history.Diff, err error) {
	return d, hangs(ctx)
}

func (hungHouse) FieldsAt(ctx context.Context, _, _ string, _ int64) (f history.Fields, err error) {
	return f, hangs(ctx)
}

func (hungHouse) Logs(ctx context.Context, _ string, _ []string, _ history.LogFilter) (l []history.LogEntry, more bool, err error) {
	return l, false, hangs(ctx)
}

func (hungExporter) Export(ctx context.Context, _, _ string, _ time.Time) (x replay.Export, err error) {
	return x, hangs(ctx)
}

func (hungHouse) Parked(ctx context.Context, _ projections.ParkedFilter) ([]projections.Parked, error) {
	return nil, hangs(ctx)
}

func (hungHouse) RetryParked(ctx context.Context, _ projections.ParkedFilter) (applied, left int, err error) {
	return 0, 0, hangs(ctx)
}

func (hungHouse) ReadModels(ctx context.Context) ([]projections.ReadModel, error) {
	return nil, hangs(ctx)
}

func (hungHouse) Replay(ctx context.Context, _, _ string) (r replay.Report, err error) {
	return r, hangs(ctx)
}

func (hungHouse) Bisect(ctx context.Context, _, _ string, _ replay.Predicate) (f replay.Found, err error) {
	return f, hangs(ctx)
}

func (hungHouse) Fork(ctx context.Context, _, _, _ string, _ replay.Change) (o replay.Outcome, err error) {
	return o, hangs(ctx)
}

func (hungHouse) Standing(ctx context.Context, _ string, _ time.Time) ([]ledger.Standing, error) {
	return nil, hangs(ctx)
}

// hungSkills has a List of its own.
type hungSkills struct{}

func (hungSkills) List(ctx context.Context, _, _ string) ([]skills.Entry, error) {
	return nil, hangs(ctx)
}

func (hungHouse) PauseTask(ctx context.Context, _, _, _ string, _ task.PauseKind, _ string) (h commands.Held, err error) {
	return h, hangs(ctx)
}

func (hungHouse) ResumeTask(ctx context.Context, _, _, _, _ string) (h commands.Held, err error) {
	return h, hangs(ctx)
}

type hungSessions struct{ fakeSessions }

func (hungSessions) List(ctx context.Context, _ sessions.Filter) (p sessions.Page, err error) {
	return p, hangs(ctx)
}

// bodies are good ones for the routes that take one.
var bodies = map[string]string{
	"login": `{"email":"ann@example.com","password":"x"}`, "savePreferences": `{"preferences":{}}`,
	"interact": goodInteract, "archiveSession": `{"sessionId":"` + sessionA + `"}`, "taskFork": `{"turn":1}`,
	"pauseTask": `{}`, "resumeTask": `{}`, "setDomains": `{"allowedDomains":["*.example.com"]}`, "setRole": `{"role":"admin"}`,
	"invite": `{"email":"dee@example.com"}`, "acceptInvite": `{"token":"an invitation","password":"long enough"}`,
	"requestErasure": `{"kind":"task","id":"` + taskA + `","reason":"asked"}`,
	"ingest":         `{"name":"handbook.md","text":"# Expenses"}`, "indexLink": `{"url":"https://docs.example.com/","strategy":"spider"}`, "keepSeen": `{"url":"https://app.example.com/"}`,
	"changePassword": `{"currentPassword":"` + secret.Reveal() + `","newPassword":"long enough"}`,
}

// queries are good ones for the routes that need one.
var queries = map[string]string{"taskCompare": "?a=" + taskA + "&b=" + taskA, "resolveKnowledge": "?url=https%3A%2F%2Fexample.com%2F", "taskBisect": "?condition=%2Fstatus%20%3D%20active", "searchKnowledge": "?q=expenses"}

// good is a request to every route of the table.
func good(s *Server) map[string]ask {
	out := map[string]ask{}
	ids := strings.NewReplacer("{sessionId}", sessionA, "{taskId}", taskA, "{projection}", tasks.Projection.Name, "{turn}", "1", "{callId}", callA,
		"{userId}", userA, "{inviteId}", inviteA, "{loginId}", loginA, "{month}", stated.Month, "{erasureId}", erasureA,
		"{sourceId}", sourceA, "{documentId}", documentA)
	for path, item := range s.huma.OpenAPI().Paths {
		if op := item.Get; op != nil {
			out[op.OperationID] = ask{method: get, target: ids.Replace(path) + queries[op.OperationID], token: tokenA}
		}
		if op := item.Post; op != nil {
			out[op.OperationID] = ask{method: post, target: ids.Replace(path), token: tokenA, body: bodies[op.OperationID]}
		}
	}
	return out
}

// A hung database holds no request for longer than patience.
func TestDeadline_OnEveryRoute(t *testing.T) {
	t.Parallel()
	for name, hang := range map[string]func(*Server, *world){
		"who calls is not known": func(s *Server, w *world) { s.Identity = hungDoor{w} },
		"nothing behind answers": func(s *Server, w *world) {
			h := hungHouse{w}
			s.Identity, s.Interactor, s.Archiver, s.Pauser, s.Control, s.Usage, s.History, s.Parking, s.Log, s.Waiter = h, h, h, h, hungControl{}, h, h, h, h, h
			s.Billing, s.Skills, s.Replays = h, hungSkills{}, h
			s.Exporter, s.Erasures, s.Knowledge, s.Library = hungExporter{}, hungErasures{}, hungKnowledge{}, hungLibrary{}
			w.domains = []string{"example.com"}
		},
	} {
		for id, a := range good(newWorld().server()) {
			if id == "health" || id == "live" || id == "ready" || id == "currentSession" && name == "nothing behind answers" {
				continue // asks nobody, or has a bound of its own
			}
			t.Run(name+", "+id, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := newWorld()
					s := w.server()
					hang(s, w)
					timesOut(t, s, a)
				})
			})
		}
	}
}

func timesOut(t *testing.T, s *Server, a ask) {
	t.Helper()
	began := time.Now()
	res := send(t, s, a)
	if took := time.Since(began); took != patience {
		t.Errorf("answered after %v, want %v", took, patience)
	}
	wantFailure(t, res, http.StatusServiceUnavailable, "TIMEOUT", "")
	if res.Header().Get("Retry-After") != "1" {
		t.Errorf("headers %v lack Retry-After", res.Header())
	}
}

// What a client is willing to wait for is part of it, not on top.
func TestDeadline_IncludesTheWaitForAPosition(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s := w.server()
		s.Waiter, s.Sessions = hungHouse{w}, hungSessions{fakeSessions{w}}
		timesOut(t, s, ask{method: get, target: "/api/session?atLeast=77", token: tokenA})
	})
}

// longTurn does, as the real one does, what it has to do in its own time.
type longTurn struct{ *world }

func (longTurn) Interact(ctx context.Context, _ interact.Request) (interact.Result, error) {
	turn, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	<-turn.Done()
	return interact.Result{Replayed: true}, fmt.Errorf("ask the model: %w", turn.Err())
}

func (longTurn) Refund(ctx context.Context, _ account.Principal, _ account.Class) error {
	return hangs(ctx)
}

// What follows a turn has time of its own too, and not more.
func TestDeadline_IsNotTheTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		s := w.server()
		s.Interactor, s.Identity = longTurn{w}, longTurn{w}
		began := time.Now()
		res := postInteract(t, s, goodInteract)
		if took := time.Since(began); took != time.Minute+patience {
			t.Errorf("answered after %v, want the turn's minute and %v", took, patience)
		}
		wantFailure(t, res, http.StatusServiceUnavailable, "TIMEOUT", "")
	})
}
