package projections_test

import (
	"context"
	"errors"
	"net/url"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/internal/pgmigrate"
	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

const otherTenant = "globex"

// stories of two tenants, so that every table has rows of both.
func twoTenants(e *projtest.Env) {
	for seed := range uint64(4) {
		e.Story(seed, 120)
		e.Of(otherTenant).Story(seed+10, 120)
	}
	for _, one := range []*projtest.Env{e, e.Of(otherTenant)} {
		id := one.Session()
		one.Task(id, "https://site.example/", "archived while open").Turn("https://site.example/").Act(projtest.Click("1"), projtest.Target("1", "button", "Save")).End()
		one.Archive(id)
	}
}

// ownRows holds what each tenant sees against what there is, and wants something of
// every relation seen by both.
func ownRows(t *testing.T, e *projtest.Env, reads pgpool.ByTenant) {
	t.Helper()
	seen := projtest.OwnRows(t, e.Pool, func(tenant, sql string) []string {
		rows, _ := reads.Query(projtest.For(t.Context(), tenant), sql)
		out, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		}
		return out
	}, projtest.Tenant, otherTenant)
	for relation, counts := range seen {
		if slices.Min(counts) == 0 {
			t.Errorf("%s has rows of %v: it proves nothing", relation, counts)
		}
	}
	for _, p := range all {
		for _, view := range p.Views {
			if seen["read."+view] == nil && view != "tally" { // sums over all tenants
				t.Errorf("read.%s is not among what readers may read", view)
			}
		}
	}
}

func TestWall_ReadersSeeTheirTenantsRowsOnly(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	reads := e.Behind(all...)
	c := e.Config(all...)
	c.DB = e.As(projections.RunnerRole)
	r := projections.NewRunner(c)
	twoTenants(e)
	if err := r.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	ownRows(t, e, reads)
	t.Run("after a rebuild", func(t *testing.T) {
		for _, p := range all {
			if err := r.Rebuild(t.Context(), p.Name); err != nil {
				t.Fatal(err)
			}
		}
		ownRows(t, e, reads)
	})
	t.Run("after a rebuild by the database's user", func(t *testing.T) {
		r := projections.NewRunner(e.Config(all...))
		for _, p := range all {
			if err := r.Rebuild(t.Context(), p.Name); err != nil {
				t.Fatal(err)
			}
		}
		ownRows(t, e, reads)
		wantRunnersOwn(t, e.Pool)
	})
	t.Run("a statement that forgets the tenant", func(t *testing.T) {
		var n, foreign int
		err := reads.QueryRow(projtest.For(t.Context(), otherTenant), `select count(*), count(*) filter (where tenant <> @own) from read.task where visible`,
			pgx.NamedArgs{"own": otherTenant}).Scan(&n, &foreign)
		if err != nil || n == 0 || foreign != 0 {
			t.Errorf("%d rows, %d of others, %v", n, foreign, err)
		}
	})
	t.Run("the database's user", func(t *testing.T) {
		if n := e.Count(`select count(distinct tenant) from read.task_text`); n != 2 {
			t.Errorf("an operator searches the words of %d tenants", n)
		}
		if n := e.Count(`select count(distinct tenant) from read.task`); n != 2 {
			t.Errorf("an operator sees %d tenants", n)
		}
	})
}

// wantRunnersOwn: nobody else owns a read model.
func wantRunnersOwn(t *testing.T, db *pgxpool.Pool) {
	t.Helper()
	rows, _ := db.Query(t.Context(), `
		select c.oid::regclass || ' is of ' || pg_get_userbyid(c.relowner) from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where (n.nspname = 'read' or n.nspname like 'read\_%') and relname not like 'goose\_%' and pg_get_userbyid(relowner) <> $1
		union all select nspname || ' is of ' || pg_get_userbyid(nspowner) from pg_namespace where nspname like 'read\_%' and pg_get_userbyid(nspowner) <> $1`,
		projections.RunnerRole)
	others, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(others) > 0 {
		t.Errorf("%v, %v", others, err)
	}
}

// A database in use, of the migrations before and with tables made without a wall,
// gets it at the start; what was in them is there.
func TestWall_DatabaseInUse(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	schema := pgmigrate.Schema{Name: "read", Files: os.DirFS("."), Versions: "read.goose_db_version"}
	url := e.Pool.Config().ConnString()
	if err := schema.To(t.Context(), url, 3); err != nil {
		t.Fatal(err)
	}
	twoTenants(e)
	e.CatchUp(all...)
	before := dumps(e)
	if n := e.Count(`select count(*) from pg_policies where schemaname like 'read%'`); n != 0 {
		t.Fatalf("%d policies before there is a wall", n)
	}
	if err := projections.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	reads := e.Behind(all...)
	ownRows(t, e, reads)
	wantRunnersOwn(t, e.Pool)
	if diff := cmp.Diff(before, dumps(e)); diff != "" {
		t.Errorf("the rows (-before +after):\n%s", diff)
	}
	t.Run("again", func(t *testing.T) {
		standing := catalogOf(t, e)
		if err := projections.RaiseWall(t.Context(), e.Pool, all); err != nil {
			t.Fatal(err)
		}
		if catalogOf(t, e) != standing {
			t.Error("a wall that stands is raised again")
		}
	})
	t.Run("in a restored database, which has none of the rights to itself", func(t *testing.T) {
		const revoke = `do $$ begin execute format('revoke create on database %I from stepledger_projector', current_database()); end $$`
		if _, err := e.Pool.Exec(t.Context(), revoke); err != nil {
			t.Fatal(err)
		}
		if err := projections.RaiseWall(t.Context(), e.Pool, all); err != nil {
			t.Fatal(err)
		}
		if n := e.Count(`select has_database_privilege('stepledger_projector', current_database(), 'create')::int`); n != 1 {
			t.Error("the runners cannot make schemas")
		}
	})
	t.Run("down and up again", func(t *testing.T) {
		if err := schema.To(t.Context(), url, 3); err != nil {
			t.Fatal(err)
		}
		if n := e.Count(`
			select (select count(*) from pg_policies where schemaname like 'read%')
				+ (select count(*) from pg_class where relnamespace in (select oid from pg_namespace where nspname like 'read%')
					and (relrowsecurity or relowner = to_regrole('stepledger_projector')::oid
						or has_table_privilege('stepledger_api', oid, 'select') or reloptions::text like '%invoker%'))
				+ (select count(*) from pg_namespace where nspname like 'read%' and has_schema_privilege('stepledger_api', oid, 'usage'))`); n != 0 {
			t.Errorf("%d things of the wall are left", n)
		}
		e.CatchUp(all...)
		if err := projections.Migrate(t.Context(), url); err != nil {
			t.Fatal(err)
		}
		ownRows(t, e, e.Behind(all...))
	})
}

