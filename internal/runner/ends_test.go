package runner

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/internal/browser"
)

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
