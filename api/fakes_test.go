package api

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/commands/replay"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	known "github.com/stepledger/stepledger/domain/knowledge"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

// Two tenants with a user, a session and a task each.
const (
	tokenA, tokenB     = "token-of-a", "token-of-b"
	tenantA, tenantB   = "aaaaaaaa-0000-4000-8000-000000000001", "bbbbbbbb-0000-4000-8000-000000000001"
	userA, userB       = "aaaaaaaa-0000-4000-8000-000000000002", "bbbbbbbb-0000-4000-8000-000000000002"
	sessionA, sessionB = "aaaaaaaa-0000-4000-8000-000000000003", "bbbbbbbb-0000-4000-8000-000000000003"
	taskA, taskB       = "aaaaaaaa-0000-4000-8000-000000000004", "bbbbbbbb-0000-4000-8000-000000000004"
	callA              = "aaaaaaaa-0000-4000-8000-000000000005"
	secret             = account.Secret("open sesame, please")
)

// noon is the time of everything.
var noon = time.Date(2026, 1, 27, 12, 0, 0, 0, time.UTC)

// world fakes everything the api needs. Fields are set before it serves.
type world struct {
	mu       sync.Mutex
	tokens   map[string]account.Principal
	prefs    map[string]json.RawMessage
	taken    map[account.Class]int
	refunded map[account.Class]int
	limits   map[account.Class]int // allowed requests; absent is 100
	requests []interact.Request

	domains          []string
	sites            []string // asked about what is known
	added            []known.SourceAdded
	files            []knowledge.File
	bytes, byteLimit int64 // of bodies of interact

	answer    interact.Result
	fail      error // of every use case and query
	brokenOff error // of an export, after its first rows
	panicking bool
	head, lag int64
	waits     []wait
	checks    []Check
	web       http.Handler
	log       bytes.Buffer
}

type wait struct {
	names    []string
	position int64
	max      time.Duration
}

func newWorld() *world {
	principal := func(tenant, user, name string) account.Principal {
		return account.Principal{TenantID: tenant, TenantName: "Tenant " + name, UserID: user, Email: name + "@example.com", Name: name, Tier: "free", Role: account.Admin, LoginID: loginA}
	}
	w := &world{
		tokens: map[string]account.Principal{tokenA: principal(tenantA, userA, "ann"), tokenB: principal(tenantB, userB, "bob")},
		prefs:  map[string]json.RawMessage{}, taken: map[account.Class]int{}, refunded: map[account.Class]int{},
		limits: map[account.Class]int{}, head: 40,
		answer: interact.Result{TaskID: taskA, Revision: 3, Position: 41, Answer: json.RawMessage(
			`{"taskId":"` + taskA + `","sessionId":"` + sessionA + `","status":"executing","thought":"Saving <now> & here","action":"click(\"14\")","stepIndex":0,"hasOrgKnowledge":false,"usage":{"promptTokens":0,"completionTokens":0}}`)},
	}
	addColleagues(w.tokens)
	return w
}

