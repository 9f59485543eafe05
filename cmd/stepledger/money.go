package main

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/billing"
	"github.com/stepledger/stepledger/internal/observe"
	usageview "github.com/stepledger/stepledger/projections/usage"
)

// budget is the tenants' budgets, with those who were refused in the log and in
// the metrics.
func (s *system) budget(h hooks) commands.Budget {
	var store commands.Budget = s.billing
	if h.model != nil {
		store = hookedBudget{store, h.model}
	}
	return observe.Budget{Next: store, Log: s.log, Refused: func(tenant string) {
		s.money.refused.WithLabelValues(tenant).Inc()
	}}
}

// billed logs and counts a bill that needs attention. A bill without a price is also
// shown in health until it has one.
func (s *system) billed(c usage.Call) {
	st := c.Started
	about := []any{"provider", st.Provider, "model", st.Model, "serviceTier", st.ServiceTier, "tenant", st.Tenant, "task", st.Task, "call", st.Call}
	if c.Charge.CostStatus == usage.Unpriced {
		s.log.Error("a model call has no price: import one (stepledger prices import), then reprice", about...)
		s.money.unpriced.WithLabelValues(st.Provider, st.Model).Inc()
	}
	if cost := c.Charge.Cost; cost != nil {
		s.money.billed.WithLabelValues(st.Provider, st.Model).Add(max(0, cost.USD()))
	}
	switch r := c.Report; {
	case r == nil:
		s.money.estimated.WithLabelValues(st.Provider, st.Model, "unknown").Inc()
	case r.UsageMissing:
		s.money.estimated.WithLabelValues(st.Provider, st.Model, string(r.Outcome)).Inc()
		if r.Outcome == usage.OK {
			s.log.Warn("a model answered, and its account of what it used cannot be read: billed by estimate", about...)
		}
	case !r.AddsUp():
		s.log.Warn("the provider's account of a model call contradicts itself", about...)
		s.money.mismatched.WithLabelValues(st.Provider, st.Model).Inc()
	}
}

// pricesOK fails while calls have no price.
func (s *system) pricesOK(ctx context.Context) error {
	models, err := usageview.Queries{DB: s.db}.Unpriced(ctx)
	if err != nil || len(models) == 0 {
		return err
	}
	m := models[0]
	return fmt.Errorf("%d calls of %s/%s have no price, and %d other models", m.Calls, m.Provider, m.Model, len(models)-1)
}

// moneyMetrics are the figures of prices and budgets.
type moneyMetrics struct {
	refused, billed, unpriced, estimated, mismatched *prometheus.CounterVec
}

func newMoneyMetrics(r *prometheus.Registry, store *billing.Store) moneyMetrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: "stepledger_" + name, Help: help}, labels)
	}
	m := moneyMetrics{
		refused:  counter("budget_refused_calls_total", "Model calls this process did not make because the tenant's budget had no room.", "tenant"),
		billed:   counter("billed_usd_total", "USD of the bills this process noted; the ledger is what is billed.", "provider", "model"),
		unpriced: counter("unpriced_calls_total", "Bills this process noted without a price.", "provider", "model"),
		estimated: counter("estimated_calls_total",
			"Bills this process noted by estimate; those of the outcome ok are answers whose usage was missing or unreadable.", "provider", "model", "outcome"),
		mismatched: counter("mismatched_calls_total", "Bills this process noted whose provider's account contradicts itself.", "provider", "model"),
	}
	r.MustRegister(m.refused, m.billed, m.unpriced, m.estimated, m.mismatched, newBudgetMetrics(store))
	return m
}

// budgetMetrics says how the months of tenants with a budget stand, asked when
// it is scraped. Every process says the same.
type budgetMetrics struct {
	store                         *billing.Store
	budget, spent, held, unbooked *prometheus.Desc
}

func newBudgetMetrics(store *billing.Store) *budgetMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_budget_"+name, help, labels, nil)
	}
	const byTenant = "tenant"
	return &budgetMetrics{
		store:    store,
		budget:   desc("usd", "Budget of the tenant's month.", byTenant),
		spent:    desc("spent_usd", "Bills of the month so far.", byTenant),
		held:     desc("held_usd", "Set aside for calls under way.", byTenant),
		unbooked: desc("unbooked_calls", "Calls whose bill the budgets should have by now and do not; 1000 is that many or more."),
	}
}

// Describe implements prometheus.Collector.
func (m *budgetMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.budget, m.spent, m.held, m.unbooked} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *budgetMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	all, err := m.store.Standing(ctx, "", time.Now())
	if err != nil {
		to <- prometheus.NewInvalidMetric(m.spent, err)
		return
	}
	late, err := m.store.Unsure(ctx, time.Now().Add(-unbooked), sweepBatch)
	if err != nil {
		to <- prometheus.NewInvalidMetric(m.unbooked, err)
		return
	}
	to <- prometheus.MustNewConstMetric(m.unbooked, prometheus.GaugeValue, float64(len(late)))
	for _, s := range all {
		if s.Budget == nil {
			continue
		}
		for desc, amount := range map[*prometheus.Desc]string{m.budget: *s.Budget, m.spent: s.Spent, m.held: s.Held} {
			usd, err := strconv.ParseFloat(amount, 64) // a gauge is a float; nobody is billed by it
			if err != nil {
				to <- prometheus.NewInvalidMetric(desc, err)
				continue
			}
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, usd, s.Tenant)
		}
	}
}
