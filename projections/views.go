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
	for _, view := range p.Views {
		if err := show(ctx, tx, view, g, others); err != nil {
			return fmt.Errorf("view read.%s: %w", view, err)
		}
	}
	return nil
}

func show(ctx context.Context, tx pgx.Tx, view string, g generation, others []generation) error {
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
	_, err = tx.Exec(ctx, viewSQL(view, g.schema(), wanted, have))
	return err
}

func viewSQL(view, schema string, wanted, have []column) string {
	exprs := make([]string, len(wanted))
	for i, c := range wanted {
		exprs[i] = quote(c.Name)
		if !has(have, c.Name) {
			exprs[i] = "null::" + c.Type + " as " + quote(c.Name)
		}
	}
	sql := "create or replace view " + quote("read", view) + " as select " + strings.Join(exprs, ", ")
	if len(have) == 0 {
		return sql + " where false"
	}
	return sql + " from " + quote(schema, view)
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
