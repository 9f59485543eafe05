package trace

import (
	"context"
	"net/http"

	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
)

// Exporter exports events of some types to one system. Its name never changes,
// because its checkpoint is stored under it.
type Exporter struct {
	Name   string
	Types  []string
	Handle func(ctx context.Context, e eventstore.Recorded) error
}

// spanTypes are the events that end a span or change its bill.
var spanTypes = []string{
	task.NameTurnEnded, task.NameTurnAbandoned, task.NameTaskCompleted, task.NameTaskFailed, task.NameTaskInterrupted,
	usage.NameLLMCallCompleted, usage.NameLLMCallSettled, usage.NameUsageCorrected,
}

// Collector is the base address of an OTLP endpoint with its headers, as in
// OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS.
type Collector struct{ Endpoint, Headers account.Secret }

// NewCollector returns the exporter to an OTLP endpoint. version is this service's.
func NewCollector(log Log, c Collector, version string) (Exporter, error) {
	const name = "traces"
	headers, err := parseHeaders(c.Headers)
	if err != nil {
		return Exporter{}, err
	}
	to, err := newSpanSink("the OTLP endpoint", c.Endpoint.Reveal(), "v1/traces", version, headers)
	if err != nil {
		return Exporter{}, err
	}
	return Exporter{name, spanTypes, spans{log, to}.handle}, nil
}

// Langfuse is the address of a Langfuse project with its keys.
type Langfuse struct {
	BaseURL   string
	PublicKey string
	SecretKey account.Secret
}

// NewLangfuse returns the exporter of traces and scores to Langfuse.
func NewLangfuse(log Log, l Langfuse, version string) (Exporter, error) {
	const name = "langfuse"
	headers := http.Header{"Authorization": {basicAuth(l.PublicKey, l.SecretKey)}}
	to, err := newSpanSink("Langfuse", l.BaseURL, "api/public/otel/v1/traces", version, headers)
	if err != nil {
		return Exporter{}, err
	}
	to.headers.Set("X-Langfuse-Ingestion-Version", "4")
	where, err := address(l.BaseURL, "api/public/scores")
	both := langfuse{spans{log, to}, where}
	return Exporter{name, append([]string{task.NameActionVerified}, spanTypes...), both.handle}, err
}

// spans exports the span an event ends.
type spans struct {
	log Log
	to  spanSink
}

func (s spans) handle(ctx context.Context, e eventstore.Recorded) error {
	span, err := s.of(ctx, e)
	if span == nil || err != nil {
		return err
	}
	return s.to.send(ctx, span)
}

// of returns the span that an event ends, nil if none.
func (s spans) of(ctx context.Context, e eventstore.Recorded) (*otlp.Span, error) {
	if eventstore.Category(e.Stream) == eventstore.Category(usage.Stream("")) {
		id, err := called(e)
		if id == "" || err != nil {
			return nil, err
		}
		return callSpan(ctx, s.log, e, id)
	}
	event, err := decodeTask(e)
	switch event := event.(type) {
	case task.TurnEnded:
		return turnSpan(ctx, s.log, e, event.Turn, event.Status)
	case task.TurnAbandoned:
		return turnSpan(ctx, s.log, e, event.Turn, "abandoned")
	case task.TaskCompleted:
		return taskSpan(ctx, s.log, e, "completed", "")
	case task.TaskFailed:
		return taskSpan(ctx, s.log, e, "failed", event.Code)
	case task.TaskInterrupted:
		return taskSpan(ctx, s.log, e, "interrupted", "")
	}
	return nil, err
}
