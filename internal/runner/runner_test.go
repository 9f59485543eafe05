package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/internal/browser"
)

const taskID = "11111111-2222-4333-8444-555555555555"

// request is what the scripted server keeps of one.
type request struct {
	key, raw string
	body     struct {
		Query, TaskID, DOMMode string
		LastActionError        *struct{ Code string }
	}
}

// server is a scripted brain: the nth interact request gets the nth answer, those
// after the last get the last.
type server struct {
	*httptest.Server
	script []func(http.ResponseWriter)

	mu       sync.Mutex
	requests []request
	usage    func(http.ResponseWriter)
}

func serve(t *testing.T, script ...func(http.ResponseWriter)) *server {
	t.Helper()
	s := &server{script: script, usage: succeed(map[string]any{"totals": map[string]any{"costUSD": "0"}})}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/auth/session", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer secret-token" {
			refuse(http.StatusUnauthorized, "UNAUTHORIZED")(w)
			return
		}
		succeed(map[string]any{"user": map[string]any{"id": "user-1"}, "tenantId": "tenant-1"})(w)
	})
	mux.HandleFunc("GET /api/usage/summary", func(w http.ResponseWriter, r *http.Request) {
		if id := r.URL.Query().Get("taskId"); id != taskID && id != s.firstTask() {
			refuse(http.StatusNotFound, "TASK_NOT_FOUND")(w)
			return
		}
		s.usage(w)
	})
	mux.HandleFunc("POST /api/agent/interact", func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		got := request{key: r.Header.Get("Idempotency-Key"), raw: string(raw)}
		if err := errors.Join(err, json.Unmarshal(raw, &got.body)); err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		s.requests = append(s.requests, got)
		n := len(s.requests)
		s.mu.Unlock()
		s.script[min(n, len(s.script))-1](w)
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// firstTask is the id that a server gives the task of the first request.
func (s *server) firstTask() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) == 0 {
		return ""
	}
	return task.IDFor("tenant-1", "user-1", s.requests[0].key)
}

func succeed(data map[string]any) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		_ = json.NewEncoder(w).Encode(map[string]any{"success": true, "data": data})
	}
}

