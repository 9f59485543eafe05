package observe

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Search counts searches of the web and logs those that failed, without their words.
type Search struct {
	next     commands.Search
	log      *slog.Logger
	searches *prometheus.CounterVec
	seconds  prometheus.Histogram
}

// NewSearch wraps a search in counters and registers them.
func NewSearch(next commands.Search, log *slog.Logger, r prometheus.Registerer) *Search {
	s := &Search{
		next: next, log: log,
		searches: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stepledger_web_searches_total", Help: "Searches of the web, by how they ended.",
		}, []string{"outcome"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "stepledger_web_search_seconds", Help: "How long searches of the web took.", Buckets: []float64{0.1, 0.25, 0.5, 1, 2, 4, 8},
		}),
	}
	r.MustRegister(s.searches, s.seconds)
	return s
}

// Find implements commands.Search.
func (s *Search) Find(ctx context.Context, q reasoning.WebQuery) ([]reasoning.WebResult, error) {
	began := time.Now()
	found, err := s.next.Find(ctx, q)
	s.seconds.Observe(time.Since(began).Seconds())
	outcome := "ok"
	switch {
	case err != nil:
		outcome = "failed"
		s.log.WarnContext(ctx, "the web could not be searched", "error", err)
	case len(found) == 0:
		outcome = "empty"
	}
	s.searches.WithLabelValues(outcome).Inc()
	return found, err
}
