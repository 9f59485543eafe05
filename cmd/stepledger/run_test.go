package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/internal/demoapp"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/internal/runner"
)

var update = flag.Bool("update", false, "rewrite testdata/run.golden")

// ran is how a run of the program ended.
type ran struct {
	out, errOut string
	code        int
}

func (r ran) String() string { return r.out + r.errOut }

// runs runs the program; nobody sits at its terminal.
func runs(ctx context.Context, env map[string]string, args ...string) ran {
	var out, errOut bytes.Buffer
	cmd := newRoot(func(name string) string { return env[name] }, &out, &errOut)
	cmd.SetIn(strings.NewReader("nobody types this\n"))
	cmd.SetArgs(append([]string{"run"}, args...))
	err := cmd.ExecuteContext(ctx)
	if err != nil {
		errOut.WriteString(err.Error())
	}
	return ran{out.String(), errOut.String(), exitCode(err)}
}

// In a real Chromium, against a private server: a task that asks and is not answered,
// the same task gone on with, and one with the answer beside it.
func TestRun_OnAPrivateServer(t *testing.T) {
	t.Parallel()
	ctx, site := chromiumAndSite(t)
	env := map[string]string{
		"DATABASE_URL": pgtest.Database(t, "stepledger", migrate), "STEPLEDGER_STATE_DIR": t.TempDir(), "LOG_LEVEL": "error",
	}
	asked := runs(ctx, env, "--json", "--task", "Add a new patient", "--url", site+"/patients/new")
	lines := strings.Split(strings.TrimSpace(asked.out), "\n")
	var end struct {
		runner.End
		Type string
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &end); err != nil || asked.code != 2 || end.Type != "end" || end.ExitCode != 2 ||
		end.Status != runner.Asked || !strings.Contains(end.Question, "Full name") || !strings.Contains(lines[len(lines)-2], `"type":"question"`) {
		t.Fatalf("exit code %d, error %v\n%s", asked.code, err, asked)
	}
	resumed := runs(ctx, env, "--resume", end.TaskID, "--task", "Jas", "--url", site+"/patients/new")
	if resumed.code != 0 || !strings.Contains(resumed.out, `  on textbox "Full name"`) || !strings.Contains(resumed.out, "it worked (0.") ||
		!strings.Contains(resumed.out, "Done after 2 steps") || !strings.Contains(resumed.out, end.TaskID) {
		t.Errorf("exit code %d\n%s", resumed.code, resumed)
	}
	answered := runs(ctx, env, "--json", "--task", "Add a new patient", "--url", site+"/patients/new", "--answer", "Kim", "--max-steps", "2")
	if answered.code != 0 || strings.Count(answered.out, `"type":"step"`) != 2 || strings.Count(answered.out, `"outcome":"worked"`) != 2 {
		t.Errorf("exit code %d\n%s", answered.code, answered)
	}
}

// In a real Chromium, against a server that runs: by login, by token, and stopped.
func TestRun_OnAServerThatRuns(t *testing.T) {
	t.Parallel()
	ctx, site := chromiumAndSite(t)
	s := newServer(t, hooks{})
	task := []string{"--task", clinicTask, "--url", site, "--server", s.base}
	login := map[string]string{"STEPLEDGER_PASSWORD": testPassword.Reveal()}
	if got := runs(ctx, login, append(task, "--email", "jo@acme.example")...); got.code != 0 || !strings.Contains(got.out, "another way (") {
		t.Errorf("by login: exit code %d\n%s", got.code, got)
	}
	if got := runs(ctx, map[string]string{"STEPLEDGER_TOKEN": s.token}, append(task, "--max-steps", "1")...); got.code != 2 ||
		!strings.Contains(got.out, "Stopped after 1 step:") || !strings.Contains(got.out, " --server '"+s.base+"'") {
		t.Errorf("by token: exit code %d\n%s", got.code, got)
	}
	login["STEPLEDGER_PASSWORD"] = "wrong-one"
	if got := runs(ctx, login, append(task, "--email", "jo@acme.example")...); got.code != 3 ||
		!strings.Contains(got.errOut, "INVALID_CREDENTIALS") || strings.Contains(got.String(), "wrong-one") {
		t.Errorf("by a wrong password: exit code %d\n%s", got.code, got)
	}
}

// chromiumAndSite makes sure of a Chromium, and serves the demo's application with its
// dead button.
func chromiumAndSite(t *testing.T) (context.Context, string) {
	t.Helper()
	ctx, _ := chromiumPath(t)
	app := httptest.NewServer(demoapp.New(demoapp.Options{BrokenButton: true}))
	t.Cleanup(app.Close)
	return ctx, app.URL
}

