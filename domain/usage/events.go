// Package usage is the ledger of model calls: what each attempt at a provider used
// and cost. events.go has what can happen, state.go what is remembered of it, and
// decide.go which events a command leads to; further files have meters, money in
// pico-USD and the price book.
//
// It promises one bill per call id, whatever is repeated, crashes or comes late: a
// call is started before it is made, then completed or settled, and every later
// change is a correction. Prices are those of the moment the call started and are
// part of the event; an unknown price is never zero. There is no personal text here,
// so usage outlives the erasure of a task.
//
// It does not sum, convert currencies or round; sums are up to projections.
package usage

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/codec"
)

// Stream returns the name of the ledger stream of a task, ingestion or evaluation.
func Stream(subject string) string { return "usage-" + subject }

// Event is an event of a ledger.
type Event interface{ isUsageEvent() }

// Stored names. They never change.
const (
	NameLLMCallStarted   = "usage.llm_call_started.v1"
	NameLLMCallCompleted = "usage.llm_call_completed.v1"
	NameLLMCallSettled   = "usage.llm_call_settled.v1"
	NameUsageCorrected   = "usage.usage_corrected.v1"
)

// Codec reads and writes the stored form of the events. None has sealed fields.
var Codec = codec.New(map[string]Event{
	NameLLMCallStarted:   LLMCallStarted{},
	NameLLMCallCompleted: LLMCallCompleted{},
	NameLLMCallSettled:   LLMCallSettled{},
	NameUsageCorrected:   UsageCorrected{},
})

// Purpose is what a call was for (spec: actionType of the usage log).
type Purpose string

// Purposes the specification names.
const (
	ActionGeneration  Purpose = "ACTION_GENERATION"
	DirectAction      Purpose = "DIRECT_ACTION"
	Verification      Purpose = "VERIFICATION"
	SelfCorrection    Purpose = "SELF_CORRECTION"
	Planning          Purpose = "PLANNING"
	Refinement        Purpose = "REFINEMENT"
	ContextAnalysis   Purpose = "CONTEXT_ANALYSIS"
	OutcomePrediction Purpose = "OUTCOME_PREDICTION"
)

// Embedding is a call that made vectors of texts. It has no role and no prompt.
const Embedding Purpose = "EMBEDDING"

// Role is which of the two configured models was asked, "" for an Embedding.
type Role string

// The roles.
const (
	Smart Role = "smart"
	Fast  Role = "fast"
)

// Outcome is how an attempt ended.
type Outcome string

// The outcomes. An answer that came is paid for whether it was usable or not: it is
// never free.
const (
	OK            Outcome = "ok"
	SchemaInvalid Outcome = "schema_invalid" // an answer that is not what was asked for
	Truncated     Outcome = "truncated"      // the answer hit the output limit
	Blocked       Outcome = "blocked"        // the provider refused the prompt or its own answer
	RateLimited   Outcome = "rate_limited"
	Unavailable   Outcome = "unavailable" // overload, server error, no connection
	Timeout       Outcome = "timeout"     // no answer within our own limit
	Cancelled     Outcome = "cancelled"   // the caller left and the grace was over
	Rejected      Outcome = "rejected"    // bad request, unknown model, bad key
)

// LLMCallStarted: an attempt is about to be made.
type LLMCallStarted struct {
	// Call is the id of this attempt: one id, one attempt, one bill.
	Call    string `json:"call"`
	Tenant  string `json:"tenant"`
	User    string `json:"user"`
	Session string `json:"session,omitempty"`
	Task    string `json:"task"`
	Turn    int    `json:"turn"`
	// Request identifies the client request that led to the call.
	Request string `json:"request,omitempty"`

	Purpose  Purpose `json:"purpose"`
	Role     Role    `json:"role"`
	Provider string  `json:"provider"`
	Model    string  `json:"model"`
	// ServiceTier is the provider's service asked for, "" for the standard one.
	ServiceTier string `json:"serviceTier,omitempty"`
	// Attempt counts the attempts at the same question, from 1.
	Attempt int `json:"attempt"`

	// PromptName is the name and version of the prompt's template, PromptHash the
	// SHA-256 of that template, PromptRef the prompt as sent in the content store.
	PromptName string `json:"promptName"`
	PromptHash string `json:"promptHash"`
	PromptRef  string `json:"promptRef,omitempty"`

	EstimatedInputTokens int64 `json:"estimatedInputTokens"`
	// EstimatedOutputTokens is the most the request allows.
	EstimatedOutputTokens int64 `json:"estimatedOutputTokens"`
	// EstimatedCost is nil where the price is not known.
	EstimatedCost *Pico `json:"estimatedCost,omitempty"`
	// Reserved is the amount reserved of the tenant's budget for BudgetMonth
	// (2026-11, in the tenant's time zone).
	Reserved    *Pico  `json:"reserved,omitempty"`
	BudgetMonth string `json:"budgetMonth,omitempty"`

	Instance  string    `json:"instance,omitempty"`
	StartedAt time.Time `json:"startedAt"`
}

