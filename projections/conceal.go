package projections

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain/secret"
)

// Texts are the columns of a table that hold texts of tasks. Where finds the rows,
// Key identifies them.
type Texts struct {
	Table, Key, Where string
	Columns, JSON     []string
}

// Conceal removes secrets from rows that earlier events have written, since a value
// may become known as secret long after a text repeated it. args are the arguments of
// Where. It runs in the order of the events, so a rebuild gives the same rows.
func (b *Batch) Conceal(s *secret.Set, args pgx.NamedArgs, tables ...Texts) {
	b.Rewrite(func(ctx context.Context, tx pgx.Tx) error {
		for _, t := range tables {
			if err := t.conceal(ctx, tx, s, args); err != nil {
				return fmt.Errorf("conceal in %s: %w", t.Table, err)
			}
		}
		return nil
	})
}

func (t Texts) conceal(ctx context.Context, tx pgx.Tx, s *secret.Set, args pgx.NamedArgs) error {
	rows, err := tx.Query(ctx, t.read(), args)
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowToMap)
	if err != nil {
		return err
	}
	var out pgx.Batch
	for _, row := range found {
		changed := pgx.NamedArgs{}
		for name, was := range row {
			text, ok := was.(string)
			if !ok || name == "key" {
				continue
			}
			if cut := t.cut(s, name, text); cut != text {
				changed[name] = cut
			}
		}
		if len(changed) > 0 {
			sql := t.write(changed)
			changed["key"] = row["key"]
			maps.Copy(changed, args)
			out.Queue(sql, changed)
		}
	}
	return tx.SendBatch(ctx, &out).Close()
}

func (t Texts) cut(s *secret.Set, column, text string) string {
	if slices.Contains(t.JSON, column) {
		return string(s.CutJSON(json.RawMessage(text)))
	}
	return s.Cut(text)
}

// read is the statement that finds the rows, in an order that keeps two runners from
// deadlocks.
func (t Texts) read() string {
	columns := []string{t.Key + "::text as key"}
	columns = append(columns, t.Columns...)
	for _, c := range t.JSON {
		columns = append(columns, c+"::text as "+c)
	}
	return "select " + strings.Join(columns, ", ") + " from " + t.Table + " where " + t.Where + " order by " + t.Key
}

func (t Texts) write(changed pgx.NamedArgs) string {
	var sets []string
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		set := name + " = @" + name
		if slices.Contains(t.JSON, name) {
			set += "::jsonb"
		}
		sets = append(sets, set)
	}
	return "update " + t.Table + " set " + strings.Join(sets, ", ") + " where " + t.Key + "::text = @key and " + t.Where
}
