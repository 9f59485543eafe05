package api

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// fakeKnowledge knows something about every site it is asked about.
type fakeKnowledge struct{ *world }

func (w fakeKnowledge) Resolve(_ context.Context, tenant, address, query string) (reasoning.Known, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sites = append(w.sites, tenant+" "+address+" "+query)
	return reasoning.Known{
		Any:       true,
		Chunks:    []reasoning.KnownChunk{{ID: "c1", Text: "Expenses go to Cy.", Document: "Handbook", Metadata: map[string]any{"lang": "en"}}, {ID: "c2", Text: "By Friday.", Document: "Handbook"}},
		Citations: []reasoning.Citation{{DocumentID: "d1", Document: "Handbook", Section: "3", Page: 7}, {DocumentID: "d2", Document: "Memo"}},
	}, w.fail
}

// The organisation is asked only about sites a pattern stands for; no site is refused.
func TestResolveKnowledge_AsksWhereAPatternMatches(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		domains []string
		url     string
		host    string
		asked   bool
	}{
		"the host itself":       {[]string{"acme.example"}, "https://Acme.example:8443/x", "acme.example", true},
		"below a domain":        {[]string{"*.acme.example"}, "https://app.acme.example/", "app.acme.example", true},
		"the domain itself":     {[]string{"*.acme.example"}, "https://acme.example/", "acme.example", false},
		"another spelling":      {[]string{"bücher.example"}, "https://xn--bcher-kva.example/", "xn--bcher-kva.example", true},
		"another site":          {[]string{"*.acme.example"}, "https://acme.example.evil.example/", "acme.example.evil.example", false},
		"a tenant without any":  {nil, "https://acme.example/", "acme.example", false},
		"a name before the @":   {[]string{"acme.example"}, "https://acme.example@evil.example/", "evil.example", false},
		"a slash the wrong way": {[]string{"acme.example"}, `https://evil.example\@acme.example/`, "evil.example", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld()
			w.domains = tt.domains
			res := send(t, w.server(), ask{method: get, target: "/api/knowledge/resolve?query=who&url=" + url.QueryEscape(tt.url), token: tokenMember})
			var got envelope[KnowledgeData]
			if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil || res.Code != http.StatusOK {
				t.Fatalf("%d %s: %v", res.Code, res.Body, err)
			}
			if d := got.Data; !d.Allowed || d.Domain != tt.host || d.HasOrgKnowledge != tt.asked || (len(d.Context) == 2) != tt.asked || (len(d.Citations) == 2) != tt.asked || d.Context == nil || d.Citations == nil {
				t.Errorf("%s", res.Body)
			}
			var want []string
			if tt.asked {
				want = []string{tenantA + " " + tt.url + " who"}
			}
			if diff := cmp.Diff(want, w.sites); diff != "" {
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
