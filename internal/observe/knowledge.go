package observe

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Knowledge counts the questions of turns to documents, how long they took and the pieces
// that were found, and logs those that failed, without their words. A turn goes on without
// an answer, so that nobody else would see it.
type Knowledge struct {
	next    commands.Knowledge
	log     *slog.Logger
	asked   *prometheus.CounterVec
	pieces  *prometheus.CounterVec
	seconds prometheus.Histogram
}

// NewKnowledge wraps what documents say in counters and registers them.
func NewKnowledge(next commands.Knowledge, log *slog.Logger, r prometheus.Registerer) *Knowledge {
	k := &Knowledge{
		next: next, log: log,
		asked: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stepledger_knowledge_finds_total", Help: "Questions of turns to documents, by how they ended; late is one that was not answered in time.",
		}, []string{"outcome"}),
		pieces: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "stepledger_knowledge_pieces_total", Help: "Pieces of documents found for turns: of the organisation's own, or public.",
		}, []string{"of"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "stepledger_knowledge_find_seconds", Help: "How long questions of turns to documents took.", Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1},
		}),
	}
	r.MustRegister(k.asked, k.pieces, k.seconds)
	return k
}

// Find implements commands.Knowledge.
func (k *Knowledge) Find(ctx context.Context, tenant, address, task string) ([]reasoning.Chunk, bool, error) {
	began := time.Now()
	chunks, known, err := k.next.Find(ctx, tenant, address, task)
	k.seconds.Observe(time.Since(began).Seconds())
	outcome := "ok"
	switch {
	case err != nil:
		if outcome = "failed"; errors.Is(ctx.Err(), context.DeadlineExceeded) {
			outcome = "late"
		}
		k.log.WarnContext(ctx, "documents could not be asked", "error", err)
	case len(chunks) == 0:
		outcome = "empty"
	}
	k.asked.WithLabelValues(outcome).Inc()
	for _, c := range chunks {
		of := "organisation"
		if c.Public {
			of = "public"
		}
		k.pieces.WithLabelValues(of).Inc()
	}
	return chunks, known, err
}
