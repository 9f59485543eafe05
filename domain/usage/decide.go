package usage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Command is a command to a ledger. Commands that price carry the price book; the
// price is that of the moment the call started.
type Command interface{ isUsageCommand() }

// StartCall records an attempt before it is made. EstimatedCost of Started is
// computed.
type StartCall struct {
	Started LLMCallStarted
	Prices  *Book
}

// CompleteCall records how an attempt ended. A billable end without usage settles the
// call by its estimate. A report on a call that was settled before it corrects the
// estimate.
type CompleteCall struct {
	Call   string
	Report Report
	Prices *Book
}

// SettleCall bills an attempt with an unknown end by its estimate. A call that has a
// bill keeps it.
type SettleCall struct {
	Call   string
	Why    string
	At     time.Time
	Prices *Book
}

// CorrectCall corrects the meters of a billed call and its cost, by the book or by
// hand (Cost).
type CorrectCall struct {
	Call   string
	Why    string
	Meters Meters
	Cost   *Pico
	At     time.Time
	Prices *Book
}

// RepriceCall prices the meters of a billed call again. Bills set by hand, and of
// calls that used nothing, stay.
type RepriceCall struct {
	Call   string
	Why    string
	At     time.Time
	Prices *Book
}

func (StartCall) isUsageCommand()    {}
func (RepriceCall) isUsageCommand()  {}
func (CompleteCall) isUsageCommand() {}
func (SettleCall) isUsageCommand()   {}
func (CorrectCall) isUsageCommand()  {}

// Decide returns the events of a command. It returns CALL_NOT_FOUND for a call that
// was never started, CALL_CONFLICT for a different report on the same call, and
// INVALID_USAGE for impossible values.
func Decide(c Command, s State) ([]Event, error) {
	switch c := c.(type) {
	case StartCall:
		return start(c, s)
	case CompleteCall:
		return complete(c, s)
	case SettleCall:
		return settle(c, s)
	case CorrectCall:
		return correct(c, s)
	case RepriceCall:
		return reprice(c, s)
	}
	return nil, nil
}

func start(c StartCall, s State) ([]Event, error) {
	e := c.Started
	if err := checkStarted(e); err != nil {
		return nil, err
	}
	e.StartedAt, e.ServiceTier = stored(e.StartedAt), ServiceTier(e.ServiceTier)
	e.EstimatedCost = c.Prices.Charge(e.ware(), e.estimate()).Cost
	known, ok := s.Calls[e.Call]
	if !ok {
		return []Event{e}, nil
	}
	// The book and the budget may have changed since.
	e.EstimatedCost, e.Reserved, e.BudgetMonth = known.Started.EstimatedCost, known.Started.Reserved, known.Started.BudgetMonth
	if !same(e, known.Started) {
		return nil, conflict(e.Call, "was started with other particulars")
	}
	return nil, nil
}

func checkStarted(e LLMCallStarted) error {
	switch {
	case !domain.ValidUUID(e.Call):
		return invalid("call", "%q is no UUID", e.Call)
	case e.Tenant == "":
		return invalid("tenant", "a call needs somebody to bill")
	case e.Provider == "" || e.Model == "":
		return invalid("model", "a call needs a provider and a model")
	case e.Purpose == "":
		return invalid("purpose", "a call needs a purpose")
	case e.StartedAt.IsZero():
		return invalid("startedAt", "a call needs the time it started: its price hangs on it")
	case !e.estimate().readable() || e.estimate() == (Meters{}):
		return invalid("estimatedInputTokens", "the estimate is no number of tokens a call can use")
	}
	return nil
}

// estimate is the most the call may use.
func (e LLMCallStarted) estimate() Meters {
	return Meters{InputUncached: e.EstimatedInputTokens, Output: e.EstimatedOutputTokens}
}

func (e LLMCallStarted) ware() Ware {
	return Ware{Provider: e.Provider, ServiceTier: ServiceTier(e.ServiceTier), At: e.StartedAt, Models: []string{e.Model}}
}

// Reserve returns the amount to reserve for a call: its estimated cost, or the most
// any model would cost if its price is unknown.
func Reserve(e LLMCallStarted, prices *Book) Pico {
	if cost := prices.Charge(e.ware(), e.estimate()).Cost; cost != nil {
		return *cost
	}
	return prices.Ceiling(e.Provider, e.StartedAt, e.estimate())
}

