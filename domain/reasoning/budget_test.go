package reasoning_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// think works for a while, unless its time is over before.
func think(ctx context.Context, d time.Duration) error {
	ctx, done := reasoning.Think(ctx)
	select {
	case <-ctx.Done():
		return done(ctx.Err())
	case <-time.After(d):
		return done(nil)
	}
}

func code(err error) string {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestThink(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := reasoning.WithBudget(t.Context(), time.Second)
		for range 2 {
			if err := think(ctx, 400*time.Millisecond); err != nil {
				t.Fatal("within the budget:", err)
			}
		}
		time.Sleep(time.Hour) // fake: what is not thought about costs nothing
		began := time.Now()
		if err := think(ctx, time.Minute); code(err) != domain.CodeTooComplex {
			t.Errorf("past the budget: %v", err)
		}
		if took := time.Since(began); took != 200*time.Millisecond {
			t.Errorf("the third answer had %v of what was left", took)
		}
		if err := think(ctx, time.Millisecond); code(err) != domain.CodeTooComplex {
			t.Errorf("with nothing left: %v", err)
		}
		if err := think(t.Context(), time.Minute); err != nil {
			t.Errorf("without a budget: %v", err)
		}
		if err := think(reasoning.WithBudget(t.Context(), 0), time.Minute); err != nil {
			t.Errorf("with a budget of zero: %v", err)
		}
	})
}

func TestThink_OtherEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(reasoning.WithBudget(t.Context(), time.Hour))
	cancel()
	if err := think(ctx, time.Hour); !errors.Is(err, context.Canceled) || code(err) != "" {
		t.Errorf("of a context that ended for another reason: %v", err)
	}
	trouble := errors.New("trouble")
	_, done := reasoning.Think(reasoning.WithBudget(t.Context(), time.Hour))
	if err := done(trouble); err != trouble { //nolint:errorlint // the very same one
		t.Errorf("another error became %v", err)
	}
}
