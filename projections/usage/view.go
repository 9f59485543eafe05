// Package usage is the read model of the ledger of model calls: one row per
// call, with what it used and cost, corrections included; the corrections beside
// it; and sums over the calls by the quarter of an hour they started in.
//
// A call belongs to the moment it started, and so does everything that becomes of
// it: a late report or a correction changes the sums of the call's day and month,
// never those of the day it came. (Statements, which do not change, are not here.)
// Days and months are those of any time zone, exactly: they are made of whole
// quarters.
//
// Money is numeric(24,12) in the database and a decimal string outside it: no
// float touches an amount. A cost nobody knows is null and counted as
// unpriced; it is never zero. An event that cannot be applied stops the whole
// projection: a bill with a hole in it is wrong.
package usage

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain/usage"
)

// States of a call.
const (
	Open      = "open"      // started, its end not known
	Completed = "completed" // the provider's own numbers
	Settled   = "settled"   // billed by estimate
)

// Call is one model call and its bill.
type Call struct {
	ID       string `db:"call_id"`
	Tenant   string `db:"tenant"`
	User     string `db:"user_id"`
	Session  string `db:"session_id"`
	Task     string `db:"task_id"`
	Turn     int    `db:"turn"`
	Request  string `db:"request"`
	Purpose  string `db:"purpose"`
	Role     string `db:"role"`
	Provider string `db:"provider"`
	Model    string `db:"model"`
	Attempt  int    `db:"attempt"`
	// Subject names the ledger stream the call is in (usage.Stream).
	Subject    string `db:"subject"`
	Instance   string `db:"instance"`
	PromptName string `db:"prompt_name"`
	PromptHash string `db:"prompt_hash"`
	PromptRef  string `db:"prompt_ref"`
	AnswerRef  string `db:"answer_ref"`

	State      string `db:"state"`
	Outcome    string `db:"outcome"`
	DurationMS int64  `db:"duration_ms"`
	// Late: the provider's numbers came after the call had been settled.
	Late         bool            `db:"late"`
	UsageMissing bool            `db:"usage_missing"`
	TotalMatches bool            `db:"total_matches"`
	RawUsage     json.RawMessage `db:"raw_usage"`

	ResponseModel string `db:"response_model"`
	ResponseID    string `db:"response_id"`

	usage.Meters
	// Cost is nil where unpriced or still open.
	Cost         *usage.Pico `db:"cost"`
	CostStatus   string      `db:"cost_status"`
	PriceVersion string      `db:"price_version"`
	// UnitPrices are those applied, by meter, as the event has them.
	UnitPrices json.RawMessage `db:"unit_prices"`
	// ServiceTier is the provider's service given or, until that is known, asked
	// for; "" is the standard one.
	ServiceTier string `db:"service_tier"`
	// EstimatedCost is what was expected when the call started, nil if unknown.
	EstimatedCost *usage.Pico `db:"estimated_cost"`
	// SettledWhy is why the call was billed by estimate.
	SettledWhy string `db:"settled_why"`
	// Corrections counts the changes after the first bill, which was the event at
	// BilledAt; 0 while open.
	Corrections int   `db:"corrections"`
	BilledAt    int64 `db:"billed_at_position"`

	StartedAt time.Time `db:"started_at"`
	// EndedAt is nil while the call is open.
	EndedAt *time.Time `db:"ended_at"`
	// Position of the newest event in the row.
	Position int64 `db:"position"`
}

// Totals are sums over calls.
type Totals struct {
	Calls int64 `db:"calls"`
	// OpenCalls were started and have no bill yet; EstimatedCalls are billed by
	// estimate; UnpricedCalls have a bill but no known price; MismatchedCalls are
	// those whose provider's account contradicts itself.
	OpenCalls       int64 `db:"open_calls"`
	EstimatedCalls  int64 `db:"estimated_calls"`
	UnpricedCalls   int64 `db:"unpriced_calls"`
	MismatchedCalls int64 `db:"mismatched_calls"`

	usage.Meters
	// Cost in USD of all priced calls, an exact decimal without trailing zeros.
	Cost string `db:"cost"`
}

// Group is the totals of the calls that share their keys, one for each grouping,
// in its order.
type Group struct {
	Keys []string
	Totals
}

// Summary is totals, and the same by group where a grouping was asked for.
type Summary struct {
	Totals
	// Groups are a page of them, in the order of their keys, byte by byte. More:
	// there are others after the last.
	Groups []Group
	More   bool
}

// GroupBy names what a summary is grouped by.
type GroupBy string

// The groupings. Day and Month are calendar ones in the filter's time zone,
// with keys like 2026-11-27 and 2026-11.
const (
	ByTenant     GroupBy = "tenant"
	ByUser       GroupBy = "user"
	BySession    GroupBy = "session"
	ByTask       GroupBy = "task"
	ByModel      GroupBy = "model"
	ByProvider   GroupBy = "provider"
	ByActionType GroupBy = "actionType"
	ByDay        GroupBy = "day"
	ByMonth      GroupBy = "month"
)

// SummaryFilter chooses the calls of a summary, and how it is grouped. From and
// To have to be at a quarter of an hour, where sums begin.
type SummaryFilter struct {
	usage.Selection
	GroupBy []GroupBy
	// Zone is an IANA time zone for days and months, "" meaning UTC.
	Zone string
	// After are the keys of the last group of the page before; nil is the first page.
	After []string
	// Limit of a page; 0 means all groups there are.
	Limit int
}

// CallFilter chooses calls to be listed.
type CallFilter struct {
	usage.Selection
	// State and CostStatus narrow it further: what is open, settled, unpriced.
	State, CostStatus string
	// Before is the last call of the page before; nil is the first page.
	Before *CallMark
	// Limit of a page; it has to be positive.
	Limit int
}

// CallMark is a call's place in the list.
type CallMark struct {
	StartedAt time.Time
	ID        string
}

// Calls is a page of calls, newest first. More: there are others after the last.
type Calls struct {
	Calls []Call
	More  bool
}
