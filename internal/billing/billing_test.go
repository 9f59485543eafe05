package billing_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/internal/identity"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/projections"
)

var (
	_ commands.Prices = (*billing.Store)(nil)
	_ commands.Budget = (*billing.Store)(nil)
)

var noon = time.Now().UTC().Truncate(time.Hour)

// bench is a billing schema, and what its stores log.
type bench struct {
	*billing.Store
	url  string
	pool *pgxpool.Pool
	logs *logs
}

// migrateAll makes what the views are of, too.
func migrateAll(ctx context.Context, url string) error {
	for _, up := range []func(context.Context, string) error{identity.Migrate, projections.Migrate, billing.Migrate} {
		if err := up(ctx, url); err != nil {
			return err
		}
	}
	return nil
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{url: pgtest.Database(t, "billing", migrateAll), logs: &logs{}}
	b.Store = b.open(t)
	pool, err := pgxpool.New(t.Context(), b.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b.pool = pool
	return b
}

// open is another process on the same database.
func (b *bench) open(t *testing.T) *billing.Store {
	t.Helper()
	s, err := billing.Open(t.Context(), b.url, billing.Options{Log: slog.New(b.logs)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// logs counts records by message and percent.
type logs struct {
	mu       sync.Mutex
	percents []int64
}

func (l *logs) Enabled(context.Context, slog.Level) bool { return true }
func (l *logs) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *logs) WithGroup(string) slog.Handler            { return l }
func (l *logs) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "percent" {
			l.percents = append(l.percents, a.Value.Int64())
		}
		return true
	})
	return nil
}

func pico(s string) *usage.Pico {
	p, err := usage.ParsePico(s)
	if err != nil {
		panic(err)
	}
	return &p
}

func (b *bench) budget(t *testing.T, tenant, amount string) {
	t.Helper()
	limit := billing.Budget{Tenant: tenant}
	if amount != "" {
		limit.Amount = pico(amount)
	}
	if err := b.SetBudget(t.Context(), limit, noon); err != nil {
		t.Fatal(err)
	}
}

func reservation(tenant, amount string) usage.Reservation {
	return usage.Reservation{Call: domain.NewUUID(), Tenant: tenant, Subject: "task", Amount: *pico(amount), At: noon}
}

func (b *bench) reserve(t *testing.T, r usage.Reservation) usage.Booking {
	t.Helper()
	month, err := b.Reserve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return usage.Booking{Call: r.Call, Tenant: r.Tenant, Subject: r.Subject, Month: month, Reserved: r.Amount, Revision: 1}
}

func (b *bench) charge(t *testing.T, k usage.Booking, cost string) {
	t.Helper()
	k.Cost = nil
	if cost != "" {
		k.Cost = pico(cost)
	}
	if err := b.Charge(t.Context(), k); err != nil {
		t.Fatal(err)
	}
}

// standing is what a tenant's month has spent and holds.
func (b *bench) standing(t *testing.T, tenant string) (spent, held string) {
	t.Helper()
	all, err := b.Standing(t.Context(), tenant, noon)
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	return all[0].Spent, all[0].Held
}

func (b *bench) mustStand(t *testing.T, tenant, spent, held string) {
	t.Helper()
	if s, h := b.standing(t, tenant); s != spent || h != held {
		t.Fatalf("spent %s and held %s, want %s and %s", s, h, spent, held)
	}
}

