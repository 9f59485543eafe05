package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/internal/pgtest"
)

// kpiTable is the table of metrics of the specification (appendix D), its dashboards and
// its confidence and model metrics (§4.18): each row with a series that answers it.
var kpiTable = []struct{ kpi, series string }{
	{"task completion rate", "stepledger_task_completion_rate"},
	{"task completion rate, as counters", `stepledger_tasks_ended_total{status="completed"}`},
	{"p95 latency", `stepledger_turn_seconds_bucket{complexity="COMPLEX",outcome="action",le="7"}`},
	{"p95 latency of requests", `stepledger_http_request_seconds_bucket{endpoint="/api/agent/interact",method="POST",status="2xx",le="7"}`},
	{"requests in flight", "stepledger_http_requests_in_flight"},
	{"SIMPLE task latency", `stepledger_turn_seconds_bucket{complexity="SIMPLE",`},
	{"classification accuracy", "stepledger_complexity_accuracy"},
	{"chain success rate", "stepledger_chains_whole_rate"},
	{"round-trip reduction", "stepledger_round_trip_reduction"},
	{"re-plan frequency", "stepledger_replan_rate"},
	{"skill hit rate", "stepledger_skill_hit_rate"},
	{"skill effectiveness", "stepledger_skill_effectiveness"},
	{"verification success rate", "stepledger_verification_success_rate"},
	{"correction success rate", "stepledger_correction_success_rate"},
	{"active tasks", `stepledger_tasks_active{status="executing"}`},
	{"error rate", `stepledger_http_request_seconds_count{endpoint="/api/session/{sessionId}/messages",method="GET",status="4xx"}`},
	{"token usage", "stepledger_model_tokens_total{"},
	{"skills created", "stepledger_skills_created"},
	{"skills", "stepledger_skills "},
	{"average confidence by source", `stepledger_context_confidence_sum{source="PAGE"}`},
	{"confidence distribution", `stepledger_context_confidence_bucket{source="WEB_SEARCH",le="0.5"}`},
	{"low confidence rate", `stepledger_context_low_confidence_rate{source="WEB_SEARCH"}`},
	{"routing decisions", `stepledger_context_routes_total{route="search"}`},
	{"routing switches", "stepledger_context_source_switches_total"},
	{"model latency, smart and fast", "stepledger_model_attempt_seconds_count{"},
	{"model selection", "stepledger_model_attempts_total{"},
	{"fallback rate", "stepledger_model_fallback_answers_total{"},
}

// logOut is as simple as a task can be.
const logOut = "Click the Log out button"

// whole is a task that did everything there is a figure of.
var whole = []task.Event{
	task.TaskStarted{Tenant: "acme", Query: logOut},
	task.ContextAnalyzed{Turn: 1, By: "m", Sources: []reasoning.Source{reasoning.FromPage}, Confidence: 0.9, Route: reasoning.SearchWeb},
	task.InformationChecked{Turn: 1, By: "m", Hops: 1, Sources: []reasoning.Source{reasoning.FromWeb}, Confidence: 0.4, Route: reasoning.Proceed},
	task.PlanMade{Turn: 1, Cause: string(reasoning.FirstPlan), By: "m", Confidence: 0.9},
	task.ActionGenerated{
		Turn: 1, StepIndex: 0, Kind: action.Click, Confidence: 0.9, By: "m", Skills: []string{"11111111-1111-4111-8111-111111111111"},
		Chain: []task.ChainItem{{Action: `click("1")`}, {Action: `click("2")`}},
	},
	task.ActionVerified{Turn: 2, StepIndex: 0, Confidence: 0.1, By: "rules"},
	task.CorrectionIssued{Turn: 2, StepIndex: 0, Attempt: 1, Strategy: reasoning.AlternativeSelector, Kind: action.Click, By: "m"},
	task.ActionVerified{Turn: 3, StepIndex: 0, Succeeded: true, Confidence: 0.9, By: "rules"},
	task.TaskCompleted{Turn: 3, Confidence: 0.9},
}

func (s *server) wholeTask(t *testing.T) {
	t.Helper()
	id := domain.NewUUID()
	key, err := s.content.NewKey(t.Context(), "acme", id)
	if err != nil {
		t.Fatal(err)
	}
	var events []eventstore.Proposed
	for _, e := range whole {
		event := domain.NewUUID()
		name, data, err := task.Codec.Encode(e, event, key)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, eventstore.Proposed{ID: event, Type: name, Data: data, Meta: eventstore.Metadata{Tenant: "acme", Schema: 1}.Encode()})
	}
	if _, err := s.events.Append(t.Context(), task.Stream(id), eventstore.Any, events); err != nil {
		t.Fatal(err)
	}
}

func TestMetrics_EveryKPI(t *testing.T) {
	t.Parallel()
	model := newFakeGemini(t)
	refused := false
	model.refuses = func(string) int { // the first question: another model answers it
		if refused {
			return 0
		}
		refused = true
		return http.StatusUnauthorized
	}
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.MetricsAddr, cfg.LogLevel, cfg.Models = "127.0.0.1:0", 100, modelsFrom(t, model.env())
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	newModelPursuit().finish(t, s.client)
	simple := map[string]string{"url": clinicURL, "dom": `<button id=14>Log out</button>`, "query": logOut}
	if r := s.post(t, "/api/agent/interact", simple, nil); r.status != http.StatusOK {
		t.Fatalf("a simple task: %d %s", r.status, r.body)
	}
	s.get(t, "/api/session/"+domain.NewUUID()+"/messages")
	s.wholeTask(t)
	s.catchUp(t)
	checkMetricsFile(t, s.registry)
	metrics := s.scrape(t)
	for _, row := range kpiTable {
		if !strings.Contains(metrics, "\n"+row.series) {
			t.Errorf("%s: no %s", row.kpi, row.series)
		}
	}
	for _, want := range []string{
		"stepledger_task_completion_rate 1", "stepledger_skill_effectiveness 0", "stepledger_replan_rate 0", "stepledger_complexity_accuracy 0",
		`stepledger_context_low_confidence_rate{source="WEB_SEARCH"} 1`, `stepledger_context_source_switches_total 1`,
		`stepledger_tasks_ended_total{status="completed"} 2`,
	} {
		if !strings.Contains(metrics, "\n"+want) {
			t.Errorf("no %q", want)
		}
	}
}

// What operators are told to look at is there.
func TestMetrics_AreDocumented(t *testing.T) {
	t.Parallel()
	doc, err := os.ReadFile("../../docs/operations.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range kpiTable {
		name := strings.FieldsFunc(row.series, func(r rune) bool { return r == '{' || r == ' ' })[0]
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		if !strings.Contains(string(doc), name) {
			t.Errorf("docs/operations.md does not name %s (%s)", name, row.kpi)
		}
	}
}
