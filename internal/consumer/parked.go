package consumer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
)

const park = `
	insert into feed.parked (consumer, position, stream, revision, event_id, event_type, reason)
	values (@consumer, @position, @stream, @revision, @id, @type, @reason)
	on conflict (consumer, position) do update set reason = excluded.reason, parked_at = now()`

// Park implements feed.Parking.
func (s Store) Park(ctx context.Context, consumer string, e eventstore.Recorded, reason string) error {
	if _, err := s.DB.Exec(ctx, park, parkArgs(consumer, e, reason)); err != nil {
		return fmt.Errorf("put %s aside for %s: %w", e.ID, consumer, err)
	}
	return nil
}

func parkArgs(consumer string, e eventstore.Recorded, reason string) pgx.NamedArgs {
	return pgx.NamedArgs{
		"consumer": consumer, "position": e.Position, "stream": e.Stream, "revision": e.Revision,
		"id": e.ID, "type": e.Type, "reason": text(reason),
	}
}

// The share locks wait for a row that RetryFirst is about to forget: whether the
// event is behind another is known only then.
const parkBehind = `
	with ahead as (
		select position from feed.parked
		where consumer = @consumer and stream = @stream
		for share
	), put as (
		insert into feed.parked (consumer, position, stream, revision, event_id, event_type, reason)
		select @consumer, @position::bigint, @stream, @revision::bigint, @id::uuid, @type, @reason
		where exists (select from ahead)
		on conflict (consumer, position) do nothing
	)
	select exists (select from ahead)`

// ParkBehind implements feed.Parking.
func (s Store) ParkBehind(ctx context.Context, consumer string, e eventstore.Recorded) (isBehind bool, err error) {
	err = s.DB.QueryRow(ctx, parkBehind, parkArgs(consumer, e, feed.BehindAnother)).Scan(&isBehind)
	if err != nil {
		return false, fmt.Errorf("look for what %s has put aside of %s: %w", consumer, e.Stream, err)
	}
	return isBehind, nil
}

const columns = `consumer, position, stream, revision, event_id::text, event_type, reason, parked_at`

const list = `
	select ` + columns + `
	from feed.parked
	where @consumer = '' or consumer = @consumer
	order by position, consumer
	limit @limit`

// maxListed bounds a list meant for people.
const maxListed = 1000

// Parked implements feed.Parking.
func (s Store) Parked(ctx context.Context, consumer string) ([]feed.Parked, error) {
	return s.list(ctx, list, pgx.NamedArgs{"consumer": consumer, "limit": maxListed})
}

func (s Store) list(ctx context.Context, sql string, args pgx.NamedArgs) ([]feed.Parked, error) {
	rows, err := s.DB.Query(ctx, sql, args)
	if err != nil {
		return nil, fmt.Errorf("list what was put aside: %w", err)
	}
	parked, err := pgx.CollectRows(rows, pgx.RowToStructByName[feed.Parked])
	if err != nil {
		return nil, fmt.Errorf("list what was put aside: %w", err)
	}
	return parked, nil
}

// The first of a stream is that before which there is none.
const firstOfStreams = `
	select ` + columns + `
	from feed.parked p
	where consumer = @consumer and position > @after and not exists (
		select from feed.parked before
		where before.consumer = p.consumer and before.stream = p.stream and before.position < p.position)
	order by position
	limit @limit`

// FirstParked implements feed.Parking.
func (s Store) FirstParked(ctx context.Context, consumer string, after int64) ([]feed.Parked, error) {
	return s.list(ctx, firstOfStreams, pgx.NamedArgs{"consumer": consumer, "after": after, "limit": maxListed})
}

const first = `
	select position from feed.parked
	where consumer = $1 and stream = $2
	order by position
	limit 1`

const lock = `
	select ` + columns + `
	from feed.parked
	where consumer = $1 and position = $2
	for update`

const forget = `delete from feed.parked where consumer = $1 and position = $2`

const keep = `
	update feed.parked set reason = $3, parked_at = now() where consumer = $1 and position = $2`

// RetryFirst implements feed.Parking.
func (s Store) RetryFirst(ctx context.Context, consumer, stream string, do func(context.Context, feed.Parked) error) (found bool, err error) {
	for !found && err == nil {
		var position int64
		err = s.DB.QueryRow(ctx, first, consumer, stream).Scan(&position)
		if errors.Is(err, pgx.ErrNoRows) {
			return false, nil
		}
		if err == nil {
			found, err = s.retry(ctx, consumer, position, do)
		}
	}
	return found, err
}

// retry handles one event under its lock. found is false if another process has
// handled it meanwhile.
func (s Store) retry(ctx context.Context, consumer string, position int64, do func(context.Context, feed.Parked) error) (found bool, err error) {
	err = pgx.BeginFunc(ctx, s.DB, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, lock, consumer, position)
		if err != nil {
			return err
		}
		p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[feed.Parked])
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		found = true
		if failed := do(ctx, p); failed != nil {
			_, err = tx.Exec(ctx, keep, consumer, position, text(failed.Error()))
			return err
		}
		_, err = tx.Exec(ctx, forget, consumer, position)
		return err
	})
	return found, err
}

// maxReason bounds the stored text of an error, which may contain a stack.
const maxReason = 1000

// text is a reason as Postgres can store it.
func text(reason string) string {
	reason = reason[:min(len(reason), maxReason)]
	return strings.ReplaceAll(strings.ToValidUTF8(reason, string(utf8.RuneError)), "\x00", "")
}
