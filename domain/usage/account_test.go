package usage_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/usage"
)

// An account that cannot be true is none: what was answered was read and written,
// and no model reads less than nothing, or all books there are.
func TestReplay_AnAccountThatCannotBeTrueIsEstimated(t *testing.T) {
	t.Parallel()
	for _, outcome := range []usage.Outcome{usage.OK, usage.SchemaInvalid, usage.Truncated} {
		for name, m := range map[string]usage.Meters{
			"nothing": {}, "less than nothing": {InputUncached: 1000, Output: -1}, "all books": {InputUncached: 1 << 41, Output: 1},
		} {
			r := usage.Report{Outcome: outcome, Meters: m, ProviderTotal: total(m.Total()), CompletedAt: done}
			state := usage.Decider.Fold(usage.Initial(), started())
			events := decide(t, state, usage.CompleteCall{Call: call, Report: r, Prices: usage.Seed()})
			e, ok := events[0].(usage.LLMCallSettled)
			if !ok || e.Cost.String() != "0.00055" || e.CostStatus != usage.Priced || !e.Report.UsageMissing {
				t.Errorf("%s, %s: %+v", outcome, name, events)
			}
			if again := decide(t, usage.Decider.Fold(state, events...), usage.CompleteCall{Call: call, Report: r, Prices: usage.Seed()}); len(again) != 0 {
				t.Errorf("%s, %s: told again it is %+v", outcome, name, again)
			}
		}
	}
}

// A bill that says free though an answer came is of a time when that was believed:
// pricing it anew makes an estimate of it, once.
func TestReplay_AnAnswerThatWasFreeIsRepriced(t *testing.T) {
	t.Parallel()
	free := usage.Charge{Cost: new(usage.Pico), CostStatus: usage.Free}
	for _, tt := range []struct {
		outcome usage.Outcome
		want    string
	}{{usage.OK, "0.00055"}, {usage.RateLimited, "0"}, {usage.Blocked, "0"}} {
		state := usage.Decider.Fold(usage.Initial(), started(),
			usage.LLMCallCompleted{Call: call, Report: usage.Report{Outcome: tt.outcome, CompletedAt: done}, TotalMatches: true, Charge: free})
		for range 2 {
			state = usage.Decider.Fold(state, decide(t, state, usage.RepriceCall{Call: call, Why: "again", At: done, Prices: usage.Seed()})...)
		}
		if got := state.Calls[call].Charge.Cost.String(); got != tt.want {
			t.Errorf("%s: %s", tt.outcome, got)
		}
	}
}

// An estimate is at the price of what ran: a router's name has none.
func TestReplay_AnEstimateIsOfTheModelThatRan(t *testing.T) {
	t.Parallel()
	s := started()
	s.Model = "router/auto"
	r := usage.Report{Outcome: usage.OK, UsageMissing: true, ResponseModel: "gemini-2.5-flash", CompletedAt: done}
	events := decide(t, usage.Decider.Fold(usage.Initial(), s), usage.CompleteCall{Call: call, Report: r, Prices: usage.Seed()})
	if e, ok := events[0].(usage.LLMCallSettled); !ok || e.Cost == nil || e.Cost.String() != "0.00055" {
		t.Errorf("%+v", events)
	}
}

// Providers' bounds of a long prompt differ; each row has its own.
func TestReplay_EachRowHasItsBoundOfALongPrompt(t *testing.T) {
	t.Parallel()
	r := func(p usage.Pico) usage.Rates { return usage.Rates{Input: &p, Cached: &p, Output: &p} }
	row := func(model string, above int64) usage.Price {
		return usage.Price{Version: model, Provider: "p", Model: model, Rates: r(1), From: november.AddDate(0, -1, 0),
			Long: &usage.LongTier{Above: above, Rates: r(2)}}
	}
	book, err := usage.NewBook([]usage.Price{row("128k", 128_000), row("200k", 200_000), row("272k", 272_000)})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model  string
		prompt int64
		rate   int64
	}{
		{"128k", 128_000, 1}, {"128k", 128_001, 2}, {"200k", 200_000, 1}, {"200k", 250_000, 2},
		{"272k", 250_000, 1}, {"272k", 272_000, 1}, {"272k", 272_001, 2},
	} {
		m := usage.Meters{InputUncached: tt.prompt - 1000, InputCached: 1000, Output: 5}
		got := book.Charge(wareOf("p", november, tt.model), m)
		if want := usage.Pico(tt.rate * m.Total()); got.Cost == nil || *got.Cost != want {
			t.Errorf("%s, a prompt of %d: %v, want %s", tt.model, tt.prompt, got.Cost, want)
		}
	}
}
