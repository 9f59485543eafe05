package main

import (
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/knowledge"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/internal/content"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

// embeddingBy is an environment whose vectors are made by a local server.
func embeddingBy(t *testing.T, adapter string, steps ...llmtest.Step) (map[string]string, *llmtest.Server) {
	t.Helper()
	if adapter == byOpenAI {
		srv := llmtest.NewOpenAI(t, llmtest.Steps(steps...))
		return map[string]string{
			"OPENAI_BASE_URL": srv.URL + "/v1", "OPENAI_PRICED_AS": usage.OpenAI, "SMART_MODEL_NAME": "m", "FAST_MODEL_NAME": "m",
			"STEPLEDGER_EMBEDDING_MODEL": "text-embedding-3-small",
		}, srv
	}
	srv := llmtest.NewGemini(t, llmtest.Steps(steps...))
	return map[string]string{
		"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": srv.URL, "STEPLEDGER_EMBEDDING_MODEL": "gemini-embedding-001",
	}, srv
}

// fees are two texts of a source of a document.
func fees(source string) knowledge.Texts {
	return knowledge.Texts{Tenant: "acme", Subject: source, Key: "version.1", Texts: []string{"What it costs", "When we are open"}}
}

// theCall is the only call on the ledger of a subject.
func theCall(t *testing.T, s *server, subject string) usage.Call {
	t.Helper()
	calls := ledgerOf(t, s.system, subject).Calls
	for _, c := range calls {
		if len(calls) == 1 {
			return c
		}
	}
	t.Fatalf("there are %d calls", len(calls))
	return usage.Call{}
}

func TestEmbedder_NoneIsConfigured(t *testing.T) {
	t.Parallel()
	s := newModelServer(t, newFakeGemini(t), hooks{})
	if e := s.embedder(); e != nil {
		t.Errorf("there is %v", e)
	}
}

// Vectors are billed to the source, priced by the model, and paid for once.
func TestEmbedder_IsOnTheBooks(t *testing.T) {
	t.Parallel()
	for adapter, want := range map[string]struct{ model, cost string }{
		byGemini: {"gemini-embedding-001/4", "0.0000015"}, // of ten tokens
		byOpenAI: {"text-embedding-3-small/4", "0.0000002"},
	} {
		t.Run(adapter, func(t *testing.T) {
			t.Parallel()
			env, srv := embeddingBy(t, adapter, llmtest.Step{})
			env["STEPLEDGER_EMBEDDING_DIMENSIONS"] = "4"
			s := newServerWith(t, env, hooks{})
			source := domain.NewUUID()
			var first [][]float32
			for range 2 {
				vectors, model, err := s.embedder().Embed(t.Context(), fees(source))
				if err != nil || model != want.model || len(vectors) != 2 || len(vectors[1]) != 4 {
					t.Fatalf("%v by %s, %v", vectors, model, err)
				}
				if diff := cmp.Diff(first, vectors); first != nil && diff != "" {
					t.Error(diff)
				}
				first = vectors
			}
			c := theCall(t, s, source)
			if c.Started.Purpose != usage.Embedding || c.Started.Tenant != "acme" || c.Charge.Cost == nil || c.Charge.Cost.String() != want.cost || c.Settled {
				t.Errorf("the call is %+v", c)
			}
			if c.Report.RawUsage == nil || c.Meters != (usage.Meters{InputUncached: 10}) || c.Started.Reserved == nil || *c.Started.Reserved < 1 {
				t.Errorf("its report is %+v", c.Report)
			}
			if srv.Attempts() != 1 {
				t.Errorf("%d attempts", srv.Attempts())
			}
		})
	}
}

// A question leaves nothing behind but its bill, and the model is told that it is one.
func TestEmbedder_NothingIsKeptOfAQuestion(t *testing.T) {
	t.Parallel()
	env, srv := embeddingBy(t, byGemini, llmtest.Step{})
	s := newServerWith(t, env, hooks{})
	asked := knowledge.Texts{Tenant: "acme", Subject: domain.NewUUID(), Texts: []string{"How much is it?"}}
	if _, model, err := s.embedder().Embed(t.Context(), asked); err != nil || model != "gemini-embedding-001/8" {
		t.Fatalf("%s, %v", model, err)
	}
	c := theCall(t, s, asked.Subject)
	if c.Charge.Cost == nil || c.Report.AnswerRef != "" || c.Started.PromptRef != "" || !srv.Embedded()[0].Questions {
		t.Errorf("the call is %+v", c)
	}
	for _, kind := range []string{content.KindAnswer, content.KindPrompt} {
		refs, err := s.content.Refs(t.Context(), asked.Tenant, asked.Subject, kind)
		if err != nil || len(refs) != 0 {
			t.Errorf("%v is kept, %v", refs, err)
		}
	}
}

// Gemini often counts nothing: the bill is an estimate, and marked as one.
func TestEmbedder_WithoutUsageIsEstimated(t *testing.T) {
	t.Parallel()
	env, _ := embeddingBy(t, byGemini, llmtest.Step{NoUsage: true})
	s := newServerWith(t, env, hooks{})
	source := domain.NewUUID()
	if _, _, err := s.embedder().Embed(t.Context(), fees(source)); err != nil {
		t.Fatal(err)
	}
	c := theCall(t, s, source)
	if !c.Settled || !c.Report.UsageMissing || c.Meters.InputUncached != c.Started.EstimatedInputTokens || c.Charge.Cost == nil || *c.Charge.Cost == 0 {
		t.Errorf("the call is %+v", c)
	}
}

// What nobody knows the price of is unpriced, and not free.
func TestEmbedder_AnUnknownPrice(t *testing.T) {
	t.Parallel()
	env, _ := embeddingBy(t, byOpenAI, llmtest.Step{})
	env["OPENAI_PRICED_AS"] = "home"
	s := newServerWith(t, env, hooks{})
	source := domain.NewUUID()
	if _, _, err := s.embedder().Embed(t.Context(), fees(source)); err != nil {
		t.Fatal(err)
	}
	if c := theCall(t, s, source); c.Charge.Cost != nil || c.Charge.CostStatus != usage.Unpriced || c.Meters.InputUncached != 10 {
		t.Errorf("the call is %+v", c)
	}
}

// What cannot be used is an error and on the books; a budget that is used up is one too,
// and nobody is asked.
func TestEmbedder_Errors(t *testing.T) {
	t.Parallel()
	env, srv := embeddingBy(t, byGemini, llmtest.Step{Vectors: [][]float32{{1, 2}}})
	s := newServerWith(t, env, hooks{})
	source := domain.NewUUID()
	if _, _, err := s.embedder().Embed(t.Context(), fees(source)); llm.KindOf(err) != llm.Malformed {
		t.Errorf("one vector for two texts: %v", err)
	}
	if c := theCall(t, s, source); c.Report.Outcome != usage.SchemaInvalid || c.Charge.Cost == nil {
		t.Errorf("the call is %+v", c)
	}
	poor := fees(domain.NewUUID())
	poor.Tenant = s.budgetOf(t, "jo@acme.example", "--amount", "0.00000001").Tenant
	_, _, err := s.embedder().Embed(t.Context(), poor)
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != domain.CodeQuotaExceeded || srv.Attempts() != 1 {
		t.Errorf("%v after %d attempts", err, srv.Attempts())
	}
}

// A process that dies on the way pays once for what was kept: the call gets its bill from
// there, whether it is asked again or is only closed. An answer nobody kept is estimated.
func TestEmbedder_DiesOnTheWay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		point    string
		attempts int
		settled  bool
	}{
		{"model.answered", 2, true}, {"answer.kept", 1, false}, {"bill.note", 1, false}, {"bill.noted", 1, false},
	} {
		t.Run(tt.point, func(t *testing.T) {
			t.Parallel()
			var dies atomic.Value
			dies.Store("")
			env, srv := embeddingBy(t, byOpenAI, llmtest.Step{})
			s := newServerWith(t, env, hooks{model: func(point string) {
				if dies.CompareAndSwap(point, "") {
					runtime.Goexit()
				}
			}})
			for _, again := range []bool{true, false} {
				dies.Store(tt.point)
				before, source, gone := srv.Attempts(), domain.NewUUID(), make(chan struct{})
				go func() {
					defer close(gone)
					_, _, err := s.embedder().Embed(t.Context(), fees(source))
					t.Errorf("it did not die: %v", err)
				}()
				<-gone
				var first usage.Call
				for _, first = range ledgerOf(t, s.system, source).Calls {
				}
				if again {
					if _, _, err := s.embedder().Embed(t.Context(), fees(source)); err != nil {
						t.Fatal(err)
					}
					if n := srv.Attempts() - before; n != tt.attempts {
						t.Errorf("%d attempts", n)
					}
				}
				if err := s.recorder().closeCall(t.Context(), "acme", source, first.Started.Call, "its end was never seen"); err != nil {
					t.Fatal(err)
				}
				calls := ledgerOf(t, s.system, source).Calls
				if c := calls[first.Started.Call]; c.Settled != tt.settled || c.Charge.Cost == nil || !tt.settled && c.Charge.Cost.String() != "0.0000002" {
					t.Errorf("asked again %t: the call is %+v", again, c)
				}
				for _, c := range calls {
					if !c.Billed() {
						t.Errorf("no bill: %+v", c)
					}
				}
			}
		})
	}
}

