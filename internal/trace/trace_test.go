package trace_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/domain/domaintest"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/internal/trace"
	"github.com/stepledger/stepledger/internal/trace/tracetest"
)

const (
	taskID = "11111111-1111-4111-8111-111111111111"
	call   = "22222222-2222-4222-8222-222222222222"
)

var began = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// world is a log and what is told of it.
type world struct {
	log    eventstore.Store
	server *tracetest.Server
	otlp   trace.Exporter
}

func newWorld(t *testing.T) world {
	t.Helper()
	w := world{log: memory.New(memory.Options{}), server: tracetest.New(t)}
	var err error
	w.otlp, err = trace.NewCollector(w.log, trace.Collector{Endpoint: account.Secret(w.server.URL), Headers: "Authorization=Bearer%20hush"}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w world) langfuse(t *testing.T) trace.Exporter {
	t.Helper()
	e, err := trace.NewLangfuse(w.log, trace.Langfuse{BaseURL: w.server.URL, PublicKey: "pk", SecretKey: "sk"}, "v1")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// happens appends an event and gives it as the feed does.
func (w world) happens(t *testing.T, stream, name string, data []byte, err error, id string) eventstore.Recorded {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	e := eventstore.Proposed{ID: id, Type: name, Data: data, Meta: eventstore.Metadata{Tenant: "acme", Schema: 1}.Encode()}
	at, err := w.log.Append(t.Context(), stream, eventstore.Any, []eventstore.Proposed{e})
	if err != nil {
		t.Fatal(err)
	}
	page, err := w.log.ReadStream(t.Context(), stream, eventstore.ReadOptions{From: at.Revision})
	if err != nil || len(page.Events) == 0 {
		t.Fatal(err)
	}
	return page.Events[0]
}

func (w world) task(t *testing.T, e task.Event) eventstore.Recorded {
	t.Helper()
	id := domain.NewUUID()
	name, data, err := task.Codec.Encode(e, id, domaintest.Sealer{})
	return w.happens(t, task.Stream(taskID), name, data, err, id)
}

func (w world) usage(t *testing.T, e usage.Event) eventstore.Recorded {
	t.Helper()
	id := domain.NewUUID()
	name, data, err := usage.Codec.Encode(e, id, domaintest.Sealer{})
	return w.happens(t, usage.Stream(taskID), name, data, err, id)
}

func (w world) started(t *testing.T) {
	t.Helper()
	w.usage(t, usage.LLMCallStarted{
		Call: call, Tenant: "acme", User: "jo", Session: "s1", Task: taskID, Turn: 2, Request: "key-1",
		Purpose: usage.Verification, Role: usage.Smart, Provider: usage.Google, Model: "gemini-3.1-pro-preview", Attempt: 1,
		PromptName: "verify/3", PromptHash: "abc", PromptRef: "content-ref", StartedAt: began,
	})
}

func completed(outcome usage.Outcome) usage.LLMCallCompleted {
	cost := usage.Pico(2_640_000_000)
	return usage.LLMCallCompleted{
		Call: call, TotalMatches: true,
		Report: usage.Report{
			Outcome: outcome, ResponseModel: "gemini-3.1-pro-preview-09", ResponseID: "r1", AnswerRef: "answer-ref",
			RawUsage: json.RawMessage(`{"promptTokenCount":1020}`), CompletedAt: began.Add(2 * time.Second),
			Meters: usage.Meters{InputUncached: 920, InputCached: 100, Output: 20, Thinking: 30},
		},
		Charge: usage.Charge{Cost: &cost, CostStatus: usage.Priced, PriceVersion: "p1", UnitPrices: usage.UnitPrices{"output": 12_000_000}},
	}
}

func TestCall_ASpanWithItsBill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.started(t)
	if err := w.otlp.Handle(t.Context(), w.usage(t, completed(usage.OK))); err != nil {
		t.Fatal(err)
	}
	want := []tracetest.Span{{
		Trace: strings.ReplaceAll(taskID, "-", ""), ID: hex.EncodeToString(trace.CallID(call)), Parent: hex.EncodeToString(trace.TurnID(taskID, 2)),
		Name: "generate_content gemini-3.1-pro-preview", Kind: "CLIENT",
		Start: uint64(began.UnixNano()), End: uint64(began.Add(2 * time.Second).UnixNano()),
		Attributes: map[string]string{
			"gen_ai.operation.name": "generate_content", "gen_ai.provider.name": "gcp.gemini",
			"gen_ai.request.model": "gemini-3.1-pro-preview", "gen_ai.response.model": "gemini-3.1-pro-preview-09", "gen_ai.response.id": "r1",
			"gen_ai.response.finish_reasons": "ok", "gen_ai.conversation.id": "s1",
			"gen_ai.usage.input_tokens": "1020", "gen_ai.usage.output_tokens": "50",
			"gen_ai.usage.cache_read.input_tokens": "100", "gen_ai.usage.reasoning.output_tokens": "30", "gen_ai.usage.cost": "0.00264",
			"session.id": "s1", "user.id": "jo", "stepledger.tenant": "acme", "stepledger.task": taskID, "stepledger.turn": "2",
			"stepledger.call": call, "stepledger.request": "key-1", "stepledger.attempt": "1", "stepledger.purpose": "VERIFICATION", "stepledger.role": "smart",
			"stepledger.prompt.name": "verify/3", "stepledger.prompt.hash": "abc", "stepledger.outcome": "ok",
			"stepledger.meter.inputUncached": "920", "stepledger.meter.inputCached": "100", "stepledger.meter.inputTool": "0",
			"stepledger.meter.inputAudio": "0", "stepledger.meter.output": "20", "stepledger.meter.thinking": "30",
			"stepledger.cost.usd": "0.00264", "stepledger.cost.status": "priced", "stepledger.cost.price_version": "p1", "stepledger.cost.estimated": "false",
			"langfuse.trace.name": "interact-request-" + taskID, "langfuse.trace.metadata.tenant": "acme", "langfuse.observation.type": "generation",
			"langfuse.observation.metadata.purpose": "VERIFICATION", "langfuse.observation.metadata.prompt": "verify/3",
			"langfuse.observation.usage_details": `{"inputCached":100,"inputUncached":920,"output":20,"thinking":30}`,
			"langfuse.observation.cost_details":  `{"output":0.00024,"total":0.00264}`,
		},
	}}
	if diff := cmp.Diff(want, w.server.Spans()); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if got := w.server.Authorizations(); !cmp.Equal(got, []string{"Bearer hush"}) {
		t.Errorf("authorized by %q", got)
	}
}

// No turn asks for an embedding, and it is called what it is.
func TestCall_AnEmbedding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.usage(t, usage.LLMCallStarted{
		Call: call, Tenant: "acme", Task: taskID, Purpose: usage.Embedding, Provider: usage.OpenAI, Model: "text-embedding-3-small", Attempt: 1, StartedAt: began,
	})
	if err := w.otlp.Handle(t.Context(), w.usage(t, completed(usage.OK))); err != nil {
		t.Fatal(err)
	}
	got := w.server.Spans()
	if len(got) != 1 || got[0].Name != "embeddings text-embedding-3-small" || got[0].Parent != "" {
		t.Fatalf("spans %+v", got)
	}
	if a := got[0].Attributes; a["gen_ai.operation.name"] != "embeddings" || a["langfuse.observation.type"] != "embedding" || a["stepledger.purpose"] != "EMBEDDING" {
		t.Errorf("the span is %v", a)
	}
}

