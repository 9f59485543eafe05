package trace

import (
	"context"
	"fmt"
	"strings"
	"time"

	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
)

// noKey opens nothing: sealed text reads as erased.
type noKey struct{}

func (noKey) Seal(_, _ []byte) ([]byte, error) { return nil, domain.ErrErased }
func (noKey) Open(_, _ []byte) ([]byte, error) { return nil, domain.ErrErased }

// decodeTask opens an event of a task; one of a newer version is task.Unknown.
func decodeTask(e eventstore.Recorded) (task.Event, error) {
	event, err := task.Codec.Glance(e.Type, e.Data, e.ID, noKey{})
	if domain.IsNewer(err) {
		return task.Unknown{Name: e.Type}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s of %s: %w", e.Type, e.Stream, err)
	}
	return event, nil
}

// subject returns the id in a stream's name.
func subject(stream string) string {
	_, id, _ := strings.Cut(stream, "-")
	return id
}

// Log reads streams.
type Log interface {
	ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error)
}

// backPage is about the number of events in a turn.
const backPage = 16

// walkBack visits the events before an event, beginning with itself, until visit
// returns false.
func walkBack(ctx context.Context, log Log, e eventstore.Recorded, visit func(eventstore.Recorded, task.Event) (more bool)) error {
	for from := e.Revision; from >= 0; {
		page, err := log.ReadStream(ctx, e.Stream, eventstore.ReadOptions{From: from, Limit: backPage, Direction: eventstore.Backwards})
		if err != nil {
			return err
		}
		for _, r := range page.Events {
			event, err := decodeTask(r)
			if err != nil {
				return err
			}
			if !visit(r, event) {
				return nil
			}
			from = r.Revision - 1
		}
		if !page.More || len(page.Events) == 0 {
			return nil
		}
	}
	return nil
}

// turnSpan is the span of the turn that ended with e. If retention has removed its
// beginning, it begins with what is left.
func turnSpan(ctx context.Context, log Log, e eventstore.Recorded, turn int, status string) (*otlp.Span, error) {
	who, began := owner{tenant: e.Metadata().Tenant, task: subject(e.Stream)}, e.RecordedAt
	var of attributes
	err := walkBack(ctx, log, e, func(r eventstore.Recorded, event task.Event) bool {
		began = r.RecordedAt
		if p, ok := event.(task.PageObserved); ok {
			who.user, who.session = p.User, p.Session
			of.text("stepledger.dom_mode", p.DOMMode)
			of.number("stepledger.page.elements", int64(p.ElementCount))
			return false
		}
		of.decided(event)
		return true
	})
	if err != nil {
		return nil, err
	}
	s := newSpan("turn", otlp.Span_SPAN_KIND_INTERNAL, who.task, TurnID(who.task, turn), RootID(who.task), began, e.RecordedAt)
	of.owner(who)
	of.text("langfuse.observation.type", "span")
	of.number("stepledger.turn", int64(turn))
	of.text("stepledger.turn.status", status)
	if status == "error" || status == "abandoned" {
		failed(s, &of, "turn_"+status)
	}
	s.Attributes = of
	return s, nil
}

// decided adds what an event says of its turn in clear.
func (a *attributes) decided(event task.Event) {
	switch e := event.(type) {
	case task.ActionGenerated:
		a.number("stepledger.step", int64(e.StepIndex))
		a.text("stepledger.action.kind", string(e.Kind))
		a.text("stepledger.action.by", e.By)
		a.fraction("stepledger.action.confidence", e.Confidence)
		a.number("stepledger.action.skills", int64(len(e.Skills)))
	case task.ActionVerified:
		a.text("stepledger.verdict.outcome", string(e.Outcome()))
		a.flag("stepledger.verdict.succeeded", e.Succeeded)
		a.flag("stepledger.verdict.task_completed", e.TaskCompleted)
		a.fraction("stepledger.verdict.confidence", e.Confidence)
		a.number("stepledger.verdict.tier", int64(e.Tier))
		a.text("stepledger.verdict.rule", e.Rule)
		a.text("stepledger.verdict.by", e.By)
	case task.CorrectionIssued:
		a.text("stepledger.correction.strategy", string(e.Strategy))
		a.number("stepledger.correction.attempt", int64(e.Attempt))
		a.text("stepledger.correction.by", e.By)
	}
}

// taskSpan is the span of a task at its end or pause.
func taskSpan(ctx context.Context, log Log, e eventstore.Recorded, status, code string) (*otlp.Span, error) {
	first, err := log.ReadStream(ctx, e.Stream, eventstore.ReadOptions{Limit: 1})
	if err != nil {
		return nil, err
	}
	who, began := owner{tenant: e.Metadata().Tenant, task: subject(e.Stream)}, e.RecordedAt
	for _, r := range first.Events {
		began = r.RecordedAt
		event, err := decodeTask(r)
		if err != nil {
			return nil, err
		}
		if p, ok := event.(task.PageObserved); ok {
			who.user, who.session = p.User, p.Session
		}
	}
	return rootSpan(who, began, e.RecordedAt, status, code), nil
}

func rootSpan(who owner, from, to time.Time, status, code string) *otlp.Span {
	s := newSpan(traceName, otlp.Span_SPAN_KIND_SERVER, who.task, RootID(who.task), nil, from, to)
	var of attributes
	of.owner(who)
	of.text("langfuse.observation.type", "agent")
	of.text("gen_ai.operation.name", "invoke_agent")
	of.text("stepledger.task.status", status)
	if code != "" {
		failed(s, &of, code)
	}
	s.Attributes = of
	return s
}
