package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// The roles of the second wall between tenants. No role of their own can log in with
// them: a pool takes one on as the setting role of its sessions.
const (
	// ReaderRole reads for tenants. It owns nothing, and row-level security leaves it
	// the rows of the tenant in the setting app.tenant_id, which is none where that is
	// not set.
	ReaderRole = "stepledger_api"
	// RunnerRole owns the tables and views of the read models, and makes them.
	RunnerRole = "stepledger_projector"
)

// ownTenant is the name of the policy of every table that readers may read, and tenant's
// its condition. After a transaction that had set it the setting is ”.
const (
	ownTenant  = "own_tenant"
	allTenants = "all_tenants"
	tenants    = `tenant = nullif(current_setting('app.tenant_id', true), '')`
)

// NoWallError is returned where row-level security cannot be had as things are.
type NoWallError struct {
	// Why is what is missing.
	Why string
	// SQL are statements for somebody who may make roles. Afterwards the next start
	// raises the wall. Empty where no statement helps.
	SQL []string
}

// Error implements error.
func (e *NoWallError) Error() string { return "no row-level security: " + e.Why }

// How long raising the wall waits for readers of the tables, in tries: each holds up the
// readers behind it.
const (
	raiseTries  = 15
	raiseWithin = "2s"
)

// RaiseWall puts the schema read and the tables of all its read models behind row-level
// security: they belong to RunnerRole, and ReaderRole reads of them what is its tenant's.
// It is called at every start, after the migrations and by their user: it also finds
// tables that a program of the version before has made meanwhile. Where nothing is
// missing it takes no lock. Several processes may call it at the same time.
//
// The error is a *NoWallError if the server is too old or this user lacks a role; then
// nothing is changed.
func RaiseWall(ctx context.Context, db DB, all []Projection) error {
	if err := canRaise(ctx, db); err != nil {
		return err
	}
	for try := 1; ; try++ {
		err := raise(ctx, db, all)
		var pg *pgconn.PgError
		busy := errors.As(err, &pg) && (pg.Code == lockNotAvailable || pg.Code == deadlock || pg.Code == movedAway)
		if !busy || try == raiseTries || ctx.Err() != nil {
			var none *NoWallError
			if err != nil && !errors.As(err, &none) {
				err = fmt.Errorf("raise row-level security: %w", err)
			}
			return err
		}
		sleep(ctx, time.Second)
	}
}

const (
	lockNotAvailable = "55P03"
	deadlock         = "40P01"
	movedAway        = "XX000" // tuple concurrently updated: two grant the same
)

// abilities are asked separately from the roles' names, which may not exist.
const abilities = `
	select current_setting('server_version_num')::int, to_regrole($1::text) is not null, to_regrole($2::text) is not null,
		quote_ident(current_user), quote_ident(current_database())`

// A role is taken on by who is a member, since 16 with leave to; what the runners own is
// used by who inherits from them.
const membership = `
	select pg_has_role(current_user, $1::name, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)
		and pg_has_role(current_user, $2::name, 'usage')
		and pg_has_role(current_user, $2::name, case when current_setting('server_version_num')::int >= 160000 then 'set' else 'member' end)`

// canRaise returns a *NoWallError if the wall cannot stand for this user.
func canRaise(ctx context.Context, db DB) error {
	const invokerViews = 15_00_00
	var (
		version          int
		reader, runner   bool
		user, database   string
		member, existing bool
	)
	err := db.QueryRow(ctx, abilities, ReaderRole, RunnerRole).Scan(&version, &reader, &runner, &user, &database)
	if err != nil {
		return fmt.Errorf("raise row-level security: %w", err)
	}
	if version < invokerViews {
		return &NoWallError{Why: "it takes Postgres 15 or newer"}
	}
	if existing = reader && runner; existing {
		if err := db.QueryRow(ctx, membership, ReaderRole, RunnerRole).Scan(&member); err != nil {
			return fmt.Errorf("raise row-level security: %w", err)
		}
	}
	if member {
		return nil
	}
	e := &NoWallError{Why: "the database user is not in the roles " + ReaderRole + " and " + RunnerRole}
	if !reader {
		e.SQL = append(e.SQL, "create role "+ReaderRole+" nologin")
	}
	if !runner {
		e.SQL = append(e.SQL, "create role "+RunnerRole+" nologin")
	}
	inherit := ""
	if version >= 16_00_00 {
		inherit = " with inherit true, set true"
	}
	e.SQL = append(e.SQL, "grant "+ReaderRole+", "+RunnerRole+" to "+user+inherit, "grant create on database "+database+" to "+RunnerRole)
	return e
}

