package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/cmd/internal/agentbench"
	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/pgembed"
)

// agentFlags say what the agent is measured on, and what is told of it.
type agentFlags struct {
	miniwob, split string
	seeds          int
	infinity       string
	apps, tasks    []string
	workers        int
	verbose        bool
	jsonFile       string
}

// The sets, with the share of solved episodes each is compared with.
var (
	agentPages = agentbench.Goal{Set: "miniwob_train", Ref: 50}
	agentApps  = agentbench.Goal{Set: "infinity_seen_function", Ref: 15}
)

// agentCmd measures the agent without a model (make agent). It is for who works on it,
// not for operators.
func (p program) agentCmd() *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:    "agent",
		Short:  "Do the tasks of seeded pages and of applications without a model, and count what came of them",
		Hidden: true,
		Args:   cobra.NoArgs,
		RunE:   func(cmd *cobra.Command, _ []string) error { return p.measureAgent(cmd.Context(), f) },
	}
	cmd.Flags().StringVar(&f.miniwob, "miniwob", "", "folder of seeded pages")
	cmd.Flags().StringVar(&f.split, "split", "", `file that lists under "train" which of those pages may be opened`)
	cmd.Flags().IntVar(&f.seeds, "seeds", 5, "episodes of each page")
	cmd.Flags().StringVar(&f.infinity, "infinity", "", "folder of applications")
	cmd.Flags().StringSliceVar(&f.apps, "apps", nil, "those of the applications that may be opened")
	cmd.Flags().StringSliceVar(&f.tasks, "tasks", nil, "only these tasks")
	cmd.Flags().IntVar(&f.workers, "workers", 4, "episodes at once")
	cmd.Flags().BoolVar(&f.verbose, "verbose", false, "print every episode")
	cmd.Flags().StringVar(&f.jsonFile, "json", "", "file for a line of JSON an episode")
	return cmd
}

// measureAgent does it on a server, a database and a browser of its own, which leave
// nothing behind.
func (p program) measureAgent(ctx context.Context, f agentFlags) error {
	ctx, done := context.WithCancel(ctx)
	defer done()
	trials, closePages, err := f.trials(ctx)
	if err != nil {
		return err
	}
	defer closePages()
	dir, err := os.MkdirTemp("", "stepledger-agent-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	log := quiet(slog.New(slog.NewTextHandler(p.errOut, nil)))
	database, err := pgembed.Start(ctx, pgembed.Config{DataDir: dir + "-postgres", Ephemeral: true, Log: log})
	if err != nil {
		return err
	}
	cfg, err := readConfig(func(name string) string { // no model, whatever the environment has
		return map[string]string{"STEPLEDGER_STATE_DIR": dir, "DATABASE_URL": database.URL()}[name]
	})
	if err != nil {
		return errors.Join(err, database.Stop(ctx))
	}
	cfg.Demo, cfg.Addr = true, "127.0.0.1:0"
	err = run(ctx, cfg, log, hooks{}, func(s *system, url string) error {
		defer done() // the server ends with the measurement
		return p.playAgent(ctx, s, url, f, trials)
	})
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopWithin)
	defer cancel()
	return errors.Join(err, database.Stop(ending))
}

// trials are those of both sets, or of the one that was given. stop ends what serves
// them.
func (f agentFlags) trials(ctx context.Context) (trials []agentbench.Trial, stop func(), err error) {
	stop = func() {}
	if f.miniwob == "" && f.infinity == "" {
		return nil, stop, errors.New("nothing to measure: give --miniwob or --infinity")
	}
	if f.miniwob != "" {
		open, err := agentbench.Split(f.split)
		if err != nil {
			return nil, stop, err
		}
		if trials, stop, err = agentbench.Pages(ctx, agentPages.Set, f.miniwob, open, f.tasks, f.seeds); err != nil {
			return nil, stop, err
		}
	}
	for _, app := range f.apps {
		more, err := agentbench.App(agentApps.Set, filepath.Join(f.infinity, app), f.tasks)
		if err != nil {
			stop()
			return nil, stop, err
		}
		trials = append(trials, more...)
	}
	if len(trials) == 0 {
		stop()
		return nil, stop, errors.New("no task is left to measure: --infinity wants --apps, and --tasks names of tasks")
	}
	return trials, stop, nil
}

func (p program) playAgent(ctx context.Context, s *system, url string, f agentFlags, trials []agentbench.Trial) error {
	_, token, err := demoSession(ctx, s)
	if err != nil {
		return err
	}
	path, err := browser.Ensure(ctx, s.log)
	if err != nil {
		return err
	}
	chromium, err := browser.Start(ctx, browser.Options{Path: path, Log: s.log})
	if err != nil {
		return err
	}
	defer chromium.Close()
	lines := io.Discard
	if f.jsonFile != "" {
		file, err := os.Create(f.jsonFile)
		if err != nil {
			return err
		}
		defer file.Close()
		lines = file
	}
	bench := agentbench.Bench{
		Server: url, Token: token, Chromium: chromium, Workers: f.workers,
		Each: func(e agentbench.Episode) error {
			if f.verbose {
				if err := agentbench.Tell(p.out, e); err != nil {
					return err
				}
			}
			return agentbench.WriteLine(lines, e)
		},
	}
	episodes, err := bench.Play(ctx, trials)
	if err != nil {
		return err
	}
	fmt.Fprintln(p.out)
	return agentbench.Report(p.out, episodes, agentPages, agentApps)
}
