package projections_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

func TestWaiter(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	e.CatchUp(tally())
	tests := []struct {
		name     string
		names    []string
		position int64
		lag      int64
	}{
		{"passed", []string{"tally"}, 3, 0},
		{"passed long ago", []string{"tally"}, 1, 0},
		{"not there yet", []string{"tally"}, 5, 2},
		{"one that has no tables is behind by all of it", []string{"tally", "other"}, 3, 3},
		{"nobody to wait for", nil, 7, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lag, err := projections.Waiter{DB: e.Pool}.Wait(t.Context(), tt.names, tt.position, 30*time.Millisecond)
			if err != nil || lag != tt.lag {
				t.Errorf("lag %d, %v; want %d", lag, err, tt.lag)
			}
		})
	}
}

// A client reads its own write, whichever process has applied it.
func TestWaiter_ReturnsWhenThePositionIsPassed(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	r := running(t, e.Config(tally()))
	waiters := map[string]projections.Waiter{
		"in the runner's process":  {DB: e.Pool, Progress: r.Progress()},
		"in another process":       {DB: e.Pool},
		"where a runner stands by": {DB: e.Pool, Progress: projections.NewRunner(e.Config(tally())).Progress()},
	}
	for name, w := range waiters {
		for n := range 20 {
			put(e, "number-"+name[:2], n)
			at := head(e)
			lag, err := w.Wait(t.Context(), []string{"tally"}, at, 10*time.Second)
			if err != nil || lag != 0 {
				t.Fatalf("%s: lag %d, %v", name, lag, err)
			}
			if applied := position(e, "tally"); int64(applied) < at {
				t.Fatalf("%s: released at %d, waited for %d", name, applied, at)
			}
		}
	}
}

func TestWaiter_EndsWithItsContext(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := (projections.Waiter{DB: e.Pool}).Wait(ctx, []string{"tally"}, 1, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v; want the context's end", err)
	}
}

// hung is a database that takes a question and never answers it.
type hung struct{ projections.DB }

func (hung) Query(ctx context.Context, _ string, _ ...any) (pgx.Rows, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestWaiter_DoesNotWaitForAHungDatabase(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const atMost = 250 * time.Millisecond
		began := time.Now()
		lag, err := projections.Waiter{DB: hung{}}.Wait(t.Context(), []string{"tally"}, 7, atMost)
		if took := time.Since(began); lag != 7 || err != nil || took < atMost || took > atMost+100*time.Millisecond {
			t.Errorf("lag %d, %v after %v; want 7 after 250 ms and a little", lag, err, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), atMost)
		defer cancel()
		if _, err := (projections.Waiter{DB: hung{}}).Wait(ctx, []string{"tally"}, 7, time.Minute); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v; want the context's end", err)
		}
	})
}

// Whoever makes what is waited for is told, unless it is there.
func TestWaiter_Hurries(t *testing.T) {
	t.Parallel()
	e := projtest.New(t)
	put(e, "number-a", 1, 2, 3)
	var asked []int64
	r := running(t, e.Config(tally()))
	w := projections.Waiter{DB: e.Pool, Progress: r.Progress(), Hurry: func(at int64) { asked = append(asked, at) }}
	if lag, err := w.Wait(t.Context(), []string{"tally"}, 4, time.Millisecond); err != nil || lag == 0 {
		t.Fatalf("lag %d, %v", lag, err)
	}
	projtest.Eventually(t, "the runner is there", func() bool { return position(e, "tally") == 3 })
	if lag, err := w.Wait(t.Context(), []string{"tally"}, 3, 10*time.Second); err != nil || lag != 0 {
		t.Fatalf("lag %d, %v", lag, err)
	}
	if len(asked) == 0 || asked[0] != 4 {
		t.Errorf("asked for %v, want 4 first", asked)
	}
}