// server of the world, and what it logs.
func (w *world) server() *Server {
	return New(Deps{
		Identity: w, Interactor: w, Archiver: w, Pauser: fakePauser{w}, Control: fakeControl{w}, Erasures: fakeErasures{w}, Sessions: fakeSessions{w}, Tasks: fakeTasks{w}, Usage: w, Billing: w, History: fakeHistory{w}, Exporter: fakeHistory{w}, Snapshots: w, Parking: fakeParking{w}, Calibration: fakeCalibration{w}, Skills: fakeSkills{w}, Replays: w, Knowledge: fakeKnowledge{w}, Library: fakeLibrary{w},
		Log: w, Waiter: w, Checks: w.checks, Web: w.web, Version: "test",
		Logger:  slog.New(slog.NewJSONHandler(&w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Now:     func() time.Time { return noon },
		Origins: []string{"https://app.example.com", "chrome-extension://abc"},
	})
}

func (w *world) Login(_ context.Context, email string, password account.Secret, _ account.Client) (account.Login, error) {
	switch {
	case email == "off@example.com":
		return account.Login{}, domain.Errorf(domain.Denied, "ACCOUNT_DISABLED", "this account is disabled")
	case email != "ann@example.com" || password != secret:
		return account.Login{}, domain.Errorf(domain.Unauthenticated, "INVALID_CREDENTIALS", "the email address or the password is wrong")
	}
	return account.Login{Token: tokenA, ExpiresAt: noon.Add(time.Hour), Principal: w.tokens[tokenA]}, w.fail
}

func (w *world) Admit(ctx context.Context, token account.Secret, class account.Class, bytes int64) (a account.Admission, err error) {
	w.mu.Lock()
	p, ok := w.tokens[token.Reveal()]
	w.mu.Unlock()
	if !ok {
		return a, domain.Errorf(domain.Unauthenticated, "UNAUTHORIZED", "the token is unknown, expired or revoked")
	}
	a = account.Admission{Principal: p, Requests: w.take(class)}
	if bytes >= 0 && a.Requests.Allowed {
		a.Bytes, err = w.TakeBytes(ctx, p, class, bytes)
	}
	return a, err
}

func (w *world) Logout(_ context.Context, p account.Principal, _ string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.tokens, func(_ string, of account.Principal) bool { return of.UserID == p.UserID && of.LoginID == p.LoginID })
	return nil
}

func (w *world) TakeLogin(context.Context, string, string) (account.Quota, error) {
	return w.take(account.SignIn), nil
}

// TakeBytes allows what byteLimit says of bytes, everything if it is 0.
func (w *world) TakeBytes(_ context.Context, p account.Principal, _ account.Class, n int64) (account.Quota, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byteLimit > 0 && w.bytes+n > w.byteLimit {
		return account.Quota{RetryAfter: 3 * time.Second}, nil
	}
	w.bytes += n
	return account.Quota{Allowed: true}, nil
}

func (w *world) TakeAddress(_ context.Context, address string) (account.Quota, error) {
	return w.take(account.Anonymous + account.Class(":"+address)), nil
}

func (w *world) take(class account.Class) account.Quota {
	w.mu.Lock()
	defer w.mu.Unlock()
	limit, ok := w.limits[class]
	if !ok {
		limit = 100
	}
	q := account.Quota{Allowed: w.taken[class] < limit, Limit: limit, ResetAt: noon.Add(time.Minute)}
	if q.Allowed {
		w.taken[class]++
	}
	if q.Remaining = limit - w.taken[class]; q.Remaining == 0 {
		q.RetryAfter = 5500 * time.Millisecond
	}
	return q
}

func (w *world) Refund(_ context.Context, _ account.Principal, class account.Class) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.refunded[class]++
	w.taken[class]--
	return nil
}

func (w *world) Preferences(_ context.Context, p account.Principal) (json.RawMessage, error) {
	if doc, ok := w.prefs[p.UserID]; ok {
		return doc, w.fail
	}
	return json.RawMessage(`{}`), w.fail
}

func (w *world) SavePreferences(_ context.Context, p account.Principal, doc json.RawMessage) error {
	w.prefs[p.UserID] = bytes.Clone(doc)
	return w.fail
}

func (w *world) HasUser(_ context.Context, tenant, user string) (bool, error) {
	return tenant == tenantA && (user == userA || user == userMember), nil
}

