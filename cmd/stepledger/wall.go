package main

import (
	"context"
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/projections"
)

// openReadModels raises row-level security where that is possible, and opens the pools:
// for operators, consumers and the schedule as the database's user, who sees all tenants;
// for the runners and for the API each as a role of its own. Where the wall cannot
// stand all three work as the database's user.
func (s *system) openReadModels(ctx context.Context, conns connections) (err error) {
	if s.db, err = s.openReadPool(ctx, s.url, "operate", conns.operate, ""); err != nil {
		return err
	}
	err = projections.RaiseWall(ctx, s.db, readModels())
	if err != nil && !errors.As(err, &s.noWall) {
		return err
	}
	runner, reader := projections.RunnerRole, projections.ReaderRole
	if s.noWall != nil {
		runner, reader = "", ""
	}
	if s.runs, err = s.openReadPool(ctx, s.url, "run", conns.run, runner); err != nil {
		return err
	}
	if s.reads, err = s.openReaders(ctx, s.url, conns.read, reader); err != nil {
		return err
	}
	if s.lists = s.reads; s.cfg.ReadURL != "" {
		s.lists, err = s.openReaders(ctx, s.cfg.ReadURL.Reveal(), conns.read, reader)
	}
	return err
}

// openReaders opens what reads for tenants.
func (s *system) openReaders(ctx context.Context, url string, conns int32, role string) (projections.DB, error) {
	pool, err := s.openReadPool(ctx, url, "read", conns, role)
	if err != nil || s.noWall != nil {
		return pool, err
	}
	return pgpool.ByTenant{Pool: pool, Tenant: api.TenantOf, Operator: s.db}, nil
}

// openReadPool opens a pool over the read models that closes with the system. Rows and
// checkpoint commit together and come from the log, so a crash that loses the last of
// them loses nothing: they are applied again. That spares a flush for each.
func (s *system) openReadPool(ctx context.Context, url, name string, conns int32, role string) (*pgpool.Pool, error) {
	settings := map[string]string{"synchronous_commit": "off"}
	if s.cfg.ReadURL != "" {
		settings["synchronous_commit"] = "local" // what is flushed is sent: readers wait for it at the replica
	}
	if role != "" {
		settings["role"] = role
	}
	o := pgpool.Options{Name: name, MaxConns: conns, Settings: settings}
	if url == s.url { // a replica takes no writes, and is not to be left for that
		o.Writes = &s.writes
	}
	pool, err := pgpool.Open(ctx, url, o)
	if err == nil {
		s.onClose(pool.Close)
	}
	return pool, err
}

// warnOfNoWall says once what is missing for row-level security.
func (s *system) warnOfNoWall(ctx context.Context) {
	if s.noWall == nil {
		return
	}
	s.log.WarnContext(ctx, "read models have no row-level security: tenants are kept apart by the conditions of the queries alone",
		"missing", s.noWall.Why, "sql", strings.Join(s.noWall.SQL, "; "), "then", "start again")
}

// newWallMetric says whether the wall stood when this process started.
func newWallMetric(missing *projections.NoWallError) prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "stepledger_row_security",
		Help: "1 if Postgres itself keeps the rows of tenants apart for readers of the API, 0 if only the queries do.",
	})
	if missing == nil {
		g.Set(1)
	}
	return g
}
