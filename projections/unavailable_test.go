package projections_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/calibration"
	"github.com/stepledger/stepledger/projections/kpi"
	"github.com/stepledger/stepledger/projections/projtest"
	"github.com/stepledger/stepledger/projections/sessions"
	"github.com/stepledger/stepledger/projections/skills"
	"github.com/stepledger/stepledger/projections/tasks"
	"github.com/stepledger/stepledger/projections/usage"
)

func isUnavailable(err error) bool {
	var e *domain.Error
	return errors.As(err, &e) && e.Kind == domain.Unavailable && e.Code == "DATABASE_ERROR" && e.RetryAfter == time.Second
}

func TestUnavailable(t *testing.T) {
	t.Parallel()
	server := func(code string) error { return &pgconn.PgError{Code: code} }
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"nothing", nil, false},
		{"the log does not answer", &eventstore.UnavailableError{Op: "read", Cause: context.DeadlineExceeded}, true},
		{"the archive does not answer", &eventstore.UnavailableError{Op: "read", Cause: &eventstore.ArchiveError{Segment: "a", Cause: errors.New("no route")}}, true},
		{"the connection was lost", server("08006"), true},
		{"the server is stopped", server("57P01"), true},
		{"the server is starting", server("57P03"), true},
		{"too many connections", server("53300"), true},
		{"no route", &net.OpError{Op: "dial", Err: errors.New("no route to host")}, true},
		{"the server hung up", io.ErrUnexpectedEOF, true},
		{"a statement that is wrong", server("42601"), false},
		{"a statement that was cancelled", server("57014"), false},
		{"the caller has gone", context.Canceled, false},
		{"the caller's time is up", context.DeadlineExceeded, false},
		{"what is said already", tasks.NotFound().Because(io.EOF), false},
		{"a fault of ours", errors.New("no such column"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := tt.err
			if err != nil {
				err = fmt.Errorf("read: %w", err)
			}
			got := projections.Unavailable(err)
			if isUnavailable(got) != tt.want || !errors.Is(got, err) {
				t.Errorf("got %v; unavailable should be %v, with its cause", got, tt.want)
			}
			if !tt.want && got != err { //nolint:errorlint // the very same is meant
				t.Errorf("got %v; want it untouched", got)
			}
		})
	}
}

// Without a database every read says so, in a way that a user may be told.
func TestQueries_WithoutADatabase(t *testing.T) {
	t.Parallel()
	pool, err := pgxpool.New(t.Context(), "host="+t.TempDir()+" database=none user=none")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	const tenant, user = projtest.Tenant, projtest.User
	ctx, id := t.Context(), domain.NewUUID()
	for name, read := range map[string]func() error{
		"a task":             func() error { _, err := tasks.Queries{DB: pool}.ByID(ctx, tenant, user, id); return err },
		"the active task":    func() error { _, err := tasks.Queries{DB: pool}.Active(ctx, tenant, user, id, ""); return err },
		"tasks":              func() error { _, err := tasks.Queries{DB: pool}.List(ctx, tasks.Filter{Tenant: tenant}); return err },
		"idle tasks":         func() error { _, err := tasks.Queries{DB: pool}.Idle(ctx, time.Now(), 1); return err },
		"sessions":           func() error { _, err := sessions.Queries{DB: pool}.List(ctx, sessions.Filter{}); return err },
		"the latest session": func() error { _, err := sessions.Queries{DB: pool}.Latest(ctx, tenant, user, ""); return err },
		"messages": func() error {
			_, err := sessions.Queries{DB: pool}.Messages(ctx, tenant, user, id, sessions.MessageFilter{})
			return err
		},
		"usage":      func() error { _, err := usage.Queries{DB: pool}.Summary(ctx, usage.SummaryFilter{}); return err },
		"open calls": func() error { _, err := usage.Queries{DB: pool}.Open(ctx, time.Now()); return err },
		"calls": func() error {
			_, err := usage.Queries{DB: pool}.Calls(ctx, usage.CallFilter{Limit: 1})
			return err
		},
		"skills": func() error { _, err := skills.Queries{DB: pool}.Find(ctx, tenant, "a.example", "q"); return err },
		"calibration": func() error {
			_, err := calibration.Queries{DB: pool}.Report(ctx, calibration.Filter{})
			return err
		},
		"figures": func() error { _, err := kpi.Queries{DB: pool}.Ever(ctx); return err },
		"how far a projection is": func() error {
			_, err := projections.Waiter{DB: pool}.Wait(ctx, []string{"tasks"}, 1, time.Minute)
			return err
		},
	} {
		if err := read(); !isUnavailable(err) {
			t.Errorf("%s: got %v; want DATABASE_ERROR", name, err)
		}
	}
}
