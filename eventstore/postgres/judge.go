package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

const (
	headsSQL = `
		select coalesce((
			select x.revision from log.events x
			where x.stream = s.name and x.type <> '` + tombstone + `'
			order by x.revision desc limit 1), -1),
		       coalesce((select r.tombstoned from log.retention r where r.stream = s.name), false), ` + wordSQL + `
		from unnest($1::text[]) with ordinality s(name, place)
		order by s.place`
	knownSQL = `
		select ` + eventColumns + `
		from unnest($1::text[], $2::uuid[]) q(stream, id)
		join log.events e on e.stream = q.stream and e.id = q.id`
	// archivedSQL gives up to which revision each stream is archived.
	archivedSQL = `
		select coalesce((
			select a.to_revision from log.archived a
			where a.stream = s.name
			order by a.from_revision desc limit 1), -1)
		from unnest($1::text[]) with ordinality s(name, place)
		order by s.place`
	// settleSQL writes something of no meaning to the server's own log, so that
	// its commit is waited for.
	settleSQL = `select pg_logical_emit_message(true, 'stepledger', '')`
)

// sought is what Judge wants to know about a request, the word of the epoch it is had in,
// and up to which revision its stream is archived.
type sought struct {
	eventstore.Found
	word     int64
	archived int64
}

// look finds what Judge wants to know about each request. The heads come first:
// a head that is older than the known events makes a request run again, while one
// that is newer would refuse a repeat. How far the archive reaches comes last: what was
// moved there after the known events were looked for was found among them.
func (s *Store) look(ctx context.Context, requests []*request) ([]sought, error) {
	var (
		streams []string
		ids     []pgtype.UUID
		of      []string // the streams of the ids
		all     []sought
	)
	for _, r := range requests {
		streams, ids = append(streams, r.stream), append(ids, r.ids...)
		for range r.ids {
			of = append(of, r.stream)
		}
	}
	err := s.retry(ctx, func() error {
		var b pgx.Batch
		b.Queue(headsSQL, streams)
		b.Queue(knownSQL, of, ids)
		b.Queue(archivedSQL, streams)
		results := s.writers.SendBatch(ctx, &b)
		defer results.Close()      // has nothing to add to the errors below
		rows, _ := results.Query() // rows carry the error
		var err error
		if all, err = pgx.CollectRows(rows, scanFound); err != nil {
			return err
		}
		rows, _ = results.Query()
		known, err := collectKnown(rows)
		if err != nil {
			return err
		}
		for i, r := range requests {
			all[i].addKnown(r, known)
		}
		rows, _ = results.Query()
		archived, err := pgx.CollectRows(rows, pgx.RowTo[int64])
		for i, upto := range archived {
			all[i].archived = upto
		}
		return err
	})
	if err == nil && slices.ContainsFunc(all, func(f sought) bool { return len(f.Known) > 0 }) {
		err = s.settle(ctx)
	}
	return all, err
}

// settle waits until what was found is as durable as what is acknowledged. It may
// not be: a server whose standby does not answer has committed, and shows it, when
// the one who waited for the commit gives up. A repeat may not be told of it then.
func (s *Store) settle(ctx context.Context) error {
	return s.retry(ctx, func() error {
		_, err := s.writers.Exec(ctx, settleSQL)
		return err
	})
}

func scanFound(row pgx.CollectableRow) (sought, error) {
	f := sought{Found: eventstore.Found{Known: make(map[string]eventstore.Recorded)}}
	err := row.Scan(&f.Head, &f.Ended, &f.word)
	return f, err
}

// addKnown adds a request's events that the log or its archive has.
func (f *sought) addKnown(r *request, known map[place]eventstore.Recorded) {
	for _, e := range r.events {
		if k, ok := known[place{r.stream, e.ID}]; ok {
			f.Known[e.ID] = k
		} else if k, ok := r.archived.known[e.ID]; ok {
			f.Known[e.ID] = k
		}
	}
}

// place is where an id is known.
type place struct{ stream, id string }

func collectKnown(rows pgx.Rows) (map[place]eventstore.Recorded, error) {
	known := make(map[place]eventstore.Recorded)
	d := newDecoder()
	err := each(rows, func(columns [][]byte) {
		if e, ok := d.event(columns); ok {
			known[place{e.Stream, e.ID}] = e
		}
	})
	return known, err
}
