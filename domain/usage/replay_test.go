package usage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
)

// replay is a fault reported against another ledger: what a provider said of an
// attempt, and what it has to cost here.
type replay struct {
	name, provider, model string
	at                    time.Time
	report                usage.Report
	want                  string // "" is unpriced
	status                usage.CostStatus
	// mismatch: the meters do not add up to the provider's total.
	mismatch bool
}

func total(n int64) *int64 { return &n }

func said(m usage.Meters, providerTotal *int64) usage.Report {
	return usage.Report{Outcome: usage.OK, Meters: m, ProviderTotal: providerTotal}
}

// oldBook is the seed with gemini-2.5-pro at the cached rate of 2025 before it.
func oldBook(t *testing.T) *usage.Book {
	t.Helper()
	r := func(p usage.Pico) *usage.Pico { return &p }
	b, err := usage.NewBook(append(usage.SeedRows(), usage.Price{
		Version: "2025", Provider: usage.Google, Model: "gemini-2.5-pro", From: november.AddDate(-1, -6, 0),
		Rates: usage.Rates{Input: r(1_250_000), Cached: r(312_500), Output: r(10_000_000)},
		Long:  &usage.LongTier{Above: 200_000, Rates: usage.Rates{Input: r(2_500_000), Cached: r(625_000), Output: r(15_000_000)}},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The cases are those of the facts this ledger was built on, each with its
// repository, issue and exact amount.
func replays() []replay {
	in := func(n int64) usage.Report { return said(usage.Meters{InputUncached: n}, nil) }
	const google, openai = usage.Google, usage.OpenAI
	litellm14849 := said(usage.Meters{InputUncached: 262_960 - 257_955, InputCached: 257_955, Output: 1_744}, total(262_960+1_744))
	return []replay{
		// 1. BerriAI/litellm#14849: cached tokens billed twice, 0.7641709375.
		{name: "1 BerriAI/litellm#14849 today", model: "gemini-2.5-pro", report: litellm14849, want: "0.10316125"},
		{name: "1 BerriAI/litellm#14849 by the book of 2025", model: "gemini-2.5-pro", at: november.AddDate(-1, 0, 0), report: litellm14849, want: "0.199894375"},
		// 2. danny-avila/LibreChat#12855: double 0.00463323, thoughts dropped 0.00137843.
		{name: "2 danny-avila/LibreChat#12855", model: "gemini-2.5-flash", want: "0.00240093",
			report: said(usage.Meters{InputUncached: 11_125 - 7_441, InputCached: 7_441, Output: 20, Thinking: 409}, total(11_554))},
		// 4. vercel/ai#6082: thinking missing, 0.02994625.
		{name: "4 vercel/ai#6082", model: "gemini-2.5-pro", want: "0.04933625",
			report: said(usage.Meters{InputUncached: 7_477, Output: 2_060, Thinking: 1_939}, total(11_476))},
		// 6. jain-aanchal/ai-tally#376: 98 % undercount, 0.0015.
		{name: "6 jain-aanchal/ai-tally#376", model: "gemini-2.5-pro", report: said(usage.Meters{Output: 150, Thinking: 8_000}, total(8_150)), want: "0.0815"},
		// 7. langfuse/langfuse#16321: thoughts in the total, not in the cost.
		{name: "7 langfuse/langfuse#16321 is flagged", model: "gemini-2.5-flash", want: "0.00137843", mismatch: true,
			report: said(usage.Meters{InputUncached: 3_684, InputCached: 7_441, Output: 20}, total(11_554))},
		// 14. BerriAI/litellm#37992: an explicit 0 replaced by an estimate. It is a real
		// zero where no model ran; of an answer it cannot be true, see below.
		{name: "14 BerriAI/litellm#37992 a reported zero", model: "gemini-2.5-pro", want: "0", status: usage.Free,
			report: usage.Report{Outcome: usage.Blocked, ProviderTotal: total(0)}},
		// 15. langfuse#9038, #1981, traceroot#1985: refused before inference, still charged.
		{name: "15 langfuse/langfuse#9038 refused with 429", model: "gemini-2.5-pro", report: usage.Report{Outcome: usage.RateLimited}, want: "0", status: usage.Free},
		{name: "15 langfuse/langfuse#1981 refused with 400", model: "gemini-2.5-pro", report: usage.Report{Outcome: usage.Rejected}, want: "0", status: usage.Free},
		// 22. BerriAI/litellm#8867: 0.0016150000000000001.
		{name: "22 BerriAI/litellm#8867", provider: openai, model: "gpt-4o", report: said(usage.Meters{InputUncached: 246, Output: 100}, nil), want: "0.001615"},
		{name: "22 a million times 3e-7", model: "gemini-2.5-flash", report: said(usage.Meters{InputUncached: 1_000_000 - 200_001, InputTool: 200_001}, nil), want: "0.3"},
		// 23. NousResearch/hermes-agent#93469, PR#93678: no tier above 200k, 0.50.
		{name: "23 NousResearch/hermes-agent#93469", model: "gemini-3.1-pro-preview", report: in(250_000), want: "1"},
		{name: "23 exactly 200 000 stay low", model: "gemini-2.5-pro", report: in(200_000), want: "0.25"},
		{name: "23 one more moves the whole request", model: "gemini-2.5-pro", report: in(200_001), want: "0.5000025"},
		{name: "23 cached tokens count for the tier", model: "gemini-2.5-pro", report: said(usage.Meters{InputUncached: 1, InputCached: 200_000}, nil), want: "0.0500025"},
		{name: "23 what tools add does not", model: "gemini-2.5-pro", report: said(usage.Meters{InputUncached: 200_000, InputTool: 200_000}, nil), want: "0.5"},
		{name: "23 output does not", model: "gemini-2.5-pro", report: said(usage.Meters{InputUncached: 200_000, Output: 200_000}, nil), want: "2.25"},
		// 24. BerriAI/litellm#36999, PR#35913: an unknown model is $0.
		{name: "24 BerriAI/litellm#36999 an unknown model", model: "gemini-99", report: in(1_000), status: usage.Unpriced},
		{name: "24 Langfuse PR#12647 a meter without a rate", model: "gemini-2.5-pro", report: said(usage.Meters{InputAudio: 5}, nil), status: usage.Unpriced},
		// OpenMeter llmcost/normalize.go: the date is stripped, 5/15 becomes 2.50/10.
		{name: "OpenMeter normalize.go: a dated id has its own price", provider: openai, model: "gpt-4o-2024-05-13",
			report: said(usage.Meters{InputUncached: 1_000, Output: 100}, nil), want: "0.0065"},
		{name: "OpenMeter normalize.go: the model that ran, not the one asked for", provider: openai, model: "gpt-4o",
			report: usage.Report{Outcome: usage.OK, ResponseModel: "gpt-4o-2024-05-13", Meters: usage.Meters{InputUncached: 1_000, Output: 100}}, want: "0.0065"},
		// Prices are kept by provider: the same id costs something else elsewhere.
		{name: "gemini-2.0-flash-001 at Vertex", provider: usage.Vertex, model: "gemini-2.0-flash-001", report: in(1_000_000), want: "0.15"},
		{name: "gemini-2.0-flash-001 at the Gemini API", provider: google, model: "gemini-2.0-flash-001", report: in(1_000_000), want: "0.1"},
		{name: "audio and tool input have their rates", model: "gemini-2.5-flash", report: said(usage.Meters{InputAudio: 1_000, InputTool: 1_000}, nil), want: "0.0013"},
		// Service tiers.
		{name: "served as batch", provider: openai, model: "gpt-4o", report: usage.Report{Outcome: usage.OK, ServiceTier: "batch",
			Meters: usage.Meters{InputUncached: 1_000_000, Output: 1_000_000}}, want: "6.25"},
		{name: "served as usual, in the provider's words", provider: openai, model: "gpt-4o", report: usage.Report{Outcome: usage.OK, ServiceTier: "DEFAULT",
			Meters: usage.Meters{InputUncached: 1_000_000}}, want: "2.5"},
		{name: "a tier without a price is not the standard one", model: "gemini-2.5-pro", report: usage.Report{Outcome: usage.OK, ServiceTier: "flex",
			Meters: usage.Meters{InputUncached: 1}}, status: usage.Unpriced},
		{name: "a long prompt whose tier nobody knows", provider: usage.Anthropic, model: "claude-sonnet-4-5", report: in(200_001), status: usage.Unpriced},
	}
}

func TestReplay(t *testing.T) {
	t.Parallel()
	book := oldBook(t)
	for _, tt := range replays() {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := started()
			s.Model, s.Provider, s.StartedAt = tt.model, tt.provider, tt.at
			if s.Provider == "" {
				s.Provider = usage.Google
			}
			if s.StartedAt.IsZero() {
				s.StartedAt = november
			}
			tt.report.CompletedAt = s.StartedAt.Add(time.Second)
			got := complete(t, book, s, tt.report)
			cost := ""
			if got.Cost != nil {
				cost = got.Cost.String()
			}
			if tt.status == "" {
				tt.status = usage.Priced
			}
			if cost != tt.want || got.CostStatus != tt.status || got.TotalMatches == tt.mismatch {
				t.Errorf("%q (%s), total matches %v; want %q (%s)", cost, got.CostStatus, got.TotalMatches, tt.want, tt.status)
			}
			if tt.status == usage.Priced && (got.PriceVersion == "" || len(got.UnitPrices) == 0) {
				t.Error("the event does not say which prices were applied")
			}
		})
	}
}

// complete starts and completes a call.
func complete(t *testing.T, book *usage.Book, s usage.LLMCallStarted, r usage.Report) usage.LLMCallCompleted {
	t.Helper()
	begun := decide(t, usage.Initial(), usage.StartCall{Started: s, Prices: book})
	ended := decide(t, usage.Decider.Fold(usage.Initial(), begun...), usage.CompleteCall{Call: s.Call, Report: r, Prices: book})
	e, ok := ended[0].(usage.LLMCallCompleted)
	if !ok {
		t.Fatalf("it ended as %+v", ended)
	}
	return e
}

func decide(t *testing.T, s usage.State, c usage.Command) []usage.Event {
	t.Helper()
	events, err := usage.Decide(c, s)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// 10. griptape-ai/griptape#2275: the totals of a stream, 1 to 100, were summed to
// 5050. 11. neuron-core/neuron-ai#511, langchainjs#10159, open-webui#29064: 10
// prompt tokens were counted once for each of 50 chunks. A call has one account:
// another one about the same call is refused.
func TestReplay_AccountsOfOneCallAreNotSummed(t *testing.T) {
	t.Parallel()
	book := usage.Seed()
	state := usage.Decider.Fold(usage.Initial(), started())
	last := usage.Report{Outcome: usage.OK, Meters: usage.Meters{InputUncached: 10, Output: 90}, ProviderTotal: total(100), CompletedAt: done}
	for range 50 {
		state = usage.Decider.Fold(state, decide(t, state, usage.CompleteCall{Call: call, Report: last, Prices: book})...)
	}
	for n := range int64(90) {
		r := last
		r.Meters.Output, r.ProviderTotal = n, total(10+n)
		if _, err := usage.Decide(usage.CompleteCall{Call: call, Report: r, Prices: book}, state); codeOf(err) != "CALL_CONFLICT" {
			t.Fatalf("a second account of %d tokens: %v", 10+n, err)
		}
	}
	if m := state.Calls[call].Meters; m.Total() != 100 || m.InputUncached != 10 {
		t.Errorf("billed: %+v", m)
	}
}

// 13. BerriAI/litellm#14457, #13245, PR#33736: the client disconnects, there is no
// spend row, and the provider bills. 27. googleapis/go-genai#282: no usage at all.
func TestReplay_AnEndWithoutAnAccountIsEstimated(t *testing.T) {
	t.Parallel()
	for _, outcome := range []usage.Outcome{usage.Cancelled, usage.Timeout, usage.Unavailable, usage.OK} {
		r := usage.Report{Outcome: outcome, UsageMissing: true, CompletedAt: done}
		events := decide(t, usage.Decider.Fold(usage.Initial(), started()), usage.CompleteCall{Call: call, Report: r, Prices: usage.Seed()})
		e, ok := events[0].(usage.LLMCallSettled)
		if !ok || e.Cost.String() != "0.00055" || e.Report.Outcome != outcome || e.Why == "" {
			t.Errorf("%s: %+v", outcome, events)
		}
	}
}

// 16. perminder-klair/subwave#1195, sjnims/cc-plugin-eval#330: failed but billed
// attempts are lost. 18. BerriAI/litellm#6633: of answers without an id only the
// first row is kept.
func TestReplay_EveryAttemptHasItsBill(t *testing.T) {
	t.Parallel()
	book := usage.Seed()
	var sum usage.Pico
	state := usage.Initial()
	for attempt, outcome := range []usage.Outcome{usage.SchemaInvalid, usage.OK} {
		s := started()
		s.Call, s.Attempt = fmt.Sprintf("0b0e7a52-93d1-4bb2-8f5e-0d1c0c0f4b%02d", attempt), attempt+1
		r := report()
		r.Outcome, r.ResponseID = outcome, ""
		for _, c := range []usage.Command{usage.StartCall{Started: s, Prices: book}, usage.CompleteCall{Call: s.Call, Report: r, Prices: book}} {
			state = usage.Decider.Fold(state, decide(t, state, c)...)
		}
		sum += *state.Calls[s.Call].Charge.Cost
	}
	if len(state.Calls) != 2 || sum.String() != "0.00480186" { // twice 0.00240093
		t.Errorf("%d calls for %s", len(state.Calls), sum)
	}
}

// 22. A float sum of a million times 3e-7 is 0.30000000000419963.
func TestReplay_SumsAreExact(t *testing.T) {
	t.Parallel()
	each, err := usage.ParsePico("0.0000003")
	if err != nil {
		t.Fatal(err)
	}
	var sum usage.Pico
	for range 1_000_000 {
		if sum, err = sum.Plus(each); err != nil {
			t.Fatal(err)
		}
	}
	if sum.String() != "0.3" {
		t.Errorf("%s", sum)
	}
}

// A price that changes in mid-month (OpenMeter ResolvePrice, Langfuse
// modelMatch.ts): a call keeps the price of the moment it started, whenever its
// end is noted, corrected or priced again, and a price of the future is not used.
func TestReplay_APriceChangeRewritesNoHistory(t *testing.T) {
	t.Parallel()
	change := time.Date(2026, 11, 15, 0, 0, 0, 0, time.UTC)
	rate := func(p usage.Pico) usage.Rates { return usage.Rates{Input: &p, Output: &p} }
	before := usage.Price{Version: "before", Provider: usage.Google, Model: "m", Rates: rate(1), From: change.AddDate(0, -1, 0)}
	after := usage.Price{Version: "after", Provider: usage.Google, Model: "m", Rates: rate(3), From: change}
	old, err := usage.NewBook([]usage.Price{before})
	if err != nil {
		t.Fatal(err)
	}
	changed, err := usage.NewBook([]usage.Price{before, after})
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[time.Time]string{change.Add(-time.Microsecond): "before", change: "after", change.Add(time.Hour): "after"} {
		s := started()
		s.Model, s.StartedAt = "m", at
		r := usage.Report{Outcome: usage.OK, Meters: usage.Meters{Output: 10}, CompletedAt: change.Add(2 * time.Hour)}
		events := decide(t, usage.Initial(), usage.StartCall{Started: s, Prices: old})
		state := usage.Decider.Fold(usage.Initial(), events...)
		state = usage.Decider.Fold(state, decide(t, state, usage.SettleCall{Call: call, Why: "lost", At: change.Add(time.Hour), Prices: changed})...)
		state = usage.Decider.Fold(state, decide(t, state, usage.CompleteCall{Call: call, Report: r, Prices: changed})...)
		if got := state.Calls[call].Charge; got.PriceVersion != want || *got.Cost != map[string]usage.Pico{"before": 10, "after": 30}[want] {
			t.Errorf("%s: %s by %s", at, got.Cost, got.PriceVersion)
		}
		if again := decide(t, state, usage.RepriceCall{Call: call, Why: "again", At: change.AddDate(0, 1, 0), Prices: changed}); len(again) != 0 {
			t.Errorf("%s: priced again it is %+v", at, again)
		}
	}
}

// The largest amounts, and beyond: a typed error, never a wrong sum.
func TestReplay_WhatDoesNotFitIsUnpriced(t *testing.T) {
	t.Parallel()
	r := said(usage.Meters{Output: 1 << 40}, nil)
	r.CompletedAt = done
	large := started()
	large.Model = "gemini-2.5-pro" // eleven million dollars, two more than fit
	r.ResponseModel = large.Model
	got := complete(t, usage.Seed(), large, r)
	if got.Cost != nil || got.CostStatus != usage.Unpriced {
		t.Errorf("%+v", got.Charge)
	}
	huge := decide(t, usage.Decider.Fold(usage.Initial(), started(), completed()),
		usage.CorrectCall{Call: call, Why: "by hand", Meters: report().Meters, Cost: pico("9223372.036854775807"), At: done})
	state := usage.Decider.Fold(usage.Initial(), append([]usage.Event{started(), completed()}, huge...)...)
	_, err := usage.Decide(usage.CorrectCall{Call: call, Why: "by hand", Meters: report().Meters, Cost: pico("-9223372.036854775807"), At: done}, state)
	if codeOf(err) != "INVALID_USAGE" || domain.KindOf(err) != domain.Invalid {
		t.Errorf("a difference that does not fit: %v", err)
	}
}
