package trace

import (
	"encoding/json"
	"time"

	common "go.opentelemetry.io/proto/slim/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/slim/otlp/trace/v1"
)

// attributes of a span. Empty values are left out; of duplicate keys the first
// counts.
type attributes []*common.KeyValue

func (a *attributes) add(key string, v *common.AnyValue) {
	for _, known := range *a {
		if known.GetKey() == key {
			return
		}
	}
	*a = append(*a, &common.KeyValue{Key: key, Value: v})
}

func (a *attributes) text(key, v string) {
	if v != "" {
		a.add(key, &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: v}})
	}
}

func (a *attributes) texts(key string, all ...string) {
	list := &common.ArrayValue{}
	for _, v := range all {
		list.Values = append(list.Values, &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: v}})
	}
	a.add(key, &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: list}})
}

func (a *attributes) number(key string, v int64) {
	a.add(key, &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: v}})
}

func (a *attributes) fraction(key string, v float64) {
	a.add(key, &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: v}})
}

func (a *attributes) flag(key string, v bool) {
	a.add(key, &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: v}})
}

// json adds an object as text, which Langfuse reads.
func (a *attributes) json(key string, v map[string]any) {
	if len(v) > 0 {
		b, _ := json.Marshal(v) //nolint:errchkjson // numbers and texts
		a.text(key, string(b))
	}
}

// owner is the tenant, user, session and task of a span.
type owner struct{ tenant, user, session, task string }

// traceName is the name of all traces of this kind, repeated on their spans.
const traceName = "interact-request"

// owner adds the owner under OpenTelemetry's and Langfuse's names.
func (a *attributes) owner(o owner) {
	a.text("langfuse.trace.name", traceName+"-"+o.task)
	a.text("session.id", o.session)
	a.text("gen_ai.conversation.id", o.session)
	a.text("user.id", o.user)
	a.text("stepledger.tenant", o.tenant)
	a.text("langfuse.trace.metadata.tenant", o.tenant)
	a.text("stepledger.task", o.task)
}

// newSpan returns a span of a task. If the clock went back it ends when it began.
func newSpan(name string, kind otlp.Span_SpanKind, task string, id, parent []byte, from, to time.Time) *otlp.Span {
	if to.Before(from) {
		to = from
	}
	return &otlp.Span{
		TraceId: TraceID(task), SpanId: id, ParentSpanId: parent, Name: name, Kind: kind,
		StartTimeUnixNano: nano(from), EndTimeUnixNano: nano(to),
	}
}

func nano(t time.Time) uint64 { return uint64(max(0, t.UnixNano())) } //nolint:gosec // not negative

// failed marks a span as failed with only a code as the reason.
func failed(s *otlp.Span, a *attributes, code string) {
	s.Status = &otlp.Status{Code: otlp.Status_STATUS_CODE_ERROR}
	a.text("error.type", code)
}