// BerriAI/litellm#34732, #40095: concurrent calls pass the budget check. Here
// from two processes at once.
func TestReserve_EightAtOnceAgainstABudgetForOne(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.budget(t, "acme", "0.05")
	stores := []*billing.Store{b.Store, b.open(t)}
	for round := range 5 {
		start, results := make(chan struct{}), make(chan error, 8)
		for i := range 8 {
			go func() {
				<-start
				_, err := stores[i%2].Reserve(t.Context(), reservation("acme", "0.05"))
				results <- err
			}()
		}
		close(start)
		admitted := 0
		for range 8 {
			err := <-results
			var e *domain.Error
			switch {
			case err == nil:
				admitted++
			case !errors.As(err, &e) || e.Code != "QUOTA_EXCEEDED" || e.Kind != domain.Limited:
				t.Fatal(err)
			}
		}
		if admitted != 1 {
			t.Fatalf("round %d: %d calls were admitted", round, admitted)
		}
		b.mustStand(t, "acme", "0", "0.05")
		if _, err := b.pool.Exec(t.Context(), `with gone as (delete from billing.booking) update billing.month set held = 0`); err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 { // the month's first call of all, and later ones
			if _, err := b.pool.Exec(t.Context(), `delete from billing.month`); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestReserve_WithoutABudgetEverythingIsCounted(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	first := b.reserve(t, reservation("acme", "1000"))
	b.charge(t, first, "999.5")
	b.reserve(t, reservation("acme", "1000"))
	b.mustStand(t, "acme", "999.5", "1000")
	b.budget(t, "acme", "2000") // it knows what was spent before there was one
	if _, err := b.Reserve(t.Context(), reservation("acme", "0.6")); err == nil {
		t.Error("a budget set in mid-month forgot what had been spent")
	}
	b.reserve(t, reservation("acme", "0.5"))
	b.budget(t, "acme", "") // no limit any more
	b.reserve(t, reservation("acme", "5000"))
	b.reserve(t, reservation("globex", "5000")) // another tenant's affair
}

func TestReserve_TheSameCallAgainSetsNothingMoreAside(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.budget(t, "acme", "1")
	r := reservation("acme", "1")
	for range 3 {
		b.reserve(t, r)
	}
	b.mustStand(t, "acme", "0", "1")
}

func TestReserve_RefusalSaysHowThingsStand(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.budget(t, "acme", "1")
	b.charge(t, b.reserve(t, reservation("acme", "0.5")), "0.25")
	held := b.reserve(t, reservation("acme", "0.7"))
	refused := func(amount string) *domain.Error {
		t.Helper()
		_, err := b.Reserve(t.Context(), reservation("acme", amount))
		var e *domain.Error
		if !errors.As(err, &e) || e.Code != domain.CodeQuotaExceeded {
			t.Fatal(err)
		}
		return e
	}
	e := refused("0.1")
	e.Details["resetsAt"] = nil
	want := map[string]any{
		"month": noon.Format("2006-01"), "budgetUsd": "1", "spentUsd": "0.25", "heldUsd": "0.7", "neededUsd": "0.1", "resetsAt": nil,
	}
	if diff := cmp.Diff(want, e.Details); diff != "" || e.RetryAfter != 5*time.Second {
		t.Errorf("calls under way hold what is left: again in %s; %s", e.RetryAfter, diff)
	}
	b.charge(t, held, "0.7")
	e = refused("0.1")
	next := time.Date(noon.Year(), noon.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if want := next.Sub(noon); e.RetryAfter != want || e.Details["resetsAt"] != next {
		t.Errorf("it is used up: again in %s (%v), want %s", e.RetryAfter, e.Details["resetsAt"], want)
	}
	b.budget(t, "acme", "2")
	b.reserve(t, reservation("acme", "0.1"))
}

func TestCharge_ABillTakesThePlaceOfWhatWasSetAside(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.reserve(t, reservation("acme", "0.5"))
	b.mustStand(t, "acme", "0", "0.5")
	for range 2 {
		b.charge(t, k, "0.000000000001")
		b.mustStand(t, "acme", "0.000000000001", "0")
	}
	k.Revision = 0
	b.charge(t, k, "7") // older than what is there
	b.mustStand(t, "acme", "0.000000000001", "0")
	k.Revision = 5
	b.charge(t, k, "0.4") // a correction
	b.mustStand(t, "acme", "0.4", "0")
	k.Revision = 6
	b.charge(t, k, "") // a price that was withdrawn: what it may cost is set aside again
	b.mustStand(t, "acme", "0", "0.5")
	k.Revision = 7
	b.charge(t, k, "0.3")
	b.mustStand(t, "acme", "0.3", "0")
	if err := b.Release(t.Context(), k.Call); err != nil {
		t.Fatal(err)
	}
	b.mustStand(t, "acme", "0.3", "0") // a bill is not given back
}

func TestCharge_WhatIsMissingHereAndOnTheLedgerIsCountedAllTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	k := b.reserve(t, reservation("acme", "0.5"))
	if err := b.Release(t.Context(), k.Call); err != nil {
		t.Fatal(err)
	}
	b.mustStand(t, "acme", "0", "0")
	for range 2 {
		b.charge(t, k, "0.2")
	}
	b.mustStand(t, "acme", "0.2", "0")
	unpriced := k
	unpriced.Call = domain.NewUUID()
	b.charge(t, unpriced, "")
	b.mustStand(t, "acme", "0.2", "0.5")
	old := k
	old.Call, old.Month = domain.NewUUID(), noon.AddDate(0, -6, 0).Format("2006-01")
	b.charge(t, old, "100") // a month nobody can spend in any more
	var months int
	if err := b.pool.QueryRow(t.Context(), `select count(*) from billing.month`).Scan(&months); err != nil || months != 1 {
		t.Errorf("%d months, %v", months, err)
	}
}

func TestCharge_WarnsOnceAtEachThreshold(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.budget(t, "acme", "1")
	for range 10 {
		b.charge(t, b.reserve(t, reservation("acme", "0")), "0.1")
	}
	if diff := cmp.Diff([]int64{50, 80, 100}, b.logs.percents); diff != "" {
		t.Errorf("warned at: %s", diff)
	}
	all, err := b.Standing(t.Context(), "", noon)
	if err != nil || len(all) != 1 || cmp.Diff([]int32{50, 80, 100}, all[0].Warned) != "" {
		t.Errorf("%+v, %v", all, err)
	}
	limit := billing.Budget{Tenant: "acme", Amount: pico("2"), WarnAt: []int32{60, 90, 95}}
	if err := b.SetBudget(t.Context(), limit, noon); err != nil {
		t.Fatal(err)
	}
	b.charge(t, b.reserve(t, reservation("acme", "0.8")), "0.8")
	if diff := cmp.Diff([]int64{50, 80, 100, 60, 90}, b.logs.percents); diff != "" {
		t.Errorf("a raised budget has thresholds of its own: %s", diff)
	}
}

// wontlost-ltd/chrono-synth-os#434: cost in local time, budget in UTC.
func TestReserve_AMonthIsTheTenants(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, tt := range []struct{ zone, at, month string }{
		{"", "2026-10-31T16:00:00Z", "2026-10"},
		{"Asia/Shanghai", "2026-10-31T16:00:00Z", "2026-11"},
		{"Asia/Shanghai", "2026-10-31T15:59:59.999999Z", "2026-10"},
		{"", "2026-11-01T03:00:00Z", "2026-11"},
		{"America/Los_Angeles", "2026-11-01T03:00:00Z", "2026-10"},
		{"America/Los_Angeles", "2026-11-01T07:00:00Z", "2026-11"}, // still summer time there
	} {
		tenant := "in " + tt.zone
		if tt.zone != "" {
			if err := b.SetZone(t.Context(), tenant, tt.zone); err != nil {
				t.Fatal(err)
			}
		}
		at, err := time.Parse(time.RFC3339, tt.at)
		if err != nil {
			t.Fatal(err)
		}
		r := reservation(tenant, "1")
		r.At = at
		if month, err := b.Reserve(t.Context(), r); err != nil || month != tt.month {
			t.Errorf("%s %s is in %s (%v), want %s", tt.at, tt.zone, month, err, tt.month)
		}
	}
	for zone, field := range map[string]string{"": "timeZone", "Local": "timeZone", "Mars/Olympus": "timeZone"} {
		var e *domain.Error
		if err := b.SetZone(t.Context(), "acme", zone); !errors.As(err, &e) || e.Field != field {
			t.Errorf("time zone %q: %v", zone, err)
		}
	}
	if zone, err := b.Zone(t.Context(), "in Asia/Shanghai"); err != nil || zone != "Asia/Shanghai" {
		t.Errorf("%s, %v", zone, err)
	}
	if zone, err := b.Zone(t.Context(), "unknown"); err != nil || zone != "UTC" {
		t.Errorf("%s, %v", zone, err)
	}
}

func TestReserve_EachMonthHasItsBudget(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	next := time.Date(noon.Year(), noon.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	b.budget(t, "acme", "1")
	if err := b.SetBudget(t.Context(), billing.Budget{Tenant: "acme", From: next.Format("2006-01"), Amount: pico("3")}, noon); err != nil {
		t.Fatal(err)
	}
	take := func(at time.Time, amount string, want bool) {
		t.Helper()
		r := reservation("acme", amount)
		r.At = at
		if _, err := b.Reserve(t.Context(), r); (err == nil) != want {
			t.Errorf("%s at %s: %v", amount, at, err)
		}
	}
	take(noon, "2", false)
	take(noon, "1", true)
	take(noon, "0.000000000001", false)
	take(next.Add(-time.Microsecond), "0.000000000001", false)
	take(next, "3", true) // a month begins with nothing spent
	take(next.AddDate(0, 5, 0), "3", true)
	take(next.AddDate(0, 5, 0), "1", false)
}

func TestSetBudget_Refuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for field, budget := range map[string]billing.Budget{
		"from":   {Tenant: "acme", From: "November"},
		"amount": {Tenant: "acme", Amount: pico("-1")},
		"warnAt": {Tenant: "acme", WarnAt: []int32{0}},
	} {
		var e *domain.Error
		if err := b.SetBudget(t.Context(), budget, noon); !errors.As(err, &e) || e.Kind != domain.Invalid || e.Field != field {
			t.Errorf("%+v: %v", budget, err)
		}
	}
}

func TestUnsure_IsWhatWasReservedAndNotBooked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	lost, booked := b.reserve(t, reservation("acme", "1")), b.reserve(t, reservation("acme", "1"))
	b.charge(t, booked, "0.5")
	if got, err := b.Unsure(t.Context(), time.Now().Add(-time.Hour), 10); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	got, err := b.Unsure(t.Context(), time.Now().Add(time.Hour), 10)
	if err != nil || len(got) != 1 || got[0] != (billing.Unsure{Call: lost.Call, Subject: "task"}) {
		t.Errorf("%+v, %v", got, err)
	}
}
