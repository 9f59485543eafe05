package projections

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

const insertParked = `
	insert into read.parked (projection, generation, position, stream, revision, event_id, event_type, tenant, error)
	values (@projection, @generation, @position, @stream, @revision, @id, @type, @tenant, @error)`

// maxParkedError bounds the text kept of an error.
const maxParkedError = 1000

// park parks the event being applied.
func (b *Batch) park(g generation, why error) {
	e := b.event
	b.Queue(insertParked, pgx.NamedArgs{
		"projection": g.Projection, "generation": g.Number, "position": e.Position, "stream": e.Stream,
		"revision": e.Revision, "id": e.ID, "type": e.Type, "tenant": e.Metadata().Tenant, "error": errorText(why),
	})
}

const forgetParked = `
	delete from read.parked where projection = @projection and generation = @generation and stream = @stream`

// unpark drops what is parked of the stream of the event being applied.
func (b *Batch) unpark(g generation) {
	b.Queue(forgetParked, pgx.NamedArgs{"projection": g.Projection, "generation": g.Number, "stream": b.event.Stream})
}

func errorText(why error) string {
	text := why.Error()
	return Text(text[:min(len(text), maxParkedError)])
}

// Parked is an event that waits for RetryParked. The event itself is in the log.
type Parked struct {
	Projection string    `db:"projection" json:"projection"`
	Tenant     string    `db:"tenant" json:"tenant"`
	Stream     string    `db:"stream" json:"stream"`
	Revision   int64     `db:"revision" json:"revision"`
	Position   int64     `db:"position" json:"position"`
	EventID    string    `db:"event_id" json:"eventId"`
	EventType  string    `db:"event_type" json:"type"`
	Error      string    `db:"error" json:"reason"`
	ParkedAt   time.Time `db:"parked_at" json:"parkedAt"`
}

// ParkedFilter chooses events that were put aside: of a projection, of a tenant;
// "" is all.
type ParkedFilter struct{ Projection, Tenant string }

const listParked = `
	select projection, tenant, stream, revision, parked.position, event_id, event_type, error, parked_at
	from read.parked join read.checkpoint using (projection, generation)
	where live and (@projection = '' or projection = @projection) and (@tenant = '' or tenant = @tenant)
	order by projection, parked.position
	limit @limit`

// maxListed bounds a list meant for people.
const maxListed = 1000

// Parked lists the events put aside that a filter chooses, by projection and in the
// order of the log, at most 1000. The error is PROJECTION_NOT_FOUND for a projection
// this program does not have.
func (r *Runner) Parked(ctx context.Context, f ParkedFilter) ([]Parked, error) {
	if f.Projection != "" {
		if _, err := r.find(f.Projection); err != nil {
			return nil, err
		}
	}
	rows, err := r.db.Query(ctx, listParked, pgx.NamedArgs{"projection": f.Projection, "tenant": f.Tenant, "limit": maxListed})
	if err != nil {
		return nil, fmt.Errorf("list parked events: %w", Unavailable(err))
	}
	parked, err := pgx.CollectRows(rows, pgx.RowToStructByName[Parked])
	if err != nil {
		return nil, fmt.Errorf("list parked events: %w", Unavailable(err))
	}
	return parked, nil
}

const parkedStreamsOf = `
	select distinct stream from read.parked
	where projection = $1 and generation = $2 and ($3 = '' or tenant = $3)
	order by stream`

// RetryParked applies what a projection has put aside, stream by stream and in
// order, after the cause was mended. A stream goes on being parked from the
// first event that still fails. The checkpoint stays where it is. It returns
// how many events were applied and how many are left, of the tenant if one is given.
//
// Runners at work, of any process, only wait: a stream is retried in one transaction
// that holds the projection's checkpoint. The error is PROJECTION_NOT_FOUND for a
// projection this program does not have, and RESOURCE_CONFLICT where its tables are
// of another version than this program's.
func (r *Runner) RetryParked(ctx context.Context, f ParkedFilter) (applied, left int, err error) {
	p, err := r.find(f.Projection)
	if err != nil {
		return 0, 0, err
	}
	live, streams, err := r.parkedStreams(ctx, f)
	if err != nil {
		return 0, 0, fmt.Errorf("retry parked of %s: %w", p.Name, Unavailable(err))
	}
	if len(streams) > 0 && live.Version != p.Version {
		return 0, 0, domain.Errorf(domain.Conflict, domain.CodeConflict,
			"the tables of %s are of version %d, this program works on version %d", p.Name, live.Version, p.Version)
	}
	for _, s := range streams {
		a, l, retryErr := r.retryStream(ctx, p, *live, s)
		applied, left, err = applied+a, left+l, errors.Join(err, retryErr)
		if ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return applied, left, fmt.Errorf("retry parked of %s: %w", p.Name, Unavailable(err))
	}
	return applied, left, nil
}

// parkedStreams lists the streams of which something is put aside beside the live
// tables, which are nil where there are none yet.
func (r *Runner) parkedStreams(ctx context.Context, f ParkedFilter) (live *generation, streams []string, err error) {
	live, _, err = generations(ctx, r.db, f.Projection)
	if err != nil || live == nil {
		return nil, nil, err
	}
	rows, err := r.db.Query(ctx, parkedStreamsOf, f.Projection, live.Number, f.Tenant)
	if err != nil {
		return nil, nil, err
	}
	streams, err = pgx.CollectRows(rows, pgx.RowTo[string])
	return live, streams, err
}

const parkedPositions = `
	select position from read.parked
	where projection = $1 and generation = $2 and stream = $3
	order by position`

// retryStream applies what is put aside of a stream. Tables that were swapped in
// meanwhile have nothing put aside, or things of their own.
func (r *Runner) retryStream(ctx context.Context, p Projection, live generation, stream string) (applied, left int, err error) {
	err = inTables(ctx, r.db, p.Name, func(tx pgx.Tx, g generation) error {
		if g.Number != live.Number {
			return nil
		}
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

// retryEvent applies one parked event. again reports that it still fails.
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
