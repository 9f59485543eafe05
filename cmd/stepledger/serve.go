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
)

// Server limits. A turn may take as long as its lease; bodies are bounded by
// the api.
const (
	readHeaderWithin = 10 * time.Second
	readWithin       = 60 * time.Second
	idleFor          = 2 * time.Minute
	drainWithin      = 15 * time.Second
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

// run builds the system, serves until ctx ends, and shuts down in reverse.
// Ready is called with the address once requests are taken.
func run(ctx context.Context, cfg config, log *slog.Logger, h hooks, ready func(s *system, url string) error) error {
	log, flush, err := reportErrors(cfg, log)
	if err != nil {
		return err
	}
	defer flush()
	log.Info("configuration", "settings", fmt.Sprintf("%+v", cfg)) // secrets print as ***
	s, err := openSystem(ctx, cfg, log, h)
	if err != nil {
		return err
	}
	defer s.close()
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
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return serveUntil(ctx, server, listener) })
	g.Go(func() error { return s.feed.serveMetrics(ctx, metrics) })
	g.Go(func() error { s.runner.Run(ctx); return nil })
	g.Go(func() error { return s.feed.run(ctx) })
	g.Go(func() error { s.schedule(ctx); return nil })
	g.Go(func() error { return s.watchPostgres(ctx) })
	g.Go(func() error { return ready(s, "http://"+listener.Addr().String()) })
	return g.Wait()
}

// serveUntil serves until ctx ends and then lets running requests finish.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	if errors.Is(context.Cause(ctx), errPostgresGone) { // nothing that runs can finish
		return server.Close()
	}
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainWithin)
	defer cancel()
	if err := server.Shutdown(drain); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("shut down: %w", err)
	}
	return nil
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
