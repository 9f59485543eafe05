package usage

// correctLate corrects an estimate by a late report. A report without usage leaves
// the estimate.
func correctLate(call Call, r Report, prices *Book) ([]Event, error) {
	meters, c := call.Meters, call.Charge
	if !r.UsageMissing {
		meters, c = r.Meters, charge(call, r, prices)
	}
	e, err := correction(call, meters, c)
	if err != nil {
		return nil, err
	}
	e.Why, e.Late, e.CorrectedAt = "the answer came after the call had been settled", &r, r.CompletedAt
	return []Event{e}, nil
}

func correct(c CorrectCall, s State) ([]Event, error) {
	call, ok := s.Calls[c.Call]
	switch {
	case !ok:
		return nil, notFound(c.Call)
	case !call.Billed():
		return nil, conflict(c.Call, "has no bill yet: complete or settle it first")
	case c.Why == "" || c.At.IsZero():
		return nil, invalid("why", "a correction needs a reason and a time")
	case !c.Meters.readable():
		return nil, invalid("meters", "a meter is negative or beyond any model")
	}
	e, err := correction(call, c.Meters, c.charge(call))
	if err != nil {
		return nil, err
	}
	if e.Meters == (Meters{}) && sameCost(call.Charge.Cost, costAfter(call.Charge.Cost, e)) {
		return nil, nil
	}
	e.Why, e.CorrectedAt = c.Why, stored(c.At)
	return []Event{e}, nil
}

// reprice corrects a bill to the price at the moment the call started. A free bill is
// right, unless the call had an answer.
func reprice(c RepriceCall, s State) ([]Event, error) {
	call, ok := s.Calls[c.Call]
	if ok && (call.Charge.CostStatus == Free && !call.unaccounted() || call.Charge.CostStatus == Priced && call.Charge.PriceVersion == "") {
		return nil, nil
	}
	return correct(CorrectCall{Call: c.Call, Why: c.Why, Meters: call.billedMeters(), At: c.At, Prices: c.Prices}, s)
}

// billedMeters are the meters a bill is made of, or the estimate for a call that was
// left unpriced or free for want of an account.
func (c Call) billedMeters() Meters {
	if c.unaccounted() {
		return c.Started.estimate()
	}
	return c.Meters
}

// unaccounted reports whether a call has nothing on its meters because its usage is
// missing.
func (c Call) unaccounted() bool {
	if c.Report == nil || c.Meters != (Meters{}) {
		return false
	}
	return c.Report.UsageMissing || c.Report.Outcome.answered() && c.Report.Meters == (Meters{})
}

func (c CorrectCall) charge(call Call) Charge {
	if c.Cost != nil {
		return Charge{Cost: c.Cost, CostStatus: Priced}
	}
	var r Report
	if call.Report != nil {
		r = *call.Report
	}
	return c.Prices.Charge(wareOf(call, r), c.Meters)
}

// correction is the difference between a call's bill and what it should be.
func correction(call Call, meters Meters, c Charge) (UsageCorrected, error) {
	e := UsageCorrected{
		Call:         call.Started.Call,
		Meters:       meters.Minus(call.Meters),
		CostStatus:   c.CostStatus,
		PriceVersion: c.PriceVersion,
		UnitPrices:   c.UnitPrices,
	}
	if c.Cost == nil {
		return e, nil
	}
	delta := *c.Cost
	if before := call.Charge.Cost; before != nil {
		d, err := delta.Plus(-*before)
		if err != nil {
			return e, invalid("cost", "the difference is out of range")
		}
		delta = d
	}
	e.CostDelta = &delta
	return e, nil
}

func sameCost(a, b *Pico) bool { return a == b || a != nil && b != nil && *a == *b }
