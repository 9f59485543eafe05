package main

import (
	"context"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/bouncertest"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// pooledConfig is the configuration of a process that reaches its database by a pooler.
func pooledConfig(pooled, direct, state string) config {
	cfg := testConfig(pooled, state)
	cfg.DirectURL = account.Secret(direct)
	return cfg
}

// The whole system works through a pooler that gives each transaction another session, and
// leaves nothing behind in any of them; also beside a process that has its own sessions.
func TestPooled_NothingIsLeftInSessions(t *testing.T) {
	t.Parallel()
	direct, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	strict := bouncertest.NewStrict(t, direct)
	a, b := start(t, pooledConfig(strict.URL, direct, state), hooks{}), start(t, testConfig(direct, state), hooks{})
	wantTasksDone(t, a, b)
	a.stop()
	if left := strict.Left(t); len(left) > 0 {
		t.Errorf("left in sessions of others: %q", left)
	}
}

func TestPooled_PgBouncer(t *testing.T) {
	t.Parallel()
	direct, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	cfg := pooledConfig(bouncertest.PgBouncer(t, direct), direct, state)
	wantTasksDone(t, start(t, cfg, hooks{}), start(t, cfg, hooks{}))
}

// wantTasksDone does a task with each of two servers on one database, and one that goes
// from one to the other and back.
func wantTasksDone(t *testing.T, a, b *server) {
	t.Helper()
	a.client = a.loginAs(t, newUser(t, a.identity, "jo@acme.example"))
	b.client = client{base: b.base, token: a.token}
	for _, s := range []*server{a, b} {
		p := newPursuit()
		p.finish(t, s.client)
		auditTask(t, s, p)
	}
	p := newPursuit()
	for turn := 0; !p.ended; turn++ {
		if err := p.step(t.Context(), []client{a.client, b.client}[turn%2]); err != nil {
			t.Fatal(err)
		}
	}
	auditTask(t, a, p)
}

// A pooler does for everything but what belongs to a session; without a way round it the
// process does not start, and says what to set.
func TestPooled_WithoutADirectAddress(t *testing.T) {
	t.Parallel()
	strict := bouncertest.NewStrict(t, pgtest.Database(t, "stepledger", migrate))
	cfg := testConfig(strict.URL, t.TempDir())
	_, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{})
	if err == nil || !strings.Contains(err.Error(), "DATABASE_DIRECT_URL") {
		t.Errorf("it starts: %v", err)
	}
}

// Where one address was pointed to a restored database and the other was left, locks and
// migrations would be of the one and turns of the other.
func TestPooled_WithTheDirectAddressOfAnotherDatabase(t *testing.T) {
	t.Parallel()
	strict := bouncertest.NewStrict(t, pgtest.Database(t, "stepledger", migrate))
	cfg := pooledConfig(strict.URL, pgtest.Database(t, "stepledger", migrate), t.TempDir())
	_, err := openSystem(t.Context(), cfg, testLog(cfg.LogLevel), hooks{})
	if err == nil || !strings.Contains(err.Error(), "different databases") {
		t.Errorf("it starts: %v", err)
	}
}

// Each role in a process of its own, by one database: turns are answered by the one, read
// models are kept by the next.
func TestRoles_Apart(t *testing.T) {
	t.Parallel()
	url, state := pgtest.Database(t, "stepledger", migrate), t.TempDir()
	of := func(role string) *server {
		cfg := testConfig(url, state)
		cfg.Roles, cfg.MetricsAddr = roles{role}, "127.0.0.1:0"
		return start(t, cfg, hooks{})
	}
	api := of(roleAPI)
	api.client = api.loginAs(t, newUser(t, api.identity, "jo@acme.example"))
	p := newPursuit()
	p.finish(t, api.client)
	if lag := behindBy(t, api); lag == 0 {
		t.Error("the read models are kept without a projector")
	}
	projector, reactions := of(roleProjector), of(roleReactions)
	auditTask(t, api, p)
	for _, s := range []*server{projector, reactions} {
		if s.base != "" {
			t.Errorf("%s serves at %s", s.cfg.Roles, s.base)
		}
		inside := client{base: strings.TrimSuffix(s.feed.metricsURL, metricsPath)}
		for _, path := range []string{"/api/health/live", "/api/health/ready"} {
			if r := inside.get(t, path); r.status != 200 {
				t.Errorf("%s: %s: %d %s", s.cfg.Roles, path, r.status, r.body)
			}
		}
	}
	eventually(t, "reactions come to the end of the log", func() bool {
		all, err := reactions.feed.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all {
			if c.Lag > 0 {
				return false
			}
		}
		return true
	})
}

// behindBy is how far the tasks are behind the log.
func behindBy(t *testing.T, s *server) (lag int64) {
	t.Helper()
	all, err := s.runner.ReadModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		lag = max(lag, m.LagEvents)
	}
	return lag
}

func TestParseRoles(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "api,projector,reactions", "api": "api", "reactions, api": "reactions,api", "api,api": "api",
	} {
		if got, err := parseRoles(text); err != nil || got.String() != want {
			t.Errorf("%q: %s, %v", text, got, err)
		}
	}
	if _, err := parseRoles("api,worker"); err == nil || !strings.Contains(err.Error(), `"worker"`) {
		t.Errorf("a role that is none: %v", err)
	}
}

// The connections of a process are shared out so that four replicas fit into a hundred.
func TestShareConnections(t *testing.T) {
	t.Parallel()
	if got := shareConnections(usualTotal); got != usualConns {
		t.Errorf("as usual: %+v", got)
	}
	for total := leastTotal; total < 200; total++ {
		shared, sum := shareConnections(total), int32(fixedConns)
		for _, n := range shared.each() {
			sum += *n
			if *n < leastOfPool {
				t.Errorf("of %d a pool gets %d", total, *n)
			}
		}
		if int(sum) != total {
			t.Errorf("of %d are shared %d", total, sum)
		}
	}
	if _, err := configFrom(map[string]string{"STEPLEDGER_DATABASE_CONNECTIONS": "5"}); err == nil {
		t.Error("five connections are enough")
	}
}

// A process has no more connections than it may.
func TestConnections_AreBounded(t *testing.T) {
	t.Parallel()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.Connections = leastTotal
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	all(t, 24, func(ctx context.Context) (reply, error) {
		p := newPursuit()
		for !p.ended {
			if err := p.step(ctx, s.client); err != nil {
				return reply{}, err
			}
		}
		return reply{}, nil
	})
	var n int
	if err := s.db.QueryRow(t.Context(), `select count(*) from pg_stat_activity where datname = current_database()`).Scan(&n); err != nil || n > leastTotal {
		t.Errorf("%d connections, %v", n, err)
	}
}
