package usage_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
)

const (
	call            = "0b0e7a52-93d1-4bb2-8f5e-0d1c0c0f4a11"
	unknownLongTier = "6a5a1c9e-2f0d-4a7e-b1a0-5d2f6f7c8e22"
)

var done = november.Add(2 * time.Second)

func pico(s string) *usage.Pico {
	p, err := usage.ParsePico(s)
	if err != nil {
		panic(err)
	}
	return &p
}

func started() usage.LLMCallStarted {
	return usage.LLMCallStarted{
		Call: call, Tenant: "t", User: "u", Session: "s", Task: "k", Turn: 1, Request: "r",
		Purpose: usage.Verification, Role: usage.Fast, Provider: usage.Google, Model: "gemini-2.5-flash",
		Attempt: 1, PromptName: "verify/1", PromptHash: "h", PromptRef: "ref",
		EstimatedInputTokens: 1_000, EstimatedOutputTokens: 100, EstimatedCost: pico("0.00055"), StartedAt: november,
	}
}

func report() usage.Report {
	total := int64(11_554)
	return usage.Report{
		Outcome:       usage.OK,
		RawUsage:      json.RawMessage(`{"promptTokenCount":11125}`),
		Meters:        usage.Meters{InputUncached: 3_684, InputCached: 7_441, Output: 20, Thinking: 409},
		ProviderTotal: &total, ResponseModel: "gemini-2.5-flash", ResponseID: "id",
		DurationMS: 2_000, AnswerRef: "answer", CompletedAt: done,
	}
}

func completed() usage.LLMCallCompleted {
	return usage.LLMCallCompleted{Call: call, Report: report(), TotalMatches: true, Charge: usage.Charge{
		Cost: pico("0.00240093"), CostStatus: usage.Priced, PriceVersion: "google/gemini-2.5-flash@2026-01-01",
		UnitPrices: usage.UnitPrices{usage.InputUncached: 300_000, usage.InputCached: 30_000, usage.Output: 2_500_000, usage.Thinking: 2_500_000},
	}}
}

func settled() usage.LLMCallSettled {
	return usage.LLMCallSettled{Call: call, Why: "lost", Meters: usage.Meters{InputUncached: 1_000, Output: 100}, SettledAt: done,
		Charge: usage.Charge{
			Cost: pico("0.00055"), CostStatus: usage.Priced, PriceVersion: "google/gemini-2.5-flash@2026-01-01",
			UnitPrices: usage.UnitPrices{usage.InputUncached: 300_000, usage.Output: 2_500_000},
		}}
}

func reportWith(change func(*usage.Report)) usage.Report {
	r := report()
	change(&r)
	return r
}

