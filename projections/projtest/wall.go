package projtest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/internal/pgpool"
	"github.com/stepledger/stepledger/projections"
)

type tenantKey struct{}

// For is the context of a tenant's request; of "" the caller is not known.
func For(ctx context.Context, tenant string) context.Context {
	return context.WithValue(ctx, tenantKey{}, tenant)
}

// Behind raises row-level security around read models and returns what reads them as
// the API does, for the tenant of a context.
func (e *Env) Behind(ps ...projections.Projection) pgpool.ByTenant {
	e.T.Helper()
	if err := projections.RaiseWall(e.T.Context(), e.Pool, ps); err != nil {
		e.T.Fatal(err)
	}
	return pgpool.ByTenant{Pool: e.As(projections.ReaderRole), Operator: e.Pool, Tenant: func(ctx context.Context) (string, bool) {
		tenant, ok := ctx.Value(tenantKey{}).(string)
		return tenant, ok
	}}
}

// As opens a pool whose sessions are a role's.
func (e *Env) As(role string) *pgpool.Pool {
	e.T.Helper()
	pool, err := pgpool.Open(e.T.Context(), e.Pool.Config().ConnString(), pgpool.Options{Name: role, MaxConns: 3, Settings: map[string]string{"role": role}})
	if err != nil {
		e.T.Fatal(err)
	}
	e.T.Cleanup(pool.Close)
	return pool
}

const readable = `
	select quote_ident(n.nspname) || '.' || quote_ident(c.relname)
	from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
		and has_schema_privilege($1, n.oid, 'usage') and has_any_column_privilege($1, c.oid, 'select')
	order by 1`

// OwnRows checks from the catalog what the readers' role may do in the database:
//
//   - of every relation that it may read, of whatever schema, a tenant sees rows of its
//     own only, and nobody sees none; read.checkpoint holds nothing of tenants;
//   - it may write nothing, and owns nothing.
//
// It returns how many rows each tenant sees, by relation. rows reads a statement's rows
// for a tenant, all is a superuser's pool.
func OwnRows(t testing.TB, all pgpool.DB, rows func(tenant, sql string) []string, tenants ...string) map[string][]int {
	t.Helper()
	relations := collect(t, all, readable, projections.ReaderRole)
	if len(relations) == 0 {
		t.Error("readers may read nothing")
	}
	seen := map[string][]int{}
	for _, relation := range relations {
		if relation == "read.checkpoint" {
			continue
		}
		seen[relation] = ownRows(t, all, rows, relation, tenants)
	}
	for what, sql := range map[string]string{"writes to": writable, "owns": owned, "makes things in": creatable} {
		for _, name := range collect(t, all, sql, projections.ReaderRole) {
			t.Errorf("the readers' role %s %s", what, name)
		}
	}
	return seen
}

const (
	writable = `
		select c.oid::regclass::text from pg_class c join pg_namespace n on n.oid = c.relnamespace
		where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
			and has_table_privilege($1, c.oid, 'insert, update, delete, truncate, references, trigger')`
	owned = `
		select classid::regclass || ' ' || objid from pg_shdepend
		where refclassid = 'pg_authid'::regclass and refobjid = to_regrole($1)::oid and deptype = 'o'`
	creatable = `
		select nspname::text from pg_namespace where has_schema_privilege($1, oid, 'create')
		union all select datname::text from pg_database where datname = current_database() and has_database_privilege($1, oid, 'create')`
)

func ownRows(t testing.TB, all pgpool.DB, rows func(tenant, sql string) []string, relation string, tenants []string) []int {
	t.Helper()
	everything := collect(t, all, `select r::text from `+relation+` r`)
	if nobody := rows("", `select r::text from `+relation+` r`); len(nobody) != 0 {
		t.Errorf("%s: nobody sees %d rows", relation, len(nobody))
	}
	named := len(collect(t, all, `select attname::text from pg_attribute where attrelid = to_regclass($1) and attname = 'tenant'`, relation)) > 0
	counts := make([]int, len(tenants))
	whose := map[string]string{}
	for i, tenant := range tenants {
		own := rows(tenant, `select r::text from `+relation+` r`)
		counts[i] = len(own)
		for _, row := range own {
			if other, ok := whose[row]; ok && other != tenant {
				t.Errorf("%s: %s and %s both see %s", relation, other, tenant, row)
			}
			whose[row] = tenant
			if !slices.Contains(everything, row) {
				t.Errorf("%s: %s sees what is not there: %s", relation, tenant, row)
			}
		}
		if named {
			strange := rows(tenant, fmt.Sprintf(`select r::text from %s r where tenant <> '%s'`, relation, tenant))
			want := collect(t, all, `select r::text from `+relation+` r where tenant = $1`, tenant)
			if len(strange) != 0 || len(want) != len(own) {
				t.Errorf("%s: %s sees %d rows of its %d, and %d of others", relation, tenant, len(own), len(want), len(strange))
			}
		}
	}
	return counts
}

func collect(t testing.TB, pool pgpool.DB, sql string, args ...any) []string {
	t.Helper()
	rows, _ := pool.Query(t.Context(), sql, args...) // the rows have its error too
	out, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}
