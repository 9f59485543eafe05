package observe_test

import (
	"bytes"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/observe"
)

func TestModels(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	registry, ids := prometheus.NewPedanticRegistry(), 0
	broken := llmtest.NewFake(llmtest.Steps(llmtest.Step{Status: 401}))
	good := llmtest.NewFake(llmtest.Steps(llmtest.Step{Text: "secret words"}))
	client, err := llm.NewClient(llm.Options{
		Roles: map[llm.Role][]llm.Target{llm.Smart: {
			{Provider: "p", Model: "own", Generator: broken}, {Provider: "q", Model: "second", Generator: good},
		}},
		Recorder: observe.NewCalls(llmtest.NewLedger(), slog.New(slog.NewTextHandler(&out, nil)), registry),
		Tokens:   func(s string) int { return len(s) },
		NewID:    func() string { ids++; return strconv.Itoa(ids) },
	})
	if err != nil {
		t.Fatal(err)
	}
	registry.MustRegister(observe.NewModels(client))
	question := llm.Question{
		On: llm.On{Tenant: "t", Task: "task-7"}, Purpose: "PLANNING", Role: llm.Smart, Request: llm.Request{User: llm.Text("secret question")},
	}
	for range 2 { // the second time it is there
		if _, err := client.Ask(t.Context(), question); err != nil {
			t.Fatal(err)
		}
	}
	want := `
# HELP stepledger_model_attempts_total Attempts at a model, by how they ended.
# TYPE stepledger_model_attempts_total counter
stepledger_model_attempts_total{model="own",outcome="rejected",provider="p",purpose="PLANNING",role="smart"} 1
stepledger_model_attempts_total{model="second",outcome="ok",provider="q",purpose="PLANNING",role="smart"} 1
# HELP stepledger_model_fallback_answers_total Answers of a model that stood in for the role's own.
# TYPE stepledger_model_fallback_answers_total counter
stepledger_model_fallback_answers_total{model="second",provider="q",role="smart"} 1
# HELP stepledger_model_kept_answers_total Answers paid for before a crash and used after it.
# TYPE stepledger_model_kept_answers_total counter
stepledger_model_kept_answers_total 1
# HELP stepledger_model_left_alone 1 while the model is not asked because it does not answer.
# TYPE stepledger_model_left_alone gauge
stepledger_model_left_alone{model="own",provider="p"} 0
stepledger_model_left_alone{model="second",provider="q"} 0
# HELP stepledger_model_calls_allowed Calls the provider may have under way.
# TYPE stepledger_model_calls_allowed gauge
stepledger_model_calls_allowed{provider="p"} 32
stepledger_model_calls_allowed{provider="q"} 32
# HELP stepledger_model_tokens_total Tokens used, by meter; the ledger is what is billed.
# TYPE stepledger_model_tokens_total counter
stepledger_model_tokens_total{meter="inputAudio",model="second",provider="q"} 10
stepledger_model_tokens_total{meter="inputCached",model="second",provider="q"} 20
stepledger_model_tokens_total{meter="inputTool",model="second",provider="q"} 5
stepledger_model_tokens_total{meter="inputUncached",model="second",provider="q"} 90
stepledger_model_tokens_total{meter="output",model="second",provider="q"} 7
stepledger_model_tokens_total{meter="thinking",model="second",provider="q"} 9
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "stepledger_model_attempts_total",
		"stepledger_model_fallback_answers_total", "stepledger_model_kept_answers_total", "stepledger_model_left_alone",
		"stepledger_model_calls_allowed", "stepledger_model_tokens_total"); err != nil {
		t.Error(err)
	}
	if log := out.String(); !strings.Contains(log, "model=second") || !strings.Contains(log, "task-7") || strings.Contains(log, "secret") {
		t.Errorf("the log is %s", log)
	}
}
