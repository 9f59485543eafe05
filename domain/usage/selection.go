package usage

import "time"

// Selection selects calls by caller, purpose and start. Empty fields select
// everything; From is inclusive, To exclusive.
type Selection struct {
	Tenant, User, Session, Task string
	Provider, Model             string
	Purpose                     Purpose
	From, To                    time.Time
}

// Export is a list of calls for other programs.
type Export struct {
	Selection
	Format ExportFormat
	// Zone is an IANA time zone for times, days and months; "" is the tenant's own,
	// or UTC for all tenants.
	Zone string
}

// ExportFormat is the format of an export.
type ExportFormat string

// The formats. Both are CSV with a header, in UTF-8.
const (
	PlainCSV ExportFormat = "csv"   // a row for each call
	FocusCSV ExportFormat = "focus" // a row for each meter of a bill, as FOCUS 1.4 has it
)