func TestDecide(t *testing.T) {
	t.Parallel()
	book := usage.Seed()
	late, missing := report(), reportWith(func(r *usage.Report) {
		r.Outcome, r.RawUsage, r.Meters, r.UsageMissing, r.ProviderTotal = usage.Timeout, nil, usage.Meters{}, true, nil
	})
	missingModel := reportWith(func(r *usage.Report) { r.ResponseModel, r.ProviderTotal = "", nil })
	rejected := usage.Report{Outcome: usage.RateLimited, DurationMS: 40, CompletedAt: done}
	zero := reportWith(func(r *usage.Report) {
		r.Outcome, r.Meters, r.ProviderTotal = usage.Blocked, usage.Meters{}, new(int64)
	})
	unclear := reportWith(func(r *usage.Report) { r.UsageUnclear = true })
	thoughtless := reportWith(func(r *usage.Report) { r.Meters.Thinking = 0 })
	tests := []struct {
		name    string
		given   []usage.Event
		when    usage.Command
		then    []usage.Event
		refused string
	}{
		{name: "a call starts, with its cost estimated",
			when: usage.StartCall{Started: started(), Prices: book}, then: []usage.Event{started()}},
		{name: "the same start again is nothing new",
			given: []usage.Event{started()}, when: usage.StartCall{Started: started(), Prices: nil}},
		{name: "an id starts one call only",
			given: []usage.Event{started()}, refused: "CALL_CONFLICT",
			when: usage.StartCall{Started: func() usage.LLMCallStarted { s := started(); s.Attempt = 2; return s }(), Prices: book}},
		{name: "an id that is no UUID is refused", refused: "INVALID_USAGE",
			when: usage.StartCall{Started: func() usage.LLMCallStarted { s := started(); s.Call = "1"; return s }(), Prices: book}},
		{name: "a call of which nothing is expected is refused", refused: "INVALID_USAGE",
			when: usage.StartCall{Started: func() usage.LLMCallStarted {
				s := started()
				s.EstimatedInputTokens, s.EstimatedOutputTokens = 0, 0
				return s
			}(), Prices: book}},
		{name: "a call of nobody is refused", refused: "INVALID_USAGE",
			when: usage.StartCall{Started: func() usage.LLMCallStarted { s := started(); s.Tenant = ""; return s }(), Prices: book}},
		{name: "a completed call has its meters and exact cost",
			given: []usage.Event{started()},
			when:  usage.CompleteCall{Call: call, Report: report(), Prices: book}, then: []usage.Event{completed()}},
		{name: "the same completion again is nothing new, whatever the book says by now",
			given: []usage.Event{started(), completed()},
			when:  usage.CompleteCall{Call: call, Report: reportWith(func(r *usage.Report) { r.AnswerRef = "moved" }), Prices: nil}},
		{name: "another story about a completed call is refused",
			given: []usage.Event{started(), completed()}, refused: "CALL_CONFLICT",
			when: usage.CompleteCall{Call: call, Report: zero, Prices: book}},
		{name: "an unknown call cannot complete", given: []usage.Event{started()}, refused: "CALL_NOT_FOUND",
			when: usage.CompleteCall{Call: unknownLongTier, Report: report(), Prices: book}},
		{name: "usage that is missing and counted is refused", given: []usage.Event{started()}, refused: "INVALID_USAGE",
			when: usage.CompleteCall{Call: call, Report: reportWith(func(r *usage.Report) { r.UsageMissing = true }), Prices: book}},
		{name: "langfuse#9038: an attempt refused before it ran is free",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: rejected, Prices: book},
			then: []usage.Event{usage.LLMCallCompleted{Call: call, Report: rejected, TotalMatches: true,
				Charge: usage.Charge{Cost: new(usage.Pico), CostStatus: usage.Free}}}},
		{name: "litellm#37992: a reported zero stays zero where no model ran",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: zero, Prices: book},
			then: []usage.Event{usage.LLMCallCompleted{Call: call, Report: zero, TotalMatches: true,
				Charge: usage.Charge{Cost: new(usage.Pico), CostStatus: usage.Free}}}},
		{name: "an unclear account is flagged, though it adds up",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: unclear, Prices: book},
			then: []usage.Event{usage.LLMCallCompleted{Call: call, Report: unclear, TotalMatches: false, Charge: completed().Charge}}},
		{name: "go-genai#282: missing usage is not zero: the call is settled by its estimate, with what is known of its end",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: missing, Prices: book},
			then: []usage.Event{usage.LLMCallSettled{Call: call, Why: "it ended without an account of what it used (timeout)",
				Meters: settled().Meters, Charge: settled().Charge, Report: &missing, SettledAt: done}}},
		{name: "the same end without usage again is nothing new",
			given: []usage.Event{started(), usage.LLMCallSettled{Call: call, Report: &missing}},
			when:  usage.CompleteCall{Call: call, Report: missing, Prices: book}},
		{name: "an end without usage of a model without a price is unpriced",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: missing, Prices: nil},
			then: []usage.Event{usage.LLMCallSettled{Call: call, Why: "it ended without an account of what it used (timeout)",
				Meters: settled().Meters, Charge: usage.Charge{CostStatus: usage.Unpriced}, Report: &missing, SettledAt: done}}},
		{name: "langfuse#16321: meters that do not add up are flagged",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: thoughtless, Prices: nil},
			then: []usage.Event{usage.LLMCallCompleted{Call: call, Report: thoughtless, TotalMatches: false,
				Charge: usage.Charge{CostStatus: usage.Unpriced}}}},
		{name: "a call is priced by the model asked for where the answer names none",
			given: []usage.Event{started()}, when: usage.CompleteCall{Call: call, Report: missingModel, Prices: book},
			then: []usage.Event{usage.LLMCallCompleted{Call: call, Report: missingModel, TotalMatches: true, Charge: completed().Charge}}},
		{name: "a lost call is settled by its estimate",
			given: []usage.Event{started()},
			when:  usage.SettleCall{Call: call, Why: "lost", At: done, Prices: book}, then: []usage.Event{settled()}},
		{name: "a settled call is not settled again", given: []usage.Event{started(), settled()},
			when: usage.SettleCall{Call: call, Why: "lost", At: done, Prices: book}},
		{name: "a completed call is not settled", given: []usage.Event{started(), completed()},
			when: usage.SettleCall{Call: call, Why: "lost", At: done, Prices: book}},
		{name: "an unknown call is not settled", refused: "CALL_NOT_FOUND",
			when: usage.SettleCall{Call: call, Why: "lost", At: done, Prices: book}},
		{name: "a late answer corrects the estimate by the difference",
			given: []usage.Event{started(), settled()},
			when:  usage.CompleteCall{Call: call, Report: late, Prices: book}, then: []usage.Event{lateCorrection()}},
		{name: "a late answer told twice corrects once",
			given: []usage.Event{started(), settled(), lateCorrection()},
			when:  usage.CompleteCall{Call: call, Report: late, Prices: book}},
		{name: "a late end without usage leaves the estimate",
			given: []usage.Event{started(), settled()}, when: usage.CompleteCall{Call: call, Report: missing, Prices: book},
			then: []usage.Event{usage.UsageCorrected{Call: call, Why: lateCorrection().Why, CostDelta: new(usage.Pico), CostStatus: usage.Priced,
				PriceVersion: settled().PriceVersion, UnitPrices: settled().UnitPrices, Late: &missing, CorrectedAt: done}}},
		{name: "a correction holds differences",
			given: []usage.Event{started(), completed()},
			when:  usage.CorrectCall{Call: call, Why: "invoice", Meters: report().Meters, Cost: pico("0.002"), At: done},
			then: []usage.Event{usage.UsageCorrected{Call: call, Why: "invoice", CostDelta: pico("-0.00040093"),
				CostStatus: usage.Priced, CorrectedAt: done}}},
		{name: "a correction to what is so is nothing new",
			given: []usage.Event{started(), completed()},
			when:  usage.CorrectCall{Call: call, Why: "repricing", Meters: report().Meters, At: done, Prices: book}},
		{name: "repricing finds a cost that was unknown",
			given: []usage.Event{started(), usage.LLMCallCompleted{Call: call, Report: report(), Charge: usage.Charge{CostStatus: usage.Unpriced}}},
			when:  usage.CorrectCall{Call: call, Why: "repricing", Meters: report().Meters, At: done, Prices: book},
			then: []usage.Event{usage.UsageCorrected{Call: call, Why: "repricing", CostDelta: pico("0.00240093"), CostStatus: usage.Priced,
				PriceVersion: completed().PriceVersion, UnitPrices: completed().UnitPrices, CorrectedAt: done}}},
		{name: "a call without a bill is not corrected", given: []usage.Event{started()}, refused: "CALL_CONFLICT",
			when: usage.CorrectCall{Call: call, Why: "w", At: done}},
		{name: "an unknown call is not corrected", refused: "CALL_NOT_FOUND",
			when: usage.CorrectCall{Call: call, Why: "w", At: done}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := usage.Decider.Fold(usage.Initial(), tt.given...)
			got, err := usage.Decide(tt.when, s)
			if code := codeOf(err); code != tt.refused {
				t.Fatalf("refused with %q (%v), want %q", code, err, tt.refused)
			}
			if diff := cmp.Diff(tt.then, got); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func lateCorrection() usage.UsageCorrected {
	r, c := report(), completed()
	return usage.UsageCorrected{
		Call: call, Why: "the answer came after the call had been settled", Late: &r, CorrectedAt: done,
		Meters:    usage.Meters{InputUncached: 2_684, InputCached: 7_441, Output: -80, Thinking: 409},
		CostDelta: pico("0.00185093"), CostStatus: usage.Priced, PriceVersion: c.PriceVersion, UnitPrices: c.UnitPrices,
	}
}

func codeOf(err error) string {
	var e *domain.Error
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

func TestEvolve_billsTheTruthWhateverTheOrder(t *testing.T) {
	t.Parallel()
	inTime := usage.Decider.Fold(usage.Initial(), started(), completed())
	tooLate := usage.Decider.Fold(usage.Initial(), started(), settled(), lateCorrection())
	if diff := cmp.Diff(inTime.Calls[call].Charge, tooLate.Calls[call].Charge); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(inTime.Calls[call].Meters, tooLate.Calls[call].Meters); diff != "" {
		t.Error(diff)
	}
}

func TestEvolve_anUnpricedCorrectionLeavesTheCostUnknown(t *testing.T) {
	t.Parallel()
	s := usage.Decider.Fold(usage.Initial(), started(), completed(),
		usage.UsageCorrected{Call: call, CostStatus: usage.Unpriced},
		usage.UsageCorrected{Call: call, CostDelta: pico("0.5"), CostStatus: usage.Priced})
	if got := s.Calls[call].Charge.Cost; got == nil || got.String() != "0.5" {
		t.Fatalf("the cost found after it was unknown is %v, want 0.5", got)
	}
}

func TestState_Open(t *testing.T) {
	t.Parallel()
	s := usage.Decider.Fold(usage.Initial(), started())
	if got := s.Open(); len(got) != 1 || got[0].Started.Call != call {
		t.Fatalf("open: %v", got)
	}
	if got := usage.Evolve(s, settled()).Open(); len(got) != 0 {
		t.Fatalf("open after settling: %v", got)
	}
	if got := s.Open(); len(got) != 1 {
		t.Fatal("Evolve changed the state it was given")
	}
}

// TestDecider_oneBill runs commands on two calls in any order and number: each
// has at most one bill, its corrections add up to what is remembered, and
// folding in two goes is folding in one.
func TestDecider_oneBill(t *testing.T) {
	t.Parallel()
	book := usage.Seed()
	rapid.Check(t, func(t *rapid.T) {
		var log []usage.Event
		for range rapid.IntRange(1, 12).Draw(t, "commands") {
			got, err := usage.Decide(anyCommand(t, book), usage.Decider.Fold(usage.Initial(), log...))
			if err == nil {
				log = append(log, got...)
			}
		}
		cut := rapid.IntRange(0, len(log)).Draw(t, "cut")
		whole := usage.Decider.Fold(usage.Initial(), log...)
		if diff := cmp.Diff(whole, usage.Decider.Fold(usage.Decider.Fold(usage.Initial(), log[:cut]...), log[cut:]...)); diff != "" {
			t.Fatal(diff)
		}
		for id, c := range whole.Calls {
			bills, meters := sum(log, id)
			if bills > 1 || meters != c.Meters {
				t.Fatalf("call %s: %d bills of %v, remembered %v", id, bills, meters, c.Meters)
			}
		}
	})
}

func anyCommand(t *rapid.T, book *usage.Book) usage.Command {
	id := rapid.SampledFrom([]string{call, unknownLongTier}).Draw(t, "call")
	tokens := rapid.Int64Range(0, 300_000).Draw(t, "tokens")
	s, r := started(), report()
	s.Call, r.Meters.Output = id, tokens
	return rapid.SampledFrom([]usage.Command{
		usage.StartCall{Started: s, Prices: book},
		usage.CompleteCall{Call: id, Report: r, Prices: book},
		usage.SettleCall{Call: id, Why: "lost", At: done, Prices: book},
		usage.CorrectCall{Call: id, Why: "invoice", Meters: usage.Meters{Output: tokens}, At: done, Prices: book},
	}).Draw(t, "command")
}

func sum(log []usage.Event, id string) (bills int, m usage.Meters) {
	for _, e := range log {
		switch e := e.(type) {
		case usage.LLMCallCompleted:
			if e.Call == id {
				bills, m = bills+1, m.Plus(e.Meters)
			}
		case usage.LLMCallSettled:
			if e.Call == id {
				bills, m = bills+1, m.Plus(e.Meters)
			}
		case usage.UsageCorrected:
			if e.Call == id {
				m = m.Plus(e.Meters)
			}
		}
	}
	return bills, m
}