func TestCall_ABillThatChangesIsTheSameSpan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.started(t)
	estimate, delta := usage.Pico(5_000_000_000), usage.Pico(-1_000_000_000)
	settled := w.usage(t, usage.LLMCallSettled{Call: call, Why: "lost", Charge: usage.Charge{Cost: &estimate, CostStatus: usage.Priced}, SettledAt: began.Add(time.Minute)})
	corrected := w.usage(t, usage.UsageCorrected{Call: call, Why: "late", CostDelta: &delta, CostStatus: usage.Priced, CorrectedAt: began.Add(time.Hour)})
	for _, e := range []eventstore.Recorded{settled, corrected} {
		if err := w.otlp.Handle(t.Context(), e); err != nil {
			t.Fatal(err)
		}
	}
	got := w.server.Spans()
	if len(got) != 2 || got[0].ID != got[1].ID || !got[0].Failed {
		t.Fatalf("spans %+v", got)
	}
	if a, b := got[0].Attributes["stepledger.cost.usd"], got[1].Attributes["stepledger.cost.usd"]; a != "0.005" || b != "0.004" {
		t.Errorf("the bill was %s and then %s", a, b)
	}
	if got[0].Attributes["stepledger.outcome"] != "unknown" || got[0].Attributes["stepledger.cost.estimated"] != "true" {
		t.Errorf("the estimate is %v", got[0].Attributes)
	}
}

