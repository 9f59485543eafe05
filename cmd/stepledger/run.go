package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/runner"
)

const runHelp = `Do one task in a Chromium, and print its steps as they happen.

The task is done with a server that runs (--server, with STEPLEDGER_TOKEN or --token, or
with --email and the password from STEPLEDGER_PASSWORD or typed in), or else with a
private one that lives as long as the task, with the settings of serve and as the user of
the demo; its data stays.

What the server asks is answered by --answer, in order, then at the terminal. A task
that was stopped or asked goes on with --resume and its id.

With --json there is one JSON object a line:
  {"type":"step", number, thought, actions, element, correction, url, title, stepIndex, taskId}
  {"type":"verdict", number, outcome: worked|failed|not_known, confidence, reason, rule, tier,
   observations, refused: {code, message}, cost: {inputTokens, outputTokens, usd, unpricedCalls}, taskId}
  {"type":"question", question, missing, taskId}
  {"type":"end", status: completed|failed|broken_off|asked|stopped|not_started, message, question,
   missing, taskId, sessionId, steps, turns, seconds, cost, exitCode, error}
A step comes before it is executed, and a verdict that is not known yet may be followed by
another. Once the flags could be read, the last line is always an end.

Exit code: 0 the task is done; 1 it failed, or the server or the browser was lost;
2 it asked and nobody answered, or was stopped (Ctrl-C, --timeout, --max-steps);
3 it could not start (options, server, login, browser, page).`

// runFlags are the options of run that are not the runner's.
type runFlags struct {
	runner.Options
	email string
	files string // folder, "" for none
	json  bool
}

func (p program) runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run --task TEXT --url URL",
		Short: "Do one task in a headless or visible Chromium; the exit code says done, failed, asked or not started",
		Long:  runHelp,
		Args:  func(cmd *cobra.Command, args []string) error { return notStarted(cobra.NoArgs(cmd, args)) },
		RunE: func(cmd *cobra.Command, _ []string) error {
			p.in = cmd.InOrStdin()
			return p.runTask(cmd.Context(), f)
		},
	}
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return notStarted(err) })
	cmd.Flags().StringVar(&f.Query, "task", "", "what is to be done; with --resume, what you answer or add")
	cmd.Flags().StringVar(&f.URL, "url", "", "the page to begin on")
	cmd.Flags().StringVar(&f.TaskID, "resume", "", "go on with the task of this id")
	cmd.Flags().StringVar(&f.Server, "server", "", "URL of a running server; a private one is started if not given")
	cmd.Flags().StringVar(&f.Token, "token", "", "token for the server; better in STEPLEDGER_TOKEN, since others see arguments")
	cmd.Flags().StringVar(&f.email, "email", "", "log in at the server with this address and the password in STEPLEDGER_PASSWORD or typed in")
	cmd.Flags().StringArrayVar(&f.Answers, "answer", nil, "answer to the server's next question; may be repeated")
	cmd.Flags().IntVar(&f.MaxSteps, "max-steps", 0, "stop before one more step than this; the server has a limit of its own")
	cmd.Flags().DurationVar(&f.Timeout, "timeout", 0, "stop after this time, for example 5m")
	cmd.Flags().StringVar(&f.files, "files", "", "folder with the files that may be uploaded; without it nothing is")
	cmd.Flags().BoolVar(&f.Browser.Visible, "visible", false, "open a window to watch")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line")
	return cmd
}

func (p program) runTask(ctx context.Context, f runFlags) error {
	f.OnEvent = p.printer(f)
	f.Ask = p.asker()
	if f.files != "" {
		if info, err := os.Stat(f.files); err != nil || !info.IsDir() {
			return p.couldNotStart(f, fmt.Errorf("--files %s is no folder", f.files))
		}
		f.Browser.Files = os.DirFS(f.files)
	}
	if err := f.Check(); err != nil {
		return p.couldNotStart(f, err)
	}
	if f.Server == "" {
		return p.runPrivately(ctx, f)
	}
	log := slog.New(slog.NewTextHandler(p.errOut, &slog.HandlerOptions{Level: slog.LevelWarn}))
	token, err := p.token(ctx, f)
	if err != nil {
		return p.couldNotStart(f, err)
	}
	f.Token = token
	return p.runOnServer(ctx, f, log)
}

