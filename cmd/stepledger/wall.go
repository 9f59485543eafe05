package main

import (
	"context"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/projections"
)

// openReadModels raises row-level security where that is possible, and opens the pools:
// for operators, consumers and the schedule as the database's user, who sees all tenants;
// for the runners and for the API each as a role of its own. Where the wall cannot
// stand all three work as the database's user.
func (s *system) openReadModels(ctx context.Context) (err error) {
	if s.db, err = s.openReadPool(ctx, "operate", operatorConns, ""); err != nil {
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
	if s.runs, err = s.openReadPool(ctx, "run", runConns, runner); err != nil {
		return err
	}
	reads, err := s.openReadPool(ctx, "read", readConns, reader)
	if err != nil {
		return err
	}
	s.reads = reads
	if s.noWall == nil {
		s.reads = pgpool.ByTenant{Pool: reads, Tenant: api.TenantOf, Operator: s.db}
	}
	return nil
}

// openReadPool opens a pool over the read models that closes with the system. Rows and
// checkpoint commit together and come from the log, so a crash that loses the last of
// them loses nothing: they are applied again. That spares a flush for each.
func (s *system) openReadPool(ctx context.Context, name string, conns int32, role string) (*pgxpool.Pool, error) {
	settings := map[string]string{"synchronous_commit": "off"}
	if role != "" {
		settings["role"] = role
	}
	pool, err := pgpool.Open(ctx, s.url, pgpool.Options{Name: name, MaxConns: conns, Settings: settings, OnError: s.writes.Note})
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
