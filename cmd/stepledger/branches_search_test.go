package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/account"
)

// provider answers searches by what is searched for, in Tavily's format.
func provider(t *testing.T, answers map[string]http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for words, answer := range answers {
			if strings.Contains(string(body), words) {
				answer(w, r)
				return
			}
		}
		t.Errorf("searched for %s", body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// A search within a turn: what was found, or that nothing was, is in the next question,
// and the turn ends with the action that follows. Nothing that goes wrong with it is a
// failure of the task.
func TestBranches_Search(t *testing.T) {
	t.Parallel()
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, `{"detail":{"error":"no"}}`, code) }
	}
	const failed = "the search could not be made"
	cases := map[string]struct {
		words   string
		answer  http.HandlerFunc
		told    string
		verdict string
	}{
		"something is found": {
			"visiting hours", text(`{"results":[{"title":"Hours","url":"https://clinic.example/hours","content":"From 2 to 6 pm."}]}`),
			"From 2 to 6 pm.", "searches for action: 1 found anywhere / verdict succeeded, tier 1",
		},
		"nothing is found":                {"blue wards", text(`{"results":[]}`), "blue wards", "searches for action: 0 found anywhere / verdict succeeded, tier 1"},
		"results without an address":      {"old wards", text(`{"results":[{"title":"x","url":"javascript:alert(1)","content":"SECRET"}]}`), "old wards", "searches for action: 0 found anywhere / verdict succeeded, tier 1"},
		"too many searches":               {"free beds", status(http.StatusTooManyRequests), failed, "searches for action: failed anywhere / verdict undecided, tier 1"},
		"an outage":                       {"lost beds", status(http.StatusBadGateway), failed, "searches for action: failed anywhere / verdict undecided, tier 1"},
		"rubbish":                         {"loud beds", text("<html>come back later"), failed, "searches for action: failed anywhere / verdict undecided, tier 1"},
		"another form":                    {"wide beds", text(`{"results":{"title":1}}`), failed, "searches for action: failed anywhere / verdict undecided, tier 1"},
		"half an answer":                  {"tall beds", text(`{"results":[{"title":"Ho`), failed, "searches for action: failed anywhere / verdict undecided, tier 1"},
		"who never answers is waited for": {"slow beds", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, failed, "searches for action: failed anywhere / verdict undecided, tier 1"},
	}
	answers := map[string]http.HandlerFunc{}
	for _, c := range cases {
		answers[c.words] = c.answer
	}
	url := provider(t, answers)
	g := newStage(t, func(c *config) { c.TavilyURL, c.TavilyKey = url, account.Secret("tvly-1") })
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			search := `googleSearch("` + c.words + `")`
			p := g.begin(t, shortTask, script{forAction: {acts(search), acts(`click("14")`)}})
			p.turn(sight{page: patients, want: `click("14")`})
			p.happened("started", "does "+search, c.verdict, `does click("14")`)
			next := p.asked(forAction, 1)
			_, found, _ := strings.Cut(next, "WHAT WEB SEARCHES FOUND")
			if !strings.Contains(found, c.told) || strings.Contains(next, "SECRET") {
				t.Errorf("the model is told %s", next)
			}
		})
	}
}
