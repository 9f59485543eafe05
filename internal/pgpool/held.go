package pgpool

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// heldRows are rows that give something back when they are closed: their connection, or
// the batch they are of.
type heldRows struct {
	pgx.Rows
	release func() error // nil once closed
	err     error        // of the release
}

// Next implements pgx.Rows.
func (r *heldRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Close implements pgx.Rows.
func (r *heldRows) Close() {
	r.Rows.Close()
	if r.release != nil {
		r.err = r.release()
		r.release = nil
	}
}

// Err implements pgx.Rows.
func (r *heldRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// Scan implements pgx.Rows. Rows that cannot be read are at their end, as pgx's own.
func (r *heldRows) Scan(dest ...any) error {
	err := r.Rows.Scan(dest...)
	if err != nil {
		r.Close()
	}
	return err
}

// firstRow implements pgx.Row as pgx does.
type firstRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements pgx.Row.
func (r firstRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// heldBatch are results that give their connection back.
type heldBatch struct {
	pgx.BatchResults
	release func() // nil once closed
}

// Close implements pgx.BatchResults.
func (b *heldBatch) Close() error {
	err := b.BatchResults.Close()
	if b.release != nil {
		b.release()
		b.release = nil
	}
	return err
}

// heldTx is a transaction that gives its connection back.
type heldTx struct {
	pgx.Tx
	release func() // nil once it has ended
}

// Commit implements pgx.Tx.
func (t *heldTx) Commit(ctx context.Context) error { return t.ended(t.Tx.Commit(ctx)) }

// Rollback implements pgx.Tx.
func (t *heldTx) Rollback(ctx context.Context) error { return t.ended(t.Tx.Rollback(ctx)) }

func (t *heldTx) ended(err error) error {
	if t.release != nil {
		t.release()
		t.release = nil
	}
	return err
}

// failedRows are those of a statement that was not sent. All their methods answer.
type failedRows struct{ err error }

// The methods of pgx.Rows.
func (failedRows) Close()                                       {}
func (r failedRows) Err() error                                 { return r.err }
func (failedRows) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (failedRows) FieldDescriptions() []pgconn.FieldDescription { return nil }
func (failedRows) Next() bool                                   { return false }
func (r failedRows) Scan(...any) error                          { return r.err }
func (r failedRows) Values() ([]any, error)                     { return nil, r.err }
func (failedRows) RawValues() [][]byte                          { return nil }
func (failedRows) Conn() *pgx.Conn                              { return nil }
func (failedRows) TypeMap() *pgtype.Map                         { return nil }

// failedBatch are the results of a batch that was not sent.
type failedBatch struct{ err error }

// The methods of pgx.BatchResults.
func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }
func (b failedBatch) Query() (pgx.Rows, error)         { return failedRows(b), b.err }
func (b failedBatch) QueryRow() pgx.Row                { return failedRows(b) }
func (b failedBatch) Close() error                     { return b.err }
func (failedBatch) Tx() pgx.Tx                         { return nil }
