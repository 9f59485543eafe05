package usage

// Standing is a tenant's budget and the state of its month. Amounts are exact decimals
// in USD.
type Standing struct {
	Tenant string `json:"tenant"`
	Zone   string `json:"timeZone"`
	// Month is like 2026-11.
	Month string `json:"month"`
	// Budget is nil if there is no limit.
	Budget *string `json:"budgetUsd"`
	Spent  string  `json:"spentUsd"`
	// Held is what calls that have no bill yet may cost.
	Held   string  `json:"heldUsd"`
	WarnAt []int32 `json:"warnAtPercent,omitempty"`
	// Warned are the thresholds that were passed.
	Warned []int32 `json:"warnedAtPercent,omitempty"`
}
