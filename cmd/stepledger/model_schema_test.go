package main

import (
	"context"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
	"github.com/stepledger/stepledger/internal/llm/openai"
	"github.com/stepledger/stepledger/internal/reason/model"
)

// Every question is taken by every provider's idea of a schema, OpenAI's strict
// mode included, where all that may be missing is null; and each answer is read.
func TestModel_EveryQuestionHasASchemaEveryProviderTakes(t *testing.T) {
	t.Parallel()
	const verdict = `{"reason":"r","actionSucceeded":true,"taskCompleted":false,"subTaskCompleted":true,"confidence":0.9}`
	on := reasoning.On{Tenant: "t", Task: "k", Request: "r"}
	button := page.Element{ID: "14", Role: "button", Name: "New"}
	now := page.Page{URL: "https://a.example/", Elements: []page.Element{button, {ID: "15", Role: "link", Name: "Add"}}}
	click := action.Action{Name: action.Click, Target: "14"}
	verify := reasoning.VerifyQuestion{On: on, Query: "add one", Action: click, Target: button, Page: now}
	light, part := verify, verify
	light.Final, part.SubTask = true, "open the form"
	questions := []struct {
		name, answer string
		ask          func(context.Context, *model.Reasoner) error
	}{
		{"act", `{"thought":"t","action":"click(\"14\")","expected":null,"final":null,"nextGoal":null,"confidence":0.9,"question":null,"missing":null,"hints":null}`,
			func(ctx context.Context, r *model.Reasoner) error {
				_, err := r.Act(ctx, reasoning.ActQuestion{On: on, Query: "add one", Page: now})
				return err
			}},
		{"verify", verdict, func(ctx context.Context, r *model.Reasoner) error { _, err := r.Verify(ctx, verify); return err }},
		{"verify, light", verdict, func(ctx context.Context, r *model.Reasoner) error { _, err := r.Verify(ctx, light); return err }},
		{"verify, a part", verdict, func(ctx context.Context, r *model.Reasoner) error { _, err := r.Verify(ctx, part); return err }},
		{"confirm", `{"reason":"r","shown":true,"confidence":0.9}`, func(ctx context.Context, r *model.Reasoner) error {
			_, err := r.Confirm(ctx, reasoning.ConfirmQuestion{On: on, Query: "add one", Statement: "it is there", Page: now})
			return err
		}},
		{"correct", `{"reason":"r","strategy":"ALTERNATIVE_TOOL","action":"click(\"15\")","thought":"t","expected":null,"question":null,"hints":null}`,
			func(ctx context.Context, r *model.Reasoner) error {
				_, err := r.Correct(ctx, reasoning.CorrectQuestion{On: on, Query: "add one", Failed: click, Target: button, Page: now, Attempt: 1, Tried: []action.Action{click}})
				return err
			}},
	}
	for name, start := range map[string]func(testing.TB, llmtest.Script) *llmtest.Server{
		byGemini: llmtest.NewGemini, byGenerativeAI: llmtest.NewGemini, byOpenAI: llmtest.NewOpenAI,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, q := range questions {
				srv := start(t, llmtest.Steps(llmtest.Step{Text: q.answer}))
				g := newGenerator(t, name, srv.URL)
				target := []llm.Target{{Provider: "p", Model: "m", Generator: g}}
				client, err := llm.NewClient(llm.Options{
					Roles:    map[llm.Role][]llm.Target{llm.Smart: target, llm.Fast: target},
					Recorder: llmtest.NewLedger(), NewID: domain.NewUUID, Tokens: prompt.Tokens,
				})
				if err != nil {
					t.Fatal(err)
				}
				if err := q.ask(t.Context(), model.New(client)); err != nil {
					t.Errorf("%s: %v", q.name, err)
				}
				if asked := srv.Requests(); len(asked) != 1 || asked[0].Schema == nil {
					t.Errorf("%s: %d questions arrived, the first with the schema %s", q.name, len(asked), asked[0].Schema)
				}
			}
		})
	}
}

// newGenerator is one of the adapters, as its own provider is asked.
func newGenerator(t *testing.T, adapter, url string) llm.Generator {
	t.Helper()
	c := modelsConfig{Gemini: endpoint{Key: "k", URL: url}, OpenAI: endpoint{Key: "k", URL: url}}
	if adapter == byOpenAI {
		g, err := openai.Open(openai.Options{APIKey: "k", BaseURL: url}) // strict, as OpenAI is
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g, err := c.generator(t.Context(), adapter)
	if err != nil {
		t.Fatal(err)
	}
	return g
}
