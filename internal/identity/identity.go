// Package identity stores who may use Stepledger: tenants, users, tokens, rate limits
// and preferences, in plain Postgres tables of the schema identity.
//
// It promises:
//
//   - passwords are stored as argon2id hashes with fixed parameters and tokens as
//     SHA-256; neither can be read back from the database;
//   - nothing is cached: every replica refuses a token once Logout, DisableUser or
//     SetPassword has returned;
//   - limits hold across replicas: admitting a caller's request is one statement, and no
//     wait for a disk.
//
// It does not store sessions or tasks (those are events) and knows no HTTP. Personal data
// is an email address and a name per user.
//
// Errors a caller may see are *domain.Error; those of the database have kind
// Unavailable. All methods are safe for concurrent use.
package identity

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/pgpool"
)

// DefaultTokenLifetime is how long a login lasts: a browser extension logs in once a
// week.
const DefaultTokenLifetime = 7 * 24 * time.Hour

// Options of a Store. The zero value is suitable for production.
type Options struct {
	// Tiers are the rate limits by tier; nil means DefaultTiers.
	Tiers Tiers
	// TokenLifetime is how long a login lasts; 0 means DefaultTokenLifetime.
	TokenLifetime time.Duration
	// Hashing bounds the passwords hashed at a time, 46 MiB and some 90 ms of a core
	// each; 0 means one per core.
	Hashing int
	// MaxConns of the pool; 0 means pgx's default.
	MaxConns int32
	// Writes, if set, is shared with the other pools of the process.
	Writes *pgpool.Writes
}

// statementWithin is generous for any statement here: each is about a row or two.
const statementWithin = 10 * time.Second

// Store is the identity schema of one database.
type Store struct {
	pool     *pgpool.Pool
	tiers    Tiers
	byTier   map[account.Class]tierLimits
	lifetime time.Duration
	hasher   *hasher
}

// Open connects to a migrated database (see Migrate). Close the Store when done.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	if o.Tiers == nil {
		o.Tiers = DefaultTiers()
	}
	if err := o.Tiers.check(); err != nil {
		return nil, fmt.Errorf("open identity: %w", err)
	}
	pool, err := pgpool.Open(ctx, url, pgpool.Options{
		Name: "identity", MaxConns: o.MaxConns, StatementWithin: statementWithin, Writes: o.Writes, Durable: true,
	})
	if err != nil {
		return nil, fmt.Errorf("open identity: %w", err)
	}
	s := &Store{pool: pool, tiers: o.Tiers, byTier: o.Tiers.byTier(), lifetime: o.TokenLifetime}
	if s.lifetime == 0 {
		s.lifetime = DefaultTokenLifetime
	}
	if o.Hashing == 0 {
		o.Hashing = runtime.GOMAXPROCS(0)
	}
	if s.hasher, err = newHasher(o.Hashing); err != nil {
		pool.Close()
		return nil, fmt.Errorf("open identity: %w", err)
	}
	return s, nil
}

// Close closes the connections.
func (s *Store) Close() { s.pool.Close() }

// Ping checks the database.
func (s *Store) Ping(ctx context.Context) error { return unavailable("ping", s.pool.Ping(ctx)) }

// retryDatabase is the Retry-After if the database does not answer: about the time of
// a restart or failover.
const retryDatabase = 2 * time.Second

// unavailable translates database errors; nil stays nil, and the error of an ended
// context is returned unchanged.
func unavailable(op string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("identity: %s: %w", op, err)
	}
	e := domain.Errorf(domain.Unavailable, domain.CodeExternalService, "the account database did not answer")
	e.RetryAfter = retryDatabase
	return e.Because(fmt.Errorf("identity: %s: %w", op, err))
}

// uniqueViolation is Postgres's SQLSTATE for a value that is taken.
const uniqueViolation = "23505"

func hasCode(err error, code string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == code
}

func noRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) }