func complete(c CompleteCall, s State) ([]Event, error) {
	call, ok := s.Calls[c.Call]
	if !ok {
		return nil, notFound(c.Call)
	}
	r, err := checkReport(c.Report)
	if err != nil {
		return nil, err
	}
	switch {
	case call.Report != nil && !sameReport(call.Report.withPlausibleUsage(), r):
		return nil, conflict(c.Call, "was completed with another report")
	case call.Report != nil:
		return nil, nil
	case call.Settled:
		return correctLate(call, r, c.Prices)
	case r.UsageMissing:
		e := estimated(call, r, c.Prices)
		e.Why, e.SettledAt, e.Report = fmt.Sprintf("it ended without an account of what it used (%s)", r.Outcome), r.CompletedAt, &r
		return []Event{e}, nil
	}
	return []Event{LLMCallCompleted{
		Call:         c.Call,
		Report:       r,
		TotalMatches: r.AddsUp(),
		Charge:       charge(call, r, c.Prices),
	}}, nil
}

// checkReport checks a report and normalises it to what it is after a round trip
// through the store. It never refuses a provider's usage: an impossible one counts as
// missing.
func checkReport(r Report) (Report, error) {
	if r.Outcome == "" {
		return r, invalid("outcome", "a report says how the call ended")
	}
	if r.CompletedAt.IsZero() {
		return r, invalid("completedAt", "a report needs a time")
	}
	if r.UsageMissing && r.Meters != (Meters{}) {
		return r, invalid("meters", "usage cannot be missing and counted")
	}
	r = r.withPlausibleUsage()
	if len(r.RawUsage) > 0 {
		raw, err := json.Marshal(r.RawUsage)
		if err != nil {
			return r, invalid("rawUsage", "the provider's account is not JSON")
		}
		r.RawUsage = raw
	}
	r.CompletedAt, r.ServiceTier = stored(r.CompletedAt), servedTier(r.ServiceTier)
	return r, nil
}

// withPlausibleUsage returns the report with an impossible usage marked as missing.
func (r Report) withPlausibleUsage() Report {
	if !r.Meters.readable() || r.Outcome.answered() && r.Meters == (Meters{}) {
		r.Meters, r.UsageMissing = Meters{}, true
	}
	return r
}

// answered reports whether a model certainly ran and used something.
func (o Outcome) answered() bool { return o == OK || o == SchemaInvalid || o == Truncated }

// AddsUp reports whether the provider's usage is consistent.
func (r Report) AddsUp() bool {
	return !r.UsageUnclear && (r.ProviderTotal == nil || *r.ProviderTotal == r.Meters.Total())
}

func charge(call Call, r Report, prices *Book) Charge {
	return prices.Charge(wareOf(call, r), r.Meters)
}

// wareOf is the key of a call's price: what the provider says it ran, before what was
// asked for.
func wareOf(call Call, r Report) Ware {
	w := call.Started.ware()
	if r.ResponseModel != "" {
		w.Models = []string{r.ResponseModel, call.Started.Model}
	}
	if r.ServiceTier != "" {
		w.ServiceTier = ServiceTier(r.ServiceTier)
	}
	return w
}

func settle(c SettleCall, s State) ([]Event, error) {
	call, ok := s.Calls[c.Call]
	switch {
	case !ok:
		return nil, notFound(c.Call)
	case call.Billed():
		return nil, nil
	case c.Why == "" || c.At.IsZero():
		return nil, invalid("why", "an estimate needs a reason and a time")
	}
	e := estimated(call, Report{}, c.Prices)
	e.Why, e.SettledAt = c.Why, stored(c.At)
	return []Event{e}, nil
}

// estimated bills a call by its estimate, at the price of what the report says was
// run.
func estimated(call Call, r Report, prices *Book) LLMCallSettled {
	m := call.Started.estimate()
	return LLMCallSettled{Call: call.Started.Call, Meters: m, Charge: prices.Charge(wareOf(call, r), m)}
}

// sameReport ignores the answer's reference, which does not change the bill.
func sameReport(a, b Report) bool {
	a.AnswerRef, b.AnswerRef = "", ""
	return same(a, b)
}

// same compares as JSON.
func same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// stored is a time as read back from JSON.
func stored(t time.Time) time.Time { return t.UTC().Round(0) }

func invalid(field, format string, args ...any) error {
	return domain.Errorf(domain.Invalid, domain.CodeInvalidUsage, format, args...).At(field)
}

func notFound(call string) error {
	return domain.Errorf(domain.NotFound, domain.CodeCallNotFound, "call %s was never started", call)
}

func conflict(call, why string) error {
	return domain.Errorf(domain.Conflict, domain.CodeCallConflict, "call %s %s", call, why)
}
