package page_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
)

// Of what was refused the one counts that was to change something; what a page
// tells about its visitors does not count.
func TestWitness_RefusedRequest(t *testing.T) {
	t.Parallel()
	get := func(path string) page.Refusal { return page.Refusal{Method: "GET", Path: path, Status: 404} }
	post := func(path string) page.Refusal { return page.Refusal{Method: "POST", Path: path, Status: 500} }
	for name, tc := range map[string]struct {
		refused []page.Refusal
		want    string // the path, "" for none
	}{
		"nothing":                          {nil, ""},
		"one request":                      {[]page.Refusal{post("/orders")}, "/orders"},
		"a read and then a change":         {[]page.Refusal{get("/menu"), post("/orders")}, "/orders"},
		"a change and then a read":         {[]page.Refusal{post("/orders"), get("/menu")}, "/orders"},
		"two reads":                        {[]page.Refusal{get("/menu"), get("/prices")}, "/menu"},
		"a request without its method":     {[]page.Refusal{{Path: "/orders"}}, "/orders"},
		"only a count of visitors":         {[]page.Refusal{post("/api/v2/track"), post("/analytics.js")}, ""},
		"a count of visitors and a change": {[]page.Refusal{post("/orders"), post("/collect")}, "/orders"},
	} {
		r, ok := page.Witness{Refused: tc.refused}.RefusedRequest()
		if r.Path != tc.want || ok != (tc.want != "") {
			t.Errorf("%s: %q, %v", name, r.Path, ok)
		}
	}
}

func TestWitness_RequestsThatMeasureVisitors(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"/track": true, "/g/COLLECT": true, "/js/gtm.js": true, "/log-event": true, "/web_vitals": true,
		"": false, "/": false, "/orders": false, "/tracks/7": false, "/login": false, "/catalogue": false, "/address": false,
	} {
		_, counts := page.Witness{Refused: []page.Refusal{{Method: "POST", Path: path}}}.RefusedRequest()
		if got := !counts; got != want {
			t.Errorf("%q measures visitors: %v", path, got)
		}
	}
}
