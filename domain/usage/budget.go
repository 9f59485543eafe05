package usage

import (
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Reservation is what a call needs of its tenant's budget before it is made.
type Reservation struct {
	Call, Tenant string
	// Subject names the ledger the call is on (Stream).
	Subject string
	Amount  Pico
	// At is when the call starts: it decides the month.
	At time.Time
}

// Booking is the bill of a call as its ledger has it at a revision. A budget
// takes the newest one it is given, so it may be given any of them again.
type Booking struct {
	Call, Tenant, Subject string
	// Month is the one the call was reserved in, like 2026-11.
	Month    string
	Reserved Pico
	// Cost is nil while nobody knows it: what was reserved stays set aside.
	Cost     *Pico
	Revision int64
}

// BookingOf is the bill of a call on a ledger. ok is false for one that has no
// bill yet, and for those of a time before there were budgets.
func BookingOf(subject string, c Call, revision int64) (b Booking, ok bool) {
	st := c.Started
	if !c.Billed() || st.BudgetMonth == "" || st.Reserved == nil {
		return Booking{}, false
	}
	return Booking{
		Call: st.Call, Tenant: st.Tenant, Subject: subject, Month: st.BudgetMonth, Reserved: *st.Reserved,
		Cost: c.Charge.Cost, Revision: revision,
	}, true
}

// Spending is how a tenant's month stands. Amounts are exact decimals in USD.
type Spending struct {
	Month string `json:"month"`
	// Budget is "" where there is none. Held is set aside for calls under way.
	Budget string    `json:"budgetUsd,omitempty"`
	Spent  string    `json:"spentUsd"`
	Held   string    `json:"heldUsd"`
	EndsAt time.Time `json:"endsAt"`
}

// retryHeld is when to ask again where calls under way hold what is left.
const retryHeld = 5 * time.Second

// QuotaExceeded refuses a call. Where the month's bills alone leave room for it,
// calls under way are in its way, and it makes sense to ask again soon; else
// when the next month begins, or the budget is raised.
func QuotaExceeded(s Spending, r Reservation, roomWithoutHeld bool) error {
	e := domain.Errorf(domain.Limited, domain.CodeQuotaExceeded, "The budget for this month is used up. The task goes on once it is raised, or next month.")
	e.RetryAfter = max(s.EndsAt.Sub(r.At), time.Second)
	if roomWithoutHeld {
		e.Msg, e.RetryAfter = "What is left of this month's budget is set aside for calls under way. Please try again.", retryHeld
	}
	e.Details = map[string]any{
		"month": s.Month, "budgetUsd": s.Budget, "spentUsd": s.Spent, "heldUsd": s.Held,
		"neededUsd": r.Amount.String(), "resetsAt": s.EndsAt.UTC(),
	}
	return e
}
