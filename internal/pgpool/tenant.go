package pgpool

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// TenantSetting is the setting of a transaction that policies of row-level security
// compare with. It is "" where no tenant was set, also after a transaction that set one.
const TenantSetting = "app.tenant_id"

const setTenant = `select set_config('` + TenantSetting + `', $1, true)`

// DB runs statements; a Pool does.
type DB interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Begin(ctx context.Context) (pgx.Tx, error)
}

// ByTenant runs each statement for the tenant its context is for, in one round trip and
// one transaction of its own. What a statement may see is then up to the policies of its
// tables, whatever its conditions say. It is safe for concurrent use.
type ByTenant struct {
	// Pool has sessions of a role that owns nothing, for which row-level security holds.
	Pool *Pool
	// Tenant returns the tenant a context is for, "" for nobody yet, who sees nothing;
	// false if the context is that of no tenant's request, such as an operator's command.
	Tenant func(ctx context.Context) (tenant string, ok bool)
	// Operator serves the contexts of no tenant's request.
	Operator DB
}

// Query runs a statement. Its connection is free again once the rows are closed, which
// they are by Close and when there is no next one.
func (d ByTenant) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	tenant, ok := d.Tenant(ctx)
	if !ok {
		return d.Operator.Query(ctx, sql, args...)
	}
	return queryBehind(d.send(ctx, tenant, sql, args))
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
	return execBehind(d.send(ctx, tenant, sql, args))
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
func (d ByTenant) send(ctx context.Context, tenant, sql string, args []any) pgx.BatchResults {
	var b pgx.Batch
	b.Queue(setTenant, tenant)
	b.Queue(sql, args...)
	results := d.Pool.SendBatch(ctx, &b)
	_, _ = results.Exec() // the next result repeats the error
	return results
}
