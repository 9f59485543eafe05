package pgpool

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool is a pool of connections whose settings hold in each statement. It is safe for
// concurrent use; its methods are those of pgxpool.Pool.
type Pool struct{ pool *pgxpool.Pool }

// Close closes all connections, and waits for those in use.
func (p *Pool) Close() { p.pool.Close() }

// Acquire returns a connection, which is to be released.
func (p *Pool) Acquire(ctx context.Context) (Conn, error) {
	c, err := p.pool.Acquire(ctx)
	if err != nil {
		return Conn{}, err
	}
	return Conn{c, sessionOf(c.Conn())}, nil
}

// Ping asks for nothing on a connection.
func (p *Pool) Ping(ctx context.Context) error { return p.pool.Ping(ctx) }

// Query runs a statement. Its connection is free again once the rows are closed, which
// they are by Close and when there is no next one.
func (p *Pool) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	c, err := p.Acquire(ctx)
	if err != nil {
		return failedRows{err: err}, err
	}
	rows, err := c.Query(ctx, sql, args...)
	if err != nil {
		c.Release()
		return rows, err
	}
	return &heldRows{Rows: rows, release: func() error { c.Release(); return nil }}, nil
}

// QueryRow runs a statement for its first row. The connection is free again after Scan.
func (p *Pool) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := p.Query(ctx, sql, args...)
	return firstRow{rows, err}
}

// Exec runs a statement for what it does.
func (p *Pool) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	c, err := p.Acquire(ctx)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	defer c.Release()
	return c.Exec(ctx, sql, args...)
}

// SendBatch sends statements as one transaction in one round trip. The connection is free
// again once the results are closed.
func (p *Pool) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	c, err := p.Acquire(ctx)
	if err != nil {
		return failedBatch{err}
	}
	return &heldBatch{c.SendBatch(ctx, b), c.Release}
}

// Begin begins a transaction.
func (p *Pool) Begin(ctx context.Context) (pgx.Tx, error) { return p.BeginTx(ctx, pgx.TxOptions{}) }

// BeginTx begins a transaction. The connection is free again after its end.
func (p *Pool) BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error) {
	c, err := p.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if c.session.pooled {
		o.BeginQuery = beginSQL(o) + c.session.begin
	}
	tx, err := c.conn.BeginTx(ctx, o)
	if err != nil {
		c.Release()
		return nil, err
	}
	return &heldTx{Tx: tx, release: c.Release}, nil
}

func beginSQL(o pgx.TxOptions) string {
	if o.BeginQuery != "" {
		return o.BeginQuery
	}
	parts := []string{"begin"}
	if o.IsoLevel != "" {
		parts = append(parts, "isolation level", string(o.IsoLevel))
	}
	parts = append(parts, string(o.AccessMode), string(o.DeferrableMode))
	return strings.Join(parts, " ")
}

// Conn is a connection that is in use.
type Conn struct {
	conn    *pgxpool.Conn
	session session
}

// Conn is the connection itself, on which no settings hold if it is pooled.
func (c Conn) Conn() *pgx.Conn { return c.conn.Conn() }

// Release gives it back.
func (c Conn) Release() { c.conn.Release() }

// Pooled reports whether a pooler is in between: what was known of the server a moment
// ago may then hold for another one.
func (c Conn) Pooled() bool { return c.session.pooled }

// Query runs a statement.
func (c Conn) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if !c.session.pooled {
		return c.conn.Query(ctx, sql, args...)
	}
	return queryBehind(c.sendOne(ctx, sql, args))
}

// queryBehind gives the rows of the next statement of a batch that has no other.
func queryBehind(results pgx.BatchResults) (pgx.Rows, error) {
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // it repeats the error
		return rows, err
	}
	return &heldRows{Rows: rows, release: results.Close}, nil
}

// Exec runs a statement for what it does.
func (c Conn) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if !c.session.pooled {
		return c.conn.Exec(ctx, sql, args...)
	}
	return execBehind(c.sendOne(ctx, sql, args))
}

func execBehind(results pgx.BatchResults) (pgconn.CommandTag, error) {
	tag, err := results.Exec()
	if closed := results.Close(); err == nil {
		err = closed
	}
	return tag, err
}

// SendBatch sends statements as one transaction.
func (c Conn) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	if !c.session.pooled {
		return c.conn.SendBatch(ctx, b)
	}
	var headed pgx.Batch
	headed.Queue(c.session.head)
	headed.QueuedQueries = append(headed.QueuedQueries, b.QueuedQueries...)
	results := c.conn.SendBatch(ctx, &headed)
	_, _ = results.Exec() // the next result repeats the error
	return results
}

func (c Conn) sendOne(ctx context.Context, sql string, args []any) pgx.BatchResults {
	var b pgx.Batch
	b.Queue(sql, args...)
	return c.SendBatch(ctx, &b)
}
