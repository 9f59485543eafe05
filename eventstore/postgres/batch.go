package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// commitBatches is the lane: take a batch, run it, answer, again. There is one:
// the server runs batches one after the other anyway, and two would halve them.
func (s *Store) commitBatches() {
	for {
		batch := s.queue.take()
		if batch == nil {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.o.Timeout)
		s.commit(ctx, batch)
		cancel()
		s.queue.release()
	}
}

// commit runs a batch and answers each of its requests. Those the statement left
// out are judged; those the judgement finds nothing against run again, because
// the log has moved on in between.
func (s *Store) commit(ctx context.Context, batch []*request) {
	for len(batch) > 0 {
		s.at("append.begin")
		placed, err := s.add(ctx, batch)
		if len(batch) > 1 && isRefusal(err) {
			// One of them offends the server. Alone it drags no others along.
			for i := range batch {
				s.commit(ctx, batch[i:i+1])
			}
			return
		}
		if err != nil && !isDuplicate(err) {
			answerAll(batch, err)
			return
		}
		batch = s.judge(ctx, s.answerPlaced(batch, placed))
	}
}

// answerPlaced answers the requests that were added and returns the others.
func (s *Store) answerPlaced(batch []*request, placed map[string]eventstore.Receipt) (left []*request) {
	if len(placed) > 0 {
		s.at("append.committed")
		s.announce(placed)
	}
	for _, r := range batch {
		if receipt, ok := placed[r.stream]; ok {
			r.done <- answer{receipt: receipt}
		} else {
			left = append(left, r)
		}
	}
	return left
}

// judge answers the requests that were not added; it returns those that should
// have been.
func (s *Store) judge(ctx context.Context, left []*request) (again []*request) {
	if len(left) == 0 {
		return nil
	}
	found, err := s.look(ctx, left)
	if err != nil {
		answerAll(left, err)
		return nil
	}
	for i, r := range left {
		receipt, isNew, err := eventstore.Judge(r.stream, r.expected, r.events, found[i])
		if isNew {
			again = append(again, r)
			continue
		}
		r.done <- answer{receipt, err}
	}
	return again
}

func answerAll(batch []*request, err error) {
	for _, r := range batch {
		r.done <- answer{err: err}
	}
}

// lockSQL makes the writers of this log, whatever process they are in, take
// turns until each has committed. Whoever writes to the log does this first, in a
// statement of its own: under read committed the next one then sees everything
// that was committed before the lock was granted. The number is "log" in ASCII.
const lockSQL = `select pg_advisory_xact_lock(7106407)`

// Both statements add the events of those requests whose expectation holds. An
// id that is in the log already fails them as a whole, by the unique index.
//
// The first is for a lone event, which is what a writer without company waits
// for: without arrays it takes 43 µs instead of 57, the flush left out.
const (
	addOneSQL = `
		insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
		select nextval('log.position'),
		       1 + case when $2::bigint = -2 then coalesce((select x.revision from log.events x where x.stream = $1 order by x.revision desc limit 1), -1) else $2 end,
		       clock_timestamp(), $3::uuid, $1::text, $4::text, $5::bytea, $6::bytea
		where $2::bigint in (-2, coalesce((select x.revision from log.events x where x.stream = $1 order by x.revision desc limit 1), -1))
		  and (select r.tombstoned from log.retention r where r.stream = $1) is not true
		returning stream, revision, position`
	addSQL = `
		insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
		select nextval('log.position'),
		       e.nth + case when e.expected = -2 then coalesce((select x.revision from log.events x where x.stream = e.stream order by x.revision desc limit 1), -1) else e.expected end,
		       clock_timestamp(), e.id, e.stream, e.type, e.data, e.meta
		from unnest($1::text[], $2::bigint[], $3::int[], $4::uuid[], $5::text[], $6::bytea[], $7::bytea[])
		     e(stream, expected, nth, id, type, data, meta)
		where e.expected in (-2, coalesce((select x.revision from log.events x where x.stream = e.stream order by x.revision desc limit 1), -1))
		  and (select r.tombstoned from log.retention r where r.stream = e.stream) is not true
		returning stream, revision, position`
)

// add runs a batch in one round trip and one transaction. It gives the receipts
// of those requests it has added, by stream.
func (s *Store) add(ctx context.Context, batch []*request) (map[string]eventstore.Receipt, error) {
	var placed map[string]eventstore.Receipt
	err := s.retry(ctx, func() error {
		var b pgx.Batch
		b.Queue(lockSQL)
		queueEvents(&b, batch)
		results := s.writers.SendBatch(ctx, &b)
		defer results.Close() // has nothing to add to the errors below
		if _, err := results.Exec(); err != nil {
			return err
		}
		rows, err := results.Query()
		if err != nil {
			return err
		}
		placed, err = collectReceipts(rows)
		if err != nil {
			return err
		}
		return results.Close() // the commit
	})
	return placed, err
}

func queueEvents(b *pgx.Batch, batch []*request) {
	n := 0
	for _, r := range batch {
		n += len(r.events)
	}
	if n == 1 {
		r, e := batch[0], batch[0].events[0]
		b.Queue(addOneSQL, r.stream, r.expected, r.ids[0], e.Type, []byte(e.Data), notNull(e.Meta))
		return
	}
	streams, expected, nth := make([]string, 0, n), make([]int64, 0, n), make([]int32, 0, n)
	ids, types := make([]pgtype.UUID, 0, n), make([]string, 0, n)
	data, meta := make([][]byte, 0, n), make([][]byte, 0, n)
	for _, r := range batch {
		for i, e := range r.events {
			streams = append(streams, r.stream)
			expected = append(expected, r.expected)
			nth = append(nth, int32(i+1))
			types = append(types, e.Type)
			data = append(data, e.Data)
			meta = append(meta, notNull(e.Meta))
		}
		ids = append(ids, r.ids...)
	}
	b.Queue(addSQL, streams, expected, nth, ids, types, data, meta)
}

func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func collectReceipts(rows pgx.Rows) (map[string]eventstore.Receipt, error) {
	placed := make(map[string]eventstore.Receipt)
	var (
		stream string
		last   eventstore.Receipt
	)
	_, err := pgx.ForEachRow(rows, []any{&stream, &last.Revision, &last.Position}, func() error {
		placed[stream] = last // an append's last event comes last
		return nil
	})
	return placed, err
}
