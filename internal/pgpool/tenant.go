package pgpool

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// TenantSetting is the setting of a transaction that policies of row-level security
// compare with. It is "" where no tenant was set, also after a transaction that set one.
const TenantSetting = "app.tenant_id"

const setTenant = `select set_config('` + TenantSetting + `', $1, true)`

// ByTenant runs each statement for the tenant its context is for, in one round trip and
// one transaction of its own. What a statement may see is then up to the policies of its
// tables, whatever its conditions say. It is safe for concurrent use.
type ByTenant struct {
	// Pool has sessions of a role that owns nothing, for which row-level security holds.
	Pool *pgxpool.Pool
	// Tenant returns the tenant a context is for, "" for nobody yet, who sees nothing;
	// false if the context is that of no tenant's request, such as an operator's command.
	Tenant func(ctx context.Context) (tenant string, ok bool)
	// Operator serves the contexts of no tenant's request.
	Operator *pgxpool.Pool
}

// Query runs a statement. Its connection is free again once the rows are closed, which
// they are by Close and when there is no next one.
func (d ByTenant) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	tenant, ok := d.Tenant(ctx)
	if !ok {
		return d.Operator.Query(ctx, sql, args...)
	}
	results, _ := d.send(ctx, tenant, sql, args) // rows have the error too
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // it repeats the error
		return rows, err
	}
	return &tenantRows{Rows: rows, results: results}, nil
}

// QueryRow runs a statement for its first row. The connection is free again after Scan.
func (d ByTenant) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := d.Query(ctx, sql, args...)
	return firstRow{rows, err}
}

// Exec runs a statement for what it does.
func (d ByTenant) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	tenant, ok := d.Tenant(ctx)
	if !ok {
		return d.Operator.Exec(ctx, sql, args...)
	}
	results, err := d.send(ctx, tenant, sql, args)
	var tag pgconn.CommandTag
	if err == nil {
		tag, err = results.Exec()
	}
	if closed := results.Close(); err == nil {
		err = closed
	}
	return tag, err
}

// Begin begins a transaction for the tenant. It takes a round trip more than the pool's.
func (d ByTenant) Begin(ctx context.Context) (pgx.Tx, error) {
	tenant, ok := d.Tenant(ctx)
	if !ok {
		return d.Operator.Begin(ctx)
	}
	tx, err := d.Pool.Begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := setLocal(ctx, tx, tenant); err != nil {
		_ = tx.Rollback(context.WithoutCancel(ctx)) // the first error says it all
		return nil, err
	}
	return tx, nil
}

// setLocal is no query, as set_config would be: after one the transaction's isolation
// could not be chosen any more. The command takes no parameters.
func setLocal(ctx context.Context, tx pgx.Tx, tenant string) error {
	literal, err := tx.Conn().PgConn().EscapeString(tenant)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `set local `+TenantSetting+` = '`+literal+`'`)
	return err
}

// send sends a statement behind its tenant and reads the answer to the first part. The
// two are one transaction, because one synchronisation ends both.
func (d ByTenant) send(ctx context.Context, tenant, sql string, args []any) (pgx.BatchResults, error) {
	var b pgx.Batch
	b.Queue(setTenant, tenant)
	b.Queue(sql, args...)
	results := d.Pool.SendBatch(ctx, &b)
	_, err := results.Exec()
	return results, err
}

// tenantRows are rows that give their connection back when they are closed.
type tenantRows struct {
	pgx.Rows
	results pgx.BatchResults // nil once closed
	err     error            // of the end of the transaction
}

// Next implements pgx.Rows.
func (r *tenantRows) Next() bool {
	if r.Rows.Next() {
		return true
	}
	r.Close()
	return false
}

// Close implements pgx.Rows.
func (r *tenantRows) Close() {
	r.Rows.Close()
	if r.results != nil {
		r.err = r.results.Close()
		r.results = nil
	}
}

// Err implements pgx.Rows.
func (r *tenantRows) Err() error {
	if err := r.Rows.Err(); err != nil {
		return err
	}
	return r.err
}

// Scan implements pgx.Rows. Rows that cannot be read are at their end, as pgx's own.
func (r *tenantRows) Scan(dest ...any) error {
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
