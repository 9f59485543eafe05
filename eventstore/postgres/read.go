package postgres

import (
	"context"
	"fmt"
	"iter"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/eventstore"
)

// window is how many positions one ReadAll looks at, so that a filter which lets
// nothing through still answers at once (10 000 rows: some 5 ms).
const window = 10_000

// floorSQL is the first revision that retention lets readers of stream $1 see; h
// is its head and r its row in log.retention. Where age counts, the first event
// young enough is found by halving: a stream's events are recorded in order, and a
// million that have expired take twenty looks. The first ones may have left the table.
const floorSQL = `
	greatest(0, r.truncate_before, r.deleted_before, h.revision - r.max_count + 1, case when r.max_age is not null then (
		with recursive halves(low, high) as (
			select (select x.revision from log.events x where x.stream = r.stream order by x.revision limit 1), h.revision + 1
			union all
			select case when x.recorded_at < now() - r.max_age then x.revision + 1 else s.low end,
			       case when x.recorded_at < now() - r.max_age then s.high else x.revision end
			from halves s
			join log.events x on x.stream = r.stream and x.revision = (s.low + s.high) / 2
			where s.low < s.high
		)
		select max(low) from halves
	) end)`

// Both directions of a stream read. One row always comes, for the head.
const (
	readStreamSQL = readStreamHeadSQL + `
			  and x.revision >= greatest($2::bigint, ` + floorSQL + `)
			order by x.revision
			limit $3) e on true`
	readStreamBackwardsSQL = readStreamHeadSQL + `
			  and x.revision <= case when $2::bigint < 0 then h.revision else $2 end
			  and x.revision >= ` + floorSQL + `
			order by x.revision desc
			limit $3) e on true`
	readStreamHeadSQL = `
		select ` + wordSQL + `, coalesce(h.revision, -1), coalesce(h.position, 0), ` + eventColumns + `
		from (select) one
		left join lateral (
			select x.revision, x.position from log.events x
			where x.stream = $1 and x.type <> '` + tombstone + `'
			order by x.revision desc limit 1) h on true
		left join log.retention r on r.stream = $1
		left join lateral (
			select x.* from log.events x
			where x.stream = $1`
)

// ReadStream implements eventstore.Log.
func (s *Store) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	o, err := eventstore.CheckRead(stream, o)
	if err != nil {
		return eventstore.Slice{}, err
	}
	var out eventstore.Slice
	op := "read " + stream
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		rows, err := s.readers.Query(ctx, streamSQL(o), stream, o.From, o.Limit+1)
		if err != nil {
			return err
		}
		var word int64
		if out, word, err = collectSlice(rows, o.Limit); err == nil {
			out.Log, err = s.name(ctx, word)
		}
		return err
	})
	if err == nil && isShort(out, o) {
		return s.readArchived(ctx, op, stream, o, out)
	}
	return out, err
}

// streamSQL reads a stream in one direction. It is asked for one more event than is
// wanted, which tells whether there is more.
func streamSQL(o eventstore.ReadOptions) string {
	if o.Direction == eventstore.Backwards {
		return readStreamBackwardsSQL
	}
	return readStreamSQL
}

// isShort reports whether older events than those read were asked for, and exist or have
// existed: retention hides them, or they are in the archive.
func isShort(s eventstore.Slice, o eventstore.ReadOptions) bool {
	n := len(s.Events)
	switch {
	case s.Head < 0:
		return false
	case o.Direction == eventstore.Backwards:
		return !s.More && (n == 0 || s.Events[n-1].Revision > 0)
	case n == 0:
		return o.From <= s.Head
	}
	return s.Events[0].Revision > o.From
}

func collectSlice(rows pgx.Rows, limit int) (out eventstore.Slice, word int64, err error) {
	out.Head = eventstore.NoRevision
	d := newDecoder()
	err = each(rows, func(columns [][]byte) {
		word, out.Head, out.Position = bigint(columns[0]), bigint(columns[1]), bigint(columns[2])
		switch e, ok := d.event(columns[3:]); {
		case !ok:
		case len(out.Events) == limit:
			out.More = true
		default:
			out.Events = append(out.Events, e)
		}
	})
	return out, word, err
}