// Report is what the provider reported at the end of an attempt.
type Report struct {
	Outcome Outcome `json:"outcome"`
	// RawUsage is the provider's own account, as it came.
	RawUsage json.RawMessage `json:"rawUsage,omitempty"`
	Meters   Meters          `json:"meters"`
	// UsageMissing: the attempt may be billed, but its usage was not reported, cannot
	// be read or is impossible. Meters are zero and mean nothing.
	UsageMissing bool `json:"usageMissing,omitempty"`
	// UsageUnclear: the provider's counts contradict each other or cannot be read in
	// part. Meters are the best estimate.
	UsageUnclear bool `json:"usageUnclear,omitempty"`
	// ProviderTotal is the provider's own sum, nil if it gave none.
	ProviderTotal *int64 `json:"providerTotal,omitempty"`
	// ThinkingDerived: the provider did not report thinking apart; the meter is the
	// total minus input and output.
	ThinkingDerived bool   `json:"thinkingDerived,omitempty"`
	ResponseModel   string `json:"responseModel,omitempty"`
	// ServiceTier is the service the provider says it gave, "" if it did not say:
	// then it is what was asked for.
	ServiceTier string `json:"serviceTier,omitempty"`
	ResponseID  string `json:"responseId,omitempty"`
	DurationMS  int64  `json:"durationMs"`
	// AnswerRef is the answer's content reference, "" if there was no answer.
	AnswerRef   string    `json:"answerRef,omitempty"`
	CompletedAt time.Time `json:"completedAt"`
}

// LLMCallCompleted: an attempt ended with a known result.
type LLMCallCompleted struct {
	Call string `json:"call"`
	Report
	// TotalMatches is false if the meters do not add up to ProviderTotal or the usage
	// is unclear: some tokens are priced wrongly or not at all.
	TotalMatches bool `json:"totalMatches"`
	Charge
}

// LLMCallSettled: an attempt is billed by estimate, because its end is unknown or its
// usage was not reported.
type LLMCallSettled struct {
	Call   string `json:"call"`
	Why    string `json:"why"`
	Meters Meters `json:"meters"`
	Charge
	// Report is what is known of the end, nil if nothing is. Its usage is missing.
	Report    *Report   `json:"report,omitempty"`
	SettledAt time.Time `json:"settledAt"`
}

// UsageCorrected: a bill changed afterwards. Meters and CostDelta are added to the
// call's earlier ones.
type UsageCorrected struct {
	Call   string `json:"call"`
	Why    string `json:"why"`
	Meters Meters `json:"meters"`
	// CostDelta is nil if the cost is still, or newly, unknown. If it was unknown
	// before, it is the whole cost.
	CostDelta *Pico `json:"costDelta,omitempty"`
	// CostStatus is the status of the call's cost after the correction.
	CostStatus   CostStatus `json:"costStatus"`
	PriceVersion string     `json:"priceVersion,omitempty"`
	UnitPrices   UnitPrices `json:"unitPrices,omitempty"`
	// Late is the report that came after the call was settled, nil for other
	// corrections.
	Late        *Report   `json:"late,omitempty"`
	CorrectedAt time.Time `json:"correctedAt"`
}

func (LLMCallStarted) isUsageEvent()   {}
func (LLMCallCompleted) isUsageEvent() {}
func (LLMCallSettled) isUsageEvent()   {}
func (UsageCorrected) isUsageEvent()   {}

// Decider is the aggregate.
var Decider = domain.Decider[State, Command, Event]{Initial: Initial, Decide: Decide, Evolve: Evolve}
