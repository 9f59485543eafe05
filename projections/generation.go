package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// generation is one set of a projection's tables with its checkpoint.
type generation struct {
	Projection string `db:"projection"`
	Number     int64  `db:"generation"`
	Version    int    `db:"version"`
	LogID      string `db:"log_id"`
	Position   int64  `db:"position"`
	Live       bool   `db:"live"`
}

func (g generation) schema() string { return fmt.Sprintf("read_%s_%d", g.Projection, g.Number) }

func quote(names ...string) string { return pgx.Identifier(names).Sanitize() }

// lostError is returned if another runner moved the checkpoint of a generation or
// replaced it. The transaction is rolled back.
type lostError struct{ generation int64 }

// Error implements error.
func (e *lostError) Error() string {
	return fmt.Sprintf("another runner is at work on generation %d", e.generation)
}

const readGenerations = `
	select projection, generation, version, log_id, position, live
	from read.checkpoint
	where projection = $1
	order by generation`

// generations returns the live and the building tables of a projection, nil for
// either that does not exist.
func generations(ctx context.Context, q querier, name string) (live, building *generation, err error) {
	rows, err := q.Query(ctx, readGenerations, name)
	if err != nil {
		return nil, nil, err
	}
	all, err := pgx.CollectRows(rows, pgx.RowToStructByName[generation])
	for i := range all {
		if all[i].Live {
			live = &all[i]
		} else {
			building = &all[i]
		}
	}
	return live, building, err
}

const readGeneration = `
	select projection, generation, version, log_id, position, live
	from read.checkpoint
	where projection = $1 and generation = $2 and live = $3`

// reload returns the generation as it is now, nil if it was dropped or replaced.
func (g generation) reload(ctx context.Context, q querier) (*generation, error) {
	rows, err := q.Query(ctx, readGeneration, g.Projection, g.Number, g.Live)
	if err != nil {
		return nil, err
	}
	now, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[generation])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return now, err
}

type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

const newGeneration = `
	insert into read.checkpoint (projection, version, log_id, live)
	values ($1, $2, $3, $4)
	returning generation`

// create creates empty tables with a checkpoint at 0.
func (p Projection) create(ctx context.Context, tx pgx.Tx, logID string, live bool) (*generation, error) {
	g := generation{Projection: p.Name, Version: p.Version, LogID: logID, Live: live}
	if err := tx.QueryRow(ctx, newGeneration, p.Name, p.Version, logID, live).Scan(&g.Number); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, `create schema `+quote(g.schema())); err != nil {
		return nil, err
	}
	if err := g.enter(ctx, tx); err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, p.Tables); err != nil {
		return nil, fmt.Errorf("create tables: %w", err)
	}
	if stands, err := behindWall(ctx, tx); err != nil || !stands {
		return &g, err
	}
	if err := p.wall(ctx, tx, g); err != nil {
		return nil, fmt.Errorf("row-level security: %w", err)
	}
	return &g, nil
}

// useSchema lasts until the transaction ends.
const useSchema = `select set_config('search_path', $1, true)`

func (g generation) path() string { return quote(g.schema()) + ", public" }

// enter makes unqualified names refer to the generation's tables.
func (g generation) enter(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, useSchema, g.path())
	return err
}

// drop removes the tables with their checkpoint and parked events.
func (g generation) drop(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `delete from read.checkpoint where projection = $1 and generation = $2`, g.Projection, g.Number)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `drop schema if exists `+quote(g.schema())+` cascade`)
	return err
}

// ensure returns the tables a projection has to work on and creates missing ones:
// live tables if there are none, new ones beside them if the live ones are of an
// older version or another log. Live tables of a newer version are left alone: during
// a roll-out the newer program maintains them.
func (p Projection) ensure(ctx context.Context, db DB, logID string) (live, building *generation, err error) {
	err = p.locked(ctx, db, func(tx pgx.Tx) error {
		if live, building, err = generations(ctx, tx, p.Name); err != nil {
			return err
		}
		if live == nil {
			if live, err = p.create(ctx, tx, logID, true); err != nil {
				return err
			}
			return p.show(ctx, tx, *live)
		}
		if err := p.showSearched(ctx, tx, *live); err != nil {
			return err
		}
		if !p.outdated(*live, logID) {
			return nil
		}
		building, err = p.replacement(ctx, tx, *live, building, logID)
		return err
	})
	return live, building, err
}

// isOf reports whether a page is of the log and epoch the tables are of. A page that
// does not say so is.
func (g generation) isOf(page eventstore.Page) bool { return page.Log == "" || page.Log == g.LogID }

// isCurrent reports whether tables are of this version and log.
func (p Projection) isCurrent(g generation, logID string) bool {
	return g.Version == p.Version && g.LogID == logID
}

// outdated reports whether this program has to replace the live tables.
func (p Projection) outdated(live generation, logID string) bool {
	return live.Version <= p.Version && !p.isCurrent(live, logID)
}

// replacement returns the tables that will replace the live ones: those being built
// if they are current, or else new ones. From then on the views also have the new
// tables' columns, as nulls, so that queries of this version work before the swap.
func (p Projection) replacement(ctx context.Context, tx pgx.Tx, live generation, building *generation, logID string) (*generation, error) {
	if building != nil && p.isCurrent(*building, logID) {
		return building, nil
	}
	if building != nil {
		if err := building.drop(ctx, tx); err != nil {
			return nil, err
		}
	}
	g, err := p.create(ctx, tx, logID, false)
	if err != nil {
		return nil, err
	}
	return g, p.show(ctx, tx, live, *g)
}

// exclude keeps other set-ups and swaps of a projection out until the transaction ends.
func exclude(ctx context.Context, tx pgx.Tx, projection string) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, "read."+projection)
	return err
}

// locked runs f in a transaction that excludes other runners' set-up and swaps of
// this projection. Behind the wall it is the runners' role that works in it, whoever
// asks, so that all tables are that role's. Waiting for readers is bounded, since their
// queries would queue up behind the wait.
func (p Projection) locked(ctx context.Context, db DB, f func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db, func(tx pgx.Tx) error {
		if err := exclude(ctx, tx, p.Name); err != nil {
			return err
		}
		if _, err := behindWall(ctx, tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `set local lock_timeout = '2s'`); err != nil {
			return err
		}
		return f(tx)
	})
}