// A page of the log takes three statements: how far it reaches, at most window
// positions, its events, and its epoch. They are read after that, so there may be some
// beyond, and they are right too: in the order of positions nothing can appear at or
// below what has been seen. The epoch comes last: no event is of a later one. The look
// into log.retention is left out while it is empty.
const (
	epochSQL   = `select ` + wordSQL
	reachSQL   = `select least($1::bigint + $2::bigint, coalesce(max(position), 0)) from log.events`
	readAllSQL = `
		select s.older, e.*
		from (select exists (
			select from log.segments where last_position > $1 and first_position <= $1 + $2::bigint) as older) s
		left join lateral (
			select ` + eventColumns + `
			from log.events e
			where e.position > $1 and e.position <= $1 + $2::bigint
			  and ($4::text[] is null or split_part(e.stream, '-', 1) = any ($4))
			  and ($5::text[] is null or e.type = any ($5))
			  and not ((select exists (select from log.retention)) and exists (
				select from log.retention r
				where r.stream = e.stream
				  and (e.revision < greatest(r.truncate_before, r.deleted_before)
				    or e.recorded_at < now() - r.max_age
				    or e.revision <= (select max(y.revision) from log.events y where y.stream = e.stream) - r.max_count)))
			order by e.position
			limit $3) e on true`
)

// ReadAll implements eventstore.Feed.
func (s *Store) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	limit, err := eventstore.CheckReadAll(after, limit, f)
	if err != nil {
		return eventstore.Page{}, err
	}
	var out eventstore.Page
	var older bool
	op := fmt.Sprintf("read the log after %d", after)
	err = s.bounded(ctx, op, func(ctx context.Context) error {
		var word int64
		var err error
		if out, word, older, err = readPage(ctx, s.readers, after, limit, f); err == nil {
			out.Log, err = s.name(ctx, word)
		}
		return err
	})
	if err == nil && older {
		return s.readOlder(ctx, op, after, limit, f)
	}
	return out, err
}

// asked is a pool or a transaction that statements are sent to.
type asked interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// readPage reads what log.events has of a page. older says that there are segments with
// events of it too.
func readPage(ctx context.Context, db asked, after int64, limit int, f eventstore.Filter) (out eventstore.Page, word int64, older bool, err error) {
	var b pgx.Batch
	from := min(after, math.MaxInt64-window)
	b.Queue(reachSQL, from, window)
	b.Queue(readAllSQL, from, window, limit, list(f.Categories), list(f.Types))
	b.Queue(epochSQL)
	results := db.SendBatch(ctx, &b)
	defer results.Close() // has nothing to add to the errors below
	var reach int64
	if err := results.QueryRow().Scan(&reach); err != nil {
		return out, 0, false, err
	}
	rows, _ := results.Query() // rows carry the error
	out = eventstore.Page{Scanned: max(reach, after), End: reach < from+window}
	if len(f.Categories)+len(f.Types) == 0 {
		out.Events = make([]eventstore.Recorded, 0, min(int64(limit), out.Scanned-after))
	}
	if older, err = collectPage(rows, limit, &out); err != nil {
		return out, 0, false, err
	}
	if err = results.QueryRow().Scan(&word); err == nil {
		err = results.Close() // what follows may need the connection
	}
	return out, word, older, err
}

// list is null for an empty list, which lets everything through.
func list(names []string) any {
	if len(names) == 0 {
		return nil
	}
	return names
}

func collectPage(rows pgx.Rows, limit int, out *eventstore.Page) (older bool, err error) {
	d := newDecoder()
	err = each(rows, func(columns [][]byte) {
		older = columns[0][0] != 0
		if e, ok := d.event(columns[1:]); ok {
			out.Events = append(out.Events, e)
		}
	})
	if n := len(out.Events); n == limit {
		out.Scanned, out.End = out.Events[n-1].Position, false
	} else if n > 0 {
		out.Scanned = max(out.Scanned, out.Events[n-1].Position)
	}
	return older, err
}

// Subscribe implements eventstore.Subscriber.
func (s *Store) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	return eventstore.Follow(ctx, s, after, f)
}

// SubscribeStream implements eventstore.Subscriber.
func (s *Store) SubscribeStream(ctx context.Context, stream string, from int64) iter.Seq2[eventstore.Slice, error] {
	return eventstore.FollowStream(ctx, s, stream, from)
}

// Head implements eventstore.Feed.
func (s *Store) Head(ctx context.Context) (int64, error) {
	var head int64
	err := s.bounded(ctx, "head of the log", func(ctx context.Context) error {
		return s.readers.QueryRow(ctx, headSQL).Scan(&head)
	})
	return head, err
}
