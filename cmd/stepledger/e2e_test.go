package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/knowledge/extract"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// TestMain turns the binary into a server that may be killed when a crash test
// starts it as a child.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == extractArg { // a document is read in a process of its own
		if err := extract.Main(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	if os.Getenv(childEnv) != "" {
		serveAsChild()
		return
	}
	os.Exit(m.Run())
}

// testConfig is the production configuration on a test's own database.
func testConfig(url, state string) config {
	cfg, err := readConfig(func(name string) string {
		return map[string]string{
			"DATABASE_URL": url, "STEPLEDGER_STATE_DIR": state, "STEPLEDGER_ADDR": "127.0.0.1:0",
			"LOG_LEVEL": "error",
		}[name]
	})
	if err != nil {
		panic(err) // a configuration in the code cannot be wrong
	}
	return cfg
}

func testLog(level slog.Level) *slog.Logger {
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

// server is a running system with one tenant and user.
type server struct {
	*system
	client
	url  string // of the database
	stop func()
}

// start runs the whole system on a database and logs a fresh user in.
func start(t testing.TB, cfg config, h hooks) *server {
	t.Helper()
	return startWith(t, cfg, testLog(cfg.LogLevel), h)
}

// startWith is start with a log of the test's own.
func startWith(t testing.TB, cfg config, log *slog.Logger, h hooks) *server {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan *server, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, cfg, log, h, func(s *system, base string) error {
			ready <- &server{system: s, client: client{base: base}, url: cfg.DatabaseURL.Reveal()}
			return nil
		})
	}()
	stop := func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with: %v", err)
		}
		ended <- nil
	}
	select {
	case s := <-ready:
		s.stop = stop
		t.Cleanup(stop)
		return s
	case err := <-ended:
		cancel()
		t.Fatalf("the server did not start: %v", err)
	}
	return nil
}

func newServer(t testing.TB, h hooks) *server {
	t.Helper()
	s := start(t, testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir()), h)
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	return s
}

const testPassword = account.Secret("correct horse battery staple")

// newUser makes a tenant of its own for a user, in a tier without limits that
// a test would meet.
func newUser(t testing.TB, ids *identity.Store, email string) string {
	t.Helper()
	tenant, err := ids.CreateTenant(t.Context(), account.Actor{}, identity.NewTenant{Name: email, Tier: identity.TierDemo})
	if err != nil {
		t.Fatal(err)
	}
	user := identity.NewUser{TenantID: tenant, Email: email, Name: "Jo", Role: account.Admin, Password: testPassword}
	if _, err := ids.CreateUser(t.Context(), account.Actor{}, user); err != nil {
		t.Fatal(err)
	}
	return email
}

func (s *server) loginAs(t testing.TB, email string) client {
	t.Helper()
	return client{base: s.base, token: logIn(t, client{base: s.base}, email)}
}

func logIn(t testing.TB, c client, email string) string {
	t.Helper()
	type answer struct {
		AccessToken string `json:"accessToken"`
		ExpiresAt   time.Time
	}
	r := c.post(t, "/api/v1/auth/login", map[string]string{"email": email, "password": testPassword.Reveal()}, nil)
	return data[answer](t, r).AccessToken
}

func TestTask_FromFirstRequestToReadModels(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	p := newPursuit()
	p.finish(t, s.client)
	auditTask(t, s, p)
	t.Run("the session shows the conversation", func(t *testing.T) {
		m := data[api.MessagesData](t, s.atLeast(t, p.position, "/api/session/"+p.session+"/messages"))
		if len(m.Messages) < 4 || m.Messages[0].Role != "user" || m.Messages[0].Content != clinicTask {
			t.Errorf("messages %+v", m)
		}
	})
	t.Run("finance sees no call, since rules cost nothing", func(t *testing.T) {
		if got := usageOf(t, s, p, "").Totals; got != (api.UsageTotals{CostUSD: "0"}) {
			t.Errorf("usage %+v", got)
		}
	})
	t.Run("an engineer stands at any revision", func(t *testing.T) { standAtRevisions(t, s, p.task) })
	t.Run("a finished task takes no further request", func(t *testing.T) {
		body := map[string]string{"url": p.page.url(), "dom": p.page.dom(), "taskId": p.task}
		if r := s.post(t, "/api/agent/interact", body, nil); r.status != http.StatusConflict || r.code() != "TASK_COMPLETED" {
			t.Errorf("%d %s", r.status, r.body)
		}
	})
}

// standAtRevisions walks through a task's history as its events are numbered.
func standAtRevisions(t *testing.T, s *server, id string) {
	t.Helper()
	type events struct{ Events []struct{ Revision int64 } }
	all := data[events](t, s.get(t, "/api/debug/tasks/"+id+"/events?limit=200"))
	if len(all.Events) < 8 {
		t.Fatalf("%d events", len(all.Events))
	}
	state := func(revision int) reply {
		return s.get(t, fmt.Sprintf("/api/debug/tasks/%s/state?revision=%d", id, revision))
	}
	for i, e := range all.Events {
		type stood struct{ Revision int64 }
		if at := data[stood](t, state(i)).Revision; e.Revision != int64(i) || at != int64(i) {
			t.Errorf("event %d has revision %d; the state after it is of revision %d", i, e.Revision, at)
		}
	}
	if r := state(len(all.Events)); r.status != http.StatusNotFound {
		t.Errorf("a revision that is not there: %d", r.status)
	}
}

func TestTask_SurvivesARestartOfTheServer(t *testing.T) {
	t.Parallel()
	url, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	s := start(t, testConfig(url, state), hooks{})
	user := newUser(t, s.identity, "jo@acme.example")
	c := s.loginAs(t, user)
	p := newPursuit()
	if err := p.step(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for !p.ended {
		s.stop()
		s = start(t, testConfig(url, state), hooks{})
		c.base = s.base
		if err := p.step(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if p.page.screen != "saved" {
		t.Errorf("the page is %q", p.page.screen)
	}
}
