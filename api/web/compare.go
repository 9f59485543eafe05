package web

import (
	"net/http"
	"net/url"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/projections/history"
)

// compare puts two tasks side by side: those of a and b, or the two marked in a list.
func (p *Pages) compare(r *request) error {
	query := r.URL.Query()
	a, b := query.Get("a"), query.Get("b")
	if marked := query["task"]; len(marked) > 0 {
		if len(marked) != 2 {
			return &apiError{http.StatusBadRequest, domain.CodeValidation, "Mark two tasks of the list to put them side by side."}
		}
		a, b = marked[0], marked[1]
	}
	var c history.Comparison
	if err := p.get(r, &c, url.Values{"a": {a}, "b": {b}}, "debug", "compare"); err != nil {
		return err
	}
	return p.show(r, "compare", "tasks", "Two tasks side by side", c)
}
