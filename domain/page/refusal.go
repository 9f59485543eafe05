package page

import (
	"net/http"
	"strings"
)

// ReadsOnly reports a request that changes nothing on the server.
func (r Refusal) ReadsOnly() bool { return r.Method == "" || r.Method == http.MethodGet }

// RefusedRequest is the request of the action that was refused: of several the one
// that was to change something. Requests by which pages measure their visitors are
// left out.
func (w Witness) RefusedRequest() (refused Refusal, ok bool) {
	for _, r := range w.Refused {
		if measures(r.Path) || ok && r.ReadsOnly() {
			continue
		}
		refused, ok = r, true
	}
	return refused, ok
}

// measuring are path segments of requests that count and measure.
var measuring = map[string]bool{
	"analytics": true, "track": true, "tracking": true, "tracker": true, "telemetry": true, "metrics": true, "beacon": true, "collect": true,
	"log": true, "logs": true, "event": true, "events": true, "pixel": true, "stats": true, "ping": true, "rum": true, "ads": true, "ad": true,
	"gtm": true, "matomo": true, "piwik": true, "sentry": true, "errors": true, "vitals": true,
}

func measures(path string) bool {
	for _, s := range strings.FieldsFunc(strings.ToLower(path), func(r rune) bool { return r == '/' || r == '.' || r == '-' || r == '_' }) {
		if measuring[s] {
			return true
		}
	}
	return false
}
