// Package usage is the read model of the ledger of model calls: one row per
// call, keyed by its call id, with what it used and cost, corrections included.
// Every sum anyone is shown is a sum over these rows.
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

	usage.Meters
	// Cost in USD as an exact decimal, nil where unpriced or still open.
	Cost         *string `db:"cost"`
	CostStatus   string  `db:"cost_status"`
	PriceVersion string  `db:"price_version"`
	// EstimatedCost is what was reserved when the call started, nil if unknown.
	EstimatedCost *string `db:"estimated_cost"`
	Corrections   int     `db:"corrections"`

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
	// those whose meters do not add up to what the provider said.
	OpenCalls       int64 `db:"open_calls"`
	EstimatedCalls  int64 `db:"estimated_calls"`
	UnpricedCalls   int64 `db:"unpriced_calls"`
	MismatchedCalls int64 `db:"mismatched_calls"`

	usage.Meters
	// Cost in USD of all priced calls, an exact decimal without trailing zeros.
	Cost string `db:"cost"`
}

// Group is the totals of the calls that share a key.
type Group struct {
	Key string `db:"key"`
	Totals
}

// Summary is totals, and the same by group where a grouping was asked for.
type Summary struct {
	Totals
	Groups []Group
}

// GroupBy names what a summary is grouped by.
type GroupBy string

// The groupings. Day and Month are calendar ones in the filter's time zone,
// with keys like 2026-11-27 and 2026-11.
const (
	ByNothing    GroupBy = ""
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

// SummaryFilter chooses the calls of a summary by when they started. Empty
// fields let everything through; From is inclusive, To exclusive. Zone is an
// IANA time zone for days and months, "" meaning UTC.
type SummaryFilter struct {
	Tenant, Task, User, Session string
	Model, ActionType           string
	From, To                    time.Time
	GroupBy                     GroupBy
	Zone                        string
}
