package projections_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestPark_HidesOnlyTheStream(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		poison int
		want   string
	}{
		{"an event that cannot be read", 13, "unreadable"},
		{"an event the database refuses", -100, "violates check constraint"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			put(e, "number-a", 1)
			put(e, "number-b", 1, tt.poison, 2) // the first stays, the last waits behind
			put(e, "number-a", 2)
			e.CatchUp(tally())
			put(e, "number-b", 4) // waits as well
			put(e, "number-a", 4)
			r := projections.NewRunner(e.Config(tally()))
			if err := r.CatchUp(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]int{"number-a": 7, "number-b": 1}, totals(t, e)); diff != "" {
				t.Errorf("totals (-want +got):\n%s", diff)
			}
			parked, err := r.Parked(t.Context(), projections.ParkedFilter{Projection: "tally"})
			if err != nil || len(parked) != 3 {
				t.Fatalf("parked: %+v, %v; want three events", parked, err)
			}
			for i, p := range parked {
				if p.Stream != "number-b" || p.Revision != int64(i+1) || p.EventType != "number.added.v1" {
					t.Errorf("parked %d: %+v", i, p)
				}
			}
			if !strings.Contains(parked[0].Error, tt.want) || !strings.Contains(parked[1].Error, "earlier event") {
				t.Errorf("errors %q and %q", parked[0].Error, parked[1].Error)
			}
			if s, err := r.Health(t.Context()); err != nil || s[0].OK() || s[0].Parked != 3 || s[0].Lag != 0 {
				t.Errorf("health: %+v, %v", s, err)
			}
		})
	}
}

// mended is tally after somebody has mended what the events broke.
func mended() projections.Projection {
	p := tally()
	p.Apply = func(b *projections.Batch, e eventstore.Recorded, s domain.Sealer) error {
		if string(e.Data) == "13" || string(e.Data) == "-100" {
			e.Data = []byte("1000")
		}
		return addUp(b, e, s)
	}
	return p
}

func TestRetryParked(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 13, 2, 4)
	put(e, "number-b", -100, 1)
	put(e, "number-c", 8)
	e.CatchUp(tally())

	r := projections.NewRunner(e.Config(tally()))
	applied, left, err := r.RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"})
	if err != nil || applied != 0 || left != 5 {
		t.Errorf("before the fix: %d applied, %d left, %v; want 0 and 5", applied, left, err)
	}
	at := position(e, "tally")
	applied, left, err = projections.NewRunner(e.Config(mended())).RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"})
	if err != nil || applied != 5 || left != 0 {
		t.Errorf("after the fix: %d applied, %d left, %v; want 5 and 0", applied, left, err)
	}
	if position(e, "tally") != at {
		t.Errorf("the checkpoint moved from %d to %d", at, position(e, "tally"))
	}
	retried := e.Dump(mended())
	if err := projections.NewRunner(e.Config(mended())).Rebuild(t.Context(), "tally"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(retried, e.Dump(mended())); diff != "" {
		t.Errorf("tables after the retry and after a rebuild (-retry +rebuild):\n%s", diff)
	}
}

func TestRetryParked_StopsAtWhatStillFails(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 13, 2, -100, 4)
	e.CatchUp(tally())
	half := tally()
	half.Apply = func(b *projections.Batch, e eventstore.Recorded, s domain.Sealer) error {
		if string(e.Data) == "13" {
			e.Data = []byte("14")
		}
		return addUp(b, e, s)
	}
	applied, left, err := projections.NewRunner(e.Config(half)).RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"})
	if err != nil || applied != 2 || left != 2 || totals(t, e)["number-a"] != 16 {
		t.Errorf("%d applied, %d left, %v, totals %v; want 2, 2 and 16", applied, left, err, totals(t, e))
	}
	put(e, "number-a", 1)
	e.CatchUp(half)
	if n := e.Count(`select count(*) from read.parked`); n != 3 {
		t.Errorf("%d events are parked, want the two and the one behind them", n)
	}
}

func TestRetryParked_OfOneTenant(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	putFor(e, "acme", "number-a", 13, 1)
	putFor(e, "globex", "number-g", 13, 1)
	e.CatchUp(tally())
	acme := projections.ParkedFilter{Projection: "tally", Tenant: "acme"}
	r := projections.NewRunner(e.Config(mended()))
	parked, err := r.Parked(t.Context(), projections.ParkedFilter{Tenant: "acme"})
	if err != nil || len(parked) != 2 || parked[0].Stream != "number-a" || parked[0].Tenant != "acme" || parked[0].ParkedAt.IsZero() {
		t.Errorf("parked: %+v, %v; want the two of acme", parked, err)
	}
	if applied, left, err := r.RetryParked(t.Context(), acme); applied != 2 || left != 0 || err != nil {
		t.Errorf("%d applied, %d left, %v; want 2 and 0", applied, left, err)
	}
	if diff := cmp.Diff(map[string]int{"number-a": 1001}, totals(t, e)); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	if parked, err := r.Parked(t.Context(), projections.ParkedFilter{}); err != nil || len(parked) != 2 || parked[0].Tenant != "globex" {
		t.Errorf("parked: %+v, %v; want the two of globex", parked, err)
	}
}

