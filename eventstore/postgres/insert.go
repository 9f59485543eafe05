package postgres

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// lockSQL makes the writers of this log, whatever process they are in, take
// turns until each has committed. Positions are drawn under it. In a statement of
// its own it also lets the next one, under read committed, see everything that
// was committed before the lock was granted.
var lockSQL = `select ` + writersTurn

var writersTurn = fmt.Sprintf("pg_advisory_xact_lock(%d)", WritersLock)

// goOnSQL adds events at revisions the client has worked out from what it
// remembers of the streams. It takes the lock by itself: the row of turn
// has to be there before a position is drawn. It looks at nothing but how often
// something was removed, which no snapshot hides. So that it has waited for the lock since
// an older snapshot does no harm: another count, by a division by zero, and a revision or
// an id that is taken, by a tombstone too, fail it as a whole.
//
// goOnOneSQL is the same for a lone event, which is what a writer without
// company waits for: without arrays it is a tenth faster.
//
// addSQL adds events to streams that have been looked at after lockSQL.
var (
	turnSQL = `turn as materialized (
		select from ` + writersTurn + ` where 1 / (coalesce(` + removalsSQL + `, -1) = $7)::int = 1)`
	goOnOneSQL = `
		with ` + turnSQL + `
		insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
		select nextval('log.position'), $2, clock_timestamp(), $3, $1, $4, $5, $6
		from turn
		returning position, ` + wordSQL
	goOnSQL = `
		with ` + turnSQL + addHeadSQL + `
		from turn, ` + addRowsSQL
	addSQL = addHeadSQL + `
		from ` + addRowsSQL
)

const (
	// removalsSQL asks a sequence, and a volatile function: it is called once there is a turn.
	removalsSQL = `pg_sequence_last_value('log.removals')`
	addHeadSQL  = `
		insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
		select nextval('log.position'), e.revision, clock_timestamp(), e.id, e.stream, e.type, e.data, e.meta`
	addRowsSQL = `unnest($1::text[], $2::bigint[], $3::uuid[], $4::text[], $5::bytea[], $6::bytea[])
		     e(stream, revision, id, type, data, meta)
		returning position, ` + wordSQL
)

// checkedSQL runs after lockSQL in the same transaction. It adds the events of
// those requests whose expectation holds and whose ids have been compared with all that is
// archived of their streams, up to $9, and looks once at each stream. An id
// that its stream has already, and a tombstone in the way, fail it as a whole.
const checkedSQL = `
	with streams as materialized (
		select array_agg(coalesce((
			select x.revision from log.events x
			where x.stream = r.stream and x.type <> '` + tombstone + `'
			order by x.revision desc limit 1), -1) order by r.place) as heads,
		       array_agg(coalesce((
			select a.to_revision from log.archived a
			where a.stream = r.stream
			order by a.from_revision desc limit 1), -1) order by r.place) as archived,
		       ` + removalsSQL + ` as removals
		from unnest($1::text[]) with ordinality r(stream, place)
	)
	insert into log.events (position, revision, recorded_at, id, stream, type, data, meta)
	select nextval('log.position'), s.heads[e.request] + e.nth, clock_timestamp(), e.id, ($1::text[])[e.request], e.type, e.data, e.meta
	from streams s, unnest($2::int[], $3::bigint[], $4::int[], $5::uuid[], $6::text[], $7::bytea[], $8::bytea[])
	     e(request, expected, nth, id, type, data, meta)
	where e.expected in (-2, s.heads[e.request]) and s.archived[e.request] <= ($9::bigint[])[e.request]
	returning stream, revision, position, ` + wordSQL + `, (select removals from streams)`

// added are the receipts of those requests of a batch that were added, by stream, the word
// of the epoch they were added in, and how often something had been removed from the log.
type added struct {
	placed   map[string]eventstore.Receipt
	word     int64
	removals int64
}