// A model that makes no vectors is a service that is not well, without any other model.
func TestEmbedder_Outage(t *testing.T) {
	t.Parallel()
	env, srv := embeddingBy(t, byGemini, llmtest.Step{Status: 400, Message: "no such model"}, llmtest.Step{})
	s := newServerWith(t, env, hooks{})
	if _, _, err := s.embedder().Embed(t.Context(), fees(domain.NewUUID())); llm.KindOf(err) != llm.Rejected {
		t.Error(err)
	}
	if health := s.get(t, "/api/health"); !strings.Contains(string(health.body), `"models":{"status":"unhealthy"`) {
		t.Errorf("health %s", health.body)
	}
	if _, _, err := s.embedder().Embed(t.Context(), fees(domain.NewUUID())); err != nil || srv.Attempts() != 2 {
		t.Error(err)
	}
	if err := s.models.Reachable(); err != nil {
		t.Error(err)
	}
}

// With no other model than one for vectors, rules decide.
func TestReasoner_VectorsAloneAreNoReasoner(t *testing.T) {
	t.Parallel()
	env, srv := embeddingBy(t, byGemini, llmtest.Step{})
	cfg := modelsFrom(t, env)
	cfg.Smart, cfg.Fast = roleConfig{}, roleConfig{}
	s := newChangedServer(t, env, hooks{}, func(c *config) { c.Models = cfg })
	if s.models == nil || s.models.Has(llm.Smart) || s.embedder() == nil {
		t.Error("there is no client for vectors, or one for more")
	}
	p := newPursuit()
	p.finish(t, s.client)
	if asked := srv.Attempts() - len(srv.Embedded()); p.page.screen != "saved" || asked != 0 {
		t.Errorf("the page is %q, and a model was asked %d times for more than vectors", p.page.screen, asked)
	}
}
