package projections

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/eventstore"
)

// Batch collects the statements of a page of events, in order. They are sent in one
// round trip, except for rewrites.
type Batch struct {
	statements []statement
	event      eventstore.Recorded // the one now being applied
	begun      int                 // statements before it
}

type statement struct {
	sql   string
	args  pgx.NamedArgs
	event eventstore.Recorded
	must  bool
	// rewrite, if set, runs in place of the statement.
	rewrite func(ctx context.Context, tx pgx.Tx) error
}

// Queue adds a statement with its @named arguments. Texts among them (string,
// *string, []string) are cleaned for Postgres, see Text; JSON does that for json.
// Pages, users and models send any bytes, and a single NUL must not hide a task.
func (b *Batch) Queue(sql string, args pgx.NamedArgs) { b.queue(sql, args, false) }

// Must adds a statement that has to affect a row. If it does not the event is poison:
// the row it changes is missing.
func (b *Batch) Must(sql string, args pgx.NamedArgs) { b.queue(sql, args, true) }

func (b *Batch) queue(sql string, args pgx.NamedArgs, must bool) {
	for name, arg := range args {
		args[name] = storable(arg)
	}
	b.statements = append(b.statements, statement{sql: sql, args: args, event: b.event, must: must})
}

// Rewrite adds a change of rows that depends on their content in a way SQL cannot
// express. It runs after the statements before it and must be deterministic.
func (b *Batch) Rewrite(rows func(ctx context.Context, tx pgx.Tx) error) {
	b.statements = append(b.statements, statement{event: b.event, rewrite: rows})
}

func (b *Batch) begin(e eventstore.Recorded) { b.event, b.begun = e, len(b.statements) }

// dropEvent drops the statements of the event being applied.
func (b *Batch) dropEvent() { b.statements = b.statements[:b.begun] }

// send executes the statements. An error caused by an event is a *PoisonError naming
// it.
func (b *Batch) send(ctx context.Context, tx pgx.Tx) error {
	for rest := b.statements; len(rest) > 0; {
		n := slices.IndexFunc(rest, func(s statement) bool { return s.rewrite != nil })
		switch {
		case n < 0:
			return sendAll(ctx, tx, rest)
		case n == 0:
			if err := rest[0].rewrite(ctx, tx); err != nil {
				return blame(rest[0].event, err)
			}
			n = 1
		default:
			if err := sendAll(ctx, tx, rest[:n]); err != nil {
				return err
			}
		}
		rest = rest[n:]
	}
	return nil
}

// sendAll executes statements in one round trip.
func sendAll(ctx context.Context, tx pgx.Tx, statements []statement) error {
	var out pgx.Batch
	for _, s := range statements {
		out.Queue(s.sql, s.args)
	}
	results := tx.SendBatch(ctx, &out)
	for _, s := range statements {
		tag, err := results.Exec()
		if err == nil && s.must && tag.RowsAffected() == 0 {
			err = errNothingChanged
		}
		if err != nil {
			results.Close()
			return blame(s.event, err)
		}
	}
	return results.Close()
}

var errNothingChanged = errors.New("what the event changes is not there")

// PoisonError is returned for an event that cannot be applied as things are.
type PoisonError struct {
	Event eventstore.Recorded
	Cause error
}

// Error implements error.
func (e *PoisonError) Error() string {
	return fmt.Sprintf("apply %s (%s@%d, position %d): %v",
		e.Event.Type, e.Event.Stream, e.Event.Revision, e.Event.Position, e.Cause)
}

// Unwrap returns the cause.
func (e *PoisonError) Unwrap() error { return e.Cause }

// blame returns a *PoisonError if the event's data caused the error: SQLSTATE classes
// 21 to 23 (cardinality, data, constraints) and 54 (too large to index). Any other
// database error may pass.
func blame(e eventstore.Recorded, err error) error {
	var pg *pgconn.PgError
	isData := errors.As(err, &pg) && len(pg.Code) == 5 &&
		strings.Contains("21 22 23 54", pg.Code[:2])
	if isData || errors.Is(err, errNothingChanged) {
		return &PoisonError{e, err}
	}
	return err
}