func (w *world) Interact(_ context.Context, r interact.Request) (interact.Result, error) {
	if w.panicking {
		panic("the password is " + secret.Reveal()[:4])
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.requests = append(w.requests, r)
	switch {
	case w.fail != nil && w.answer.Replayed:
		return w.answer, w.fail
	case w.fail != nil:
		return interact.Result{}, w.fail
	case r.TaskID != "" && (r.TaskID != taskA || r.Tenant != tenantA):
		return interact.Result{}, tasks.NotFound().At("taskId")
	case r.SessionID != "" && (r.SessionID != sessionA || r.Tenant != tenantA):
		return interact.Result{}, sessions.NotFound().At("sessionId")
	}
	return w.answer, nil
}

func (w *world) ArchiveSession(_ context.Context, tenant, _, session string) (int64, error) {
	if tenant != tenantA || session != sessionA {
		return 0, sessions.NotFound()
	}
	return 42, w.fail
}

func (w *world) Head(context.Context) (int64, error) { return w.head, nil }

func (w *world) Wait(_ context.Context, names []string, position int64, max time.Duration) (int64, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits = append(w.waits, wait{names, position, max})
	return w.lag, nil
}

func (w *world) Summary(_ context.Context, f usage.SummaryFilter) (usage.Summary, error) {
	if f.Zone == "Nowhere" {
		return usage.Summary{}, domain.Errorf(domain.Invalid, "VALIDATION_ERROR", "there is no time zone %q", f.Zone).At("timeZone")
	}
	var s usage.Summary
	s.Calls, s.Meters.InputUncached, s.Meters.Output, s.Meters.Thinking, s.Cost = 2, 1200, 300, 50, "0.004321"
	if len(f.GroupBy) > 0 {
		s.Groups = []usage.Group{{Keys: []string{"2026-01"}, Totals: s.Totals}}
	}
	s.More = f.Limit == 1 && len(s.Groups) > 0
	return s, w.fail
}

func (w *world) Calls(_ context.Context, f usage.CallFilter) (usage.Calls, error) {
	cost, ended := ledger.Pico(4_321_000_000), time.Date(2026, 1, 27, 10, 0, 2, 0, time.UTC)
	c := usage.Call{
		ID: taskB, Tenant: f.Tenant, User: userA, Session: sessionA, Task: taskA, Purpose: "PLANNING", Role: "smart", Provider: "google", Model: "m-1",
		Attempt: 1, State: usage.Completed, Outcome: "ok", TotalMatches: true, Meters: ledger.Meters{InputUncached: 1200, Output: 300},
		Cost: &cost, CostStatus: "priced", PriceVersion: "v1", DurationMS: 2000, StartedAt: ended.Add(-2 * time.Second), EndedAt: &ended,
	}
	return usage.Calls{Calls: []usage.Call{c}, More: f.Limit == 1}, w.fail
}

func (w *world) Zone(context.Context, string) (string, error) { return "Europe/Berlin", w.fail }

func (w *world) Export(_ context.Context, out io.Writer, _ ledger.Export) error {
	if w.fail != nil {
		return w.fail
	}
	if _, err := io.WriteString(out, "call_id,cost_usd\n1,0.004321\n"); err != nil {
		return err
	}
	return w.brokenOff
}

// The queries of the projections share names, so each has a type of its own.
type (
	fakeSessions    struct{ w *world }
	fakeTasks       struct{ w *world }
	fakeHistory     struct{ w *world }
	fakeParking     struct{ w *world }
	fakeCalibration struct{ w *world }
	fakeSkills      struct{ w *world }
)

var ann = sessions.Session{
	SessionID: sessionA, URL: "https://example.com/", Status: sessions.Active, MessageCount: 2,
	CreatedAt: noon, UpdatedAt: noon.Add(time.Second), InitialQuery: "Save it",
}

func (f fakeSessions) List(_ context.Context, q sessions.Filter) (sessions.Page, error) {
	p := sessions.Page{Limit: q.Limit, Offset: q.Offset}
	if q.User == userA && (q.Status == "" || q.Status == sessions.Active) {
		p.Sessions, p.Total = []sessions.Session{ann}, 1
	}
	return p, f.w.fail
}

func (f fakeSessions) Latest(_ context.Context, tenant, _, status string) (sessions.Session, error) {
	if tenant != tenantA || status != sessions.Active {
		return sessions.Session{}, sessions.NotFound()
	}
	return ann, f.w.fail
}

func (f fakeSessions) Messages(_ context.Context, tenant, _, session string, _ sessions.MessageFilter) (sessions.Messages, error) {
	if tenant != tenantA || session != sessionA {
		return sessions.Messages{}, sessions.NotFound()
	}
	return sessions.Messages{SessionID: session, Total: 2, Messages: []sessions.Message{
		{MessageID: taskA, Role: sessions.RoleUser, Content: "Save it", Timestamp: noon, TaskID: taskA},
		{
			MessageID: sessionA, Role: sessions.RoleAssistant, Content: "Saving", SequenceNumber: 1, Timestamp: noon, TaskID: taskA,
			ActionString: `click("14")`, ActionPayload: &sessions.ActionPayload{Type: "click", ElementID: json.RawMessage(`14`)},
			Status: sessions.StatusFailure, Error: &sessions.MessageError{Message: "gone", Code: "ELEMENT_NOT_FOUND"},
			DOMSummary: "A form", Metadata: &sessions.Metadata{Latency: 12, TokensUsed: &sessions.TokensUsed{PromptTokens: 7}},
		},
	}}, f.w.fail
}

func (f fakeTasks) Active(_ context.Context, tenant, _, session, _ string) (tasks.View, error) {
	if tenant != tenantA || session != sessionA {
		return tasks.View{}, tasks.NotFound()
	}
	return tasks.View{TaskID: taskA, Query: "Save it", Status: tasks.Executing, CurrentStepIndex: 2, CreatedAt: noon, UpdatedAt: noon}, f.w.fail
}

// fakeControl controls taskA.
type fakeControl struct{ w *world }

func (f fakeControl) put(user, id string, status task.Status) (commands.Controlled, error) {
	if user != userA || id != taskA {
		return commands.Controlled{}, tasks.NotFound().At("taskId")
	}
	return commands.Controlled{Status: status, Revision: 8, Position: 42}, f.w.fail
}

func (f fakeControl) StopTask(_ context.Context, _, user, id string) (commands.Controlled, error) {
	return f.put(user, id, task.Interrupted)
}

func (f fakeControl) CancelTask(_ context.Context, _, user, id string) (commands.Controlled, error) {
	return f.put(user, id, task.Failed)
}

func (f fakeControl) ResumeTask(_ context.Context, _, user, id string) (commands.Controlled, error) {
	return f.put(user, id, task.Active)
}

// fakePauser holds taskA.
type fakePauser struct{ w *world }

func (f fakePauser) PauseTask(_ context.Context, tenant, by, id string, kind task.PauseKind, note string) (commands.Held, error) {
	if tenant != tenantA || id != taskA {
		return commands.Held{}, tasks.NotFound().At("taskId")
	}
	return commands.Held{Pause: &task.Pause{By: by, Kind: kind, At: noon, Note: note}, TurnOpen: true, Revision: 8, Position: 42}, f.w.fail
}

func (f fakePauser) ResumeTask(_ context.Context, tenant, _, id, _ string) (commands.Held, error) {
	if tenant != tenantA || id != taskA {
		return commands.Held{}, tasks.NotFound().At("taskId")
	}
	return commands.Held{Revision: 9, Position: 43}, f.w.fail
}

func (f fakeTasks) List(_ context.Context, q tasks.Filter) ([]tasks.View, error) {
	switch {
	case q.Tenant == tenantA && q.Session == "": // of the tenant; one that is older than the debug log is last
		return []tasks.View{{TaskID: taskA, UpdatedAt: noon}, {TaskID: taskB, UpdatedAt: noon.AddDate(0, 0, -8)}}, f.w.fail
	case q.Tenant == tenantA && q.Session == sessionA:
		return []tasks.View{{TaskID: taskA}}, nil
	}
	return nil, nil
}

func (f fakeTasks) Find(_ context.Context, q tasks.Search) (p tasks.Page, err error) {
	if q.Tenant == tenantA && q.After == nil {
		p.Tasks, p.More = []tasks.Found{{
			View: tasks.View{
				TaskID: taskA, SessionID: sessionA, User: userA, Query: "Save it", URL: "https://example.com/", Status: tasks.Failed, Code: "GAVE_UP",
				Message: "It is gone", Steps: 3, Corrections: 1, CreatedAt: noon, UpdatedAt: noon, EndedAt: &noon, Revision: 7,
			},
			StartedAt: noon, Host: "example.com", Spent: &tasks.Spent{Calls: 2, InputTokens: 1200, OutputTokens: 300, Cost: "0.004321"},
		}, {View: tasks.View{TaskID: taskB, SessionID: sessionA, Status: tasks.Active, PausedAt: &noon, PausedBy: userA, PausedKind: "takeover"}}}, true
	}
	return p, f.w.fail
}

func (f fakeHistory) Events(_ context.Context, tenant, id string, q history.Filter) (history.Events, error) {
	if tenant != tenantA || id != taskA {
		return history.Events{}, history.NotFound()
	}
	if q.Field == "target/name" && (q.Value != "Save=1" || q.MinCost.String() != "0.01" || len(q.Types) != 2) {
		return history.Events{}, domain.Errorf(domain.Internal, domain.CodeInternal, "the filter came as %+v", q)
	}
	return history.Events{TaskID: id, Head: 7, More: true, Events: []history.Event{{
		ID: sessionA, Type: task.NameTaskResumed, Revision: 6, Position: 40, RecordedAt: noon, Tenant: tenantA, Actor: userA, Correlation: id, Schema: 1, Turn: 2, Importance: history.High,
		Data: task.TaskResumed{Turn: 2},
	}}}, f.w.fail
}

func (f fakeHistory) StateAt(_ context.Context, tenant, id string, revision int64) (history.State, error) {
	if tenant != tenantA || id != taskA || revision > 7 {
		return history.State{}, history.NotFound()
	}
	if revision == history.Latest {
		revision = 7
	}
	return history.State{
		TaskID: id, Revision: revision, Position: 41, Type: task.NameTaskResumed, RecordedAt: noon, Head: 7,
		State: json.RawMessage(`{"Steps":[]}`),
	}, f.w.fail
}

func (f fakeHistory) StateAtTime(ctx context.Context, tenant, id string, at time.Time) (history.State, error) {
	if at.Before(noon) {
		return history.State{}, history.NotFound()
	}
	return f.StateAt(ctx, tenant, id, 5)
}

var turnOfA = history.Turn{
	Turn: 1, ToRevision: 2, Request: "key-1", BeganAt: noon, Status: "action",
	Before: history.Snapshot{Turn: 1, Page: "page-ref", URL: "https://example.com/", DOMMode: "dom", MeaningHash: "m1", Elements: 3},
	Verdicts: []history.GivenVerdict{{
		Revision: 1, Outcome: "failed", Tier: 1, Rule: "nothing-happened", By: "rules", Reason: "nothing changed", Observations: []string{},
		Of: &history.DecidedIn{Turn: 1, Revision: 0, Action: `click("14")`},
	}},
	Actions: []history.DecidedAction{{Revision: 2, Kind: "click", Action: `click("15")`, By: "rules", Skills: []string{"skill-1"}, Strategy: "ALTERNATIVE_SELECTOR"}},
	Plan:    []history.StandingStep{{Description: "Save it", Tool: plan.DOM, Status: plan.Active}},
	Calls:   []history.ModelCall{callOfA}, Totals: totalsOfA, Events: []history.Event{},
}

var (
	totalsOfA = history.CallTotals{Calls: 1, InputTokens: 1200, OutputTokens: 300, DurationMs: 2000, CostUSD: "0.004321"}
	costOfA   = "0.004321"
	callOfA   = history.ModelCall{
		CallID: callA, Turn: 1, Purpose: "VERIFICATION", PromptName: "verify/3", Role: "smart", Provider: "google", Model: "m-1", Attempt: 1,
		State: history.CallCompleted, Outcome: "ok", StartedAt: noon, DurationMs: 2000, InputTokens: 1200, OutputTokens: 300, CostUSD: &costOfA, CostStatus: "priced",
	}
)

func (f fakeHistory) Turns(_ context.Context, tenant, id string, from, _ int) (history.Turns, error) {
	if tenant != tenantA || id != taskA {
		return history.Turns{}, history.NotFound()
	}
	out := history.Turns{TaskID: id, Head: 7, Last: 1, Turns: []history.Turn{}, Totals: totalsOfA, OtherCalls: []history.ModelCall{}}
	if from == 1 {
		out.Turns = append(out.Turns, turnOfA)
	}
	return out, f.w.fail
}

func (f fakeHistory) Turn(_ context.Context, tenant, id string, turn int) (history.Turn, error) {
	if tenant != tenantA || id != taskA || turn != 1 {
		return history.Turn{}, history.NotFound()
	}
	return turnOfA, f.w.fail
}

func (f fakeHistory) Graph(_ context.Context, tenant, id string, turn int) (history.CausalGraph, error) {
	if tenant != tenantA || id != taskA {
		return history.CausalGraph{}, history.NotFound()
	}
	first := int64(turn)
	return history.CausalGraph{
		TaskID: id, Head: 7, Nodes: []history.GraphNode{
			{ID: "request:key-1", Kind: history.RequestNode},
			{ID: sessionA, Kind: history.EventNode, Stream: task.Stream(id), Revision: &first, Type: task.NamePageObserved, Turn: 1, At: &noon},
		},
		Recorded: []history.RecordedEdge{{From: "request:key-1", To: sessionA, In: history.InCausation, Event: sessionA}}, Inferred: []history.InferredEdge{},
	}, f.w.fail
}

func (f fakeHistory) Compare(_ context.Context, tenant, a, b string) (history.Comparison, error) {
	if tenant != tenantA || a != taskA || b != taskA {
		return history.Comparison{}, history.NotFound()
	}
	side := history.ComparedTask{TaskID: a, Query: "Save it", Status: task.Completed, Turns: 1, Totals: totalsOfA}
	turn := &history.ComparedTurn{Turn: 1, URL: "https://example.com/", Kind: "click", Action: `click("14")`, TargetRole: "button", TargetName: "Save", Verdict: "failed", Rule: "nothing-happened", Status: "action", CostUSD: "0.004321"}
	return history.Comparison{A: side, B: side, Same: 1, OnlyB: 1, Rows: []history.ComparedRow{
		{Kind: history.SameTurn, A: turn, B: turn, Differs: []string{"cost"}}, {Kind: history.OnlyB, B: turn},
	}}, f.w.fail
}

func (f fakeHistory) Page(_ context.Context, tenant, id string, turn int) (history.TurnPage, error) {
	if tenant != tenantA || id != taskA || turn != 1 {
		return history.TurnPage{}, history.NotFound()
	}
	return history.TurnPage{TaskID: id, Turn: turn, Capture: page.Capture{DOM: "<p>a page"}, Target: "14"}, f.w.fail
}

// Render shows what it is given.
func (w *world) Render(c page.Capture, target string) (document []byte, policy string) {
	return []byte("<!doctype html>" + c.DOM + " with " + target), "sandbox; default-src 'none'"
}

func (f fakeHistory) Call(_ context.Context, tenant, id, call string) (history.CallTexts, error) {
	if tenant != tenantA || id != taskA || call != callA {
		return history.CallTexts{}, history.NotFound()
	}
	return history.CallTexts{
		TaskID: id, Call: callOfA, Prompt: history.CallText{State: history.TextKept, Content: json.RawMessage(`{"system":"Judge"}`)},
		Answer: history.CallText{State: history.TextErased},
	}, f.w.fail
}

func (f fakeHistory) Diff(_ context.Context, tenant, id string, from, to int64) (history.Diff, error) {
	if tenant != tenantA || id != taskA || from > 7 || to > 7 {
		return history.Diff{}, history.NotFound()
	}
	if to == history.Latest {
		to = 7
	}
	return history.Diff{TaskID: id, From: from, To: to, Head: 7, Changes: []history.Change{{
		Path: "/visible", From: json.RawMessage(`false`), To: json.RawMessage(`true`), By: &history.Setter{ID: sessionA, Type: task.NameTaskStarted, Revision: 1},
	}, {Path: "/turn/request", To: json.RawMessage(`{"body":"x"}`)}}}, f.w.fail
}

func (f fakeHistory) Logs(_ context.Context, tenant string, ids []string, q history.LogFilter) (out []history.LogEntry, more bool, err error) {
	for _, id := range ids {
		if tenant != tenantA || id != taskA {
			return nil, false, history.NotFound()
		}
		e := history.Event{ID: sessionA, Type: task.NameTaskFailed, Revision: 6, Position: 40, RecordedAt: noon, Turn: 2, Data: task.TaskFailed{Turn: 2, Code: "GAVE_UP"}}
		out = append(out, history.LogEntry{At: q.From, Type: history.ErrorLog, TaskID: id, Turn: 2, Event: &e}, history.LogEntry{At: noon, Type: history.ModelLog, TaskID: id, Turn: 1, Call: &callOfA})
	}
	return out, q.Limit == 2, f.w.fail
}

func (f fakeHistory) Export(_ context.Context, tenant, id string, now time.Time) (replay.Export, error) {
	if tenant != tenantA || id != taskA {
		return replay.Export{}, history.NotFound()
	}
	return replay.Export{
		Format: replay.ExportFormat, TaskID: id, ExportedAt: now, StateHash: "5a7e", Missing: []string{"the page of turn 2"},
		Events:  []replay.ExportedEvent{{ID: sessionA, Type: task.NameTaskResumed, Revision: 6, RecordedAt: noon, Data: json.RawMessage(`{"turn":2}`)}},
		Content: map[string]string{"page-ref": "<p>a page"},
		Calls:   []replay.ExportedCall{{Answer: `{"action":"finish()"}`}},
	}, f.w.fail
}

func (f fakeHistory) FieldsAt(_ context.Context, tenant, id string, revision int64) (history.Fields, error) {
	if tenant != tenantA || id != taskA || revision > 7 {
		return history.Fields{}, history.NotFound()
	}
	return history.Fields{TaskID: id, Revision: 7, Head: 7, Fields: []history.Field{{
		Path: "/status", Value: json.RawMessage(`"active"`), By: history.Setter{ID: sessionA, Type: task.NamePageObserved, Default: true},
	}}}, f.w.fail
}

func (f fakeCalibration) Report(_ context.Context, q calibration.Filter) (calibration.Report, error) {
	r := calibration.Report{
		Checkpoints: []calibration.Checkpoint{}, Actions: []calibration.Decider{}, Chains: calibration.Chains{Recoveries: []calibration.Recovery{}},
	}
	if q.Tenant != tenantA || q.From.IsZero() {
		return r, f.w.fail
	}
	rate, mean, length := 0.5, 0.72, 3.5
	r.Checkpoints = append(r.Checkpoints, calibration.Checkpoint{
		Checkpoint: calibration.PlanCheckpoint, Checks: 30, MeanScore: mean,
		Verdicts:    []calibration.ByVerdict{{Option: "self", Verdict: "PASS", Checks: 30, MeanScore: mean}},
		Bins:        []calibration.Bin{{From: 0.7, To: 0.8, Count: 30, Succeeded: 15, Failed: 10, Mean: &mean}},
		Correlation: calibration.Correlation{Of: 25, Needed: 100},
		CatchRate:   calibration.Rate{Count: 10, Of: 20, Rate: &rate},
		Alerts:      []calibration.Alert{{Name: "lowCatchRate", Severity: "high", Rate: rate, Threshold: 0.6, Of: 20}},
	})
	r.Actions = append(r.Actions, calibration.Decider{By: "rules", Bins: []calibration.Bin{{From: 0.9, To: 1, Count: 3}}})
	r.Chains = calibration.Chains{Chains: 2, MeanLength: &length, Whole: calibration.Rate{Count: 1, Of: 2, Rate: &rate}, Recoveries: []calibration.Recovery{{Recovery: "skip", Chains: 1}}}
	return r, f.w.fail
}

func (f fakeParking) find(name string) error {
	if name != "" && name != tasks.Projection.Name {
		return domain.Errorf(domain.NotFound, domain.CodeProjectionNotFound, "there is no projection %q", name)
	}
	return f.w.fail
}

func (f fakeParking) Parked(_ context.Context, q projections.ParkedFilter) (out []projections.Parked, err error) {
	for i, tenant := range []string{tenantA, tenantB, tenantA} {
		if tenant == q.Tenant {
			out = append(out, projections.Parked{
				Projection: tasks.Projection.Name, Tenant: tenant, Stream: "task-" + taskA, Revision: int64(i), Position: 40 + int64(i),
				EventID: sessionA, EventType: task.NameTaskResumed, Error: "unreadable: " + strings.Repeat("x", i*300), ParkedAt: noon,
			})
		}
	}
	return out, f.find(q.Projection)
}

func (f fakeParking) RetryParked(_ context.Context, q projections.ParkedFilter) (applied, left int, err error) {
	if q.Tenant == tenantA {
		applied, left = 2, 1
	}
	return applied, left, f.find(q.Projection)
}

// ask is a request to a server under test.
type ask struct {
	method, target, body string
	token                string
	header               map[string]string
}

func (a ask) request(t testing.TB) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), a.method, a.target, strings.NewReader(a.body))
	if a.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if a.token != "" {
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	r.Header.Set("X-Request-Id", "test-request")
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	return r
}

