package usage

// callColumns, correctionColumns are how many a row has.
const callColumns, correctionColumns, sumColumns = 45, 28, 20

// call adds a row of the tables fact and open_call.
func (c *copyData) call(k *Call) {
	c.row(callColumns)
	c.clean(k.ID, k.Tenant, k.User, k.Session, k.Task)
	c.int4(k.Turn)
	c.clean(k.Request, k.Purpose, k.Role, k.Provider, k.Model)
	c.int4(k.Attempt)
	c.clean(k.Subject, k.Instance, k.PromptName, k.PromptHash, k.PromptRef, k.AnswerRef, k.State, k.Outcome)
	c.int8(k.DurationMS)
	c.bool(k.Late)
	c.bool(k.UsageMissing)
	c.bool(k.TotalMatches)
	c.json(k.RawUsage)
	c.clean(k.ResponseModel, k.ResponseID)
	c.meters(k.Meters)
	c.amount(k.Cost)
	c.clean(k.CostStatus, k.PriceVersion)
	c.amount(k.EstimatedCost)
	c.int4(k.Corrections)
	c.time(k.StartedAt)
	c.optionalTime(k.EndedAt)
	c.int8(k.Position)
	c.json(k.UnitPrices)
	c.clean(k.ServiceTier, k.SettledWhy)
	c.int8(k.BilledAt)
}

// correction adds a row of the table call_correction.
func (c *copyData) correction(k correction) {
	c.row(correctionColumns)
	c.clean(k.before.ID, k.before.Tenant)
	c.time(k.before.StartedAt)
	c.int4(k.number)
	c.int8(k.position)
	c.time(k.at)
	c.text(k.why)
	c.bool(k.late)
	c.meters(k.meters)
	c.amount(k.cost)
	c.text(k.status)
	c.text(k.priceVersion)
	c.json(k.prices)
	c.meters(k.before.Meters)
	c.amount(k.before.Cost)
	c.clean(k.before.CostStatus, k.before.PriceVersion)
	c.json(k.before.UnitPrices)
}

// sum adds a row of the table call_rollup.
func (c *copyData) sum(k cell, s *sum) {
	c.row(sumColumns)
	c.clean(k.tenant)
	c.time(k.quarter)
	c.clean(k.task, k.session, k.user, k.provider, k.model, k.purpose)
	for _, n := range [...]int64{s.calls, s.open, s.estimated, s.unpriced, s.mismatched} {
		c.int8(n)
	}
	c.meters(s.meters)
	c.numeric(s.cost())
}