func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// reset ends the connection in the place of an answer.
func reset(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// half promises more than it sends.
func half(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Length", "100")
	_, _ = w.Write([]byte("half"))
}

func TestEndpoint_TroubleThatPassesIsWaitedForAndTheSpanComesOnce(t *testing.T) {
	t.Parallel()
	for name, trouble := range map[string]http.HandlerFunc{
		"too many": status(http.StatusTooManyRequests), "unavailable": status(http.StatusServiceUnavailable),
		"broken": status(http.StatusInternalServerError), "a wrong key": status(http.StatusUnauthorized),
		"moved": status(http.StatusTemporaryRedirect, "Location", "/elsewhere"), "a reset": reset, "half an answer": half,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.started(t)
			e := w.usage(t, completed(usage.OK))
			w.server.Trouble(trouble)
			if err := w.otlp.Handle(t.Context(), e); domain.KindOf(err) != domain.Unavailable || strings.Contains(err.Error(), w.server.URL) {
				t.Fatalf("it says %v", err)
			}
			for range 2 { // once more than needed
				if err := w.otlp.Handle(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			if got := w.server.Spans(); len(got) != 2 || !cmp.Equal(got[0], got[1]) {
				t.Errorf("spans %+v", got)
			}
		})
	}
}

func TestEndpoint_AStallEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.started(t)
	e := w.usage(t, completed(usage.OK))
	ctx, cancel := context.WithCancel(t.Context())
	w.server.Trouble(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // or its end goes unseen
		cancel()
		<-r.Context().Done()
	})
	if err := w.otlp.Handle(ctx, e); domain.KindOf(err) != domain.Unavailable {
		t.Errorf("it says %v", err)
	}
}

func TestEndpoint_IsLeftAloneForAsLongAsItAsks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.started(t)
	e := w.usage(t, completed(usage.OK))
	w.server.Trouble(status(http.StatusTooManyRequests, "Retry-After", "100000"))
	for range 3 {
		if err := w.otlp.Handle(t.Context(), e); domain.KindOf(err) != domain.Unavailable {
			t.Errorf("it says %v", err)
		}
	}
	if n := w.server.Requests(); n != 1 {
		t.Errorf("it was asked %d times", n)
	}
}

func TestEndpoint_WhatIsRefusedIsNoOutage(t *testing.T) {
	t.Parallel()
	partly := func(w http.ResponseWriter, _ *http.Request) {
		b, _ := proto.Marshal(&collector.ExportTraceServiceResponse{PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "too old"}})
		_, _ = w.Write(b)
	}
	for name, refusal := range map[string]http.HandlerFunc{"wholly": status(http.StatusBadRequest), "partly": partly} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.started(t)
			w.server.Trouble(refusal)
			if err := w.otlp.Handle(t.Context(), w.usage(t, completed(usage.OK))); err == nil || domain.KindOf(err) == domain.Unavailable {
				t.Errorf("it says %v", err)
			}
		})
	}
}

// page is a turn's beginning with text that must not leave.
func page(turn int) task.PageObserved {
	return task.PageObserved{
		Tenant: "acme", User: "jo", Session: "s1", Turn: turn, DOMMode: "skeleton", ElementCount: 7,
		Query: "hunter2", URL: "https://clinic.example/hunter2", Title: "hunter2",
	}
}