// token is the one given, or that of a login.
func (p program) token(ctx context.Context, f runFlags) (string, error) {
	token := f.Token
	if token == "" && f.email == "" {
		token = p.env("STEPLEDGER_TOKEN")
	}
	switch {
	case f.email == "" && token == "":
		return "", errors.New("--server wants STEPLEDGER_TOKEN, --token or --email")
	case f.email == "":
		return token, nil
	case f.Token != "":
		return "", errors.New("--token and --email exclude each other")
	}
	password := account.Secret(p.env("STEPLEDGER_PASSWORD"))
	if password == "" {
		var err error
		if password, err = p.typedPassword(ctx, f.email); err != nil {
			return "", err
		}
	}
	return runner.Login(ctx, nil, f.Server, f.email, password)
}

// runPrivately starts a server for the task and stops it afterwards.
func (p program) runPrivately(ctx context.Context, f runFlags) error {
	if f.email != "" || f.Token != "" {
		return p.couldNotStart(f, errors.New("--token and --email are of a --server"))
	}
	cfg, log, err := p.config()
	if err != nil {
		return p.couldNotStart(f, err)
	}
	cfg.Demo, cfg.Addr, cfg.Roles = true, "127.0.0.1:0", allRoles
	// A Ctrl-C ends the task first and the server when the task has ended.
	serving, done := context.WithCancel(context.WithoutCancel(ctx))
	defer done()
	stopStart := context.AfterFunc(ctx, done)
	var ended error
	began := false
	err = run(serving, cfg, quiet(log), hooks{}, func(s *system, url string) error {
		defer done()
		stopStart()
		_, token, err := demoSession(serving, s)
		if err != nil {
			return err
		}
		began = true
		f.Server, f.Token = url, token
		ended = p.runOnServer(ctx, f, quiet(log))
		return nil
	})
	if !began {
		return p.couldNotStart(f, errors.Join(ctx.Err(), err))
	}
	return errors.Join(ended, err)
}

// runOnServer does the task with a Chromium.
func (p program) runOnServer(ctx context.Context, f runFlags, log *slog.Logger) error {
	path, err := browser.Ensure(ctx, log)
	if err != nil {
		return p.couldNotStart(f, err)
	}
	f.Browser.Path, f.Browser.Log = path, log
	result, err := runner.Run(ctx, f.Options)
	if code := result.Status.ExitCode(); code != 0 {
		return exitError{code, err}
	}
	return nil
}

// couldNotStart tells a program the end of what never began, or was stopped by then.
func (p program) couldNotStart(f runFlags, err error) error {
	result := runner.Result{Status: runner.NotStarted, TaskID: f.TaskID}
	end := runner.End{Result: result, Error: err.Error()}
	if errors.Is(err, context.Canceled) {
		end.Status, end.Message, end.Error, err = runner.Stopped, "it was interrupted before it began", "", nil
	}
	end.ExitCode = end.Status.ExitCode()
	f.OnEvent(end)
	return exitError{end.ExitCode, err}
}

// exitError ends the program with a code. Without an err all has been said.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e exitError) Unwrap() error { return e.err }

// notStarted is an error before the task has begun.
func notStarted(err error) error {
	if err == nil {
		return nil
	}
	return exitError{runner.NotStarted.ExitCode(), err}
}

// exitCode is what the program ends with.
func exitCode(err error) int {
	if err == nil {
		return 0
	}
	if e, ok := errors.AsType[exitError](err); ok {
		return e.code
	}
	return 1
}
