package usage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
)

// Write implements projections.Rows. Rows that change are taken out of their
// table, folded, and put back with the new ones: every row is written by COPY.
func (p *page) Write(ctx context.Context, tx pgx.Tx) error {
	taken, err := p.take(ctx, tx)
	if err != nil {
		return err
	}
	if err := p.resume(taken); err != nil {
		return err
	}
	for _, c := range p.corrections {
		p.corrected.correction(c)
	}
	if err := ensureMonths(ctx, tx, p.months(taken)); err != nil {
		return err
	}
	for month, rows := range p.facts {
		if err := copyTo(ctx, tx, partition("fact", month), *rows); err != nil {
			return err
		}
		rows.free()
	}
	p.facts = nil // they are written once
	if err := copyTo(ctx, tx, "open_call", p.open); err != nil {
		return err
	}
	if err := copyTo(ctx, tx, "call_correction", p.corrected); err != nil {
		return err
	}
	return p.addSums(ctx, tx)
}

const takeOpen = `delete from open_call where call_id = any(@calls) returning ` + columns

// The subjects find the rows: there is no index of facts by call.
const takeFacts = `
	delete from fact
	where subject = any(@subjects) and call_id = any(@calls)
	returning ` + columns

// take removes the rows of the calls that began before the page and go on in it.
func (p *page) take(ctx context.Context, tx pgx.Tx) (map[string]*Call, error) {
	taken := map[string]*Call{}
	if len(p.later) == 0 {
		return taken, nil
	}
	var calls, subjects []string
	for _, l := range p.later {
		calls, subjects = append(calls, l.call), append(subjects, projections.Subject(l.at.Stream))
	}
	if err := takeRows(ctx, tx, taken, takeOpen, pgx.NamedArgs{"calls": calls}); err != nil {
		return nil, err
	}
	if len(taken) == len(distinct(calls)) {
		return taken, nil
	}
	return taken, takeRows(ctx, tx, taken, takeFacts, pgx.NamedArgs{"calls": calls, "subjects": distinct(subjects)})
}

func distinct(all []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(all)))
}

func takeRows(ctx context.Context, tx pgx.Tx, into map[string]*Call, sql string, args pgx.NamedArgs) error {
	rows, err := tx.Query(ctx, sql, args)
	if err != nil {
		return err
	}
	calls, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[Call])
	for _, c := range calls {
		if into[c.ID] != nil {
			return fmt.Errorf("call %s has two rows", c.ID)
		}
		into[c.ID] = c
	}
	return err
}

// resume folds the later events into the rows that were taken.
func (p *page) resume(taken map[string]*Call) error {
	for _, c := range taken {
		p.sums.add(c, -1)
	}
	for _, l := range p.later {
		c := taken[l.call]
		if c == nil {
			return poison(l.at, "call %s never began", l.call)
		}
		if err := p.evolve(c, l.event, l.at); err != nil {
			return err
		}
	}
	for _, c := range taken {
		p.sums.add(c, 1)
		p.put(c)
	}
	if len(taken) > 0 {
		p.adds = p.sums.adds()
	}
	return nil
}

func copyTo(ctx context.Context, tx pgx.Tx, table string, rows copyData) error {
	if len(rows) == 0 {
		return nil
	}
	all := io.MultiReader(bytes.NewReader(copyHeader), bytes.NewReader(rows), bytes.NewReader(copyTrailer))
	_, err := tx.Conn().PgConn().CopyFrom(ctx, all, "copy "+table+" from stdin with (format binary)")
	return err
}

// months are those of the rows to be written.
func (p *page) months(taken map[string]*Call) []time.Time {
	all := map[time.Time]bool{}
	for _, c := range p.began {
		all[monthOf(c.StartedAt)] = true
	}
	for _, c := range taken {
		all[monthOf(c.StartedAt)] = true
	}
	var out []time.Time
	for m := range all {
		out = append(out, m)
	}
	return out
}
