package projections_test

import (
	"testing"

	"github.com/stepledger/stepledger/projections"
	"github.com/stepledger/stepledger/projections/projtest"
)

// BenchmarkRebuild applies a log from its first event, one projection at a time.
func BenchmarkRebuild(b *testing.B) {
	e := projtest.New(b)
	e.Story(1, 20_000)
	events, err := e.Store.Head(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	for _, p := range all {
		b.Run(p.Name, func(b *testing.B) {
			e.CatchUp(p)
			r := projections.NewRunner(e.Config(p))
			for b.Loop() {
				if err := r.Rebuild(b.Context(), p.Name); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
