package history_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// turnsOf writes turns of five events each: a page, a verdict, an action, a prediction
// and an answer.
func turnsOf(e *projtest.Env, turns int) *projtest.Task {
	k := e.Task(e.Session(), url, "buy every book there is")
	target := projtest.Target("14", "button", "Save")
	for turn := range turns {
		k.Turn(url)
		if turn > 0 {
			k.Verdict(turn%7 > 0)
		}
		k.Act(projtest.Click("14"), target).
			Append(task.OutcomePredicted{Turn: turn + 1, StepIndex: turn, By: "rules"}).End()
	}
	return k
}

// limits are in milliseconds, of a task of 10,000 events.
var limits = map[string]float64{"open_10k_events_ms": 200, "search_10k_type": 50, "search_10k_text": 50}

// BenchmarkLooking measures questions about one task, in the reader alone. The reference
// of a state is one bare read of its stream, of others their limit; what has none is
// printed for itself.
//
//	BAR timetravel.state_at_vs_read ours=.. ref=.. ratio=.. unit=µs
func BenchmarkLooking(b *testing.B) {
	e := projtest.WithoutDatabase(b)
	short, long := turnsOf(e, 50), turnsOf(e, 2000)
	r := history.Reader{Log: e.Store, Keys: e.Keys}
	rng := rand.New(rand.NewPCG(1, 2))
	median := func(rounds int, f func() error) float64 {
		all := make([]float64, rounds)
		for i := range all {
			began := time.Now()
			if err := f(); err != nil {
				b.Fatal(err)
			}
			all[i] = float64(time.Since(began).Nanoseconds()) / 1000
		}
		return slices.Sorted(slices.Values(all))[rounds/2]
	}
	for b.Loop() {
		ref := median(200, func() error {
			_, err := e.Store.ReadStream(b.Context(), task.Stream(short.ID), eventstore.ReadOptions{})
			return err
		})
		ours := median(200, func() error {
			_, err := r.StateAt(b.Context(), projtest.Tenant, short.ID, rng.Int64N(249))
			return err
		})
		fmt.Printf("BAR timetravel.state_at_vs_read ours=%.0f ref=%.0f ratio=%.2f unit=µs\n", ours, ref, ours/ref)
		for name, f := range map[string]func() error{
			"open_10k_events_ms": func() error { _, err := r.Turns(b.Context(), projtest.Tenant, long.ID, 1, 20); return err },
			"last_of_10k":        func() error { _, err := r.Turns(b.Context(), projtest.Tenant, long.ID, 1981, 20); return err },
			"state_of_10k":       func() error { _, err := r.StateAt(b.Context(), projtest.Tenant, long.ID, 9000); return err },
			"search_10k_type": func() error {
				_, err := r.Events(b.Context(), projtest.Tenant, long.ID, history.Filter{Types: []string{"action_verified"}, Text: "nowhere"})
				return err
			},
			"search_10k_text": func() error {
				_, err := r.Events(b.Context(), projtest.Tenant, long.ID, history.Filter{Text: "nowhere"})
				return err
			},
			"diff_of_10k":       func() error { _, err := r.Diff(b.Context(), projtest.Tenant, long.ID, 10, 9000); return err },
			"graph_of_10k":      func() error { _, err := r.Graph(b.Context(), projtest.Tenant, long.ID, 0); return err },
			"compare_10k_to_it": func() error { _, err := r.Compare(b.Context(), projtest.Tenant, long.ID, short.ID); return err },
		} {
			ms := median(3, f) / 1000
			if limit := limits[name]; limit > 0 {
				fmt.Printf("BAR timetravel.%s ours=%.1f ref=%.0f ratio=%.3f unit=ms\n", name, ms, limit, ms/limit)
			} else {
				fmt.Printf("looking: %s %.1f ms\n", name, ms)
			}
		}
	}
}