// send asks and checks that the answer is as the description says.
func send(t testing.TB, s *Server, a ask) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := a.request(t)
	s.ServeHTTP(w, r)
	conforms(t, s, r, w)
	return w
}

// post sends a body to interact as tenant A.
func postInteract(t testing.TB, s *Server, body string) *httptest.ResponseRecorder {
	t.Helper()
	return send(t, s, ask{method: post, target: "/api/agent/interact", token: tokenA, body: body})
}

// failure decodes an error envelope.
func failure(t testing.TB, w *httptest.ResponseRecorder) (e ErrorBody) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || e.Success || e.Code == "" || e.Message == "" {
		t.Fatalf("status %d, body %q is no error envelope: %v", w.Code, w.Body, err)
	}
	return e
}

func wantFailure(t testing.TB, w *httptest.ResponseRecorder, status int, code, field string) {
	t.Helper()
	e := failure(t, w)
	got, _ := e.Details["field"].(string)
	if w.Code != status || e.Code != code || got != field {
		t.Errorf("status %d %s at %q, want %d %s at %q: %s", w.Code, e.Code, got, status, code, field, w.Body)
	}
}

func (f fakeSkills) List(_ context.Context, tenant, _ string) ([]skills.Entry, error) {
	if tenant != tenantA {
		return nil, f.w.fail
	}
	return []skills.Entry{{
		Skill:  reasoning.Skill{ID: sessionA, Goal: "Save it", FailedAction: "click", UseAction: "press", Strategy: "ALTERNATIVE_TOOL", Successes: 2},
		Tenant: tenant, Site: "example.com", Shown: 3, LastUsed: noon, CreatedAt: noon, Task: taskA,
	}}, f.w.fail
}

