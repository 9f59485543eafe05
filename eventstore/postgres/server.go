package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// serverKey is where a connection keeps which server it leads to.
const serverKey = "stepledger.server"

// serverSQL tells servers apart by the moment they came up, and what was restored
// into one of them from what was there before.
const serverSQL = `
	select hashtextextended(pg_postmaster_start_time()::text || ' ' || d.oid || ' ' || 'log.events'::regclass::oid, 0)
	from pg_database d
	where d.datname = current_database()`

// meet finds out which server a new connection leads to. Another one may have less
// of the log: what the former was known to have is forgotten.
func (s *Store) meet(ctx context.Context, c *pgx.Conn) error {
	var server int64
	if err := c.QueryRow(ctx, serverSQL).Scan(&server); err != nil {
		return err
	}
	c.PgConn().CustomData()[serverKey] = server
	if s.heads.serve(server) {
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
