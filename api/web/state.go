package web

import (
	"net/url"
	"strconv"

	"github.com/stepledger/stepledger/projections/history"
)

type stateView struct {
	Head taskHead
	history.Fields
	// Event is the one at the revision, Changes what it changed.
	Event   event
	Changes []history.Change
}

// state shows every field of the state at a revision with the event that set it, and
// what the event there has changed.
func (p *Pages) state(r *request) error {
	id, at := r.PathValue("task"), r.URL.Query().Get("revision")
	v := stateView{}
	if !r.part() {
		var err error
		if v.Head, err = p.head(r, "state"); err != nil {
			return err
		}
	}
	if err := p.get(r, &v.Fields, url.Values{"revision": {at}}, "debug", "tasks", id, "fields"); err != nil {
		return err
	}
	revision := strconv.FormatInt(v.Revision, 10)
	span := url.Values{"to": {revision}}
	if v.Revision > 0 {
		span.Set("from", strconv.FormatInt(v.Revision-1, 10))
	}
	var d history.Diff
	if err := p.get(r, &d, span, "debug", "tasks", id, "diff"); err != nil {
		return err
	}
	v.Changes = d.Changes
	var there struct{ Events []event }
	if err := p.get(r, &there, url.Values{"from": {revision}, "limit": {"1"}}, "debug", "tasks", id, "events"); err != nil {
		return err
	}
	if len(there.Events) > 0 {
		v.Event = there.Events[0]
	}
	return p.show(r, "state", "tasks", "State of "+v.Head.Query, v)
}

type diffView struct {
	Head taskHead
	history.Diff
}

// diff shows how the states at two revisions differ.
func (p *Pages) diff(r *request) error {
	var v diffView
	var err error
	if v.Head, err = p.head(r, "diff"); err != nil {
		return err
	}
	query := r.URL.Query()
	asked := url.Values{"from": {query.Get("from")}, "to": {query.Get("to")}}
	if err := p.get(r, &v.Diff, asked, "debug", "tasks", r.PathValue("task"), "diff"); err != nil {
		return err
	}
	return p.show(r, "diff", "tasks", "Changes in "+v.Head.Query, v)
}

type eventsView struct {
	Head     taskHead
	Filter   url.Values
	Verdicts []string
	Levels   []string
	Events   []event
	// Following leads to what comes after.
	Following string
}

// events shows a task's stream, or what a search chooses of it.
func (p *Pages) events(r *request) error {
	query := r.URL.Query()
	v := eventsView{Filter: query, Verdicts: []string{"succeeded", "failed", "undecided"}, Levels: []string{"low", "normal", "high"}}
	var err error
	if v.Head, err = p.head(r, "events"); err != nil {
		return err
	}
	asked := url.Values{"limit": {"100"}}
	for _, name := range []string{"from", "type", "text", "field", "verdict", "rule", "minCost", "importance", "turn"} {
		asked.Set(name, query.Get(name))
	}
	var sent struct {
		Events []event
		More   bool
	}
	if err := p.get(r, &sent, asked, "debug", "tasks", r.PathValue("task"), "events"); err != nil {
		return err
	}
	if v.Events = sent.Events; sent.More {
		next := strconv.FormatInt(v.Events[len(v.Events)-1].Revision+1, 10)
		v.Following = "?" + changed(query, "from", next).Encode()
	}
	return p.show(r, "events", "tasks", "Events of "+v.Head.Query, v)
}
