package web

import (
	"cmp"
	"net/url"

	"github.com/stepledger/stepledger/api"
)

type tasksView struct {
	api.TasksData
	Filter   url.Values
	Statuses []string
	// Older leads to the next page of the list, Newest to its beginning.
	Older, Newest string
}

// statuses a list can be filtered by.
var statuses = []string{"active", "executing", "correcting", "completed", "failed", "interrupted", "paused"}

func (p *Pages) tasks(r *request) error {
	query := r.URL.Query()
	v := tasksView{Filter: query, Statuses: statuses}
	asked := url.Values{"limit": {cmp.Or(query.Get("limit"), "50")}}
	for _, name := range []string{"status", "domain", "code", "text", "after"} {
		asked.Set(name, query.Get(name))
	}
	for _, name := range []string{"from", "to"} {
		asked.Set(name, midnight(query.Get(name)))
	}
	if err := p.get(r, &v.TasksData, asked, "debug", "tasks"); err != nil {
		return err
	}
	if v.Next != "" {
		v.Older = "/tasks?" + changed(query, "after", v.Next).Encode()
	}
	if query.Get("after") != "" {
		v.Newest = "/tasks?" + changed(query, "after", "").Encode()
	}
	return p.show(r, "tasks", "tasks", "Tasks", v)
}

// midnight is the beginning of a day as a form has it, in UTC; "" stays "", and what is
// no day is for the API to refuse.
func midnight(day string) string {
	if day == "" {
		return ""
	}
	return day + "T00:00:00Z"
}

// changed is a query with another value of one of its parameters.
func changed(query url.Values, name, value string) url.Values {
	q := url.Values{}
	for n, v := range query {
		if n != name && len(v) > 0 && v[0] != "" {
			q[n] = v
		}
	}
	if value != "" {
		q.Set(name, value)
	}
	return q
}
