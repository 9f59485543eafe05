package projections

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

const insertParked = `
	insert into read.parked (projection, generation, position, stream, revision, event_id, event_type, error)
	values (@projection, @generation, @position, @stream, @revision, @id, @type, @error)`

// maxParkedError bounds the text kept of an error.
const maxParkedError = 1000

// park puts the event now being applied aside.
func (b *Batch) park(g generation, why error) {
	e := b.event
	b.Queue(insertParked, pgx.NamedArgs{
		"projection": g.Projection, "generation": g.Number, "position": e.Position, "stream": e.Stream,
		"revision": e.Revision, "id": e.ID, "type": e.Type, "error": errorText(why),
	})
}

func errorText(why error) string {
	text := why.Error()
	return Text(text[:min(len(text), maxParkedError)])
}

// Parked is an event that waits for RetryParked.
type Parked struct {
	Projection string `db:"projection"`
	Stream     string `db:"stream"`
	Revision   int64  `db:"revision"`
	Position   int64  `db:"position"`
	EventID    string `db:"event_id"`
	EventType  string `db:"event_type"`
	Error      string `db:"error"`
}

const listParked = `
	select projection, stream, revision, parked.position, event_id, event_type, error
	from read.parked join read.checkpoint using (projection, generation)
	where live and (@projection = '' or projection = @projection)
	order by projection, parked.position
	limit @limit`

// maxListed bounds a list meant for a person.
const maxListed = 1000

// Parked lists the events put aside by a projection, or by all for "", in the
// order of the log, at most 1000.
func (r *Runner) Parked(ctx context.Context, name string) ([]Parked, error) {
	rows, err := r.db.Query(ctx, listParked, pgx.NamedArgs{"projection": name, "limit": maxListed})
	if err != nil {
		return nil, fmt.Errorf("list parked events: %w", err)
	}
	parked, err := pgx.CollectRows(rows, pgx.RowToStructByName[Parked])
	if err != nil {
		return nil, fmt.Errorf("list parked events: %w", err)
	}
	return parked, nil
}

// RetryParked applies what a projection has put aside, stream by stream and in
// order, after the cause was mended. A stream goes on being parked from the
// first event that still fails. The checkpoint stays where it is. It returns
// how many events were applied and how many are left.
func (r *Runner) RetryParked(ctx context.Context, name string) (applied, left int, err error) {
	p, err := r.find(name)
	if err != nil {
		return 0, 0, err
	}
	live, _, err := generations(ctx, r.db, name)
	if err != nil || live == nil {
		return 0, 0, err
	}
	rows, err := r.db.Query(ctx, parkedStreams, name, live.Number)
	if err != nil {
		return 0, 0, fmt.Errorf("retry parked of %s: %w", name, err)
	}
	streams, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, s := range streams {
		a, l, retryErr := r.retryStream(ctx, p, s)
		applied, left, err = applied+a, left+l, errors.Join(err, retryErr)
	}
	if err != nil {
		return applied, left, fmt.Errorf("retry parked of %s: %w", name, err)
	}
	return applied, left, nil
}

const parkedPositions = `
	select position from read.parked
	where projection = $1 and generation = $2 and stream = $3
	order by position`

func (r *Runner) retryStream(ctx context.Context, p Projection, stream string) (applied, left int, err error) {
	err = inTables(ctx, r.db, p.Name, func(tx pgx.Tx, g generation) error {
		rows, err := tx.Query(ctx, parkedPositions, g.Projection, g.Number, stream)
		if err != nil {
			return err
		}
		positions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		left = len(positions)
		for _, at := range positions {
			if again, err := r.retryEvent(ctx, tx, p, g, at); again || err != nil {
				return err
			}
			applied, left = applied+1, left-1
		}
		return err
	})
	if err != nil {
		applied = 0 // all of it was rolled back
	}
	return applied, left, err
}

const deleteParked = `
	delete from read.parked where projection = $1 and generation = $2 and position = $3`

const keepParked = `
	update read.parked set error = $4, parked_at = now()
	where projection = $1 and generation = $2 and position = $3`

// retryEvent applies one parked event; again says that it still cannot be.
func (r *Runner) retryEvent(ctx context.Context, tx pgx.Tx, p Projection, g generation, at int64) (again bool, err error) {
	page, err := r.feed.ReadAll(ctx, at-1, 1, eventstore.Filter{})
	if err != nil {
		return false, err
	}
	err = pgx.BeginFunc(ctx, tx, func(tx pgx.Tx) error {
		var b Batch
		for _, e := range page.Events {
			if e.Position != at {
				break // retention has taken the event away; nothing is left to apply
			}
			b.begin(e)
			if err := p.apply(&b, e, newSealers(ctx, r.keys)); err != nil {
				return err
			}
		}
		return b.send(ctx, tx)
	})
	var poison *PoisonError
	if errors.As(err, &poison) {
		_, err := tx.Exec(ctx, keepParked, g.Projection, g.Number, at, errorText(poison.Cause))
		return true, err
	}
	if err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, deleteParked, g.Projection, g.Number, at)
	return false, err
}
