// Package billing stores what has to be known before a model call is made: the price book
// and what tenants may still spend, in plain Postgres tables of the schema billing. What
// was used and what it cost is in the log. It also has what finance derives from the
// read model: monthly statements, exports, and views for other tools, readable by the
// role billing_reader.
//
// It promises:
//
//   - prices and budgets are added, never changed: a wrong price is replaced by another
//     row, and the database refuses anything else;
//   - an import is checked as a whole before it is written, and applies to every process
//     from the next call;
//   - of concurrent reservations, in any process, no more are accepted than the budget
//     has room for; a reservation is one statement;
//   - an issued statement never changes, whatever happens to the read model; later
//     corrections go on the next one, so that all statements together match the ledger;
//   - a call counts once in its month, whatever is repeated, with its newest bill.
//
// A month is the tenant's, in its time zone, and a call belongs to the one it started in.
// A budget bounds the estimated cost of calls, so it can be exceeded by as much as the
// estimates were too low.
//
// Errors a caller may see are *domain.Error; those of the database have kind
// Unavailable. All methods are safe for concurrent use.
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

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// Options of a Store.
type Options struct {
	// MaxConns of the pool; 0 means pgx's default.
	MaxConns int32
	// Log is told when a threshold of a budget is passed.
	Log *slog.Logger
	// Writes, if set, is shared with the other pools of the process.
	Writes *pgpool.Writes
}

// Store is the billing schema of one database.
type Store struct {
	pool *pgpool.Pool
	log  *slog.Logger
	// book is the price book as last read.
	book atomic.Pointer[readBook]
	// exporting has a slot for each export under way.
	exporting chan struct{}
}

// Open connects to a migrated database (see Migrate). Close the Store when done.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	pool, err := pgpool.Open(ctx, url, pgpool.Options{Name: "billing", MaxConns: o.MaxConns, Writes: o.Writes, Durable: true})
	if err != nil {
		return nil, fmt.Errorf("open billing: %w", err)
	}
	return &Store{pool: pool, log: o.Log, exporting: make(chan struct{}, maxExports)}, nil
}

// Close closes the connections.
func (s *Store) Close() { s.pool.Close() }

// retryDatabase is the Retry-After if the database does not answer: about the time of
// a restart or failover.
const retryDatabase = 2 * time.Second

// unavailable translates database errors. nil, errors for users and the error of an
// ended context are returned unchanged.
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
