package main

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/account"
	"github.com/stepledger/stepledger/internal/pgtest"
	"github.com/stepledger/stepledger/internal/trace"
	"github.com/stepledger/stepledger/internal/trace/tracetest"
)

// traced is a configuration with everything that tells others, all at one server.
func traced(t testing.TB, server *tracetest.Server) config {
	t.Helper()
	cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
	cfg.Tracing = tracingConfig{
		OTLP:     trace.Collector{Endpoint: account.Secret(server.URL)},
		Langfuse: trace.Langfuse{BaseURL: server.URL, PublicKey: "pk", SecretKey: "sk"},
	}
	cfg.SentryDSN = account.Secret(strings.Replace(server.URL, "http://", "http://public@", 1) + "/1")
	return cfg
}

// Every turn and every attempt on the ledger is one span of the task's trace, at
// both systems, with the bill the ledger has.
func TestTracing_AWholeTask(t *testing.T) {
	t.Parallel()
	server := tracetest.New(t)
	cfg := traced(t, server)
	cfg.Models = modelsFrom(t, newFakeGemini(t).env())
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	p := newModelPursuit()
	p.finish(t, s.client)
	s.reacted(t)
	want := map[string]string{hex.EncodeToString(trace.RootID(p.task)): ""}
	for turn := range len(p.exchanges) {
		want[hex.EncodeToString(trace.TurnID(p.task, turn+1))] = ""
	}
	for id, c := range ledgerOf(t, s.system, p.task).Calls {
		want[hex.EncodeToString(trace.CallID(id))] = c.Charge.Cost.String()
	}
	got, often := map[string]string{}, map[string]int{}
	for _, span := range server.Spans() {
		often[span.ID]++
		got[span.ID] = span.Attributes["stepledger.cost.usd"]
		if span.Trace != strings.ReplaceAll(p.task, "-", "") || span.Parent == "" && span.ID != hex.EncodeToString(trace.RootID(p.task)) {
			t.Errorf("span %+v is not of the trace", span)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("spans and their bills (-want +got):\n%s", diff)
	}
	if n := slices.Sorted(maps.Values(often)); n[0] != 2 || n[len(n)-1] != 2 {
		t.Errorf("the two systems were sent %v", often)
	}
	names := map[string]bool{}
	for _, score := range server.Scores() {
		names[score.Name] = true
	}
	if !names["verification_success"] || !names["verification_confidence"] || !names["task_completed"] {
		t.Errorf("scores %v", server.Scores())
	}
	if wire := server.Wire(); strings.Contains(wire, "Jas") || strings.Contains(wire, "clinic.example") || strings.Contains(wire, "I go on") {
		t.Error("text of the task left")
	}
}

// hanging is a server that takes requests and answers none until the test is over.
func hanging(t testing.TB) *tracetest.Server {
	t.Helper()
	server := tracetest.New(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	for range 10_000 {
		server.Trouble(func(http.ResponseWriter, *http.Request) { <-release })
	}
	return server
}

// The systems hold every request, from the first on: the task is done all the
// same, and the health says who waits. The log is whole.
func TestTracing_WhoNeverAnswersHoldsNoTurnUp(t *testing.T) {
	t.Parallel()
	server := hanging(t)
	cfg := traced(t, server)
	cfg.LogLevel, cfg.MetricsAddr = 100, "127.0.0.1:0"
	s := start(t, cfg, hooks{})
	s.client = s.loginAs(t, newUser(t, s.identity, "jo@acme.example"))
	first := newPursuit()
	if err := first.step(t.Context(), s.client); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both are asked", func() bool { return server.Requests() >= 2 })
	first.finish(t, s.client)
	auditTask(t, s, first)
	scrape, err := client{base: s.feed.metricsURL}.do(t.Context(), http.MethodGet, "", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"traces", "langfuse"} {
		lag := fmt.Sprintf("stepledger_consumer_lag_events{consumer=%q} ", name)
		if text := string(scrape.body); !strings.Contains(text, lag) || strings.Contains(text, lag+"0\n") {
			t.Errorf("%s is not behind in %s", name, text)
		}
	}
	if n := len(server.Spans()); n != 0 {
		t.Errorf("it took %d spans", n)
	}
}

func TestTracing_BadSettingsAreNamedAndNotShown(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*config){
		"OTEL_EXPORTER_OTLP_ENDPOINT": func(c *config) { c.Tracing.OTLP.Endpoint = "hunter2" },
		"LANGFUSE_BASE_URL": func(c *config) {
			c.Tracing.Langfuse = trace.Langfuse{BaseURL: "hunter2", PublicKey: "a", SecretKey: "b"}
		},
		"SENTRY_DSN": func(c *config) { c.SentryDSN = "hunter2" },
	} {
		cfg := testConfig(pgtest.Database(t, "stepledger", migrate), t.TempDir())
		set(&cfg)
		err := run(t.Context(), cfg, testLog(cfg.LogLevel), hooks{}, nil)
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: it says %v", name, err)
		}
	}
	if _, err := configFrom(map[string]string{"LANGFUSE_PUBLIC_KEY": "pk"}); err == nil || !strings.Contains(err.Error(), "LANGFUSE_SECRET_KEY") {
		t.Errorf("half of the keys: %v", err)
	}
}

// A turn beside systems that never answer, against one beside none. The servers
// take turns, so that the machine's moods are both's.
func BenchmarkDeadEndpoint(b *testing.B) {
	for range b.N {
		cfg := traced(b, hanging(b))
		cfg.LogLevel = 100
		dead := start(b, cfg, hooks{})
		dead.client = dead.loginAs(b, newUser(b, dead.identity, "jo@acme.example"))
		alone := newServer(b, hooks{})
		beside, without := turns(b, dead.client), turns(b, alone.client)
		var ours, theirs samples
		for i := range 2 * benchRounds {
			if i%2 == 0 { // each goes first as often
				ours.round(1, benchOps, beside)
			}
			theirs.round(1, benchOps, without)
			if i%2 == 1 {
				ours.round(1, benchOps, beside)
			}
		}
		bar("ledger.dead_endpoint_turn", ours.quantile(0.50), theirs.quantile(0.50), "ms")
	}
}
