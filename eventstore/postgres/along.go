package postgres

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// Along is what is committed together with an append, or not at all.
type Along struct {
	// Statements run before the append waits for its turn, so that nobody waits for
	// what they send.
	Statements []Statement
	// Beside are other streams. They are looked at, and appended to, in the append's
	// turn, before it.
	Beside []Beside
}

// Statement is a statement of whoever keeps tables in the log's database. It may run
// several times, of which one is committed.
type Statement struct {
	SQL  string
	Args []any
	// Bytes is roughly what Args take; it counts towards the size of a batch.
	Bytes int
	// Order is what the statement locks, roughly. Statements of appends that are committed
	// together run in this order, so that two such commits never wait for each other.
	Order string
	// Refused is the append's error if the server takes offence at the statement
	// (SQLSTATE 22… or 23…): that is how a statement refuses the append.
	Refused error
	// Done, if set, is called with the rows it changed once they are committed. It is not
	// called where the append turned out to be a repeat.
	Done func(rows int64)
}

// Beside is another stream: it has to stand at a revision (eventstore.NoStream for one
// that never had an event) and gets events, none to leave it there.
type Beside struct {
	Stream string
	At     int64
	Events []eventstore.Proposed
}

// AppendAlong is Append with more in the same commit. Its errors are those of Append, for
// a stream beside it too, and the Refused of a statement. A repeat is judged by the
// append's own events alone.
func (s *Store) AppendAlong(ctx context.Context, stream string, expected int64, events []eventstore.Proposed, along Along) (eventstore.Receipt, error) {
	if err := eventstore.CheckAppend(stream, expected, events); err != nil {
		return eventstore.Receipt{}, err
	}
	for _, b := range along.Beside {
		if len(b.Events) == 0 {
			continue
		}
		if err := eventstore.CheckAppend(b.Stream, b.At, b.Events); err != nil {
			return eventstore.Receipt{}, err
		}
	}
	r := newRequest(stream, expected, events)
	r.along = along
	for _, st := range along.Statements {
		r.bytes += st.Bytes
	}
	return s.append(ctx, r)
}

// besideSQL fails unless every stream is where it has to be. It runs after lockSQL.
const besideSQL = `
	select 1 / (not exists (
		select from unnest($1::text[], $2::bigint[]) b(stream, at)
		where b.at <> coalesce((
			select x.revision from log.events x
			where x.stream = b.stream and x.type <> '` + tombstone + `'
			order by x.revision desc limit 1), -1)))::int`

// comparedSQL fails where more of a stream is archived than an append was compared with. It
// runs after lockSQL.
const comparedSQL = `
	select 1 / (not exists (
		select from unnest($1::text[], $2::bigint[]) b(stream, upto)
		where b.upto < (select max(a.to_revision) from log.archived a where a.stream = b.stream)))::int`

// step is one statement of a batch's transaction.
type step struct {
	sql  string
	args []any
	// refused is the error of an append that goes alone if the server takes offence.
	refused error
	done    func(rows int64)
}

// alongError says that a statement that goes along has refused.
type alongError struct{ refused, cause error }

func (e *alongError) Error() string { return "beside an append: " + e.cause.Error() }

func (e *alongError) Unwrap() error { return e.cause }

// errNotCompared: an append has first to be compared with what is archived of its stream.
var errNotCompared = errors.New("events of the stream are archived")

// errBesideMoved stands for the *eventstore.WrongRevisionError of a stream beside an append.
var errBesideMoved = errors.New("a stream beside the append has moved")

// stepsOf are the statements that run before a batch's events: those that go along, and
// where streams are looked at the lock. With look the appends themselves are looked at
// too: one that is left out must leave out what goes along with it.
func stepsOf(batch []*request, look bool) []step {
	var statements []Statement
	var beside []Beside
	var streams, own []string
	var at, upto []int64
	for _, r := range batch {
		statements, beside = append(statements, r.along.Statements...), append(beside, r.along.Beside...)
		if !look || r.along.isEmpty() {
			continue
		}
		own, upto = append(own, r.stream), append(upto, r.archived.comparedUpto())
		if r.expected != eventstore.Any {
			streams, at = append(streams, r.stream), append(at, r.expected)
		}
	}
	slices.SortStableFunc(statements, func(a, b Statement) int { return cmp.Compare(a.Order, b.Order) })
	var steps []step
	for _, st := range statements {
		steps = append(steps, step{st.SQL, st.Args, st.Refused, st.Done})
	}
	for _, b := range beside {
		streams, at = append(streams, b.Stream), append(at, b.At)
	}
	if len(own) > 0 {
		steps = append(steps, step{sql: lockSQL}, step{sql: comparedSQL, args: []any{own, upto}, refused: errNotCompared})
	}
	if len(streams) == 0 {
		return steps
	}
	steps = append(steps, step{sql: lockSQL}, step{sql: besideSQL, args: []any{streams, at}, refused: errBesideMoved})
	if e := eventsOf(beside); len(e.ids) > 0 {
		steps = append(steps, step{sql: addSQL, args: []any{e.of, e.at, e.ids, e.types, e.data, e.meta}, refused: errBesideMoved})
	}
	return steps
}

func (a Along) isEmpty() bool { return len(a.Statements) == 0 && len(a.Beside) == 0 }

// placedColumns are events with their streams and revisions.
type placedColumns struct {
	columns
	of []string
	at []int64
}

func eventsOf(beside []Beside) (e placedColumns) {
	for _, b := range beside {
		for i, p := range b.Events {
			var id pgtype.UUID
			_ = id.Scan(p.ID) // CheckAppend has seen it
			e.ids, e.types = append(e.ids, id), append(e.types, p.Type)
			e.data, e.meta = append(e.data, p.Data), append(e.meta, notNull(p.Meta))
			e.of, e.at = append(e.of, b.Stream), append(e.at, b.At+1+int64(i))
		}
	}
	return e
}

// RefusedError says that a statement that was to go along has refused an append, and why:
// it is the statement's Refused.
type RefusedError struct{ Why error }

// Error implements error.
func (e *RefusedError) Error() string { return "refused by what goes along: " + e.Why.Error() }

// Unwrap returns the statement's own error.
func (e *RefusedError) Unwrap() error { return e.Why }

// whyRefused is the error of a lone append that something along with it has refused.
func (s *Store) whyRefused(ctx context.Context, r *request, refused error) error {
	switch {
	case errors.Is(refused, errNotCompared): // what was archived is gone since
		return &eventstore.UnavailableError{Op: "append " + r.stream, Cause: refused}
	case !errors.Is(refused, errBesideMoved):
		return &RefusedError{refused}
	}
	for _, b := range r.along.Beside {
		slice, err := s.ReadStream(ctx, b.Stream, eventstore.ReadOptions{Limit: 1})
		if err != nil {
			return err
		}
		if slice.Head != b.At {
			return &eventstore.WrongRevisionError{Stream: b.Stream, Expected: b.At, Actual: slice.Head}
		}
	}
	return &eventstore.UnavailableError{Op: "append " + r.stream, Cause: errBesideMoved}
}
