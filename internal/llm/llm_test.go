package llm_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

func TestNewClient_refuses(t *testing.T) {
	t.Parallel()
	id := func() string { return "1" }
	ledger, fake := llmtest.NewLedger(), llmtest.NewFake(llmtest.Steps(good))
	roles := func(targets ...llm.Target) map[llm.Role][]llm.Target {
		return map[llm.Role][]llm.Target{llm.Smart: targets}
	}
	for name, o := range map[string]llm.Options{
		"no recorder":           {NewID: id},
		"no ids":                {Recorder: ledger},
		"a role without models": {Recorder: ledger, NewID: id, Roles: roles()},
		"no generator":          {Recorder: ledger, NewID: id, Roles: roles(llm.Target{Provider: "p", Model: "m"})},
		"no provider":           {Recorder: ledger, NewID: id, Roles: roles(llm.Target{Model: "m", Generator: fake})},
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

func TestEstimateTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		r    llm.Request
		want int64
	}{
		{"English is four bytes a token", llm.Request{System: strings.Repeat("word", 100)}, 101},
		{"a Chinese character is one", llm.Request{User: llm.Text("添加病人")}, 5},
		{"the schema is read too", llm.Request{Schema: []byte(`{"a":1}`)}, 2},
		{"an image has a price of its own", llm.Request{User: []llm.Part{{MIME: "image/png", Data: make([]byte, 1<<20)}}}, 259},
	} {
		if got := llm.EstimateTokens(tt.r); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
