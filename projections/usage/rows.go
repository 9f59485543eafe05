package usage

// callColumns, correctionColumns are how many a row has.
const callColumns, correctionColumns = 45, 28

// call adds a row of the tables fact and open_call.
func (c *copyData) call(k *Call) {
	c.row(callColumns)
	c.texts(k.ID, k.Tenant, k.User, k.Session, k.Task)
	c.int4(k.Turn)
	c.texts(k.Request, k.Purpose, k.Role, k.Provider, k.Model)
	c.int4(k.Attempt)
	c.texts(k.Subject, k.Instance, k.PromptName, k.PromptHash, k.PromptRef, k.AnswerRef, k.State, k.Outcome)
	c.int8(k.DurationMS)
	c.bool(k.Late)
	c.bool(k.UsageMissing)
	c.bool(k.TotalMatches)
	c.json(k.RawUsage)
	c.texts(k.ResponseModel, k.ResponseID)
	c.meters(k.Meters)
	c.amount(k.Cost)
	c.texts(k.CostStatus, k.PriceVersion)
	c.amount(k.EstimatedCost)
	c.int4(k.Corrections)
	c.time(k.StartedAt)
	c.optionalTime(k.EndedAt)
	c.int8(k.Position)
	c.json(k.UnitPrices)
	c.texts(k.ServiceTier, k.SettledWhy)
	c.int8(k.BilledAt)
}

// correction adds a row of the table call_correction.
func (c *copyData) correction(k correction) {
	c.row(correctionColumns)
	c.texts(k.before.ID, k.before.Tenant)
	c.time(k.before.StartedAt)
	c.int4(k.number)
	c.int8(k.position)
	c.time(k.at)
	c.text(k.why)
	c.bool(k.late)
	c.meters(k.meters)
	c.amount(k.cost)
	c.texts(k.status, k.priceVersion)
	c.json(k.prices)
	c.meters(k.before.Meters)
	c.amount(k.before.Cost)
	c.texts(k.before.CostStatus, k.before.PriceVersion)
	c.json(k.before.UnitPrices)
}
