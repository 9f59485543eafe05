package reasoning_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestPlanAnswer_Route(t *testing.T) {
	t.Parallel()
	from := func(confidence float64, search, question string, sources ...reasoning.Source) reasoning.PlanAnswer {
		return reasoning.PlanAnswer{Sources: sources, Confidence: confidence, Search: search, Question: question}
	}
	for name, tt := range map[string]struct {
		answer   reasoning.PlanAnswer
		hops     int
		noSearch bool
		want     reasoning.Route
	}{
		"the page has it":                              {answer: from(0.95, "", "", reasoning.FromPage), want: reasoning.Proceed},
		"the page probably has it":                     {answer: from(0.8, "how to", "", reasoning.FromPage), want: reasoning.VerifyBySearch},
		"and it was searched for":                      {answer: from(0.8, "how to", "", reasoning.FromPage), hops: 1, want: reasoning.Proceed},
		"the page hardly has it":                       {answer: from(0.6, "how to", "", reasoning.FromPage), want: reasoning.SearchWeb},
		"and nothing to search for is named":           {answer: from(0.6, "", "", reasoning.FromPage), want: reasoning.Proceed},
		"memory is certain":                            {answer: from(0.9, "how to", "", reasoning.FromMemory), want: reasoning.Proceed},
		"the web has it":                               {answer: from(0.8, "vat rate", "", reasoning.FromWeb), want: reasoning.SearchWeb},
		"the web has it, for certain":                  {answer: from(0.97, "vat rate", "", reasoning.FromMemory, reasoning.FromWeb), want: reasoning.SearchWeb},
		"the web has it, after two hops":               {answer: from(0.8, "vat rate", "", reasoning.FromWeb), hops: 2, want: reasoning.SearchWeb},
		"the web does not have it after three":         {answer: from(0.8, "vat rate", "", reasoning.FromWeb), hops: 3, want: reasoning.Proceed},
		"there is no search":                           {answer: from(0.8, "vat rate", "", reasoning.FromWeb), noSearch: true, want: reasoning.Proceed},
		"a search would hardly help, and the user can": {answer: from(0.4, "vat rate", "Which?", reasoning.FromWeb), want: reasoning.AskFirst},
		"only the user knows":                          {answer: from(0.8, "", "Which?", reasoning.FromUser), want: reasoning.AskFirst},
		"only the user knows, and it is no matter":     {answer: from(0.95, "", "Which?", reasoning.FromUser), want: reasoning.Proceed},
		"the user and the web":                         {answer: from(0.8, "vat rate", "Which?", reasoning.FromUser, reasoning.FromWeb), want: reasoning.AskFirst},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tt.answer.Route(tt.hops, !tt.noSearch); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestSiteDomains(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://www.clinic.example/a": "clinic.example", "https://App.Clinic.example:8443/": "app.clinic.example",
		"http://localhost:8080/": "", "http://127.0.0.1/": "", "http://[::1]/": "", "file:///tmp/a.html": "", "http://intranet/": "", "": "",
	} {
		got := reasoning.SiteDomains(address)
		if (want == "") != (len(got) == 0) || want != "" && !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v", address, got)
		}
	}
}

func TestMerged(t *testing.T) {
	t.Parallel()
	r := func(addresses ...string) (out []reasoning.WebResult) {
		for _, a := range addresses {
			out = append(out, reasoning.WebResult{URL: a})
		}
		return out
	}
	if diff := cmp.Diff(r("a", "b", "c"), reasoning.Merged(r("a", "b"), r("b", "c", "d"), 3)); diff != "" {
		t.Error(diff)
	}
	if got := reasoning.Merged(r("a", "b"), nil, 1); len(got) != 1 {
		t.Errorf("%v", got)
	}
}
