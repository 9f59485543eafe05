package projections

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// show points the views of the schema read at a generation's tables. A view keeps all
// columns it ever had and gets those of the other generations; columns missing in its
// table are null.
func (p Projection) show(ctx context.Context, tx pgx.Tx, g generation, others ...generation) error {
	walled, err := behindWall(ctx, tx)
	if err != nil {
		return err
	}
	for _, view := range p.Views {
		if err := p.showOne(ctx, tx, view, walled, g, others); err != nil {
			return fmt.Errorf("view read.%s: %w", view, err)
		}
	}
	for _, t := range p.Searched {
		if _, err := tx.Exec(ctx, t.sql(g.schema(), walled)); err != nil {
			return fmt.Errorf("view read.%s: %w", t.View, err)
		}
	}
	return nil
}

func (p Projection) showOne(ctx context.Context, tx pgx.Tx, view string, walled bool, g generation, others []generation) error {
	have, err := columnsOf(ctx, tx, g.schema(), view)
	if err != nil {
		return err
	}
	wanted, err := columnsOf(ctx, tx, "read", view)
	if err != nil {
		return err
	}
	wanted = merge(wanted, have)
	for _, o := range others {
		more, err := columnsOf(ctx, tx, o.schema(), view)
		if err != nil {
			return err
		}
		wanted = merge(wanted, more)
	}
	sql := viewSQL(view, g.schema(), walled, wanted, have)
	if walled && p.tenants(view, has(have, "tenant")) {
		sql += "; grant select on " + quote("read", view) + " to " + ReaderRole
	}
	_, err = tx.Exec(ctx, sql)
	return err
}

// viewSQL makes the view one of its reader's rights behind the wall: with its owner's it
// would show the rows of all tenants.
func viewSQL(view, schema string, walled bool, wanted, have []column) string {
	exprs := make([]string, len(wanted))
	for i, c := range wanted {
		exprs[i] = quote(c.Name)
		if !has(have, c.Name) {
			exprs[i] = "null::" + c.Type + " as " + quote(c.Name)
		}
	}
	sql := "create or replace view " + quote("read", view)
	if walled {
		sql += " with (security_invoker = true)"
	}
	sql += " as select " + strings.Join(exprs, ", ")
	if len(have) == 0 {
		return sql + " where false"
	}
	return sql + " from " + quote(schema, view)
}

// sql makes the view. Roles of this database are asked for by what they may use, since
// the wall's roles need not exist.
func (t Searched) sql(schema string, walled bool) string {
	sql := "create or replace view " + quote("read", t.View) + " as select " + strings.Join(t.Columns, ", ") +
		" from " + quote(schema, t.Table) + " where " + tenants +
		" or (select pg_has_role(current_user, relowner, 'usage') from pg_class where oid = 'read.checkpoint'::regclass)"
	if walled {
		sql += "; grant select on " + quote("read", t.View) + " to " + ReaderRole
	}
	return sql
}

// showSearched makes the views of texts that are missing: a program without them has
// dropped them with the tables they were of, or has never made them.
func (p Projection) showSearched(ctx context.Context, tx pgx.Tx, g generation) error {
	for _, t := range p.Searched {
		var there bool
		if err := tx.QueryRow(ctx, `select to_regclass($1::text) is not null`, quote("read", t.View)).Scan(&there); err != nil {
			return err
		}
		if there {
			continue
		}
		walled, err := behindWall(ctx, tx)
		if err == nil {
			_, err = tx.Exec(ctx, t.sql(g.schema(), walled))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type column struct{ Name, Type string }

// A column's collation is part of its type: a view cannot change it.
const readColumns = `
	select a.attname as name, format_type(a.atttypid, a.atttypmod)
		|| coalesce(' collate ' || quote_ident(l.collname), '') as type
	from pg_attribute a
		join pg_class c on c.oid = a.attrelid
		join pg_namespace n on n.oid = c.relnamespace
		join pg_type t on t.oid = a.atttypid
		left join pg_collation l on l.oid = a.attcollation and l.oid <> t.typcollation
	where n.nspname = $1 and c.relname = $2 and a.attnum > 0 and not a.attisdropped
	order by a.attnum`

func columnsOf(ctx context.Context, tx pgx.Tx, schema, relation string) ([]column, error) {
	rows, err := tx.Query(ctx, readColumns, schema, relation)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[column])
}

func merge(a, b []column) []column {
	for _, c := range b {
		if !has(a, c.Name) {
			a = append(a, c)
		}
	}
	return a
}

func has(columns []column, name string) bool {
	for _, c := range columns {
		if c.Name == name {
			return true
		}
	}
	return false
}
