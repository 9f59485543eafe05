package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
)

// serverKey is where a connection keeps which server it leads to.
const serverKey = "stepledger.server"

// serverSQL tells servers apart by the moment they came up, and what was restored
// into one of them from what was there before. The incarnation tells histories of
// the database apart, whatever was restarted in between: by the cluster, by what a
// dump makes anew, and by the timeline, which every recovery to a point in time and
// every promotion raises. A server that takes no writes has none yet.
const serverSQL = `
	select hashtextextended(pg_postmaster_start_time()::text || ' ' || d.oid || ' ' || 'log.events'::regclass::oid, 0),
	       case when pg_is_in_recovery() then '' else ` + incarnationSQL + ` end,
	       coalesce((select e.incarnation from log.epoch e order by e.epoch desc limit 1), ''),
	       (select coalesce(max(position), 0) from log.events)
	from pg_database d
	where d.datname = current_database()`

const incarnationSQL = `(select system_identifier from pg_control_system()) || ' ' || d.oid || ' ' || 'log.identity'::regclass::oid
	|| ' ' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)`

// sameEpochSQL fails unless what stands in the log is all of the history that goes on here.
// It runs after lockSQL where a connection is a pooler's: that may lead to another server
// than when it was met.
const sameEpochSQL = `
	select 1 / (` + incarnationSQL + ` = (select e.incarnation from log.epoch e order by e.epoch desc limit 1))::int
	from pg_database d
	where d.datname = current_database()`

// errAnotherHistory says that sameEpochSQL has failed.
var errAnotherHistory = errors.New("the log goes on in another history")

func isAnotherHistory(err error) bool {
	var refused *alongError
	return errors.As(err, &refused) && errors.Is(refused.refused, errAnotherHistory)
}

// serverState is what serverSQL says.
type serverState struct {
	server      int64
	incarnation string // "" where it takes no writes
	known       string // incarnation of the present epoch, "" before the first
	head        int64
}

func (s *serverState) fields() []any { return []any{&s.server, &s.incarnation, &s.known, &s.head} }

// meet finds out which server a new connection leads to. Another one may have less
// of the log: what the former was known to have is forgotten. If what it has is
// another history of the log, or ends before what is known to have been there, its
// epoch begins, before anything is appended to it. A standby has no epoch of its own yet:
// who writes gets errStandby.
func (s *Store) meet(ctx context.Context, c *pgx.Conn, writes bool) error {
	known := s.news.known() // before the look: what is heard of meanwhile is not in it
	var met serverState
	if err := c.QueryRow(ctx, serverSQL).Scan(met.fields()...); err != nil {
		return err
	}
	if writes && met.incarnation == "" {
		return errStandby
	}
	c.PgConn().CustomData()[serverKey] = met.server
	rewound := met.head < known
	if met.incarnation != "" && (met.incarnation != met.known || rewound) {
		if err := s.begin(ctx, c, met.incarnation, rewound, false); err != nil {
			return err
		}
	}
	var number int
	var word, at int64
	switch err := c.QueryRow(ctx, presentSQL).Scan(&number, &word, &at); {
	case errors.Is(err, pgx.ErrNoRows): // nobody has written to the log yet
	case err != nil:
		return err
	default:
		s.enter(number, word, at)
	}
	if s.heads.serve(met.server) {
		s.news.forget()
		s.tellings.told.Store(0)
	}
	return nil
}

// Generation tells servers apart: it changes with the first connection to another one,
// which may have less of the log. What was read before is then not to be relied on.
func (s *Store) Generation() int64 {
	s.heads.mu.Lock()
	defer s.heads.mu.Unlock()
	return s.heads.server
}

func serverOf(c *pgx.Conn) int64 {
	server, _ := c.PgConn().CustomData()[serverKey].(int64)
	return server
}
