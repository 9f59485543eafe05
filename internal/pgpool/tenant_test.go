package pgpool

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stepledger/stepledger/internal/pgtest"
)

type tenantKey struct{}

func as(t *testing.T, tenant string) context.Context {
	return context.WithValue(t.Context(), tenantKey{}, tenant)
}

// byTenant is over one connection, so that one that is not given back is missed.
func byTenant(t *testing.T) ByTenant {
	t.Helper()
	url := pgtest.Database(t, "empty", nil)
	return ByTenant{
		Pool: open(t, url, Options{Name: "one", MaxConns: 1}), Operator: open(t, url, Options{Name: "operator"}),
		Tenant: tenantOf,
	}
}

func tenantOf(ctx context.Context) (string, bool) {
	tenant, ok := ctx.Value(tenantKey{}).(string)
	return tenant, ok
}

const whose = `select current_setting('app.tenant_id', true)`

func whoseOf(ctx context.Context, t *testing.T, d ByTenant) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	var tenant *string
	if err := d.QueryRow(ctx, whose).Scan(&tenant); err != nil {
		t.Fatal(err)
	}
	if tenant == nil {
		return "unset"
	}
	return *tenant
}

func TestByTenant_EachStatementIsItsTenants(t *testing.T) {
	t.Parallel()
	d := byTenant(t)
	for _, tenant := range []string{"a", "b", "", "a'; select 1 --", "a"} {
		if got := whoseOf(as(t, tenant), t, d); got != tenant {
			t.Errorf("a statement of %q ran for %q", tenant, got)
		}
		// The connection is the same one: what was set is over with the statement.
		var left string
		if err := d.Pool.QueryRow(t.Context(), whose).Scan(&left); err != nil || left != "" {
			t.Errorf("after it the session is %q's, %v", left, err)
		}
	}
	if got := whoseOf(t.Context(), t, d); got != "unset" {
		t.Errorf("an operator's statement ran for %q", got)
	}
	// What a request leaves to be done after its end is still its tenant's.
	if got := whoseOf(context.WithoutCancel(as(t, "a")), t, d); got != "a" {
		t.Errorf("without its cancellation it ran for %q", got)
	}
}

func TestByTenant_ConnectionsComeBack(t *testing.T) {
	t.Parallel()
	d := byTenant(t)
	ctx := as(t, "a")
	numbers := `select i from generate_series(1, @n::int) i`
	args := pgx.NamedArgs{"n": 5000}
	for name, use := range map[string]func() error{
		"read to the end": func() error {
			rows, err := d.Query(ctx, numbers, args)
			if err != nil {
				return err
			}
			n := 0
			for rows.Next() {
				n++
			}
			if n != 5000 {
				t.Errorf("%d rows", n)
			}
			return rows.Err() // and no Close
		},
		"collected": func() error {
			rows, _ := d.Query(ctx, numbers, args)
			all, err := pgx.CollectRows(rows, pgx.RowTo[int])
			if len(all) != 5000 {
				t.Errorf("%d rows", len(all))
			}
			return err
		},
		"closed early": func() error {
			rows, err := d.Query(ctx, numbers, args)
			if err != nil {
				return err
			}
			rows.Next()
			rows.Close()
			rows.Close()
			return rows.Err()
		},
		"first of many": func() error {
			var n int
			return d.QueryRow(ctx, numbers, args).Scan(&n)
		},
		"executed": func() error {
			tag, err := d.Exec(ctx, numbers, args)
			if tag.RowsAffected() != 5000 {
				t.Errorf("%v", tag)
			}
			return err
		},
		"transaction": func() error {
			const odd = `a'; select 1 -- \`
			return pgx.BeginFunc(as(t, odd), d, func(tx pgx.Tx) error {
				if _, err := tx.Exec(ctx, `set transaction isolation level repeatable read, read only`); err != nil {
					return err
				}
				var tenant string
				err := tx.QueryRow(ctx, whose).Scan(&tenant)
				if tenant != odd {
					t.Errorf("the transaction is %q's", tenant)
				}
				return err
			})
		},
	} {
		if err := use(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := whoseOf(as(t, "b"), t, d); got != "b" {
			t.Errorf("%s: then %q", name, got)
		}
	}
}

// An error is the one the pool would give, and costs no connection either.
func TestByTenant_Errors(t *testing.T) {
	t.Parallel()
	d := byTenant(t)
	ctx := as(t, "a")
	const fails = `select 1/(i-@n::int) from generate_series(1, 10) i`
	wrong := func(err error, code string) {
		t.Helper()
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != code {
			t.Errorf("%v, not %s", err, code)
		}
		if got := whoseOf(ctx, t, d); got != "a" {
			t.Errorf("then %q", got)
		}
	}
	rows, err := d.Query(ctx, fails, pgx.NamedArgs{"n": 5})
	if err == nil {
		_, err = pgx.CollectRows(rows, pgx.RowTo[int])
	}
	wrong(err, "22012")
	rows, err = d.Query(ctx, `select nothing`)
	if err == nil {
		rows.Close()
		err = rows.Err()
	}
	wrong(err, "42703")
	_, err = d.Exec(ctx, fails, pgx.NamedArgs{"n": 1})
	wrong(err, "22012")
	var n int
	wrong(d.QueryRow(ctx, fails, pgx.NamedArgs{"n": 1}).Scan(&n), "22012")
	if err := d.QueryRow(ctx, `select 1 where false`).Scan(&n); !errors.Is(err, pgx.ErrNoRows) {
		t.Errorf("no row: %v", err)
	}
	if err := d.QueryRow(ctx, `select 'word'`).Scan(&n); err == nil {
		t.Error("a word was read as a number")
	}
	if got := whoseOf(ctx, t, d); got != "a" {
		t.Errorf("then %q", got)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	rows, err = d.Query(ended, whose)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	if _, err := pgx.CollectRows(rows, pgx.RowTo[string]); !errors.Is(err, context.Canceled) {
		t.Errorf("the rows of an ended context: %v", err)
	}
	if _, err := d.Begin(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context begins: %v", err)
	}
}
