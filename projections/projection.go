package projections

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
)

// Projection is a read model: which events it wants and what each means for its rows.
// It is a value; the Runner does the work.
type Projection struct {
	// Name is one lower-case word, used in checkpoints, logs and the name of its
	// tables' schema.
	Name string
	// Version is raised if the same events would give other rows. The tables are then
	// rebuilt beside the old ones and swapped.
	Version int
	// Filter selects its events, by their types: those of a newer version of the program are
	// not handed to it. One that knows more types has another filter, and so another Version
	// that is built from the first event: what an older version has passed over is in it.
	Filter eventstore.Filter
	// Tables creates its tables and indexes by unqualified names. Between versions
	// columns are only added, at the end of a table, so that the views stay
	// compatible.
	Tables string
	// Views are the tables that readers see in the schema read, by name.
	Views []string
	// Through says for tables without a column tenant, by name, which rows are a
	// tenant's. Of the tables with neither readers for tenants see nothing.
	Through map[string]Parent
	// Searched are tables that are searched by an index of words.
	Searched []Searched
	// ReadAll are roles that read the rows of all tenants, where they exist: by views
	// of other schemas, since they may not use this one's names.
	ReadAll []string
	// Apply queues an event's statements. It does no I/O except opening sealed text,
	// and is deterministic. An error makes the event poison.
	Apply func(b *Batch, e eventstore.Recorded, s domain.Sealer) error
	// Forgets are the types of events after which nothing of their stream is left. Such an
	// event is applied though earlier ones of its stream are parked, and these are dropped:
	// what is forgotten is not retried.
	Forgets []string
	// ReadPage, if set, is used in place of Apply: it turns a page of events into
	// rows, for tables that are written in bulk. It does no I/O, since a page is read
	// while the one before is being written. OnPoison must be Stop, and an event that
	// cannot be applied is a *PoisonError, here or of Rows.Write.
	ReadPage func(events []eventstore.Recorded) (Rows, error)
	// PageSize is the most events ReadPage is given; 0 means the runner's.
	PageSize int
	// OnPoison is what to do with an event that cannot be applied.
	OnPoison Policy
}

// Parent is the table through which the rows of another are a tenant's: those for which
// a row of the tenant with the same Key exists in it.
type Parent struct {
	Table, Key string
	// Where, if set, is a further condition for the row, which is called parent.
	Where string
}

// Searched is a view of some columns of a table, one of them tenant, for conditions that are
// no comparisons of equality or order. Row-level security keeps such from their indexes:
// they might tell of rows they are not to see. So the view has its owner's rights and
// the condition of the policies itself, except for who may use what its owner owns.
type Searched struct {
	View, Table string
	Columns     []string
}

// Rows are the rows of a page of events.
type Rows interface {
	// Write writes them to the projection's tables, by unqualified names.
	Write(ctx context.Context, tx pgx.Tx) error
}

// Policy is what to do with an event that cannot be applied.
type Policy int

const (
	// Park sets the event aside with every later one of its stream, in order, and
	// continues with the others. It is for views: a broken task hides only itself.
	Park Policy = iota
	// Stop retries, ever more slowly, until somebody has fixed the cause. It is for
	// money: a sum with a missing part is wrong.
	Stop
)

// Keys returns the sealer of a stream's personal text. The subject is the stream's
// name without its category: a task's id.
type Keys interface {
	// Key returns the sealer for reading. If the key was dropped, the sealer returns
	// domain.ErrErased. If it exists and cannot be opened, Key returns
	// domain.ErrBadKey, which makes the event poison. Any other error is a problem of
	// the key store, not of the event.
	Key(ctx context.Context, tenant, subject string) (domain.Sealer, error)
}

// DB is the part of a pgx pool that projections use.
type DB interface {
	Begin(ctx context.Context) (pgx.Tx, error)
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}