// add runs a batch in one round trip and one transaction. It gives the receipts
// of those requests it has added, by stream, and whether other processes have
// been told with it.
func (s *Store) add(ctx context.Context, batch []*request, look bool) (placed map[string]eventstore.Receipt, told bool, err error) {
	told = s.takeTurn()
	var got added
	err = s.retry(ctx, func() error {
		c, err := s.writers.Acquire(ctx)
		if err != nil {
			return err
		}
		defer c.Release()
		server := serverOf(c.Conn())
		revisions, removals, ok := s.heads.next(server, batch)
		if ok && !look && !c.Pooled() {
			got, err = goOn(ctx, c, batch, revisions, removals, told)
		} else {
			got, err = s.addChecked(ctx, c, batch, told)
		}
		if err == nil && len(got.placed) > 0 {
			s.heads.learn(server, got.removals, rememberable(batch, got.placed))
		}
		return err
	})
	if err != nil {
		s.heads.forget(batch)
	}
	return s.named(ctx, got), told, err
}

// named puts the log's name into the receipts. They stand by then: where the name cannot
// be had they go without.
func (s *Store) named(ctx context.Context, a added) map[string]eventstore.Receipt {
	if len(a.placed) == 0 {
		return nil
	}
	log, _ := s.name(ctx, a.word)
	for stream, r := range a.placed {
		r.Log = log
		a.placed[stream] = r
	}
	return a.placed
}

// rememberable are the placed streams of which nothing is archived.
func rememberable(batch []*request, placed map[string]eventstore.Receipt) map[string]eventstore.Receipt {
	isArchived := func(r *request) bool { return r.archived.upto > eventstore.NoRevision }
	if !slices.ContainsFunc(batch, isArchived) {
		return placed
	}
	out := maps.Clone(placed)
	for _, r := range batch {
		if isArchived(r) {
			delete(out, r.stream)
		}
	}
	return out
}

func goOn(ctx context.Context, c pgpool.Conn, batch []*request, revisions []int64, removals int64, tell bool) (got added, err error) {
	sql, args := goOnStatement(batch, revisions, removals)
	before := stepsOf(batch, false)
	read := func(rows pgx.Rows) (added, error) {
		return receiptsInOrder(rows, batch, revisions)
	}
	if tell || len(before) > 0 {
		got, err = transact(ctx, c, before, step{sql: sql, args: args}, tell, read)
	} else if rows, queryErr := c.Query(ctx, sql, args...); queryErr != nil {
		err = queryErr
	} else {
		got, err = read(rows)
	}
	var along *alongError
	if sqlState(err) == sqlDivisionByZero && !errors.As(err, &along) {
		return added{}, errRemoved
	}
	got.removals = removals
	return got, err
}

// errRemoved says that something was removed from the log since the streams were remembered.
var errRemoved = errors.New("the streams have to be looked at")

func goOnStatement(batch []*request, revisions []int64, removals int64) (sql string, args []any) {
	if r := batch[0]; len(batch) == 1 && len(r.events) == 1 {
		e := r.events[0]
		return goOnOneSQL, []any{r.stream, revisions[0], r.ids[0], e.Type, []byte(e.Data), notNull(e.Meta), removals}
	}
	var (
		e  = columnsOf(batch)
		at = make([]int64, 0, len(e.ids))
		of = make([]string, 0, len(e.ids))
	)
	for i, r := range batch {
		for nth := range r.events {
			at, of = append(at, revisions[i]+int64(nth)), append(of, r.stream)
		}
	}
	return goOnSQL, []any{of, at, e.ids, e.types, e.data, e.meta, removals}
}

// receiptsInOrder reads the positions of all events of a batch.
func receiptsInOrder(rows pgx.Rows, batch []*request, revisions []int64) (added, error) {
	got := added{placed: make(map[string]eventstore.Receipt, len(batch))}
	i, nth := 0, 0
	err := each(rows, func(columns [][]byte) {
		r := batch[i]
		got.word = bigint(columns[1])
		if nth++; nth == len(r.events) {
			got.placed[r.stream] = eventstore.Receipt{Revision: revisions[i] + int64(nth) - 1, Position: bigint(columns[0])}
			i, nth = i+1, 0
		}
	})
	if err != nil {
		return added{}, err
	}
	return got, nil
}