// A server is at work on the same tables, and its log grows, while another process
// retries: nothing is lost, applied twice or out of order.
func TestRetryParked_BesideARunningServer(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	streams := []string{"number-a", "number-b", "number-c"}
	for _, s := range streams {
		put(e, s, 1, 13, 2)
	}
	e.CatchUp(tally())
	running(t, e.Config(mended()))
	other := projections.NewRunner(e.Config(mended()))
	for n := range 50 {
		put(e, streams[n%len(streams)], n)
		if _, _, err := other.RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"}); err != nil {
			t.Fatal(err)
		}
	}
	projtest.Eventually(t, "the server is through", func() bool { return position(e, "tally") == int(head(e)) })
	if _, left, err := other.RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"}); err != nil || left != 0 {
		t.Errorf("%d are left, %v", left, err)
	}
	retried := e.Dump(mended())
	if err := other.Rebuild(t.Context(), "tally"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(retried, e.Dump(mended())); diff != "" {
		t.Errorf("tables after the retries and after a rebuild (-retry +rebuild):\n%s", diff)
	}
}

func TestRetryParked_LeavesTablesOfAnotherVersionAlone(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 13)
	e.CatchUp(tally())
	newer := mended()
	newer.Version++
	_, _, err := projections.NewRunner(e.Config(newer)).RetryParked(t.Context(), projections.ParkedFilter{Projection: "tally"})
	if domain.KindOf(err) != domain.Conflict {
		t.Errorf("error = %v, want a conflict", err)
	}
	if n := e.Count(`select count(*) from read.parked`); n != 1 || len(totals(t, e)) != 0 {
		t.Errorf("%d events are parked, totals %v", n, totals(t, e))
	}
}

func TestStop_GoesNoFurther(t *testing.T) {
	t.Parallel()
	for name, poison := range map[string]int{"an event that cannot be read": 13, "an event the database refuses": -100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := projtest.New(t)
			put(e, "number-a", 1)
			e.CatchUp(tally())
			put(e, "number-b", poison)
			put(e, "number-a", 2)
			billing := tally()
			billing.OnPoison = projections.Stop
			r := running(t, e.Config(billing))
			projtest.Eventually(t, "the poison is reported", func() bool {
				s, err := r.Health(t.Context())
				var p *projections.PoisonError
				return err == nil && errors.As(s[0].Err, &p) && p.Event.Stream == "number-b"
			})
			if diff := cmp.Diff(map[string]int{"number-a": 1}, totals(t, e)); diff != "" || position(e, "tally") != 1 {
				t.Errorf("at %d, totals (-want +got):\n%s", position(e, "tally"), diff)
			}
			fixed := mended()
			fixed.OnPoison = projections.Stop
			e.CatchUp(fixed)
			if diff := cmp.Diff(map[string]int{"number-a": 3, "number-b": 1000}, totals(t, e)); diff != "" {
				t.Errorf("after the fix (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMust_ChangingNothingIsPoison(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	p := tally()
	p.OnPoison = projections.Stop
	p.Apply = func(b *projections.Batch, e eventstore.Recorded, _ domain.Sealer) error {
		b.Must(`update tally set total = 1 where stream = 'nowhere'`, nil)
		return nil
	}
	err := projections.NewRunner(e.Config(p)).CatchUp(t.Context())
	var poison *projections.PoisonError
	if !errors.As(err, &poison) || poison.Event.Position != 1 {
		t.Errorf("got %v; want poison at position 1", err)
	}
}

func TestBlame_AFaultOfOursIsNoPoison(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1)
	p := tally()
	p.Apply = func(b *projections.Batch, _ eventstore.Recorded, _ domain.Sealer) error {
		b.Queue(`update no_such_table set x = 1`, nil)
		return nil
	}
	if err := projections.NewRunner(e.Config(p)).CatchUp(t.Context()); err == nil {
		t.Error("a statement that can never work was taken for a bad event")
	}
	if n := e.Count(`select count(*) from read.parked`); n != 0 {
		t.Errorf("%d events are parked", n)
	}
}
