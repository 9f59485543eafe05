// Package consumer stores, in Postgres, how far each consumer of the log has come and
// which events it has parked. It implements the ports of eventstore/feed in the
// schema feed.
//
// A checkpoint has a term. Claim raises it and Save requires it: of two processes
// that both believe to own a consumer, only the last to claim can save. A position is
// never lowered.
//
// A parked event is stored as a reference, so erasing a text from the log erases it
// here too. Events of one stream are handled in order and one at a time, under row
// locks.
//
// If a server crash undoes a commit, its position is undone with it, and the events
// come again.
package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/eventstore/feed"
)

// DB is the part of a pgx pool that a Store uses.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Store implements feed.Checkpoints and feed.Parking in a migrated database (see
// Migrate). It is safe for concurrent use.
type Store struct{ DB DB }

var (
	_ feed.Checkpoints = Store{}
	_ feed.Parking     = Store{}
)

// What a consumer has put aside of another log or topic, or beyond where it is set back
// to, cannot be read again, or comes again; it goes.
const claimSQL = `
	with stands as (
		select position, case
			when topic <> @topic then 0
			when log_id = @was then @past::bigint
			when log_id = @log then 9223372036854775807
			else 0 end as holds
		from feed.checkpoint
		where consumer = @consumer
		for update
	), forgotten as (
		delete from feed.parked
		where consumer = @consumer and position > coalesce((select holds from stands), 0)
	)
	insert into feed.checkpoint as c (consumer, topic, log_id) values (@consumer, @topic, @log)
	on conflict (consumer) do update set
		term = c.term + 1, topic = excluded.topic, log_id = excluded.log_id,
		position = coalesce((select least(position, holds) from stands), 0),
		moved_at = case when c.position <= coalesce((select holds from stands), 0) then c.moved_at else now() end
	returning term, position, moved_at`

// Claim implements feed.Checkpoints.
func (s Store) Claim(ctx context.Context, c feed.Consumer) (feed.Checkpoint, error) {
	at := feed.Checkpoint{Log: c.Log}
	err := s.DB.QueryRow(ctx, claimSQL, pgx.NamedArgs{
		"consumer": c.Name, "topic": c.Topic, "log": c.Log, "was": c.Was, "past": c.Past,
	}).Scan(&at.Term, &at.Position, &at.MovedAt)
	return at, err
}

const save = `
	update feed.checkpoint set position = greatest(position, $3), moved_at = now()
	where consumer = $1 and term = $2 and log_id = $4`

// Save implements feed.Checkpoints.
func (s Store) Save(ctx context.Context, c feed.Consumer, term, position int64) error {
	tag, err := s.DB.Exec(ctx, save, c.Name, term, position, c.Log)
	if err == nil && tag.RowsAffected() == 0 {
		err = &feed.LostError{Consumer: c.Name}
	}
	return err
}

const at = `
	select log_id, term, position, moved_at,
		(select count(*) from feed.parked p where p.consumer = c.consumer) as parked
	from feed.checkpoint c
	where consumer = $1`

// At implements feed.Checkpoints.
func (s Store) At(ctx context.Context, consumer string) (feed.Checkpoint, error) {
	var c feed.Checkpoint
	err := s.DB.QueryRow(ctx, at, consumer).Scan(&c.Log, &c.Term, &c.Position, &c.MovedAt, &c.Parked)
	if errors.Is(err, pgx.ErrNoRows) {
		return feed.Checkpoint{}, nil
	}
	if err != nil {
		return c, fmt.Errorf("checkpoint of %s: %w", consumer, err)
	}
	return c, nil
}