// raise does what is missing in one transaction, so that the wall stands or does not.
func raise(ctx context.Context, db DB, all []Projection) error {
	if err := letCreate(ctx, db); err != nil {
		return err
	}
	missing, err := missingOfWall(ctx, db, all)
	if err != nil || len(missing) == 0 {
		return err
	}
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := excludeAll(ctx, tx, all); err != nil {
			return err
		}
		missing, err := missingOfWall(ctx, tx, all)
		if err != nil {
			return err
		}
		for _, statement := range missing {
			if _, err := tx.Exec(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// excludeAll takes the locks of all projections' set-ups in the order of their names:
// nobody else takes more than one.
func excludeAll(ctx context.Context, tx pgx.Tx, all []Projection) error {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	slices.Sort(names)
	for _, name := range names {
		if err := exclude(ctx, tx, name); err != nil {
			return err
		}
	}
	_, err := tx.Exec(ctx, `set local lock_timeout = '`+raiseWithin+`'`)
	return err
}

// letCreate lets the runners make schemas: a restored database has its tables, and none of
// the rights to itself. A user that may not grant it is only warned by Postgres.
func letCreate(ctx context.Context, db DB) error {
	const may = `select has_database_privilege($1::name, current_database(), 'create'), quote_ident(current_database())`
	var can bool
	var database string
	if err := db.QueryRow(ctx, may, RunnerRole).Scan(&can, &database); err != nil || can {
		return err
	}
	grant := "grant create on database " + database + " to " + RunnerRole
	if _, err := db.Exec(ctx, grant); err != nil {
		return err
	}
	if err := db.QueryRow(ctx, may, RunnerRole).Scan(&can, &database); err != nil || can {
		return err
	}
	return &NoWallError{Why: RunnerRole + " may not make schemas in the database " + database, SQL: []string{grant}}
}

// missingOfWall returns the statements that are missing for the wall to stand.
func missingOfWall(ctx context.Context, db queryer, all []Projection) ([]string, error) {
	schemas, err := readSchemas(ctx, db)
	if err != nil {
		return nil, err
	}
	views, texts := map[string]Projection{}, []string{}
	named := map[string]Projection{}
	for _, p := range all {
		named[p.Name] = p
		for _, view := range p.Views {
			views[view] = p
		}
		for _, t := range p.Searched {
			texts = append(texts, t.View)
		}
	}
	var missing []string
	for _, s := range schemas {
		missing = append(missing, s.missing()...)
		relations, err := relationsOf(ctx, db, s.Name, named[s.Projection].ReadAll)
		if err != nil {
			return nil, err
		}
		for _, r := range relations {
			if s.Projection == "" {
				text := slices.Contains(texts, r.Name)
				granted := text || r.Name == "checkpoint" || views[r.Name].tenants(r.Name, r.Tenant)
				missing = append(missing, r.shared(granted, text)...)
			} else {
				missing = append(missing, r.own(named[s.Projection])...)
			}
		}
	}
	return missing, nil
}

// wall puts a generation's tables behind the wall. Their schema and they are the
// runners' own already, and unqualified names are theirs.
func (p Projection) wall(ctx context.Context, tx pgx.Tx, g generation) error {
	relations, err := relationsOf(ctx, tx, g.schema(), p.ReadAll)
	if err != nil {
		return err
	}
	statements := []string{"grant usage on schema " + quote(g.schema()) + " to " + ReaderRole}
	for _, r := range relations {
		statements = append(statements, r.own(p)...)
	}
	_, err = tx.Exec(ctx, strings.Join(statements, ";\n"))
	return err
}

// takeRole makes a transaction work as a role if that is the owner of the read models.
const takeRole = `
	select set_config('role', $1::text, true)
	from pg_class where oid = to_regclass('read.checkpoint') and pg_get_userbyid(relowner) = $1::text`

// behindWall makes a transaction work as RunnerRole where the wall stands, and reports
// whether it does.
func behindWall(ctx context.Context, tx pgx.Tx) (stands bool, err error) {
	tag, err := tx.Exec(ctx, takeRole, RunnerRole)
	return tag.RowsAffected() > 0, err
}
