package projections

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// All live tables that have something at the same time are in one round, however many
// rounds there are; one that comes when a round has begun is in the next.
func TestRounds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const followers, times = 7, 20
		var r rounds
		var sizes []int
		do := func(_ context.Context, all []*share) []bool {
			sizes = append(sizes, len(all))
			time.Sleep(time.Second)
			done := make([]bool, len(all))
			for i := range done {
				done[i] = i > 0 // the first has to go alone
			}
			return done
		}
		var shared, lonely int
		var mu sync.Mutex
		var following sync.WaitGroup
		for range followers {
			leave := r.enter()
			following.Go(func() {
				defer leave()
				for range times {
					was := r.join(t.Context(), &share{told: make(chan outcome, 1)}, do)
					mu.Lock()
					if was {
						shared++
					} else {
						lonely++
					}
					mu.Unlock()
				}
			})
		}
		following.Wait()
		if len(sizes) != times || shared != times*(followers-1) || lonely != times {
			t.Errorf("%d rounds of %v, %d shares applied in them and %d alone; want %d rounds of all", len(sizes), sizes, shared, lonely, times)
		}
	})
}

// A follower that is not there is not waited for.
func TestRounds_WithoutOneThatIsBusy(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r rounds
		defer r.enter()() // never joins
		defer r.enter()()
		began := time.Now()
		do := func(context.Context, []*share) []bool {
			t.Error("a share was applied in a round of its own")
			return []bool{true}
		}
		if r.join(t.Context(), &share{told: make(chan outcome, 1)}, do) {
			t.Error("a share without company was applied in a round")
		}
		if took := time.Since(began); took != gather {
			t.Errorf("it waited %v, want %v", took, gather)
		}
	})
}