// catalogOf changes with every change of a relation, its rights and policies.
func catalogOf(t *testing.T, e *projtest.Env) (sum string) {
	t.Helper()
	if err := e.Pool.QueryRow(t.Context(), `
		select md5(string_agg(c.xmin || ' ' || c.oid, ',' order by c.oid)) || (select string_agg(xmin || '', ',' order by oid) from pg_policy)
		from pg_class c`).Scan(&sum); err != nil {
		t.Fatal(err)
	}
	return sum
}

// A program of the version before makes tables once more after the wall was raised: the
// next start takes them behind it.
func TestWall_TablesOfAnOlderProgramMeanwhile(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	twoTenants(e)
	e.CatchUp(all...)
	e.Behind(all...)
	for _, statement := range []string{
		`alter table read.checkpoint owner to current_user`, // for it there is no wall
		`alter view read.task reset (security_invoker)`,
	} {
		if _, err := e.Pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := projections.NewRunner(e.Config(all...)).Rebuild(t.Context(), "tasks"); err != nil {
		t.Fatal(err)
	}
	if n := e.Count(`select count(*) from pg_policies where schemaname like 'read\_tasks\_%'`); n != 0 {
		t.Fatalf("the older program made %d policies", n)
	}
	ownRows(t, e, e.Behind(all...))
	wantRunnersOwn(t, e.Pool)
}

// Runners are at nothing but their own.
func TestWall_RunnersHaveNothingElse(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	e.Behind(all...)
	if _, err := e.Pool.Exec(t.Context(), `create schema identity; create table identity.users (name text)`); err != nil {
		t.Fatal(err)
	}
	_, err := e.As(projections.RunnerRole).Exec(t.Context(), `select * from identity.users`)
	if pg := new(pgconn.PgError); !errors.As(err, &pg) || pg.Code != "42501" {
		t.Errorf("runners read the users: %v", err)
	}
}

// A user who may make no roles works without the wall, and is told what to have done.
// Once that is done, the next start raises it.
func TestWall_UserWhoMayMakeNoRoles(t *testing.T) {
	t.Parallel()
	admin, pool := plainUser(t)
	e := projtest.WithoutDatabase(t)
	e.Pool = pool
	if err := projections.Migrate(t.Context(), pool.Config().ConnString()); err != nil {
		t.Fatal(err)
	}
	var none *projections.NoWallError
	if err := projections.RaiseWall(t.Context(), pool, all); !errors.As(err, &none) || len(none.SQL) == 0 {
		t.Fatalf("the wall stands, or nobody is told why not: %v", err)
	}
	twoTenants(e)
	e.CatchUp(all...)
	if n := e.Count(`select count(*) from read.task_text where to_tsvector('simple', query) @@ to_tsquery('goal')`); n == 0 {
		t.Error("without a wall no words are found")
	}
	for _, statement := range none.SQL {
		if _, err := admin.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	reads := e.Behind(all...)
	pool.Reset() // the sessions know their roles from when they began
	ownRows(t, e, reads)
	wantRunnersOwn(t, pool)
	if err := projections.NewRunner(e.Config(all...)).Rebuild(t.Context(), "tasks"); err != nil {
		t.Fatal(err)
	}
	ownRows(t, e, reads)
}

// plainUser is a database that belongs to a user without any attribute, with a
// superuser's connection to it.
func plainUser(t *testing.T) (admin *pgx.Conn, pool *pgxpool.Pool) {
	t.Helper()
	address := pgtest.Database(t, "empty", nil)
	admin, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	database := admin.Config().Database
	user := "plain_" + database
	exec := func(sql string) {
		t.Helper()
		if _, err := admin.Exec(context.WithoutCancel(t.Context()), sql); err != nil {
			t.Fatal(err)
		}
	}
	exec(`create role ` + user + ` login password 'plain' nosuperuser nocreaterole`)
	exec(`alter database ` + database + ` owner to ` + user)
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword(user, "plain")
	pool, err = pgxpool.New(t.Context(), u.String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pool.Close()
		exec(`reassign owned by ` + user + ` to current_user`)
		exec(`drop owned by ` + user)
		exec(`drop role ` + user)
		_ = admin.Close(context.WithoutCancel(t.Context()))
	})
	return admin, pool
}
