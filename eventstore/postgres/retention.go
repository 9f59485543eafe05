package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

const setRetentionSQL = `
	insert into log.retention as r (stream, max_age, max_count, truncate_before)
	values ($1, nullif($2::bigint, 0) * interval '1 microsecond', nullif($3::bigint, 0), $4)
	on conflict (stream) do update
	set max_age = excluded.max_age, max_count = excluded.max_count, truncate_before = excluded.truncate_before
	where not r.tombstoned`

// SetRetention implements eventstore.Keeper. Ages count in microseconds.
func (s *Store) SetRetention(ctx context.Context, stream string, r eventstore.Retention) error {
	if err := eventstore.CheckRetention(stream, r); err != nil {
		return err
	}
	age := (r.MaxAge + time.Microsecond - 1).Microseconds() // never rounded down to "for ever"
	return s.bounded(ctx, "set retention of "+stream, func(ctx context.Context) error {
		tag, err := s.writers.Exec(ctx, setRetentionSQL, stream, age, r.MaxCount, r.TruncateBefore)
		if err == nil && tag.RowsAffected() == 0 {
			return &eventstore.DeletedError{Stream: stream}
		}
		return err
	})
}

// tombstone is the type of the row that ends a stream: see migrations.
const tombstone = "$tombstone"

// endSQL runs after lockSQL in the same transaction.
const endSQL = `
	with stream as (
		select $1::text as name,
		       coalesce((
			select x.revision from log.events x
			where x.stream = $1 and x.type <> '` + tombstone + `'
			order by x.revision desc limit 1), -1) as head,
		       coalesce((select r.tombstoned from log.retention r where r.stream = $1), false) as ended
	), done as (
		insert into log.retention (stream, deleted_before, tombstoned)
		select s.name, s.head + case when $3 then 2 else 1 end, $3 from stream s
		where not s.ended and $2::bigint in (-2, s.head)
		on conflict (stream) do update
		set deleted_before = excluded.deleted_before, tombstoned = excluded.tombstoned
		returning 1
	), mark as (
		insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
		select nextval('log.position'), s.head + 1, clock_timestamp(), gen_random_uuid(), s.name, '` + tombstone + `', '{}', ''
		from stream s, done
		where $3
	)
	select s.head, s.ended, exists (select from done) from stream s`

// Delete implements eventstore.Keeper.
func (s *Store) Delete(ctx context.Context, stream string, expected int64) error {
	ended, err := s.end(ctx, "delete "+stream, stream, expected, false)
	if err == nil && ended {
		return &eventstore.DeletedError{Stream: stream}
	}
	return err
}

// Tombstone implements eventstore.Keeper.
func (s *Store) Tombstone(ctx context.Context, stream string, expected int64) error {
	_, err := s.end(ctx, "tombstone "+stream, stream, expected, true)
	return err
}

// end hides the events of a stream, and forGood ends it. It reports whether it
// was ended before.
func (s *Store) end(ctx context.Context, op, stream string, expected int64, forGood bool) (ended bool, err error) {
	if err := eventstore.CheckKeep(stream, expected); err != nil {
		return false, err
	}
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		var b pgx.Batch
		b.Queue(lockSQL)
		b.Queue(endSQL, stream, expected, forGood)
		results := s.writers.SendBatch(ctx, &b)
		defer results.Close() // has nothing to add to the errors below
		if _, err := results.Exec(); err != nil {
			return err
		}
		var (
			head int64
			done bool
		)
		if err := results.QueryRow().Scan(&head, &ended, &done); err != nil {
			return err
		}
		if !ended && !done {
			return &eventstore.WrongRevisionError{Stream: stream, Expected: expected, Actual: head}
		}
		return results.Close() // the commit
	})
	return ended, err
}

const keptSQL = `
	select stream, tombstoned,
	       case when tombstoned then 0 else coalesce((extract(epoch from max_age) * 1000000)::bigint, 0) end,
	       case when tombstoned then 0 else coalesce(max_count, 0) end,
	       case when tombstoned then 0 else truncate_before end
	from log.retention
	where stream > $1
	  and (max_age is not null or max_count is not null or truncate_before > 0 or deleted_before > 0 or tombstoned)
	order by stream
	limit $2`

// Kept implements eventstore.Keeper.
func (s *Store) Kept(ctx context.Context, after string, limit int) (kept []eventstore.Kept, err error) {
	limit, err = eventstore.CheckKept(limit)
	if err != nil {
		return nil, err
	}
	err = s.bounded(ctx, "list kept streams", func(ctx context.Context) error {
		rows, _ := s.readers.Query(ctx, keptSQL, after, limit) // rows carry the error
		kept, err = pgx.CollectRows(rows, scanKept)
		return err
	})
	return kept, err
}

func scanKept(row pgx.CollectableRow) (k eventstore.Kept, err error) {
	var microseconds int64
	err = row.Scan(&k.Stream, &k.Ended, &microseconds, &k.Retention.MaxCount, &k.Retention.TruncateBefore)
	k.Retention.MaxAge = time.Duration(microseconds) * time.Microsecond
	return k, err
}
