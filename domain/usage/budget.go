package usage

import (
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Reservation is the amount a call needs of its tenant's budget before it is made.
type Reservation struct {
	Call, Tenant string
	// Subject names the ledger the call is on (Stream).
	Subject string
	Amount  Pico
	// At is when the call starts; it decides the month.
	At time.Time
}

// Booking is a call's bill at a revision of its ledger. A budget keeps the newest, so
// bookings may be repeated in any order.
type Booking struct {
	Call, Tenant, Subject string
	// Month is the one the call was reserved in, like 2026-11.
	Month    string
	Reserved Pico
	// Cost is nil while it is unknown: the reservation stays.
	Cost     *Pico
	Revision int64
}

// BookingOf returns the bill of a call. ok is false for a call without a bill and for
// calls made before there were budgets.
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

// Spending is a tenant's month. Amounts are exact decimals in USD.
type Spending struct {
	Month string `json:"month"`
	// Budget is "" if there is none. Held is reserved for calls under way.
	Budget string    `json:"budgetUsd,omitempty"`
	Spent  string    `json:"spentUsd"`
	Held   string    `json:"heldUsd"`
	EndsAt time.Time `json:"endsAt"`
}

// retryHeld is when to ask again if calls under way hold the rest of the budget.
const retryHeld = 5 * time.Second

// QuotaExceeded refuses a call. If only the calls under way are in its way, asking
// again soon makes sense; otherwise when the next month begins or the budget is
// raised.
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
