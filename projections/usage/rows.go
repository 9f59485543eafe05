package usage

// callColumns, correctionColumns are how many a row has.
const callColumns, correctionColumns = 45, 28

// call adds a row of the tables fact and open_call.
func (d *copyData) call(c *Call) {
	d.row(callColumns)
	d.texts(c.ID, c.Tenant, c.User, c.Session, c.Task)
	d.int4(c.Turn)
	d.texts(c.Request, c.Purpose, c.Role, c.Provider, c.Model)
	d.int4(c.Attempt)
	d.texts(c.Subject, c.Instance, c.PromptName, c.PromptHash, c.PromptRef, c.AnswerRef, c.State, c.Outcome)
	d.int8(c.DurationMS)
	d.bool(c.Late)
	d.bool(c.UsageMissing)
	d.bool(c.TotalMatches)
	d.json(c.RawUsage)
	d.texts(c.ResponseModel, c.ResponseID)
	d.meters(c.Meters)
	d.amount(c.Cost)
	d.texts(c.CostStatus, c.PriceVersion)
	d.amount(c.EstimatedCost)
	d.int4(c.Corrections)
	d.time(c.StartedAt)
	d.optionalTime(c.EndedAt)
	d.int8(c.Position)
	d.json(c.UnitPrices)
	d.texts(c.ServiceTier, c.SettledWhy)
	d.int8(c.BilledAt)
}

// correction adds a row of the table call_correction.
func (d *copyData) correction(c correction) {
	d.row(correctionColumns)
	d.texts(c.before.ID, c.before.Tenant)
	d.time(c.before.StartedAt)
	d.int4(c.number)
	d.int8(c.position)
	d.time(c.at)
	d.text(c.why)
	d.bool(c.late)
	d.meters(c.meters)
	d.amount(c.cost)
	d.texts(c.status, c.priceVersion)
	d.json(c.prices)
	d.meters(c.before.Meters)
	d.amount(c.before.Cost)
	d.texts(c.before.CostStatus, c.before.PriceVersion)
	d.json(c.before.UnitPrices)
}
