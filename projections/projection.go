package projections

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Projection is one read model: which events it wants and what each means for
// its rows. It is a value; the Runner does the work.
type Projection struct {
	// Name is one lower-case word. It names the projection in checkpoints, in
	// logs and in its tables' schema.
	Name string
	// Version goes up when the same events would give other rows. The tables are
	// then built anew beside the old ones and swapped.
	Version int
	// Filter is what of the log it sees.
	Filter eventstore.Filter
	// Tables creates its tables and indexes, by unqualified names. Between two
	// versions columns are only added, at the end of a table: the views keep
	// their shape for whoever built on them.
	Tables string
	// Views are the tables that readers find in the schema read, by name.
	Views []string
	// Apply queues the statements one event means. It does no I/O but opening
	// sealed text; the same event always gives the same statements. An error
	// makes the event poison.
	Apply func(b *Batch, e eventstore.Recorded, s domain.Sealer) error
	// ReadPage, where set, takes Apply's place: a page of events as the rows it
	// means, for tables that are written by sets. It does no I/O: a page is read
	// while the one before is being written. OnPoison has to be Stop, and an event
	// that cannot be applied is a *PoisonError, here or of Rows.Write.
	ReadPage func(events []eventstore.Recorded) (Rows, error)
	// PageSize is how many events ReadPage is given at most; 0 means the runner's.
	PageSize int
	// OnPoison says what becomes of an event that cannot be applied.
	OnPoison Policy
}

// Rows are what a page of events means.
type Rows interface {
	// Write puts them into the projection's tables, which unqualified names mean.
	Write(ctx context.Context, tx pgx.Tx) error
}

// Policy is what to do with an event that cannot be applied.
type Policy int

const (
	// Park puts the event aside, and every later one of its stream, in order,
	// and goes on with the others. For views: one broken task hides only itself.
	Park Policy = iota
	// Stop goes no further and tries again, ever more slowly, until somebody has
	// mended the cause. For money: a sum with a hole in it is wrong.
	Stop
)

// Keys gives the sealer with which a stream's personal text was sealed. The
// subject is the stream's name without its category: a task's id.
type Keys interface {
	// Key is the sealer to read with. Where the key was dropped the sealer
	// answers domain.ErrErased. Where it is there and cannot be opened the error
	// is domain.ErrBadKey, which makes the event poison; any other is trouble with
	// the store of keys, which no event is to blame for.
	Key(ctx context.Context, tenant, subject string) (domain.Sealer, error)
}

// DB is the part of a pgx pool that projections use.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
