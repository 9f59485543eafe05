package usage

import "time"

// Statement is what a tenant owes for a month. Amounts are decimals in strings: exact
// ones in full, the others to the cent.
type Statement struct {
	// ID is "" on a draft.
	ID     string `json:"id,omitempty"`
	Tenant string `json:"tenant"`
	// Month is like 2026-11, of the time zone.
	Month    string    `json:"month"`
	TimeZone string    `json:"timeZone"`
	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Currency string    `json:"currency"`
	IssuedAt time.Time `json:"issuedAt,omitzero"`
	LogID    string    `json:"-"`
	Position int64     `json:"position"`
	// Exact is the sum of the lines, Amount the sum rounded half away from zero.
	Exact  string          `json:"exact"`
	Amount string          `json:"amount"`
	Lines  []StatementLine `json:"lines"`
}

// Kinds of lines.
const (
	LineUsage      = "usage"
	LineCorrection = "correction" // of an earlier month, since its statement
	LineRounding   = "rounding"   // what the lines' own rounding makes of the sum
)

// StatementLine is a line of a statement. On a correction the numbers are
// differences.
type StatementLine struct {
	Kind string `json:"kind"`
	// Month is that of the calls, like 2026-10.
	Month    string `json:"month"`
	Provider string `json:"provider,omitempty"`
	Model    string `json:"model,omitempty"`
	Calls    int64  `json:"calls"`
	// Estimated and Unpriced are parts of the calls; unpriced calls cost nothing
	// until a later statement.
	Estimated int64 `json:"estimatedCalls,omitempty"`
	Unpriced  int64 `json:"unpricedCalls,omitempty"`
	Meters
	Exact  string `json:"exact"`
	Amount string `json:"amount"`
}
