package llm_test

import (
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

func TestNewClient_refuses(t *testing.T) {
	t.Parallel()
	id := func() string { return "1" }
	count := func(s string) int { return len(s) / 4 }
	ledger, fake := llmtest.NewLedger(), llmtest.NewFake(llmtest.Steps(good))
	roles := func(targets ...llm.Target) map[llm.Role][]llm.Target {
		return map[llm.Role][]llm.Target{llm.Smart: targets}
	}
	for name, o := range map[string]llm.Options{
		"no recorder":           {NewID: id, Tokens: count},
		"no ids":                {Recorder: ledger, Tokens: count},
		"no estimate":           {Recorder: ledger, NewID: id},
		"a role without models": {Recorder: ledger, NewID: id, Tokens: count, Roles: roles()},
		"no generator":          {Recorder: ledger, NewID: id, Tokens: count, Roles: roles(llm.Target{Provider: "p", Model: "m"})},
		"no provider":           {Recorder: ledger, NewID: id, Tokens: count, Roles: roles(llm.Target{Model: "m", Generator: fake})},
	} {
		if _, err := llm.NewClient(o); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestClient_aRoleWithoutAModel(t *testing.T) {
	t.Parallel()
	b := newBench(t, llmtest.Steps(good))
	q := question()
	q.Role = llm.Smart
	if _, err := b.Ask(t.Context(), q); llm.KindOf(err) != llm.Rejected || b.Has(llm.Smart) || !b.Has(llm.Fast) {
		t.Fatal(err)
	}
}
