package history_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	ledger "github.com/stepledger/stepledger/domain/usage"
	"github.com/stepledger/stepledger/projections/history"
	"github.com/stepledger/stepledger/projections/projtest"
)

// contents is a content store.
type contents struct {
	texts map[string]string
	fails error
}

func (c contents) Get(_ context.Context, _, _, ref string) ([]byte, error) {
	if c.fails != nil {
		return nil, c.fails
	}
	if text, ok := c.texts[ref]; ok {
		return []byte(text), nil
	}
	return nil, domain.Errorf(domain.NotFound, domain.CodeNotFound, "this content is not kept any more")
}

func TestReader_Call(t *testing.T) {
	t.Parallel()
	e := projtest.WithoutDatabase(t)
	k := written(e)
	call, other := domain.NewUUID(), domain.NewUUID()
	cost := ledger.Pico(2_640_000_000)
	projtest.Append[ledger.Event](e, ledger.Codec, ledger.Stream(k.ID), ledger.LLMCallStarted{
		Call: call, Task: k.ID, Turn: 1, Purpose: ledger.Verification, PromptName: "verify/3", PromptRef: "p", Model: "m-1", StartedAt: firstRecorded,
	}, ledger.LLMCallStarted{Call: other, Task: k.ID, Turn: 2, Model: "m-1", StartedAt: firstRecorded},
		ledger.LLMCallCompleted{Call: call, Charge: ledger.Charge{Cost: &cost, CostStatus: ledger.Priced}, Report: ledger.Report{
			Outcome: ledger.OK, AnswerRef: "a", DurationMS: 700, CompletedAt: firstRecorded, Meters: ledger.Meters{InputUncached: 10, Output: 2},
		}})
	kept := map[string]string{"p": `{"system":"the password is hunter2"}`, "a": "no JSON: hunter2"}
	for name, tt := range map[string]struct {
		content        contents
		call           string
		prompt, answer history.CallText
	}{
		"kept, without secrets": {contents{texts: kept}, call,
			history.CallText{State: "kept", Content: []byte(`{"system":"the password is [secret]"}`)}, history.CallText{State: "kept", Content: []byte(`"no JSON: [secret]"`)}},
		"the answer expired": {contents{texts: map[string]string{"p": kept["p"]}}, strings.ToUpper(call),
			history.CallText{State: "kept", Content: []byte(`{"system":"the password is [secret]"}`)}, history.CallText{State: "expired"}},
		"erased":      {contents{fails: domain.ErrErased}, call, history.CallText{State: "erased"}, history.CallText{State: "erased"}},
		"never there": {contents{texts: kept}, other, history.CallText{State: "none"}, history.CallText{State: "none"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := history.Reader{Log: e.Store, Keys: e.Keys, Content: tt.content}
			got, err := r.Call(t.Context(), projtest.Tenant, k.ID, tt.call)
			if err != nil {
				t.Fatal(err)
			}
			for what, pair := range map[string][2]history.CallText{"prompt": {got.Prompt, tt.prompt}, "answer": {got.Answer, tt.answer}} {
				if pair[0].State != pair[1].State || string(pair[0].Content) != string(pair[1].Content) {
					t.Errorf("%s is %s %s, want %s %s", what, pair[0].State, pair[0].Content, pair[1].State, pair[1].Content)
				}
			}
			if tt.call == call && (*got.Call.CostUSD != "0.00264" || got.Call.InputTokens != 10 || got.Call.DurationMs != 700 || got.Call.State != "completed") {
				t.Errorf("call %+v", got.Call)
			}
		})
	}
	r := history.Reader{Log: e.Store, Keys: e.Keys, Content: contents{fails: errors.New("no connection")}}
	if got, err := r.Call(t.Context(), projtest.Tenant, k.ID, call); err == nil {
		t.Errorf("a store that fails: %+v", got)
	}
	for name, args := range map[string][3]string{
		"another tenant":  {"globex", k.ID, call},
		"an unknown call": {projtest.Tenant, k.ID, domain.NewUUID()},
	} {
		var e *domain.Error
		if _, err := r.Call(t.Context(), args[0], args[1], args[2]); !errors.As(err, &e) || e.Kind != domain.NotFound {
			t.Errorf("%s: %v; want not found", name, err)
		}
	}
}
