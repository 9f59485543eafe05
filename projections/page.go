package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// advance applies a page to a generation's tables and moves its checkpoint, in one
// transaction of its own. Under the policy Park it is repeated without the events the database
// refused, which are parked.
func (r *Runner) advance(ctx context.Context, p Projection, g generation, f fetched) error {
	refused := map[int64]error{}
	for {
		err := pgx.BeginFunc(ctx, r.db, func(tx pgx.Tx) error {
			if p.ReadPage != nil {
				return g.writePage(ctx, tx, f)
			}
			return r.applyPage(ctx, tx, p, g, f.page, refused)
		})
		var poison *PoisonError
		if !errors.As(err, &poison) || p.OnPoison == Stop {
			return err
		}
		if refused[poison.Event.Position] != nil {
			return fmt.Errorf("put aside: %w", err)
		}
		refused[poison.Event.Position] = poison.Cause
	}
}

// writePage applies a page that was read as a whole.
func (g generation) writePage(ctx context.Context, tx pgx.Tx, f fetched) error {
	if _, err := g.claim(ctx, tx, f.page.Scanned); err != nil {
		return err
	}
	return f.rows.Write(ctx, tx)
}

func (r *Runner) applyPage(ctx context.Context, tx pgx.Tx, p Projection, g generation, page eventstore.Page, refused map[int64]error) error {
	parked, err := g.claim(ctx, tx, page.Scanned)
	if err != nil {
		return err
	}
	var b Batch
	if err := p.queue(&b, g, page, parked, refused, newSealers(ctx, r.keys)); err != nil {
		return err
	}
	return b.send(ctx, tx)
}

// queue queues the statements of a page. What was refused, or is behind what is parked,
// is parked.
func (p Projection) queue(b *Batch, g generation, page eventstore.Page, parked map[string]bool, refused map[int64]error, keys *sealers) error {
	for _, e := range page.Events {
		if e.Position <= g.Position {
			continue // handed out twice, applied once
		}
		b.begin(e)
		why := refused[e.Position]
		switch {
		case slices.Contains(p.Forgets, e.Type):
			delete(parked, e.Stream)
			b.unpark(g)
		case parked[e.Stream]:
			why = errBehindPoison
		}
		if why == nil {
			var poison *PoisonError
			err := p.apply(b, e, keys)
			if err != nil && (!errors.As(err, &poison) || p.OnPoison == Stop) {
				return err
			}
			if poison != nil {
				why = poison.Cause
			}
		}
		if why != nil {
			parked[e.Stream] = true
			b.park(g, why)
		}
	}
	return nil
}

var errBehindPoison = errors.New("an earlier event of the stream is parked")

// apply queues an event's statements, or nothing if the event cannot be read.
func (p Projection) apply(b *Batch, e eventstore.Recorded, keys *sealers) error {
	err := p.Apply(b, e, keys.of(e))
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errKeys):
		return fmt.Errorf("keys of %s: %w", e.Stream, err)
	}
	b.dropEvent()
	return &PoisonError{e, err}
}

const moveCheckpoint = `
	update read.checkpoint
	set position = $1, updated_at = now()
	where projection = $2 and generation = $3 and position = $4 and log_id = $5`

const parkedStreams = `
	select distinct stream from read.parked where projection = $1 and generation = $2`

// claim moves the checkpoint from where this runner expects it and so holds it until
// the transaction ends. It returns *lostError if the checkpoint is at another
// position, or has gone over to another epoch of the log. It returns the parked streams and makes unqualified names refer to the
// generation's tables; behind the wall a table that is made is the runners' role's.
func (g generation) claim(ctx context.Context, tx pgx.Tx, to int64) (parked map[string]bool, err error) {
	var b pgx.Batch
	b.Queue(takeRole, RunnerRole)
	b.Queue(useSchema, g.path())
	b.Queue(moveCheckpoint, to, g.Projection, g.Number, g.Position, g.LogID)
	b.Queue(parkedStreams, g.Projection, g.Number)
	results := tx.SendBatch(ctx, &b)
	defer results.Close() // every result is read below
	for range 2 {         // the role, the schema
		if _, err := results.Exec(); err != nil {
			return nil, err
		}
	}
	tag, err := results.Exec()
	if err != nil {
		return nil, err
	}
	if tag.RowsAffected() == 0 {
		return nil, &lostError{g.Number}
	}
	rows, err := results.Query()
	if err != nil {
		return nil, err
	}
	streams, err := pgx.CollectRows(rows, pgx.RowTo[string])
	parked = map[string]bool{}
	for _, s := range streams {
		parked[s] = true
	}
	return parked, err
}
