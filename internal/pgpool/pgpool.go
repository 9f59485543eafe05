// Package pgpool opens the process's pools of connections to Postgres with common
// bounds:
//
//   - the server ends a session that is left idle in a transaction, so that a stopped
//     process keeps its locks no longer than IdleWithin;
//   - nobody waits for a lock longer than LockWithin;
//   - every server error is reported to Options.OnError.
//
// Each pool decides how long a statement may take, since some read everything. Callers
// bound theirs by context.
package pgpool

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"time"

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
	// Settings are further ones of the sessions.
	Settings map[string]string
	// OnError, if set, is called with the SQLSTATE of every error.
	OnError func(sqlState string)
}

// Config returns the configuration of a pool for callers with further settings.
func Config(url string, o Options) (*pgxpool.Config, error) {
	c, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("database url: %w", err) // it does not show the password
	}
	if o.MaxConns > 0 {
		c.MaxConns = o.MaxConns
	}
	settings := c.ConnConfig.RuntimeParams
	settings["application_name"] = "stepledger " + o.Name
	settings["idle_in_transaction_session_timeout"] = milliseconds(o.IdleWithin, IdleWithin)
	settings["lock_timeout"] = milliseconds(o.LockWithin, LockWithin)
	if o.StatementWithin > 0 {
		settings["statement_timeout"] = milliseconds(o.StatementWithin, 0)
	}
	maps.Copy(settings, o.Settings)
	if o.OnError != nil {
		usual := c.ConnConfig.OnPgError
		c.ConnConfig.OnPgError = func(conn *pgconn.PgConn, e *pgconn.PgError) bool {
			o.OnError(e.Code)
			return usual(conn, e)
		}
	}
	return c, nil
}

// Open returns a pool. It connects on first use.
func Open(ctx context.Context, url string, o Options) (*pgxpool.Pool, error) {
	c, err := Config(url, o)
	if err != nil {
		return nil, err
	}
	return pgxpool.NewWithConfig(ctx, c)
}

func milliseconds(d, usual time.Duration) string {
	if d <= 0 {
		d = usual
	}
	return strconv.FormatInt(max(d.Milliseconds(), 1), 10)
}
