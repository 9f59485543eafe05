// Package billing keeps what has to be known before a model call is made: the
// price book, and what tenants may still spend. Both are plain Postgres tables
// of the schema billing; what was used and what it cost is in the log. What finance
// takes from the read model of that is here too: monthly statements, exports, and
// views for tools of its own, which read as the role billing_reader.
//
// It promises that
//
//   - prices and budgets are added, never changed: a price that was wrong is
//     replaced by a row beside it, and the database refuses anything else;
//   - an import is checked whole before any of it is written, and holds for
//     every process from the next call on;
//   - of calls that reserve at once, in whatever process, no more are let through
//     than the budget has room for; a reservation is one statement;
//   - a statement that was issued never changes, whatever becomes of the read model;
//     what is corrected after it stands on the next, so that all statements together
//     come to what the ledger says;
//   - a call counts in its month once, whatever is repeated, and with its newest
//     bill, whatever comes late.
//
// A month is the tenant's, in its time zone, and a call belongs to the one it
// started in. A budget bounds what calls are expected to cost: it can be passed
// by what their estimates were short of.
//
// What a caller may be told is a *domain.Error; trouble with the database is one
// of kind Unavailable. All methods may be used concurrently.
package billing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// Options of a Store.
type Options struct {
	// MaxConns of the pool; 0 means pgx's default.
	MaxConns int32
	// Log is told of thresholds that were passed.
	Log *slog.Logger
	// OnError, if set, hears the SQLSTATE of every error of the database.
	OnError func(sqlState string)
}

// Store is the billing schema of one database.
type Store struct {
	pool *pgxpool.Pool
	log  *slog.Logger
	// book is the price book as it was last read.
	book atomic.Pointer[readBook]
	// exporting has a place for each export under way.
	exporting chan struct{}
}

// Open connects to a migrated database (see Migrate). Close the Store when done.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	pool, err := pgpool.Open(ctx, url, pgpool.Options{Name: "billing", MaxConns: o.MaxConns, OnError: o.OnError})
	if err != nil {
		return nil, fmt.Errorf("open billing: %w", err)
	}
	return &Store{pool: pool, log: o.Log, exporting: make(chan struct{}, maxExports)}, nil
}

// Close gives the connections back.
func (s *Store) Close() { s.pool.Close() }

// retryDatabase is what a caller is told to wait when the database does not
// answer: about what a restart or a failover takes.
const retryDatabase = 2 * time.Second

// unavailable translates trouble with the database; nil and what a caller may be
// told stay as they are. A context that ended is the caller's own doing.
func unavailable(op string, err error) error {
	var told *domain.Error
	if err == nil || errors.As(err, &told) {
		return err
	}
	err = fmt.Errorf("billing: %s: %w", op, err)
	if errors.Is(err, context.Canceled) {
		return err
	}
	e := domain.Errorf(domain.Unavailable, domain.CodeDatabase, "the billing database did not answer").Because(err)
	e.RetryAfter = retryDatabase
	return e
}

// uniqueViolation is Postgres's SQLSTATE for a value that is taken.
const uniqueViolation = "23505"

func hasCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

func (s *Store) inTx(ctx context.Context, do func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, s.pool, do)
}

func invalid(field, format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeValidation, format, args...).At(field)
}
