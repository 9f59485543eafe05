package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/browser"
)

var update = flag.Bool("update", false, "rewrite the golden file")

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

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
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

// While somebody holds the task the run waits, longer than it would for a server in
// trouble, and tells for whom; then it asks with the page as it is by then, under another
// key, since nothing was done with the request before.
func TestRun_WaitsForATaskThatIsHeld(t *testing.T) {
	t.Parallel()
	held := func(who string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusConflict)
			fmt.Fprintf(w, `{"success":false,"code":"TASK_PAUSED","message":"paused by %s"}`, who)
		}
	}
	s := serve(t, do(`click("1")`), held("ann"), held("ann"), held("bob"), do(`finish("done")`))
	shown := 0
	p := &page{shows: func() string {
		shown++
		return fmt.Sprintf("<button>%d</button>", shown)
	}}
	o := s.options(p)
	o.RetryFor = time.Nanosecond
	got, lines, err := events(t, t.Context(), o)
	if err != nil || got.Status != Completed || got.Turns != 2 || got.Steps != 1 || len(p.executed) != 1 {
		t.Fatalf("result %+v, error %v", got, err)
	}
	var pauses []string
	for _, line := range lines {
		if strings.Contains(line, `"type":"pause"`) {
			pauses = append(pauses, line)
		}
	}
	want := []string{
		`{"type":"pause","taskId":"` + taskID + `","message":"paused by ann"}`,
		`{"type":"pause","taskId":"` + taskID + `","message":"paused by bob"}`,
		`{"type":"pause","taskId":"` + taskID + `","over":true}`,
	}
	if diff := cmp.Diff(want, pauses); diff != "" {
		t.Error(diff)
	}
	for i, r := range s.requests[2:] {
		if before := s.requests[i+1]; r.key == before.key || r.raw == before.raw || r.body.TaskID != taskID {
			t.Errorf("request %+v after %+v", r, before)
		}
	}
	// The first request of a task has the key that names it.
	s = serve(t, held("ann"), do(`finish("done")`))
	if got, _, err := events(t, t.Context(), s.options(&page{})); err != nil || got.Status != Completed || s.requests[0].key != s.requests[1].key {
		t.Errorf("result %+v, error %v", got, err)
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
