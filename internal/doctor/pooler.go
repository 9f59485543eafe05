package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// way is how an address leads to the server.
type way string

// The ways. A session is a pooler that leaves its client one connection of the server's;
// else each transaction may get another.
const (
	direct       way = "direct"
	sessions     way = "a pooler by session"
	transactions way = "a pooler by transaction"
)

// wayOf finds out how an address leads to the server: a pooler names a session of its
// own, and by transaction it gives the server's to whoever comes next.
func (s *session) wayOf(ctx context.Context, url string) (way, error) {
	a, err := s.connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer a.Close(context.WithoutCancel(ctx))
	was, err := backend(ctx, a)
	if err != nil || was == a.PgConn().PID() {
		return direct, err
	}
	b, err := s.connect(ctx, url)
	if err != nil {
		return "", err
	}
	defer b.Close(context.WithoutCancel(ctx))
	for range 5 {
		taken, err := inTransaction(ctx, b)
		if err != nil {
			return "", err
		}
		now, err := backend(ctx, a)
		if err != nil {
			return "", err
		}
		if taken == was || now != was {
			return transactions, nil
		}
	}
	return sessions, nil
}

// ways finds out both ways, once.
func (s *session) ways(ctx context.Context) (used, straight way, err error) {
	if s.straight == "" {
		if s.straight, err = s.wayOf(ctx, s.Direct); err != nil {
			return "", "", fmt.Errorf("by DATABASE_DIRECT_URL: %w", err)
		}
	}
	if s.used == "" && s.URL == s.Direct {
		s.used = s.straight
	}
	if s.used == "" {
		if s.used, err = s.wayOf(ctx, s.URL); err != nil {
			return "", "", fmt.Errorf("by DATABASE_URL: %w", err)
		}
	}
	return s.used, s.straight, nil
}

// inTransaction is which of the server's processes serves a transaction.
func inTransaction(ctx context.Context, c *pgx.Conn) (pid uint32, err error) {
	tx, err := c.Begin(ctx)
	if err != nil {
		return 0, err
	}
	pid, err = backend(ctx, tx)
	return pid, errors.Join(err, tx.Rollback(ctx))
}

type queryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

func backend(ctx context.Context, q queryer) (pid uint32, err error) {
	var n int64
	err = q.QueryRow(ctx, `select pg_backend_pid()`).Scan(&n)
	return uint32(n), err
}

func pooler(ctx context.Context, s *session) (Finding, error) {
	const set = "set DATABASE_DIRECT_URL to the server's own address: news, duties and migrations need sessions, and serve does not start"
	used, straight, err := s.ways(ctx)
	switch {
	case err != nil:
		return Finding{}, err
	case straight != direct && s.Direct == s.URL:
		return noted(Fail, set, "DATABASE_URL leads through %s, and there is no other address", used)
	case straight != direct:
		return noted(Fail, set, "DATABASE_DIRECT_URL leads through %s", straight)
	case s.Direct == s.URL:
		return ok("%s", used)
	}
	return ok("DATABASE_URL: %s; DATABASE_DIRECT_URL: %s", used, straight)
}

// prepared asks in turns through two connections, so that a pooler by transaction has to
// know the statements of each on the other's server connections too.
func prepared(ctx context.Context, s *session) (Finding, error) {
	const trips = 4
	name := "doctor_" + rand.Text()
	const more = "use PgBouncer 1.21 or later with max_prepared_statements above 0"
	a, err := s.connect(ctx, s.URL)
	if err != nil {
		return Finding{}, err
	}
	defer a.Close(context.WithoutCancel(ctx))
	b, err := s.connect(ctx, s.URL)
	if err != nil {
		return Finding{}, err
	}
	defer b.Close(context.WithoutCancel(ctx))
	if _, err := a.Prepare(ctx, name, `select $1::int + 1`); err != nil {
		return noted(Fail, more, "a statement cannot be prepared: %v", err)
	}
	for i := range trips {
		err := s.beside(ctx, b, i%2 == 0, func() error {
			var n int
			err := a.QueryRow(ctx, name, pgx.QueryExecModeCacheStatement, i).Scan(&n)
			if err == nil && n != i+1 {
				err = fmt.Errorf("%d + 1 is %d", i, n)
			}
			return err
		})
		if err != nil {
			return noted(Fail, more, "a prepared statement is lost between transactions: %v", err)
		}
	}
	return ok("they last between transactions")
}

// beside runs f, if wanted while another connection is in a transaction.
func (s *session) beside(ctx context.Context, other *pgx.Conn, wanted bool, f func() error) error {
	if !wanted {
		return f()
	}
	tx, err := other.Begin(ctx)
	if err != nil {
		return err
	}
	if _, err := backend(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback(ctx))
	}
	return errors.Join(f(), tx.Rollback(ctx))
}

// listen tells itself something, from another connection: where that is lost, so are the
// log's news. Through a pooler by transaction it would be left behind in a session of the
// server.
func listen(ctx context.Context, s *session) (Finding, error) {
	const polled = "news are polled for, which costs queries and a quarter of a second: give DATABASE_DIRECT_URL an address that leads to the server itself"
	const channel = "stepledger_doctor"
	switch _, straight, err := s.ways(ctx); {
	case err != nil:
		return Finding{}, err
	case straight == transactions:
		return noted(Warn, polled, "not tried through %s", straight)
	}
	word := rand.Text()
	hears, err := s.connect(ctx, s.Direct)
	if err != nil {
		return Finding{}, err
	}
	defer hears.Close(context.WithoutCancel(ctx))
	if _, err := hears.Exec(ctx, "listen "+channel); err != nil {
		return noted(Warn, polled, "listen is refused: %v", err)
	}
	began := time.Now()
	if _, err := s.direct.Exec(ctx, `select pg_notify($1, $2)`, channel, word); err != nil {
		return Finding{}, err
	}
	waiting, cancel := context.WithTimeout(ctx, s.Within/2)
	defer cancel()
	for {
		n, err := hears.WaitForNotification(waiting)
		if err != nil {
			return noted(Warn, polled, "what was told was not heard within %v", s.Within/2)
		}
		if n.Payload == word {
			return ok("heard after %v", time.Since(began).Round(time.Millisecond))
		}
	}
}
