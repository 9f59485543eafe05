package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/projections"
)

func (p program) migrateCmd() *cobra.Command {
	var app, back string
	var drop, finish bool
	cmd := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database to the schema of this version, or back, and end",
		Long: `Brings the database of DATABASE_DIRECT_URL, or DATABASE_URL, to the schema this version needs. One process does so at a time, others wait.
The version before may go on working meanwhile and afterwards.

With --grant it also lets a role do what serve does and nothing else. Serve as that role with STEPLEDGER_MIGRATE=off.

With --finish it says that every process is of this version, and that nobody goes back: from their next start on they write forms that
the version before cannot read.

To go back to the version before, start that: it works with this schema. --to takes one schema back, once no process runs: it prints
what each file that is undone loses, does nothing without --drop, and refuses to lose what is kept nowhere else.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, log, err := p.config()
			if err != nil {
				return err
			}
			s := &system{cfg: cfg, log: quiet(log)}
			defer s.close()
			if err := s.openDatabase(cmd.Context()); err != nil {
				return err
			}
			if err := s.checkDirect(cmd.Context()); err != nil {
				return err
			}
			if back != "" {
				return p.goBack(cmd.Context(), s.direct, back, drop)
			}
			if err := s.prepareDatabase(cmd.Context(), app); err != nil {
				return err
			}
			fmt.Fprintln(p.out, "the database has the schema of this version")
			if !finish {
				return nil
			}
			if err := content.Finish(cmd.Context(), s.direct); err != nil {
				return err
			}
			fmt.Fprintln(p.out, "processes that start from now on write the forms of this version")
			return nil
		},
	}
	cmd.Flags().StringVar(&app, "grant", "", "a role that is to serve, which exists")
	cmd.Flags().StringVar(&back, "to", "", "SCHEMA=VERSION: undo the files above a version")
	cmd.Flags().BoolVar(&drop, "drop", false, "with --to: what it prints may be lost")
	cmd.Flags().BoolVar(&finish, "finish", false, "end an upgrade: there is no way back to the version before")
	cmd.MarkFlagsMutuallyExclusive("grant", "to")
	cmd.MarkFlagsMutuallyExclusive("finish", "to")
	return cmd
}

// settleSchema migrates at the start, or refuses a schema that is too old.
func (s *system) settleSchema(ctx context.Context) error {
	if s.cfg.Migrate {
		return migrate(ctx, s.direct)
	}
	return checkSchemas(ctx, s.direct)
}

// prepareDatabase does all that takes the owner of the database.
func (s *system) prepareDatabase(ctx context.Context, app string) error {
	if err := migrate(ctx, s.direct); err != nil {
		return err
	}
	pool, err := pgpool.Open(ctx, s.direct, pgpool.Options{Name: "migrate", MaxConns: 2})
	if err != nil {
		return err
	}
	defer pool.Close()
	err = projections.RaiseWall(ctx, pool, readModels())
	var none *projections.NoWallError
	if err != nil && !errors.As(err, &none) {
		return err
	}
	if app == "" {
		return nil
	}
	if none != nil {
		return fmt.Errorf("--grant: serve as a role of its own needs row-level security: %w", none)
	}
	return grant(ctx, pool, app)
}

// grants are what a role needs to serve, but for the membership in the roles of read models:
// what those own can be made anew from the log. The log itself is only added to. Some
// schemas have sequences, and all have tables that say which version they are.
const grants = `
	grant usage on schema log, identity, content, billing, feed, read to %[1]s;
	grant select, insert on log.events to %[1]s;
	grant select, insert on log.epoch to %[1]s;
	grant select on log.segments, log.archived to %[1]s;
	grant execute on function log.archive, log.scavenge to %[1]s;
	grant select on log.identity, log.goose_db_version, read.goose_db_version to %[1]s;
	grant select, insert, update, delete on log.retention to %[1]s;
	grant select, insert, update, delete on all tables in schema identity, content, billing, feed to %[1]s;
	revoke insert, update, delete on identity.goose_version, billing.goose_version, feed.goose_db_version from %[1]s;
	grant select on content_migrations to %[1]s;
	grant usage, select on all sequences in schema log, identity, content, billing, feed to %[1]s;
	grant %[2]s, %[3]s to %[1]s`

func grant(ctx context.Context, db *pgpool.Pool, app string) error {
	role := pgx.Identifier{app}.Sanitize()
	err := pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf(grants, role, projections.ReaderRole, projections.RunnerRole))
		return err
	})
	if err != nil {
		return fmt.Errorf("grant %s what serve needs: %w", app, err)
	}
	return nil
}
