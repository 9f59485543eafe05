package main

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/stepledger/stepledger/projections"
	knowledgeview "github.com/stepledger/stepledger/projections/knowledge"
)

// knowledgeMetrics says how documents stand, over all tenants, asked when it is scraped.
// Every process says the same.
type knowledgeMetrics struct {
	views                      knowledgeview.Queries
	documents, crawls, waiting *prometheus.Desc
}

func newKnowledgeMetrics(db projections.DB) *knowledgeMetrics {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("stepledger_knowledge_"+name, help, labels, nil)
	}
	return &knowledgeMetrics{
		views:     knowledgeview.Queries{DB: db},
		documents: desc("documents", "Documents of all sources, by how they stand.", "state"),
		crawls:    desc("crawls_running", "Crawls that have not finished."),
		waiting:   desc("oldest_waiting_seconds", "How long the document has waited that waits longest to be read; 0 for none."),
	}
}

// Describe implements prometheus.Collector.
func (m *knowledgeMetrics) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{m.documents, m.crawls, m.waiting} {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (m *knowledgeMetrics) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeWithin)
	defer cancel()
	b, err := m.views.Backlog(ctx)
	if err != nil {
		to <- prometheus.NewInvalidMetric(m.documents, err)
		return
	}
	for _, state := range knowledgeview.States {
		to <- prometheus.MustNewConstMetric(m.documents, prometheus.GaugeValue, float64(b.Documents[state]), state)
	}
	to <- prometheus.MustNewConstMetric(m.crawls, prometheus.GaugeValue, float64(b.Crawls))
	waits := 0.0
	if !b.Oldest.IsZero() {
		waits = time.Since(b.Oldest).Seconds()
	}
	to <- prometheus.MustNewConstMetric(m.waiting, prometheus.GaugeValue, waits)
}