func (f fakeParking) ReadModels(context.Context) ([]projections.ReadModel, error) {
	return []projections.ReadModel{{Name: "tasks", Version: 4, Position: 38, Head: 40, LagEvents: 2, LagSeconds: 1.5, Parked: 3}}, f.w.fail
}

func (w *world) Replay(_ context.Context, tenant, id string) (replay.Report, error) {
	if tenant != tenantA || id != taskA {
		return replay.Report{}, tasks.NotFound()
	}
	return replay.Report{TaskID: id, Turns: []replay.Result{{Turn: 1, Same: true}, {Turn: 2, Revision: 4, Action: replay.Pair{Was: "a", Now: "b"}}}}, w.fail
}

func (w *world) Bisect(_ context.Context, tenant, id string, _ replay.Predicate) (replay.Found, error) {
	if tenant != tenantA || id != taskA {
		return replay.Found{}, tasks.NotFound()
	}
	return replay.Found{TaskID: id, Holds: true, Revision: 3, Turn: 1, Events: 7}, w.fail
}

func (w *world) Fork(_ context.Context, tenant, _, id string, c replay.Change) (replay.Outcome, error) {
	if tenant != tenantA || id != taskA {
		return replay.Outcome{}, tasks.NotFound()
	}
	return replay.Outcome{ForkID: callA, Result: replay.Result{Turn: c.Turn, Same: true}, Decided: []string{"task.turn_ended.v1"}}, w.fail
}

func (w *world) Standing(_ context.Context, tenant string, _ time.Time) ([]ledger.Standing, error) {
	budget := "100"
	return []ledger.Standing{{Tenant: tenant, Zone: "Europe/Berlin", Month: "2026-01", Budget: &budget, Spent: "51.2", Held: "0.5", WarnAt: []int32{50, 80}, Warned: []int32{50}}}, w.fail
}
