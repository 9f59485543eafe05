package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/stepledger/stepledger/internal/observe"
)

// Server limits. A turn may take as long as its lease; bodies are bounded by
// the api.
const (
	readHeaderWithin = 10 * time.Second
	readWithin       = 60 * time.Second
	idleFor          = 2 * time.Minute
	// sendWithin bounds sending the last answers once all requests have theirs.
	sendWithin = 5 * time.Second
)

func (p program) serveCmd() *cobra.Command {
	var demo bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API; without DATABASE_URL on a private Postgres",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := p.config()
			if err != nil {
				return err
			}
			cfg = cfg.withDemo(demo || cfg.DatabaseURL == "")
			err = run(cmd.Context(), cfg, log, hooks{}, func(s *system, url string) error {
				return p.greet(cmd.Context(), s, url)
			})
			if err == nil {
				fmt.Fprintln(p.out, "\nStopped.")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&demo, "demo", false, "create the demo tenant and print its login (always done on a private Postgres)")
	return cmd
}

// run builds the system and serves until ctx ends. Then it takes no more requests, those
// that run get their answers, as long as the configuration allows, and the rest stops
// after them. Ready is called with the address once requests are taken.
func run(ctx context.Context, cfg config, log *slog.Logger, h hooks, ready func(s *system, url string) error) error {
	log, flush, err := reportErrors(cfg, log)
	if err != nil {
		return err
	}
	defer flush()
	log = slog.New(observe.Scoped(log.Handler()))
	log.Info("configuration", "settings", fmt.Sprintf("%+v", cfg)) // secrets print as ***
	s, err := openSystem(ctx, cfg, log, h)
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.reapplyErasures(ctx); err != nil {
		return err
	}
	s.warnOfNoWall(ctx)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("listen on %s: %w (another address: STEPLEDGER_ADDR)", cfg.Addr, err)
	}
	metrics, err := s.feed.listen(ctx, cfg.MetricsAddr)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler: s.api, ReadHeaderTimeout: readHeaderWithin, ReadTimeout: readWithin, IdleTimeout: idleFor,
		WriteTimeout: readWithin + cfg.Limits.Lease, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
	// What turns need goes on until the last of them has its answer.
	g, working := errgroup.WithContext(context.WithoutCancel(ctx))
	working, stop := context.WithCancel(working)
	defer stop()
	g.Go(func() error {
		defer stop()
		return s.serveUntil(ctx, working, server, listener)
	})
	g.Go(func() error { return serveInside(working, metrics, s.inside()) })
	g.Go(func() error { s.runner.Run(working); return nil })
	g.Go(func() error { return s.feed.run(working) })
	g.Go(func() error { s.schedule(working); return nil })
	g.Go(func() error { s.followErasures(working); return nil })
	g.Go(func() error { s.workOnKnowledge(working); return nil })
	g.Go(func() error { return s.asked.work(working) })
	g.Go(func() error { return s.watchPostgres(working) })
	g.Go(func() error { return ready(s, "http://"+listener.Addr().String()) })
	return g.Wait()
}

// serveUntil serves until ctx ends, or working because a part failed, and then answers
// what runs. Meanwhile it still listens, to say that it is not ready.
func (s *system) serveUntil(ctx, working context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	case <-working.Done():
	}
	if errors.Is(context.Cause(working), errPostgresGone) { // nothing that runs can finish
		return server.Close()
	}
	s.api.Close()
	s.log.Info("stopping: running requests get their answers", "within", s.cfg.Drain)
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Drain)
	defer cancel()
	if n := s.api.Closed(within); n > 0 {
		s.log.Warn("requests are broken off: their time is up; their turns are taken over", "requests", n)
		return server.Close()
	}
	return shutDown(server)
}

// shutDown sends what is answered already, and closes.
func shutDown(server *http.Server) error {
	within, cancel := context.WithTimeout(context.Background(), sendWithin)
	defer cancel()
	if err := server.Shutdown(within); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("shut down: %w", err)
	}
	return server.Close()
}

// greet tells a new user what to type.
func (p program) greet(ctx context.Context, s *system, url string) error {
	fmt.Fprintf(p.out, "\nStepledger is up: open %s for tasks and usage (OpenAPI: %[1]s/openapi.json)\n", url)
	if !s.cfg.Demo {
		return nil
	}
	login, err := ensureDemo(ctx, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, `
  login     %s  password  %s

  Try it (a page with one button, and what to do with it):

TOKEN=$(curl -s %[3]s/api/v1/auth/login -H 'Content-Type: application/json' \
  -d '{"email":"%[1]s","password":"%[2]s"}' | sed 's/.*"accessToken":"\([^"]*\)".*/\1/') && \
curl -s %[3]s/api/agent/interact -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
  -d '{"url":"https://clinic.example/","query":"click New patient","dom":"<button id=\"14\">New patient</button>"}'

  Ctrl-C stops everything; the data stays.
`, login.email, login.password.Reveal(), url)
	return nil
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