func refuse(status int, code string, header ...string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		if len(header) == 2 {
			w.Header().Set(header[0], header[1])
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"success":false,"code":%q,"message":"no"}`, code)
	}
}

// fields are those of an answer beside its task.
type fields = map[string]any

func answer(f fields) func(http.ResponseWriter) {
	f["taskId"], f["sessionId"] = taskID, "session-1"
	return succeed(f)
}

func do(act string, more ...fields) func(http.ResponseWriter) {
	f := fields{"thought": "I do " + act, "action": act}
	for _, m := range more {
		for k, v := range m {
			f[k] = v
		}
	}
	return answer(f)
}

func verdict(outcome string, ok bool, reason string) fields {
	return fields{"verification": fields{"outcome": outcome, "actionSucceeded": ok, "confidence": 0.9, "reason": reason, "tier": 1, "rule": "r"}}
}

// page is a page without a browser.
type page struct {
	opened   string
	executed []string
	open     error
	capture  func()
	execute  func(a action.Action) (browser.Report, error)
}

func (p *page) Open(_ context.Context, address string) error {
	p.opened = address
	return p.open
}

func (p *page) Capture(ctx context.Context) (browser.Capture, error) {
	if p.capture != nil {
		p.capture()
		return browser.Capture{}, ctx.Err()
	}
	c := browser.Capture{}
	c.URL, c.Title, c.Mode, c.DOM = "https://clinic.example/", "Patients", "semantic_v3", "<button>Save</button>"
	return c, nil
}

func (p *page) CaptureFull(ctx context.Context) (browser.Capture, error) {
	c, err := p.Capture(ctx)
	c.Mode = "full"
	return c, err
}

func (p *page) Execute(_ context.Context, a action.Action) (browser.Report, error) {
	p.executed = append(p.executed, a.String())
	if p.execute != nil {
		return p.execute(a)
	}
	return browser.Report{Status: browser.StatusSuccess}, nil
}

func (p *page) Printable(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") }

func (s *server) options(p *page) Options {
	return Options{
		Server: s.URL + "/", Token: "secret-token", Query: "save it", URL: "https://clinic.example/", Page: p,
		RetryFor: 20 * time.Second, Backoff: time.Millisecond,
	}
}

// events runs and gives what was told, as lines.
func events(t *testing.T, ctx context.Context, o Options) (Result, []string, error) { //nolint:revive // t first, as everywhere
	t.Helper()
	var lines []string
	o.OnEvent = func(e Event) {
		if end, ok := e.(End); ok {
			end.Seconds = 1.5 // whatever it took
			e = end
		}
		line, err := Line(e)
		if err != nil || !json.Valid(line) || bytes.ContainsRune(line, '\n') {
			t.Errorf("line %s: %v", line, err)
		}
		lines = append(lines, string(line))
	}
	got, err := Run(ctx, o)
	return got, lines, err
}

func TestRun_TellsWhatHappensAsItHappens(t *testing.T) {
	t.Parallel()
	spent := fields{"usage": fields{"promptTokens": 1200, "completionTokens": 30}}
	s := serve(t,
		do(`click("14")`, spent, fields{"actionDetails": fields{"element": `button "Save"`}}),
		do(`click("15")`, verdict("failed", false, "nothing changed"), fields{
			"status": "correcting", "stepIndex": 0, "correction": fields{"strategy": "ALTERNATIVE_SELECTOR", "attempt": 1, "reason": "the button is dead"}}),
		do(`wait(1)`, verdict("undecided", false, "a request is under way"), fields{"stepIndex": 1}),
		answer(fields{"status": "needs_full_dom", "needsFullDomReason": "a hidden part"}),
		answer(fields{"thought": "I fill the form", "stepIndex": 2, "actions": []fields{{"action": `setValue("1", "hunter2")`}, {"action": `click("2")`}}}),
		answer(fields{"status": "needs_user_input", "userQuestion": "Which name?", "missingInformation": []string{"name"}}),
		do(`finish("saved")`, verdict("succeeded", true, "it says saved"), fields{"status": "completed"}),
	)
	s.usage = succeed(fields{"totals": fields{"inputTokens": 1200, "outputTokens": 30, "costUSD": "0.0012", "unpricedCalls": 0}})
	p := &page{execute: func(a action.Action) (browser.Report, error) {
		if a.String() != `click("15")` {
			return browser.Report{Status: browser.StatusSuccess}, nil
		}
		return browser.Report{Status: browser.StatusFailure, Error: &browser.ActionError{Code: browser.CodeOccluded, Message: "a banner is above it"}}, nil
	}}
	o := s.options(p)
	o.Answers = []string{"Jas"}
	got, lines, err := events(t, t.Context(), o)
	if err != nil || got.Status != Completed || got.Message != "saved" || got.TaskID != taskID || got.Steps != 4 || got.Turns != 7 {
		t.Errorf("result %+v, error %v", got, err)
	}
	golden(t, "events.jsonl", strings.Join(lines, "\n")+"\n")
	if p.opened != "https://clinic.example/" || len(p.executed) != 5 {
		t.Errorf("page %+v", p)
	}
	if b := s.requests[4].body; b.DOMMode != "full" || s.requests[2].body.LastActionError.Code != browser.CodeOccluded {
		t.Errorf("requests %+v", s.requests)
	}
	if b := s.requests[6].body; b.Query != "Jas" || b.TaskID != taskID {
		t.Errorf("the answer was sent as %+v", b)
	}
}

// golden compares with a file of testdata; UPDATE=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestRun_SendsTheSameRequestAgain(t *testing.T) {
	t.Parallel()
	s := serve(t,
		refuse(http.StatusConflict, "RESOURCE_CONFLICT", "Retry-After", "1"),
		refuse(http.StatusInternalServerError, "INTERNAL_ERROR"),
		refuse(http.StatusServiceUnavailable, "DATABASE_ERROR"),
		do(`finish("done")`),
	)
	got, _, err := events(t, t.Context(), s.options(&page{}))
	if err != nil || got.Status != Completed || got.Turns != 1 || len(s.requests) != 4 {
		t.Fatalf("result %+v, error %v, %d requests", got, err, len(s.requests))
	}
	for _, r := range s.requests {
		if r.key != s.requests[0].key || !domain.ValidUUID(r.key) || r.raw != s.requests[0].raw {
			t.Errorf("request %s %s", r.key, r.raw)
		}
	}
}

func TestRun_Ends(t *testing.T) {
	t.Parallel()
	click, question := do(`click("1")`), answer(fields{"status": "needs_user_input", "userQuestion": "Which?"})
	tests := map[string]struct {
		script []func(http.ResponseWriter)
		with   func(*Options, *page)
		status Status
		exit   int
		says   string // in the message, the question or the error
		open   bool
	}{
		"done":                    {script: []func(http.ResponseWriter){click, do(`finish("it is saved")`)}, status: Completed, exit: 0, says: "it is saved"},
		"done without an action":  {script: []func(http.ResponseWriter){answer(fields{"status": "completed", "thought": "all is there"})}, status: Completed, exit: 0, says: "all is there"},
		"given up":                {script: []func(http.ResponseWriter){do(`fail("no such page")`)}, status: Failed, exit: 1, says: "no such page"},
		"the server's own limit":  {script: []func(http.ResponseWriter){click, refuse(400, "MAX_STEPS_EXCEEDED")}, status: Failed, exit: 1, says: "MAX_STEPS_EXCEEDED"},
		"the token has run out":   {script: []func(http.ResponseWriter){click, refuse(401, "UNAUTHORIZED")}, status: BrokenOff, exit: 1, says: "UNAUTHORIZED", open: true},
		"the server has gone":     {script: []func(http.ResponseWriter){click, refuse(500, "INTERNAL_ERROR")}, with: func(o *Options, _ *page) { o.RetryFor = 20 * time.Millisecond }, status: BrokenOff, exit: 1, says: "INTERNAL_ERROR", open: true},
		"the browser has gone":    {script: []func(http.ResponseWriter){click}, with: func(_ *Options, p *page) { p.execute = lost }, status: BrokenOff, exit: 1, says: "no browser", open: true},
		"nobody answers":          {script: []func(http.ResponseWriter){question}, status: Asked, exit: 2, says: "Which?", open: true},
		"the answers are used up": {script: []func(http.ResponseWriter){question}, with: func(o *Options, _ *page) { o.Answers = []string{"a", "b"} }, status: Asked, exit: 2, says: "Which?", open: true},
		"nobody is at the terminal": {script: []func(http.ResponseWriter){question}, with: func(o *Options, _ *page) {
			o.Ask = func(context.Context, Question) (string, error) { return "", ErrNoAnswer }
		}, status: Asked, exit: 2, says: "Which?", open: true},
		"the steps are used up":         {script: []func(http.ResponseWriter){click}, with: func(o *Options, _ *page) { o.MaxSteps = 3 }, status: Stopped, exit: 2, says: "the steps allowed were used up", open: true},
		"the last step allowed ends it": {script: []func(http.ResponseWriter){click, do("finish()")}, with: func(o *Options, _ *page) { o.MaxSteps = 1 }, status: Completed, exit: 0},
		"the time is used up":           {script: []func(http.ResponseWriter){click, refuse(503, "BUSY", "Retry-After", "10")}, with: func(o *Options, _ *page) { o.Timeout = 200 * time.Millisecond }, status: Stopped, exit: 2, says: "the time was used up (200ms)", open: true},
		"the token is refused":          {with: func(o *Options, _ *page) { o.Token = "another" }, status: NotStarted, exit: 3, says: "UNAUTHORIZED"},
		"there is no server":            {with: func(o *Options, _ *page) { o.Server = "http://127.0.0.1:1" }, status: NotStarted, exit: 3, says: "cannot be reached"},
		"the page does not load":        {with: func(_ *Options, p *page) { p.open = errors.New("no such host") }, status: NotStarted, exit: 3, says: "no such host"},
		"there is no browser":           {with: func(o *Options, _ *page) { o.Page, o.Browser.Path = nil, "/nowhere/chromium" }, status: NotStarted, exit: 3, says: "start /nowhere/chromium"},
		"the task is refused":           {script: []func(http.ResponseWriter){refuse(400, "VALIDATION_ERROR")}, status: NotStarted, exit: 3, says: "VALIDATION_ERROR"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := serve(t, tt.script...), &page{}
			o := s.options(p)
			if tt.with != nil {
				tt.with(&o, p)
			}
			got, lines, err := events(t, t.Context(), o)
			if got.Status != tt.status || got.Status.ExitCode() != tt.exit || got.IsOpen() != tt.open {
				t.Errorf("result %+v, exit %d, open %v, error %v", got, got.Status.ExitCode(), got.IsOpen(), err)
			}
			if (err != nil) != (tt.status == BrokenOff || tt.status == NotStarted) {
				t.Errorf("error %v", err)
			}
			last := lines[len(lines)-1]
			if !strings.Contains(last, fmt.Sprintf(`"type":"end","status":%q`, tt.status)) || !strings.Contains(last, tt.says) ||
				!strings.HasSuffix(last, "}") || !strings.Contains(last, fmt.Sprintf(`"exitCode":%d`, tt.exit)) {
				t.Errorf("the last line is %s", last)
			}
			if o.MaxSteps > 0 && (got.Steps != o.MaxSteps || len(p.executed) != o.MaxSteps) {
				t.Errorf("%d steps, executed %v", got.Steps, p.executed)
			}
		})
	}
}

func lost(action.Action) (browser.Report, error) { return browser.Report{}, errors.New("no browser") }

// A Ctrl-C ends the run between two actions, within one, and while a person is asked;
// the task's id is known. The browser, which got the signal too, may be gone first.
func TestRun_IsInterrupted(t *testing.T) {
	t.Parallel()
	tests := map[string]func(stop func(), o *Options, p *page){
		"while an action is executed": func(stop func(), _ *Options, p *page) {
			p.execute = func(action.Action) (browser.Report, error) {
				stop()
				return browser.Report{}, context.Canceled
			}
		},
		"and the browser is gone first": func(stop func(), _ *Options, p *page) {
			p.execute = func(a action.Action) (browser.Report, error) {
				time.AfterFunc(20*time.Millisecond, stop)
				return lost(a)
			}
		},
		"while a person is asked": func(stop func(), o *Options, _ *page) {
			o.Ask = func(ctx context.Context, _ Question) (string, error) {
				stop()
				return "", ctx.Err()
			}
		},
	}
	for name, with := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, p := serve(t, do(`click("1")`), answer(fields{"status": "needs_user_input", "userQuestion": "Which?"})), &page{}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			o := s.options(p)
			with(cancel, &o, p)
			got, _, err := events(t, ctx, o)
			if err != nil || got.Status != Stopped || got.TaskID != taskID || !got.IsOpen() || got.Message != "it was interrupted" {
				t.Errorf("result %+v, error %v", got, err)
			}
		})
	}
}

// What is interrupted before the first answer has an id all the same, where the
// server has begun with it.
func TestRun_IsInterruptedBeforeTheFirstAnswer(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]bool{"the request was sent": true, "it was not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := serve(t, func(w http.ResponseWriter) {
				cancel()
				refuse(http.StatusServiceUnavailable, "SERVER_BUSY", "Retry-After", "10")(w)
			})
			p := &page{capture: cancel}
			if sent {
				p.capture = nil
			}
			got, _, err := events(t, ctx, s.options(p))
			if err != nil || got.Status != Stopped || got.TaskID != s.firstTask() || got.IsOpen() != sent {
				t.Errorf("result %+v, error %v, the server's id %q", got, err, s.firstTask())
			}
		})
	}
}

func TestRun_AsksTheTerminalAfterTheAnswersGiven(t *testing.T) {
	t.Parallel()
	question := answer(fields{"status": "needs_user_input", "userQuestion": "Which?"})
	s := serve(t, question, question, do("finish()"))
	o := s.options(&page{})
	o.Answers = []string{"the first"}
	o.Ask = func(_ context.Context, q Question) (string, error) { return "the second, of " + q.Question, nil }
	got, _, err := events(t, t.Context(), o)
	if err != nil || got.Status != Completed || s.requests[1].body.Query != "the first" || s.requests[2].body.Query != "the second, of Which?" {
		t.Errorf("result %+v, error %v, requests %+v", got, err, s.requests)
	}
	if !slices.Equal(o.Answers, []string{"the first"}) {
		t.Errorf("the caller's answers are %v", o.Answers)
	}
}

func TestRun_GoesOnWithATask(t *testing.T) {
	t.Parallel()
	s := serve(t, do(`click("1")`, verdict("succeeded", true, "of the run before")), do("finish()"))
	o := s.options(&page{})
	o.TaskID, o.Query = taskID, ""
	got, lines, err := events(t, t.Context(), o)
	if err != nil || got.Status != Completed || s.requests[0].body.TaskID != taskID {
		t.Errorf("result %+v, error %v, requests %+v", got, err, s.requests)
	}
	if !strings.Contains(lines[0], `"type":"verdict"`) || !strings.Contains(lines[0], `"number":0`) {
		t.Errorf("lines %v", lines)
	}
}

func TestRun_CostIsOfTheLedgerWhereItAnswers(t *testing.T) {
	t.Parallel()
	spent := fields{"usage": fields{"promptTokens": 100, "completionTokens": 10}}
	tests := map[string]struct {
		answer fields
		usage  func(http.ResponseWriter)
		want   Cost
	}{
		"no model, no cost": {nil, refuse(500, "INTERNAL_ERROR"), Cost{USD: "0"}},
		"a failed call is on the ledger only": {spent, succeed(fields{"totals": fields{"inputTokens": 300, "outputTokens": 10, "costUSD": "0.003", "unpricedCalls": 2}}),
			Cost{InputTokens: 300, OutputTokens: 10, USD: "0.003", UnpricedCalls: 2}},
		"a ledger that does not answer": {spent, refuse(503, "USAGE_BUILDING"), Cost{InputTokens: 100, OutputTokens: 10}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, do("finish()", tt.answer))
			s.usage = tt.usage
			got, _, err := events(t, t.Context(), s.options(&page{}))
			if err != nil || got.Cost != tt.want {
				t.Errorf("cost %+v, error %v", got.Cost, err)
			}
		})
	}
}

func TestRun_NamesTheOptionAtFault(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*Options){
		"server":    func(o *Options) { o.Server = "clinic.example" },
		"token":     func(o *Options) { o.Token = "" },
		"task":      func(o *Options) { o.Query = " " },
		"resume":    func(o *Options) { o.TaskID = "42" },
		"url":       func(o *Options) { o.URL = "file:///etc/passwd" },
		"max-steps": func(o *Options) { o.MaxSteps = -1 },
		"timeout":   func(o *Options) { o.Timeout = -1 },
		"answer":    func(o *Options) { o.Answers = []string{"Jas", " "} },
	}
	for field, with := range tests {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			s := serve(t)
			o := s.options(&page{})
			with(&o)
			got, err := Run(t.Context(), o)
			var wrong *domain.Error
			if !errors.As(err, &wrong) || wrong.Field != field || got.Status != NotStarted {
				t.Errorf("result %+v, error %v", got, err)
			}
		})
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b struct{ Email, Password string }
		if err := json.NewDecoder(r.Body).Decode(&b); err != nil || r.URL.Path != "/api/v1/auth/login" || b.Email != "jo@acme.example" {
			t.Errorf("%s %+v %v", r.URL, b, err)
		}
		switch b.Password {
		case "right":
			succeed(fields{"accessToken": "secret-token"})(w)
		case "proxy":
			fmt.Fprint(w, "<html>who are you?</html>")
		default:
			refuse(401, "INVALID_CREDENTIALS")(w)
		}
	}))
	t.Cleanup(srv.Close)
	if token, err := Login(t.Context(), nil, srv.URL+"/", "jo@acme.example", "right"); err != nil || token != "secret-token" {
		t.Errorf("token %q, error %v", token, err)
	}
	for password, want := range map[string]string{"wrong-one": "INVALID_CREDENTIALS", "proxy": "not a Stepledger's"} {
		_, err := Login(t.Context(), nil, srv.URL, "jo@acme.example", "wrong-one")
		if password == "proxy" {
			_, err = Login(t.Context(), nil, srv.URL, "jo@acme.example", "proxy")
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "wrong-one") {
			t.Errorf("error %v", err)
		}
	}
}
