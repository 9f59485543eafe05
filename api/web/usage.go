package web

import (
	"cmp"
	"net/http"
	"net/url"
	"time"

	"github.com/stepledger/stepledger/api"
	"github.com/stepledger/stepledger/domain"
)

type usageView struct {
	From, To string // days; To is the last one that counts
	Totals   api.UsageTotals
	Zone     string
	// Budget is nil for those who may not see it.
	Budget *api.BudgetData
	// SpentPercent of the budget, for the bar.
	SpentPercent float64
	Days         chart
	Groups       []usageGroups
	Export       string
}

// usageGroups is the usage by something.
type usageGroups struct {
	Title string
	Rows  []usageRow
	More  bool
}

type usageRow struct {
	Key string
	api.UsageTotals
	// Percent of the largest cost, for the bar.
	Percent float64
}

const (
	day = 24 * time.Hour
	// shownDays are those shown if nothing else is asked for.
	shownDays = 30
	// maxDays bounds the chart.
	maxDays = 400
)

func (p *Pages) usage(r *request) error {
	query := r.URL.Query()
	v := usageView{
		From: cmp.Or(query.Get("from"), p.now().UTC().Add(-(shownDays-1)*day).Format(time.DateOnly)),
		To:   cmp.Or(query.Get("to"), p.now().UTC().Format(time.DateOnly)),
	}
	asked, from, to, err := period(v.From, v.To)
	if err != nil {
		return err
	}
	v.Export = "/usage/export?" + asked.Encode()
	if err := p.get(r, &v.Budget, nil, "usage", "budget"); err != nil && !forbidden(err) {
		return err
	}
	if v.Budget != nil && v.Budget.Budget != nil {
		v.SpentPercent = percent(amount(v.Budget.Spent), amount(*v.Budget.Budget))
	}
	var byDay api.UsageData
	if err := p.get(r, &byDay, with(asked, "day", maxDays), "usage", "summary"); err != nil {
		return err
	}
	v.Totals, v.Zone = byDay.Totals, byDay.TimeZone
	v.Days = dayChart(byDay.Groups, from, to)
	for _, by := range []struct{ key, title string }{{"model", "Model"}, {"actionType", "Kind of call"}, {"user", "User"}} {
		var d api.UsageData
		if err := p.get(r, &d, with(asked, by.key, 100), "usage", "summary"); err != nil {
			return err
		}
		v.Groups = append(v.Groups, rowsOf(by.title, d))
	}
	return p.show(r, "usage", "usage", "Usage", v)
}

// period is the query for whole days of UTC, the last one included.
func period(first, last string) (asked url.Values, from, to time.Time, err error) {
	wrong := &apiError{http.StatusBadRequest, domain.CodeValidation, "A period goes from a day to the same or a later one, at most 400 days."}
	if from, err = time.Parse(time.DateOnly, first); err != nil {
		return nil, from, to, wrong
	}
	if to, err = time.Parse(time.DateOnly, last); err != nil {
		return nil, from, to, wrong
	}
	if to = to.Add(day); !from.Before(to) || to.Sub(from) > maxDays*day {
		return nil, from, to, wrong
	}
	return url.Values{"from": {from.Format(time.RFC3339)}, "to": {to.Format(time.RFC3339)}}, from, to, nil
}

func with(asked url.Values, groupBy string, limit int) url.Values {
	q := changed(asked, "groupBy", groupBy)
	q.Set("timeZone", "UTC")
	q.Set("limit", decimal(limit))
	return q
}

func rowsOf(title string, d api.UsageData) usageGroups {
	g := usageGroups{Title: title, More: d.Next != ""}
	most := 0.0
	for _, row := range d.Groups {
		most = max(most, amount(row.CostUSD))
	}
	for _, row := range d.Groups {
		g.Rows = append(g.Rows, usageRow{cmp.Or(row.Key, "(none)"), row.UsageTotals, percent(amount(row.CostUSD), most)})
	}
	return g
}

// usageExport hands on the file the API makes.
func (p *Pages) usageExport(r *request) error {
	query := r.URL.Query()
	asked := url.Values{}
	for _, name := range []string{"from", "to", "format"} {
		asked.Set(name, query.Get(name))
	}
	out := &handedOn{ResponseWriter: r.w}
	if err := p.ask(r.Request, r.token, http.MethodGet, target(asked, "usage", "export"), nil, out); err != nil {
		return err
	}
	if out.refused.status != 0 {
		return refusal(&out.refused)
	}
	return nil
}

// handedOn passes a success on as it comes, and keeps back a refusal.
type handedOn struct {
	http.ResponseWriter
	refused answer
}

func (h *handedOn) WriteHeader(status int) {
	if status >= http.StatusBadRequest {
		h.refused.status = status
		return
	}
	h.ResponseWriter.WriteHeader(status)
}

func (h *handedOn) Write(b []byte) (int, error) {
	if h.refused.status != 0 {
		return h.refused.body.Write(b)
	}
	return h.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach what is beneath.
func (h *handedOn) Unwrap() http.ResponseWriter { return h.ResponseWriter }
