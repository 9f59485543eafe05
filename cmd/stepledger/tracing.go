package main

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/internal/observe"
	"github.com/stepledger/stepledger/internal/trace"
)

// tracingConfig says who is told of tasks and model calls; nobody by default.
type tracingConfig struct {
	// OTLP is an endpoint of OpenTelemetry, by the names its own tools have.
	OTLP trace.Collector
	// Langfuse is a project of Langfuse: none without keys.
	Langfuse trace.Langfuse
}

const langfuseCloud = "https://cloud.langfuse.com"

func (e *env) tracing() tracingConfig {
	c := tracingConfig{
		OTLP: trace.Collector{
			Endpoint: account.Secret(e.text("OTEL_EXPORTER_OTLP_ENDPOINT", "")),
			Headers:  account.Secret(e.text("OTEL_EXPORTER_OTLP_HEADERS", "")),
		},
		Langfuse: trace.Langfuse{
			BaseURL:   e.text("LANGFUSE_BASE_URL", langfuseCloud),
			PublicKey: e.text("LANGFUSE_PUBLIC_KEY", ""),
			SecretKey: account.Secret(e.text("LANGFUSE_SECRET_KEY", "")),
		},
	}
	if (c.Langfuse.PublicKey == "") != (c.Langfuse.SecretKey == "") {
		e.faults = append(e.faults, errors.New("LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY: one is useless without the other"))
	}
	return c
}

// exporters are consumers of the feed that tell tracing systems: one each, so that
// none waits for another.
func (s *system) exporters() (out []feed.Reaction, err error) {
	add := func(e trace.Exporter, err error, setting string) error {
		if err != nil {
			return fmt.Errorf("%s: %w", setting, err)
		}
		out = append(out, feed.Reaction{Name: e.Name, Topic: strings.Join(e.Types, ","), Handle: e.Handle})
		return nil
	}
	if c := s.cfg.Tracing.OTLP; c.Endpoint != "" {
		e, err := trace.NewCollector(s.events, c, version())
		if err := add(e, err, "OTEL_EXPORTER_OTLP_ENDPOINT"); err != nil {
			return nil, err
		}
	}
	if c := s.cfg.Tracing.Langfuse; c.PublicKey != "" {
		e, err := trace.NewLangfuse(s.events, c, version())
		if err := add(e, err, "LANGFUSE_BASE_URL"); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reportErrors has errors reported as well as logged, where that is asked for.
func reportErrors(cfg config, log *slog.Logger) (reported *slog.Logger, flush func(), err error) {
	if cfg.SentryDSN == "" {
		return log, func() {}, nil
	}
	h, flush, err := observe.ReportErrors(log.Handler(), cfg.SentryDSN, version())
	if err != nil {
		return nil, nil, fmt.Errorf("SENTRY_DSN: %w", err)
	}
	return slog.New(h), flush, nil
}
