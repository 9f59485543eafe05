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
	// settleSQL writes something of no meaning to the server's own log, so that
	// its commit is waited for.
	settleSQL = `select pg_logical_emit_message(true, 'stepledger', '')`
)

// found is what the log has about a request, and the word of the epoch it has it in.
type found struct {
	eventstore.Found
	word int64
}

// look finds what Judge wants to know about each request. The heads come first:
// a head that is older than the known events makes a request run again, while one
// that is newer would refuse a repeat.
func (s *Store) look(ctx context.Context, requests []*request) ([]found, error) {
	var (
		streams []string
		ids     []pgtype.UUID
		of      []string // the streams of the ids
		all     []found
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
		results := s.writers.SendBatch(ctx, &b)
		defer results.Close()      // has nothing to add to the errors below
		rows, _ := results.Query() // rows carry the error
		var err error
		if all, err = pgx.CollectRows(rows, scanFound); err != nil {
			return err
		}
		rows, _ = results.Query()
		known, err := collectKnown(rows)
		for i, r := range requests {
			for _, e := range r.events {
				if k, ok := known[place{r.stream, e.ID}]; ok {
					all[i].Known[e.ID] = k
				}
			}
		}
		return err
	})
	if err == nil && slices.ContainsFunc(all, func(f found) bool { return len(f.Known) > 0 }) {
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

func scanFound(row pgx.CollectableRow) (found, error) {
	f := found{Found: eventstore.Found{Known: make(map[string]eventstore.Recorded)}}
	err := row.Scan(&f.Head, &f.Ended, &f.word)
	return f, err
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
