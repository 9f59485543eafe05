package projections

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

type queryer interface {
	querier
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// readSchema is the schema read, with no projection, or that of a generation.
type readSchema struct {
	Name       string `db:"name"`
	Projection string `db:"projection"`
	// Owned: it is the runners'. The schema read has nobody's tables but theirs in it,
	// and that of the migrations; it is enough that they may make views there.
	Owned    bool `db:"owned"`
	Readable bool `db:"readable"`
}

const readSchemasSQL = `
	select 'read' as name, '' as projection,
		has_schema_privilege($1::name, 'read', 'create') and has_schema_privilege($1::name, 'read', 'usage') as owned,
		has_schema_privilege($2::name, 'read', 'usage') as readable
	union all
	select n.nspname, c.projection, pg_get_userbyid(n.nspowner) = $1::name, has_schema_privilege($2::name, n.oid, 'usage')
	from read.checkpoint c join pg_namespace n on n.nspname = 'read_' || c.projection || '_' || c.generation
	order by name`

func readSchemas(ctx context.Context, db queryer) ([]readSchema, error) {
	rows, err := db.Query(ctx, readSchemasSQL, RunnerRole, ReaderRole)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[readSchema])
}

func (s readSchema) missing() (sql []string) {
	switch {
	case s.Owned:
	case s.Projection == "":
		sql = append(sql, "grant usage, create on schema "+quote(s.Name)+" to "+RunnerRole)
	default:
		sql = append(sql, "alter schema "+quote(s.Name)+" owner to "+RunnerRole)
	}
	if !s.Readable {
		sql = append(sql, "grant usage on schema "+quote(s.Name)+" to "+ReaderRole)
	}
	return sql
}

// relation is a table, view or sequence with what it has of the wall.
type relation struct {
	Schema string `db:"schema"`
	Name   string `db:"name"`
	// Kind is the word for it in SQL.
	Kind string `db:"kind"`
	// Owned: it is the runners'.
	Owned bool `db:"owned"`
	// Tenant: it has a column of that name.
	Tenant bool `db:"tenant"`
	// Part: it is a partition, which nobody reads but by its table.
	Part bool `db:"part"`
	// Secured: row-level security is on, and its policy is there.
	Secured  bool `db:"secured"`
	Invoker  bool `db:"invoker"`
	Readable bool `db:"readable"`
	// Unread are the roles for all tenants that may not read it.
	Unread []string `db:"unread"`
}

// The tables of the migrations stay with whoever migrates.
const relationsSQL = `
	select n.nspname as schema, c.relname as name,
		case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
		pg_get_userbyid(c.relowner) = $2::name as owned,
		exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped) as tenant,
		c.relispartition as part,
		c.relrowsecurity and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = $4) as secured,
		coalesce(c.reloptions @> array['security_invoker=true'], false) as invoker,
		c.relkind <> 'S' and has_table_privilege($3::name, c.oid, 'select') as readable,
		array(select quote_ident(rolname) from pg_roles where rolname = any ($5) and c.relkind <> 'S' and not has_table_privilege(oid, c.oid, 'select')) as unread
	from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'S') and c.relname not like 'goose\_%'
	order by c.relkind, c.relname`

func relationsOf(ctx context.Context, db querier, schema string, readAll []string) ([]relation, error) {
	rows, err := db.Query(ctx, relationsSQL, schema, RunnerRole, ReaderRole, ownTenant, readAll)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[relation])
}

func (r relation) quoted() string { return quote(r.Schema, r.Name) }

// shared is what a relation of the schema read lacks. A text is a view with its owner's
// rights.
func (r relation) shared(granted, text bool) []string {
	sql := r.owner()
	if !text {
		sql = append(sql, r.invoker()...)
	}
	if granted && !r.Readable {
		sql = append(sql, "grant select on "+r.quoted()+" to "+ReaderRole)
	}
	return sql
}

// own is what a table or view of a projection's generation lacks.
func (r relation) own(p Projection) []string {
	sql := append(r.owner(), r.invoker()...)
	var condition string
	if parent, ok := p.Through[r.Name]; ok {
		condition = parent.condition(r)
	}
	if r.Tenant {
		condition = tenants
	}
	if r.Part || r.Kind == "sequence" || condition == "" {
		return sql
	}
	if r.Kind == "table" && !r.Secured {
		sql = append(sql,
			"drop policy if exists "+ownTenant+" on "+r.quoted(),
			"create policy "+ownTenant+" on "+r.quoted()+" for select to "+ReaderRole+" using ("+condition+")",
			"alter table "+r.quoted()+" enable row level security")
	}
	if !r.Readable {
		sql = append(sql, "grant select on "+r.quoted()+" to "+ReaderRole)
	}
	if len(r.Unread) > 0 {
		sql = append(sql, r.readAll(strings.Join(r.Unread, ", "))...)
	}
	return sql
}

// readAll lets roles read the rows of all tenants.
func (r relation) readAll(roles string) []string {
	sql := []string{"grant select on " + r.quoted() + " to " + roles}
	if r.Kind == "table" {
		sql = append(sql,
			"drop policy if exists "+allTenants+" on "+r.quoted(),
			"create policy "+allTenants+" on "+r.quoted()+" for select to "+roles+" using (true)")
	}
	return sql
}

// tenants reports whether the rows of a table, or of the view of it, are each a tenant's.
func (p Projection) tenants(table string, hasTenant bool) bool {
	_, through := p.Through[table]
	return through || hasTenant && slices.Contains(p.Views, table)
}

// condition is met by the rows of a table that have a parent who asks may read: a policy
// is checked with the rights, and behind the policies, of who asks.
func (p Parent) condition(of relation) string {
	sql := "exists (select from " + quote(of.Schema, p.Table) + " parent where parent." + quote(p.Key) + " = " + of.quoted() + "." + quote(p.Key)
	if p.Where != "" {
		sql += " and " + p.Where
	}
	return sql + ")"
}

func (r relation) owner() []string {
	if r.Owned {
		return nil
	}
	return []string{"alter " + r.Kind + " " + r.quoted() + " owner to " + RunnerRole}
}

// invoker makes a view read with the eyes of whoever asks it: with its owner's it would
// show everything.
func (r relation) invoker() []string {
	if r.Kind != "view" || r.Invoker {
		return nil
	}
	return []string{"alter view " + r.quoted() + " set (security_invoker = true)"}
}
