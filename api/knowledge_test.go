package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is asked for is what a turn on the page would ask for; no site is refused.
func TestResolveKnowledge(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		url, host string
		own       bool
	}{
		"a site of the tenant":  {"https://App.example.com:8443/x", "app.example.com", true},
		"another site":          {"https://acme.example.evil.example/", "acme.example.evil.example", false},
		"a slash the wrong way": {`https://evil.example\@app.example.com/`, "evil.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.domains = []string{"*.example.com"}
			res := send(t, w.server(), ask{method: get, target: "/api/knowledge/resolve?query=who&url=" + url.QueryEscape(tt.url), token: tokenMember})
			var got envelope[KnowledgeData]
			if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil || res.Code != http.StatusOK {
				t.Fatalf("%d %s: %v", res.Code, res.Body, err)
			}
			d := got.Data
			if !d.Allowed || d.Domain != tt.host || d.HasOrgKnowledge != tt.own {
				t.Errorf("%s", res.Body)
			}
			// What is public is found everywhere. Each piece is cited.
			if own := len(d.Context) == 3; own != tt.own || len(d.Citations) != len(d.Context) {
				t.Errorf("%d pieces, %d citations: %s", len(d.Context), len(d.Citations), res.Body)
			}
			if diff := cmp.Diff([]string{tenantA + " " + tt.url + " who"}, w.sites); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestResolveKnowledge_RefusesOtherAddresses(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"", "?url=", "?url=acme.example", "?url=%2Fa", "?url=ftp%3A%2F%2Facme.example", "?url=javascript%3A1", "?url=https%3A%2F%2F", "?query=x"} {
		res := send(t, newWorld().server(), ask{method: get, target: "/api/knowledge/resolve" + target, token: tokenMember})
		wantFailure(t, res, http.StatusBadRequest, "VALIDATION_ERROR", "url")
	}
}