func TestLangfuse_TurnsAndScores(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := w.langfuse(t)
	for _, e := range []task.Event{
		page(1), task.ActionGenerated{Turn: 1, Kind: "click", By: "rules", Confidence: 0.9, Thought: "hunter2", Action: "hunter2"},
		task.TurnEnded{Turn: 1, Status: "action", Answer: json.RawMessage(`"hunter2"`)},
		page(2), task.ActionVerified{Turn: 2, Confidence: 0.2, Tier: 1, Rule: "nothing-changed", By: "rules", Reason: "hunter2"},
		task.CorrectionIssued{Turn: 2, Attempt: 1, Strategy: "RETRY", Kind: "click", By: "rules", Reason: "hunter2"},
		task.TurnEnded{Turn: 2, Status: "action"},
		page(3), task.ActionVerified{Turn: 3, Succeeded: true, TaskCompleted: true, Confidence: 0.95, Tier: 2, By: "model"},
		task.TaskCompleted{Turn: 3, Confidence: 0.95, Message: "hunter2"}, task.TurnEnded{Turn: 3, Status: "action"},
	} {
		if err := to.Handle(t.Context(), w.task(t, e)); err != nil {
			t.Fatal(err)
		}
	}
	root, turn := hex.EncodeToString(trace.RootID(taskID)), func(n int) string { return hex.EncodeToString(trace.TurnID(taskID, n)) }
	var shape [][4]string
	for _, s := range w.server.Spans() {
		shape = append(shape, [4]string{s.Name, s.ID, s.Parent, s.Attributes["user.id"] + s.Attributes["stepledger.task.status"]})
	}
	want := [][4]string{
		{"turn", turn(1), root, "jo"}, {"turn", turn(2), root, "jo"},
		{"interact-request", root, "", "jocompleted"}, {"turn", turn(3), root, "jo"},
	}
	if diff := cmp.Diff(want, shape); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	var scores []tracetest.Score
	for _, s := range w.server.Scores() {
		if s.TraceID != strings.ReplaceAll(taskID, "-", "") || !domain.ValidUUID(s.ID) {
			t.Errorf("score %+v", s)
		}
		s.ID, s.TraceID = "", ""
		scores = append(scores, s)
	}
	wantScores := []tracetest.Score{
		{ObservationID: turn(2), Name: "verification_success", DataType: "BOOLEAN"},
		{ObservationID: turn(2), Name: "verification_confidence", DataType: "NUMERIC", Value: 0.2},
		{ObservationID: turn(3), Name: "verification_success", DataType: "BOOLEAN", Value: 1},
		{ObservationID: turn(3), Name: "verification_confidence", DataType: "NUMERIC", Value: 0.95},
		{ObservationID: turn(3), Name: "correction_success", DataType: "BOOLEAN", Value: 1},
		{Name: "task_completed", DataType: "BOOLEAN", Value: 1},
		{Name: "task_confidence", DataType: "NUMERIC", Value: 0.95},
	}
	if diff := cmp.Diff(wantScores, scores); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	if wire := w.server.Wire(); strings.Contains(wire, "hunter2") || strings.Contains(wire, "clinic.example") {
		t.Error("personal text left")
	}
	if auth := w.server.Authorizations(); auth[0] != "Basic cGs6c2s=" {
		t.Errorf("authorized by %q", auth[0])
	}
}

// A score that is stopped half way comes again with its span, under the same ids.
func TestLangfuse_ARepeatIsTheSameScore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	to := w.langfuse(t)
	w.task(t, page(1))
	e := w.task(t, task.TaskFailed{Turn: 1, Code: "MAX_STEPS"})
	w.server.Trouble(status(http.StatusServiceUnavailable))
	for _, want := range []domain.Kind{domain.Unavailable, domain.Internal, domain.Internal} {
		if err := to.Handle(t.Context(), e); domain.KindOf(err) != want {
			t.Fatalf("it says %v", err)
		}
	}
	scores, spans := w.server.Scores(), w.server.Spans()
	if len(scores) != 2 || scores[0] != scores[1] || scores[0].Value != 0 || !cmp.Equal(spans[0], spans[1]) || spans[0].Attributes["error.type"] != "MAX_STEPS" {
		t.Errorf("scores %+v, spans %+v", scores, spans)
	}
}

func TestNewCollector_ABadAddressIsNotShown(t *testing.T) {
	t.Parallel()
	for _, c := range []trace.Collector{
		{Endpoint: "ftp://jo:hunter2@host"}, {Endpoint: "hunter2"}, {Endpoint: "http://host", Headers: "hunter2"}, {Endpoint: "http://host", Headers: "a=%zzhunter2"},
	} {
		if _, err := trace.NewCollector(nil, c, ""); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("it says %v", err)
		}
	}
}
