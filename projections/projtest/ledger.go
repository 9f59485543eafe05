package projtest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/usage"
)

// Ledger writes model calls of several tenants at random, around the boundaries of
// months and days wherever on earth, and everything that becomes of them: bills in
// time, estimates, late reports, corrections by hand, prices that are found or
// withdrawn or change in the middle of the month. It is the truth to compare with:
// the domain's own fold of what it wrote.
type Ledger struct {
	env     *Env
	rng     *rand.Rand
	streams map[string]usage.State
	calls   []string // in the order they began
	subject map[string]string
}

// Tenants of a ledger.
var Tenants = []string{Tenant, "globex", "initech"}

// LedgerMonths are when its calls are made.
var LedgerMonths = [2]time.Time{
	time.Date(2026, 9, 29, 0, 0, 0, 0, time.UTC), time.Date(2026, 11, 3, 0, 0, 0, 0, time.UTC),
}

// Ledger is one without calls; the same seed gives the same but for ids.
func (e *Env) Ledger(seed uint64) *Ledger {
	return &Ledger{e, rand.New(rand.NewPCG(seed, 7)), map[string]usage.State{}, nil, map[string]string{}}
}

// Book has a price that changes on the 15th of October, a model without a price for
// audio, and where later is set a price for the model that had none.
func Book(later bool) *usage.Book {
	rate := func(p int64) *usage.Pico { r := usage.Pico(p); return &r }
	change := time.Date(2026, 10, 15, 0, 0, 0, 0, time.UTC)
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	rows := []usage.Price{
		{Version: "m-1@1", Provider: usage.Google, Model: "m-1", From: from, To: change, Source: "test",
			Rates: usage.Rates{Input: rate(300_000), Cached: rate(30_000), Audio: rate(1_000_000), Output: rate(2_500_001)}},
		{Version: "m-1@2", Provider: usage.Google, Model: "m-1", From: change, Source: "test",
			Rates: usage.Rates{Input: rate(600_000), Cached: rate(60_000), Audio: rate(2_000_000), Output: rate(5_000_003)}},
		{Version: "m-2@1", Provider: usage.OpenAI, Model: "m-2", From: from, Source: "test",
			Rates: usage.Rates{Input: rate(1_250_000), Cached: rate(125_000), Output: rate(10_000_000)}},
	}
	if later {
		rows = append(rows, usage.Price{Version: "m-3@1", Provider: usage.Vertex, Model: "m-3", From: from, Source: "test",
			Rates: usage.Rates{Input: rate(7), Cached: rate(1), Audio: rate(3), Output: rate(11)}})
	}
	b, err := usage.NewBook(rows)
	if err != nil {
		panic(err)
	}
	return b
}

// Calls is every call as the domain folds it.
func (l *Ledger) Calls() []usage.Call {
	out := make([]usage.Call, 0, len(l.calls))
	for _, id := range l.calls {
		out = append(out, l.streams[l.subject[id]].Calls[id])
	}
	return out
}

// Write adds so many events.
func (l *Ledger) Write(n int) {
	l.env.T.Helper()
	for n > 0 {
		n -= l.step()
	}
}

// Close bills every call that is open.
func (l *Ledger) Close() {
	l.env.T.Helper()
	for _, c := range l.Calls() {
		if !c.Billed() {
			l.do(c.Started.Task, usage.SettleCall{Call: c.Started.Call, Why: "no answer", At: c.Started.StartedAt.Add(time.Hour), Prices: Book(false)})
		}
	}
}

