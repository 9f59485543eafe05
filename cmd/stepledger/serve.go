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
	var asked string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the HTTP API; without DATABASE_URL on a private Postgres",
		Long: `Serves in the roles it is given, which may be processes of their own, each as often as is wanted:

  api        takes turns and answers reads
  projector  keeps the read models
  reactions  acts on events: consumers, work that comes with time, knowledge, erasures

Whether a process lives and is ready says /api/health/live and /api/health/ready: on STEPLEDGER_METRICS_ADDR in each role, with the API too.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := p.config()
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("roles") {
				if cfg.Roles, err = parseRoles(asked); err != nil {
					return err
				}
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
	cmd.Flags().StringVar(&asked, "roles", "", "what this process does: api, projector, reactions, with commas (default $STEPLEDGER_ROLES, or all)")
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
	listener, err := cfg.listen(ctx)
	if err != nil {
		return err
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
	for _, part := range s.parts() {
		g.Go(func() error { return part(working) })
	}
	g.Go(func() error { return ready(s, addressOf(listener)) })
	return g.Wait()
}

// listen opens the listener of the API; nil without that role.
func (c config) listen(ctx context.Context) (net.Listener, error) {
	if !c.Roles.has(roleAPI) {
		return nil, nil
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w (another address: STEPLEDGER_ADDR)", c.Addr, err)
	}
	return l, nil
}

// addressOf is what people type to reach a listener, "" without one.
func addressOf(l net.Listener) string {
	if l == nil {
		return ""
	}
	return "http://" + l.Addr().String()
}

// serveUntil serves until ctx ends, or working because a part failed, and then answers
// what runs. Meanwhile it still listens, to say that it is not ready. Without a listener
// there is nothing to answer.
func (s *system) serveUntil(ctx, working context.Context, server *http.Server, listener net.Listener) error {
	ended := make(chan error, 1)
	if listener != nil {
		go func() { ended <- server.Serve(listener) }()
	}
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
	if url == "" {
		fmt.Fprintf(p.out, "\nStepledger is at work as %s\n", s.cfg.Roles)
		return nil
	}
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

// stamped is the version a build is given (-X main.stamped=v1.0.0) where Go knows none: an
// image is built without the repository's history.
var stamped string

func version() string {
	if stamped != "" {
		return stamped
	}
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
