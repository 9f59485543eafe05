package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/browser"
	"github.com/stepledger/stepledger/internal/demoapp"
	"github.com/stepledger/stepledger/internal/runner"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/skills"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// demoQuery is the canonical task.
const demoQuery = "Add a new patient with name 'Jas'"

// demoRun is one showing.
type demoRun struct {
	title  string
	broken bool // the page's prominent button does nothing
	site   string
}

// demoAgain begins every demo but the first.
var demoAgain = demoRun{title: "0. Where the last demo ended: the click that failed there is not made again", broken: true}

var demoRuns = []demoRun{
	{title: "1. The task on a page where everything works"},
	{title: "2. The same, but the first button clicked does nothing: a correction saves the task", broken: true},
	{title: "3. The same page again: what was learnt makes the correction needless", broken: true},
}

// errDemo says that a run did not end as it should.
var errDemo = errors.New("the demo's task was not completed")

func (p program) demoCmd() *cobra.Command {
	var visible bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Do the canonical task on a real page in a real Chromium, turn by turn",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := p.config()
			if err != nil {
				return err
			}
			cfg.Demo, cfg.Addr, cfg.Roles = true, "127.0.0.1:0", allRoles
			ctx, done := context.WithCancel(cmd.Context())
			defer done()
			return run(ctx, cfg, quiet(log), hooks{}, func(s *system, url string) error {
				defer done() // the server ends with the demo
				return p.demo(ctx, s, url, visible)
			})
		},
	}
	cmd.Flags().BoolVar(&visible, "visible", false, "open a window to watch")
	return cmd
}

func (p program) demo(ctx context.Context, s *system, url string, visible bool) error {
	tenant, token, err := demoSession(ctx, s)
	if err != nil {
		return err
	}
	path, err := browser.Ensure(ctx, s.log)
	if err != nil {
		return err
	}
	chromium, err := browser.Start(ctx, browser.Options{Path: path, Visible: visible, Log: s.log})
	if err != nil {
		return err
	}
	defer chromium.Close()
	o := runner.Options{Server: url, Token: token, Query: demoQuery}
	runs, err := demoRunsNow(ctx, s, tenant)
	if err != nil {
		return err
	}
	for _, r := range runs {
		if err := p.show(ctx, s, chromium, o, tenant, r); err != nil {
			return fmt.Errorf("%s: %w", r.title, err)
		}
	}
	return nil
}

// What is learnt is kept by site: a site of its own makes every demo begin
// without experience. Browsers resolve *.localhost to this machine.
const demoSite, demoDomain = "clinic-", ".localhost"

// demoRunsNow are the showings on a new site, and before them one on the last
// demo's: what was learnt there is still known.
func demoRunsNow(ctx context.Context, s *system, tenant string) ([]demoRun, error) {
	head, err := s.events.Head(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.waiter().Wait(ctx, []string{"skills"}, head, caughtUpWithin); err != nil {
		return nil, err
	}
	learnt, err := skills.Queries{DB: s.db}.List(ctx, tenant, "")
	if err != nil {
		return nil, err
	}
	var runs []demoRun
	last := slices.IndexFunc(learnt, func(e skills.Entry) bool {
		return strings.HasPrefix(e.Site, demoSite) && strings.HasSuffix(e.Site, demoDomain)
	})
	if last >= 0 {
		runs = append(runs, demoAgain)
		runs[0].site = learnt[last].Site
	}
	site := demoSite + strings.ToLower(rand.Text()[:6]) + demoDomain
	for _, r := range demoRuns {
		r.site = site
		runs = append(runs, r)
	}
	return runs, nil
}

// show does the task once on a fresh copy of the application and prints what
// each reader gets to see of it.
func (p program) show(
	ctx context.Context, s *system, chromium *browser.Browser, o runner.Options, tenant string, r demoRun,
) error {
	port, stop, err := serveApp(ctx, demoapp.New(demoapp.Options{BrokenButton: r.broken}))
	if err != nil {
		return err
	}
	defer stop()
	tab, err := chromium.NewTab(ctx)
	if err != nil {
		return err
	}
	defer tab.Close()
	fmt.Fprintf(p.out, "\n%s\n   task: %s\n   site: %s\n", r.title, demoQuery, r.site)
	corrections := 0
	o.Page, o.URL = tab, "http://"+net.JoinHostPort(r.site, port)+"/"
	o.OnTurn = func(t browser.Turn) {
		if t.Answer.Correction != nil {
			corrections++
		}
		p.printTurn(t)
	}
	outcome, err := runner.Run(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "\n   %s after %d turns, %d of them corrections: %s\n", outcome.Status, outcome.Turns, corrections, outcome.Message)
	if err := p.afterwards(ctx, s, tenant, r.site, outcome.TaskID); err != nil {
		return err
	}
	if outcome.Status != runner.Completed {
		return fmt.Errorf("%w: it is %s", errDemo, outcome.Status)
	}
	return nil
}

// afterwards prints finance's line and engineering's command, and what was
// learnt, once the projections have seen the task.
func (p program) afterwards(ctx context.Context, s *system, tenant, site, id string) error {
	reader := history.Reader{Log: s.events, Keys: s.content}
	state, err := reader.StateAt(ctx, tenant, id, -1)
	if err != nil {
		return err
	}
	if _, err := s.waiter().Wait(ctx, []string{"usage", "skills"}, state.Position, caughtUpWithin); err != nil {
		return err
	}
	sum, err := usageview.Queries{DB: s.db}.Summary(ctx, usageview.SummaryFilter{Selection: usage.Selection{Tenant: tenant, Task: id}})
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "   finance   %d model calls, %d tokens in, %d out, %s USD\n",
		sum.Calls, sum.Input(), sum.Outputs(), sum.Cost)
	fmt.Fprintf(p.out, "   engineers bin/stepledger task at %s N   (N from 0 to %d)\n", id, state.Head)
	return p.printSkills(ctx, s, tenant, site)
}

// caughtUpWithin is how long the demo waits for the read models.
const caughtUpWithin = 5 * time.Second

// serveApp serves the demo application on a free port.
func serveApp(ctx context.Context, app http.Handler) (port string, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: app, ReadHeaderTimeout: readHeaderWithin}
	go func() { _ = server.Serve(listener) }() // ends with Close
	_, port, err = net.SplitHostPort(listener.Addr().String())
	return port, func() { _ = server.Close() }, err
}