func TestRun_CannotStart(t *testing.T) {
	t.Parallel()
	const url, id = "http://127.0.0.1:1/", "11111111-2222-4333-8444-555555555555"
	tests := map[string]struct {
		args []string
		says string
	}{
		"an unknown flag":          {[]string{"--password", "hunter2"}, "unknown flag: --password"},
		"an argument":              {[]string{"add a patient"}, "unknown command"},
		"no task":                  {[]string{"--url", url}, "task"},
		"no page":                  {[]string{"--task", "x"}, "url"},
		"a page that is a file":    {[]string{"--task", "x", "--url", "file:///etc/passwd"}, "url"},
		"no id":                    {[]string{"--resume", "42", "--url", url}, "resume"},
		"an empty answer":          {[]string{"--task", "x", "--url", url, "--answer", ""}, "answer"},
		"a server without a token": {[]string{"--task", "x", "--url", url, "--server", url}, "STEPLEDGER_TOKEN"},
		"a login nowhere":          {[]string{"--task", "x", "--url", url, "--email", "jo@acme.example"}, "--server"},
		"a login and a token":      {[]string{"--task", "x", "--url", url, "--server", url, "--email", "a", "--token", "b"}, "exclude"},
		"no password":              {[]string{"--task", "x", "--url", url, "--server", url, "--email", "jo@acme.example"}, "STEPLEDGER_PASSWORD"},
		"a server that is away":    {[]string{"--resume", id, "--url", url, "--server", url, "--token", "b"}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runs(t.Context(), nil, tt.args...)
			if got.code != 3 || got.out != "" || !strings.Contains(got.errOut, tt.says) || got.errOut == "" {
				t.Errorf("exit code %d\n%s", got.code, got)
			}
		})
	}
	t.Run("a program is told too", func(t *testing.T) {
		t.Parallel()
		got := runs(t.Context(), nil, "--json", "--task", "x", "--url", "nowhere")
		if got.code != 3 || !strings.HasPrefix(got.out, `{"type":"end","status":"not_started"`) || !strings.Contains(got.out, `"exitCode":3`) {
			t.Errorf("exit code %d\n%s", got.code, got)
		}
	})
	t.Run("stopped before it began", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		env := map[string]string{"DATABASE_URL": pgtest.Database(t, "stepledger", migrate), "STEPLEDGER_STATE_DIR": t.TempDir(), "LOG_LEVEL": "error"}
		if got := runs(ctx, env, "--task", "x", "--url", url); got.code != 2 || !strings.Contains(got.out, "Stopped") {
			t.Errorf("exit code %d\n%s", got.code, got)
		}
	})
}

func TestExitCode(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]int{nil: 0, errDemo: 1, exitError{code: 2}: 2, exitError{3, errDemo}: 3} {
		if got := exitCode(err); got != want {
			t.Errorf("%v ends with %d", err, got)
		}
	}
}

// What a person reads.
func TestRun_Prints(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := program{out: &out}
	const id = "11111111-2222-4333-8444-555555555555"
	f := runFlags{Options: runner.Options{URL: "https://clinic.example/it's"}}
	show := p.printer(f)
	cost := runner.Cost{InputTokens: 1200, OutputTokens: 30, USD: "0.0012"}
	for _, e := range []runner.Event{
		runner.Verdict{Number: 0, Outcome: runner.Worked, Cost: runner.Cost{USD: "0"}},
		runner.Step{Number: 1, Thought: "I save\x1b[2J the \u202eform.", Actions: []string{`click("14")`}, Element: `button "Save"`},
		runner.Verdict{Number: 1, Outcome: runner.DidNotWork, Confidence: 0.9, Reason: "nothing changed",
			Refused: &runner.Refused{Code: "ELEMENT_OCCLUDED", Message: "a banner is above it"}, Cost: cost},
		runner.Step{Number: 2, Thought: "I fill the form.", Actions: []string{`setValue("1", "Jas")`, `click("2")`},
			Correction: &runner.Correction{Strategy: "ALTERNATIVE_SELECTOR", Attempt: 1, Reason: "the button is dead"}},
		runner.Verdict{Number: 2, Outcome: runner.NotKnown, Cost: runner.Cost{InputTokens: 2400, OutputTokens: 60, UnpricedCalls: 2}},
		runner.Question{Question: "Which name?"},
		runner.End{Result: runner.Result{Status: runner.Asked, Message: "nobody answered", TaskID: id, Steps: 2, Cost: cost}, ExitCode: 2},
		runner.End{Result: runner.Result{Status: runner.Completed, Message: "Saved.", TaskID: id, Steps: 1, Cost: cost}},
	} {
		show(e)
	}
	path := filepath.Join("testdata", "run.golden")
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil { //nolint:gosec // a file of the repository
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestAskIn(t *testing.T) {
	t.Parallel()
	var prompts bytes.Buffer
	ask := askIn(strings.NewReader("\n  Jas \nlast"), &prompts)
	for _, want := range []string{"Jas", "last"} {
		if got, err := ask(t.Context(), runner.Question{}); err != nil || got != want {
			t.Errorf("%q, error %v", got, err)
		}
	}
	if _, err := ask(t.Context(), runner.Question{}); !errors.Is(err, runner.ErrNoAnswer) {
		t.Errorf("at the end of the input: %v", err)
	}
	if n := strings.Count(prompts.String(), ">"); n != 4 {
		t.Errorf("%d prompts", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w, err := os.Pipe() // that nobody writes to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close(); _ = r.Close() })
	if _, err := askIn(r, &prompts)(ctx, runner.Question{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a Ctrl-C: %v", err)
	}
}