// addChecked looks at the streams and, where the connection is a pooler's, at the epoch,
// which it begins where that is due.
func (s *Store) addChecked(ctx context.Context, c pgpool.Conn, batch []*request, tell bool) (added, error) {
	got, err := addLooking(ctx, c, batch, tell)
	if !isAnotherHistory(err) {
		return got, err
	}
	if err := s.meet(ctx, c.Conn(), true); err != nil {
		return added{}, err
	}
	if got, err = addLooking(ctx, c, batch, tell); isAnotherHistory(err) {
		return added{}, &eventstore.UnavailableError{Op: "append", Cause: errAnotherHistory}
	}
	return got, err
}

func addLooking(ctx context.Context, c pgpool.Conn, batch []*request, tell bool) (added, error) {
	var (
		e        = columnsOf(batch)
		streams  = make([]string, len(batch))
		request  = make([]int32, 0, len(e.ids))
		expected = make([]int64, 0, len(e.ids))
		nth      = make([]int32, 0, len(e.ids))
		archived = make([]int64, len(batch))
	)
	for i, r := range batch {
		streams[i], archived[i] = r.stream, r.archived.comparedUpto()
		for j := range r.events {
			request, expected, nth = append(request, int32(i+1)), append(expected, r.expected), append(nth, int32(j+1))
		}
	}
	before := append(stepsOf(batch, true), step{sql: lockSQL})
	if c.Pooled() {
		before = append(before, step{sql: sameEpochSQL, refused: errAnotherHistory})
	}
	events := step{sql: checkedSQL, args: []any{streams, request, expected, nth, e.ids, e.types, e.data, e.meta, archived}}
	return transact(ctx, c, before, events, tell, receiptsByStream)
}

// transact runs statements in one round trip, as one transaction: what goes before, the
// one that adds the events, whose rows it reads, and the notification.
func transact(ctx context.Context, c pgpool.Conn, before []step, events step, tell bool, read func(pgx.Rows) (added, error)) (got added, err error) {
	var b pgx.Batch
	for _, st := range append(before, events) {
		b.Queue(st.sql, st.args...)
	}
	if tell {
		b.Queue(tellSQL)
	}
	results := c.SendBatch(ctx, &b)
	defer results.Close() // has nothing to add to the errors below
	changed := make([]int64, len(before))
	for i, st := range before {
		tag, err := results.Exec()
		if st.refused != nil && isRefusal(err) {
			return got, &alongError{st.refused, err}
		}
		if err != nil {
			return got, err
		}
		changed[i] = tag.RowsAffected()
	}
	rows, err := results.Query()
	if err != nil {
		return got, err
	}
	if got, err = read(rows); err != nil {
		return got, err
	}
	if err := results.Close(); err != nil { // the commit
		return got, err
	}
	for i, st := range before {
		if st.done != nil {
			st.done(changed[i])
		}
	}
	return got, nil
}

func receiptsByStream(rows pgx.Rows) (added, error) {
	got := added{placed: make(map[string]eventstore.Receipt)}
	var (
		stream string
		last   eventstore.Receipt
	)
	_, err := pgx.ForEachRow(rows, []any{&stream, &last.Revision, &last.Position, &got.word, &got.removals}, func() error {
		got.placed[stream] = last // an append's last event comes last
		return nil
	})
	return got, err
}

// columns are the parts of a batch's events that are the same to both ways of
// adding them.
type columns struct {
	ids        []pgtype.UUID
	types      []string
	data, meta [][]byte
}

func columnsOf(batch []*request) columns {
	n := 0
	for _, r := range batch {
		n += len(r.events)
	}
	c := columns{make([]pgtype.UUID, 0, n), make([]string, 0, n), make([][]byte, 0, n), make([][]byte, 0, n)}
	for _, r := range batch {
		c.ids = append(c.ids, r.ids...)
		for _, e := range r.events {
			c.types, c.data, c.meta = append(c.types, e.Type), append(c.data, e.Data), append(c.meta, notNull(e.Meta))
		}
	}
	return c
}

func notNull(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}