func (l *Ledger) step() int {
	if len(l.calls) == 0 || l.rng.IntN(3) == 0 {
		return l.begin()
	}
	id := l.calls[l.rng.IntN(len(l.calls))]
	c := l.streams[l.subject[id]].Calls[id]
	later := c.Started.StartedAt.Add(time.Duration(l.rng.IntN(100)) * time.Hour)
	var command usage.Command
	switch die := l.rng.IntN(6); {
	case !c.Billed() && die < 4:
		command = usage.CompleteCall{Call: id, Report: l.report(c, later), Prices: Book(false)}
	case !c.Billed():
		command = usage.SettleCall{Call: id, Why: "its end was never seen", At: later, Prices: Book(false)}
	case c.Report == nil && die < 3:
		command = usage.CompleteCall{Call: id, Report: l.report(c, later), Prices: Book(l.rng.IntN(2) == 0)}
	case die == 3:
		cost := usage.Pico(l.rng.Int64N(1e11)) - 1e10
		command = usage.CorrectCall{Call: id, Why: "by hand", Meters: l.meters(), Cost: &cost, At: later}
	case die == 4:
		command = usage.CorrectCall{Call: id, Why: "recounted", Meters: l.meters(), At: later, Prices: Book(l.rng.IntN(3) > 0)}
	default:
		command = usage.RepriceCall{Call: id, Why: "repriced", At: later, Prices: Book(true)}
	}
	return l.do(l.subject[id], command)
}

// edges are minutes after midnight UTC at which days begin somewhere.
var edges = []int{0, 0, 330, 345, 570, 765, 840, 960, 1380, 1439, 15, 225}

func (l *Ledger) begin() int {
	task := l.rng.IntN(12)
	days := int(LedgerMonths[1].Sub(LedgerMonths[0]).Hours() / 24)
	day := []int{0, 1, 2, days - 4, days - 3, days - 2, l.rng.IntN(days)}[l.rng.IntN(7)]
	at := LedgerMonths[0].AddDate(0, 0, day).Add(time.Duration(edges[l.rng.IntN(len(edges))]) * time.Minute)
	at = at.Add([]time.Duration{0, -time.Nanosecond, -time.Microsecond, time.Duration(l.rng.Int64N(int64(time.Hour)))}[l.rng.IntN(4)])
	kind := l.rng.IntN(3)
	started := usage.LLMCallStarted{
		Call: domain.NewUUID(), Tenant: Tenants[task%len(Tenants)], User: fmt.Sprintf("user%d", task%4), Session: fmt.Sprintf("session%d", task/2),
		Task: fmt.Sprintf("task%d", task), Turn: l.rng.IntN(9) + 1, Purpose: []usage.Purpose{usage.Planning, usage.Verification}[l.rng.IntN(2)], Role: usage.Fast,
		Provider: []string{usage.Google, usage.OpenAI, usage.Vertex}[kind], Model: []string{"m-1", "m-2", "m-3"}[kind],
		Attempt: 1, EstimatedInputTokens: l.rng.Int64N(1000), EstimatedOutputTokens: 100, StartedAt: at,
	}
	l.calls = append(l.calls, started.Call)
	l.subject[started.Call] = started.Task
	return l.do(started.Task, usage.StartCall{Started: started, Prices: Book(false)})
}

func (l *Ledger) meters() usage.Meters {
	m := usage.Meters{InputUncached: l.rng.Int64N(3000), Output: l.rng.Int64N(500)}
	switch l.rng.IntN(5) {
	case 0:
		return usage.Meters{}
	case 1:
		m.InputAudio = l.rng.Int64N(50)
	case 2:
		m.InputCached, m.Thinking, m.InputTool = l.rng.Int64N(9000), l.rng.Int64N(700), l.rng.Int64N(10)
	}
	return m
}

func (l *Ledger) report(c usage.Call, at time.Time) usage.Report {
	r := usage.Report{
		Outcome: usage.OK, Meters: l.meters(), ResponseModel: c.Started.Model, DurationMS: l.rng.Int64N(5000),
		RawUsage: json.RawMessage(`{"total":1}`), CompletedAt: at,
	}
	switch l.rng.IntN(8) {
	case 0:
		r = usage.Report{Outcome: usage.Timeout, UsageMissing: true, CompletedAt: at}
	case 1:
		total := r.Meters.Total() + 1
		r.ProviderTotal = &total
	}
	return r
}

// do decides and appends. A refusal is nothing written.
func (l *Ledger) do(subject string, c usage.Command) int {
	l.env.T.Helper()
	events, err := usage.Decide(c, l.streams[subject])
	if err != nil {
		return 0
	}
	for _, e := range events {
		Append(l.env, usage.Codec, usage.Stream(subject), e)
	}
	l.streams[subject] = usage.Decider.Fold(l.streams[subject], events...)
	return len(events)
}
