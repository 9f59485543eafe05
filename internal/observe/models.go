package observe

import (
	"context"
	"log/slog"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/internal/llm"
)

// Calls counts the attempts this process records: how they ended, how long they took,
// what they used, and which answers were a fallback's.
type Calls struct {
	llm.Recorder
	log *slog.Logger

	mu   sync.Mutex
	open map[string]llm.CallStarted // by call

	attempts, tokens, fallbacks *prometheus.CounterVec
	seconds                     *prometheus.HistogramVec
	kept                        prometheus.Counter
}

// NewCalls wraps a recorder in counters and registers them.
func NewCalls(next llm.Recorder, log *slog.Logger, r prometheus.Registerer) *Calls {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stepledger_model_" + name, Help: help}, labels)
	}
	c := &Calls{
		Recorder: next, log: log, open: map[string]llm.CallStarted{},
		attempts:  counter("attempts_total", "Attempts at a model, by how they ended.", "provider", "model", "role", "purpose", "outcome"),
		tokens:    counter("tokens_total", "Tokens used, by meter; the ledger is what is billed.", "provider", "model", "meter"),
		fallbacks: counter("fallback_answers_total", "Answers of a model that stood in for the role's own.", "role", "provider", "model"),
		kept: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "stepledger_model_kept_answers_total", Help: "Answers paid for before a crash and used after it.",
		}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "stepledger_model_attempt_seconds", Help: "How long attempts at a model took.",
			Buckets: []float64{0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64},
		}, []string{"provider", "model", "role"}),
	}
	r.MustRegister(c.attempts, c.tokens, c.fallbacks, c.kept, c.seconds)
	return c
}

// Started implements llm.Recorder.
func (c *Calls) Started(ctx context.Context, s llm.CallStarted) error {
	if err := c.Recorder.Started(ctx, s); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[s.Call] = s
	return nil
}

// Completed implements llm.Recorder.
func (c *Calls) Completed(ctx context.Context, done llm.CallCompleted) error {
	err := c.Recorder.Completed(ctx, done)
	c.mu.Lock()
	s, ours := c.open[done.Call]
	if err == nil {
		delete(c.open, done.Call)
	}
	c.mu.Unlock()
	if err != nil || !ours { // ours were counted; another process's are its own
		return err
	}
	c.count(ctx, s, done)
	return nil
}

func (c *Calls) count(ctx context.Context, s llm.CallStarted, done llm.CallCompleted) {
	c.attempts.WithLabelValues(s.Provider, s.Model, string(s.Role), s.Purpose, string(done.Outcome)).Inc()
	c.seconds.WithLabelValues(s.Provider, s.Model, string(s.Role)).Observe(done.Duration.Seconds())
	if u := done.Usage; u != nil {
		for meter, n := range map[string]int64{
			"inputUncached": u.InputUncached, "inputCached": u.InputCached, "inputTool": u.InputTool,
			"inputAudio": u.InputAudio, "output": u.Output, "thinking": u.Thinking,
		} {
			c.tokens.WithLabelValues(s.Provider, s.Model, meter).Add(float64(n))
		}
	}
	if s.Fallback > 0 && done.Outcome == llm.OutcomeOK {
		c.fallbacks.WithLabelValues(string(s.Role), s.Provider, s.Model).Inc()
		c.log.WarnContext(ctx, "a model stood in for another: its reasoning may be poorer",
			"role", s.Role, "provider", s.Provider, "model", s.Model, "task", s.On.Task)
	}
}

// KeptAnswer implements llm.Recorder.
func (c *Calls) KeptAnswer(ctx context.Context, on llm.On, key string) ([]byte, string, bool, error) {
	body, ref, ok, err := c.Recorder.KeptAnswer(ctx, on, key)
	if ok && err == nil {
		c.kept.Inc()
	}
	return body, ref, ok, err
}

// Models are the metrics of the models' condition, collected when scraped.
type Models struct {
	client                                               *llm.Client
	leftAlone, skipped, calls, waiting, allowed, refused *prometheus.Desc
}

// NewModels returns the metrics of a client's models.
func NewModels(c *llm.Client) *Models {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_model_"+name, help, labels, nil)
	}
	return &Models{
		client:    c,
		leftAlone: desc("left_alone", "1 while the model is not asked because it does not answer.", "provider", "model"),
		skipped:   desc("skipped_total", "Attempts not made because the model was left alone.", "provider", "model"),
		calls:     desc("calls", "Calls under way at the provider.", "provider"),
		allowed:   desc("calls_allowed", "Calls the provider may have under way.", "provider"),
		waiting:   desc("calls_waiting", "Questions that wait for a call to end.", "provider"),
		refused:   desc("calls_refused_total", "Questions that waited for a call to end in vain.", "provider"),
	}
}

// Describe implements prometheus.Collector.
func (m *Models) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.leftAlone, m.skipped, m.calls, m.allowed, m.waiting, m.refused} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *Models) Collect(to chan<- prometheus.Metric) {
	send := func(d *prometheus.Desc, kind prometheus.ValueType, v float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, kind, v, labels...)
	}
	for _, s := range m.client.Status() {
		left := 0.0
		if s.LeftFor > 0 {
			left = 1
		}
		send(m.leftAlone, prometheus.GaugeValue, left, s.Provider, s.Model)
		send(m.skipped, prometheus.CounterValue, float64(s.Skipped), s.Provider, s.Model)
	}
	for _, l := range m.client.Loads() {
		send(m.calls, prometheus.GaugeValue, float64(l.Calls), l.Provider)
		send(m.allowed, prometheus.GaugeValue, float64(l.Limit), l.Provider)
		send(m.waiting, prometheus.GaugeValue, float64(l.Waiting), l.Provider)
		send(m.refused, prometheus.CounterValue, float64(l.Refused), l.Provider)
	}
}
