package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/internal/consumer"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgembed"
	"github.com/stepledger/stepledger/internal/pgmigrate"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/projections"
)

// stopWithin bounds the clean end of the private server.
const stopWithin = 10 * time.Second

// errPostgresGone ends the program at once: nothing works without its own Postgres,
// and restarting both is up to the supervisor.
var errPostgresGone = errors.New("the private Postgres has ended and does not stay up; the data is safe, start again")

// The private server is restarted if it ends by itself, so many times within this
// time; then its cause is likely to persist.
const (
	maxRestarts   = 3
	restartsCount = 10 * time.Minute
	restartWithin = time.Minute
)

// openDatabase finds the configured Postgres or starts a private one, which close ends if
// this process started it.
func (s *system) openDatabase(ctx context.Context) error {
	if s.url = s.cfg.DatabaseURL.Reveal(); s.url != "" {
		s.direct = cmp.Or(s.cfg.DirectURL.Reveal(), s.url)
		return nil
	}
	server, err := pgembed.Start(ctx, pgembed.Config{DataDir: s.cfg.PostgresDir, Log: s.log})
	if err != nil {
		return err
	}
	s.url, s.direct, s.postgres = server.URL(), server.URL(), server
	s.onClose(func() {
		ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
		defer cancel()
		if err := server.Stop(ctx); err != nil {
			s.log.Error("the private Postgres did not stop cleanly", "error", err)
		}
	})
	return nil
}

// checkDirect refuses an address for locks and news that leads to a pooler, where they
// would be lost in silence, to a standby, or to another database than that of everything
// else.
func (s *system) checkDirect(ctx context.Context) error {
	conn, err := pgpool.Direct(ctx, s.direct, "start")
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) // it was only asked
	if s.direct == s.url {
		return nil
	}
	if err := pgpool.CheckSame(ctx, conn, s.url); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	return nil
}

// watchPostgres restarts the private server when it ends. It returns when ctx ends,
// or with errPostgresGone if restarting does not help.
func (s *system) watchPostgres(ctx context.Context) error {
	if s.postgres == nil || s.postgres.Done() == nil {
		return nil
	}
	var restarts []time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-s.postgres.Done():
		}
		restarts = slices.DeleteFunc(restarts, func(at time.Time) bool { return time.Since(at) > restartsCount })
		if len(restarts) == maxRestarts {
			return fmt.Errorf("%w (tried %d times in %v)", errPostgresGone, maxRestarts, restartsCount)
		}
		restarts = append(restarts, time.Now())
		if err := s.restartPostgres(ctx); err != nil && ctx.Err() == nil {
			s.log.Error("the private Postgres does not start", "try", len(restarts), "error", err)
		}
	}
}

func (s *system) restartPostgres(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, restartWithin)
	defer cancel()
	return s.postgres.Restart(ctx)
}

// schemas are those of the database, in the one order that works: later ones may read
// earlier ones.
var schemas = []pgmigrate.Schema{postgres.Schema, identity.Schema, content.Schema, projections.Schema, consumer.Schema, billing.Schema}

// migrate brings every schema up to date.
func migrate(ctx context.Context, url string) error {
	for _, s := range schemas {
		if err := s.Up(ctx, url); err != nil {
			return err
		}
	}
	return nil
}

// checkSchemas refuses a database with a schema that is older than this program needs.
func checkSchemas(ctx context.Context, url string) error {
	for _, s := range schemas {
		err := s.Check(ctx, url)
		if old := new(pgmigrate.OldError); errors.As(err, &old) {
			return fmt.Errorf("%w; run stepledger migrate of this version first, or start without STEPLEDGER_MIGRATE=off", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// migrationLocks are the advisory locks that are held while a schema is migrated.
func migrationLocks() (locks []int64) {
	for _, s := range schemas {
		locks = append(locks, s.Lock)
	}
	return locks
}
