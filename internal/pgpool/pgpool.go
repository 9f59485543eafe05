// Package pgpool opens the process's pools of connections to Postgres, directly or
// through a pooler that hands out a session for a transaction (PgBouncer). It promises:
//
//   - the settings of a pool hold in each of its statements. A session of our own has
//     them from its beginning; where a pooler is in between, they go in front of each
//     transaction, in the same round trip. Nothing is set by startup parameters, which a
//     pooler refuses, or drops in silence;
//   - what cannot be had is a *RefusedError with what to do, for each new connection:
//     isolation, durability, prepared statements, transactions over several statements;
//   - a session left idle in a transaction is ended by the server, so that a stopped
//     process keeps its locks no longer than IdleWithin, and nobody waits for a lock
//     longer than LockWithin;
//   - a server that has turned read-only is left: see Writes.
//
// Session locks, LISTEN and temporary tables are for connections that go to the server
// itself: see Direct. Each pool decides how long a statement may take, since some read
// everything. Callers bound theirs by context.
package pgpool

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What sessions are bounded by unless Options say otherwise.
const (
	IdleWithin = 10 * time.Second
	LockWithin = 10 * time.Second
)

// Options of a pool.
type Options struct {
	// Name is told to the server, for whoever looks at its sessions.
	Name string
	// MaxConns is the most connections; 0 means pgx's default.
	MaxConns int32
	// IdleWithin is how long a session may do nothing in a transaction, LockWithin
	// how long it waits for a lock; 0 means the constants of these names.
	IdleWithin, LockWithin time.Duration
	// StatementWithin is how long a statement may take; 0 means as long as it takes.
	StatementWithin time.Duration
	// Durable: a commit is on disk once it is acknowledged, on that of a synchronous
	// standby too, whatever the server's default is.
	Durable bool
	// Settings are further ones of the sessions.
	Settings map[string]string
	// Writes, if set, hears the errors of all connections, and has those to a server
	// that takes no writes left.
	Writes *Writes
	// Prepare, if set, is called with each new connection.
	Prepare func(context.Context, *pgx.Conn) error
	// Tune, if set, changes what has no option here.
	Tune func(*pgxpool.Config)
}

// Open returns a pool. It connects on first use.
func Open(ctx context.Context, url string, o Options) (*Pool, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err) // it does not show the password
	}
	if o.MaxConns > 0 {
		c.MaxConns = o.MaxConns
	}
	c.ConnConfig.RuntimeParams[applicationName] = applicationPrefix + o.Name
	if o.Writes != nil {
		c.ConnConfig.OnPgError = o.Writes.listen(c.ConnConfig.OnPgError)
		c.PrepareConn = o.Writes.mayUse
	}
	settings := o.settings()
	c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := meet(ctx, conn, settings, o.Durable); err != nil {
			return err
		}
		if o.Prepare == nil {
			return nil
		}
		return o.Prepare(ctx, conn)
	}
	if o.Tune != nil {
		o.Tune(c)
	}
	pool, err := pgxpool.NewWithConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	return &Pool{pool}, nil
}

// Poolers let this parameter through.
const (
	applicationName   = "application_name"
	applicationPrefix = "stepledger "
)

func (o Options) settings() map[string]string {
	all := map[string]string{
		isolation:                             "read committed",
		"idle_in_transaction_session_timeout": milliseconds(o.IdleWithin, IdleWithin),
		"lock_timeout":                        milliseconds(o.LockWithin, LockWithin),
	}
	if o.StatementWithin > 0 {
		all["statement_timeout"] = milliseconds(o.StatementWithin, 0)
	}
	maps.Copy(all, o.Settings)
	return all
}

func milliseconds(d, usual time.Duration) string {
	if d <= 0 {
		d = usual
	}
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10)
}

// Direct connects to the server itself, for what belongs to a session: LISTEN, advisory
// locks that are held. A pooler in between, or a server that takes no writes, is a
// *RefusedError.
func Direct(ctx context.Context, url, name string) (*pgx.Conn, error) {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err)
	}
	c.RuntimeParams[applicationName] = applicationPrefix + name
	conn, err := pgx.ConnectConfig(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := checkDirect(ctx, conn); err != nil {
		_ = conn.Close(context.WithoutCancel(ctx)) // the first error says it all
		return nil, err
	}
	return conn, nil
}

func checkDirect(ctx context.Context, conn *pgx.Conn) error {
	var pid uint32
	var standby bool
	if err := conn.QueryRow(ctx, `select pg_backend_pid(), pg_is_in_recovery()`).Scan(&pid, &standby); err != nil {
		return err
	}
	if isPooled(conn.PgConn(), pid) {
		return &RefusedError{
			Why: "the address leads to a pooler, where LISTEN and session locks are lost in silence",
			Do:  "set DATABASE_DIRECT_URL to the address of the server itself",
		}
	}
	if standby {
		return standbyError()
	}
	return nil
}

func standbyError() error {
	return &RefusedError{
		Why: "the address leads to a standby",
		Do:  "name all servers in the address, with target_session_attrs=read-write",
	}
}

// isPooled reports whether something between us and the server hands out its sessions: the
// process that does our work is then not the one we were told to cancel by.
func isPooled(conn *pgconn.PgConn, pid uint32) bool { return conn.PID() != pid }
