package page

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const home = "https://a.test/home"

func TestObserve(t *testing.T) {
	t.Parallel()
	save := []Element{field("1", "Name", ""), button("2", "Save")}
	base := reading(home, save)
	for name, c := range map[string]struct {
		before Before
		now    func(*Page)
		w      Witness
		want   []string
	}{
		"nothing happened": {want: []string{
			"URL did not change",
			"Page content did not change (no interactive element or alert changes)",
		}},
		"a navigation": {
			now: func(p *Page) { p.URL = "https://a.test/done" },
			want: []string{
				"Navigation occurred: URL changed from https://a.test/home to https://a.test/done",
				"Page content did not change (no interactive element or alert changes)",
			},
		},
		"a bare fragment is no navigation": {
			now: func(p *Page) { p.URL = home + "#" },
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
			},
		},
		"the document changed, its meaning did not": {
			now: func(p *Page) { p.DOMHash = "other" },
			want: []string{
				"URL did not change",
				"Page content updated (DOM changed; no interactive element changes detected)",
			},
		},
		"a before state without a reading, same hash": {
			before: Before{URL: home, DOMHash: base.DOMHash},
			want:   []string{"URL did not change", "Page content did not change (DOM hash identical)"},
		},
		"a before state without a reading, another hash": {
			before: Before{URL: home, DOMHash: "old"},
			want:   []string{"URL did not change", "Page content updated (DOM changed)"},
		},
		"a diff takes the place of the hash": {
			now: func(p *Page) { p.Elements = []Element{field("1", "Name", "Jas"), button("2", "Save")} },
			want: []string{
				"URL did not change",
				`Element 'textbox "Name"' changed 'value' from '' to 'Jas'`,
			},
		},
		"focus": {
			now: func(p *Page) { p.ActiveElement = "2" },
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				`Focus moved to button "Save"`,
			},
		},
		"what the extension witnessed": {
			w: Witness{NetworkOccurred: yes(), DOMMutated: yes(), URLChanged: no(), ElementFound: no()},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Background network activity detected",
				"DOM was mutated",
				"Extension reported URL changed: false",
				"Client verification: expected element not found",
			},
		},
		"what the sentinel found": {
			w: Witness{SentinelPassed: no(), SentinelMessage: "URL unchanged", ErrorsDetected: []string{"Invalid email"}, SuccessMessages: []string{"Saved"}},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Sentinel verification failed: URL unchanged",
				"Error detected: Invalid email",
				"Success message detected: Saved",
			},
		},
		"events and changes of the document": {
			w: Witness{RecentEvents: []string{"[2s ago] Added: 'Saved'"}, DropdownOpened: true, DropdownOptions: []string{"Red", "Blue"}, Added: 3},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Recent event: [2s ago] Added: 'Saved'",
				"Dropdown opened with options: Red, Blue",
				"DOM nodes added: 3, removed: 0",
			},
		},
		"a reported error": {
			w: Witness{Status: "failure", Error: &ActionError{Message: "gone", Code: "ELEMENT_NOT_FOUND", Action: "click", ElementID: "55"}},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Extension reported an error in click on element 55: gone (ELEMENT_NOT_FOUND)",
			},
		},
		"a failure without an error": {
			w: Witness{Status: "failure"},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Extension reported that the action failed",
			},
		},
		"a chain that stopped": {
			w: Witness{Chain: &ChainProgress{LastExecuted: 1, Total: 3}},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Action chain stopped: 2 of 3 actions executed",
			},
		},
		"a chain that did not stop": {
			w: Witness{Status: "success", Chain: &ChainProgress{LastExecuted: 2, Total: 3}},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Action chain: 3 of 3 actions executed",
			},
		},
		"a chain that stopped at once": {
			w: Witness{Chain: &ChainProgress{LastExecuted: -1}},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Action chain stopped: 0 actions executed",
			},
		},
		"messages the extension saw without their text": {
			w: Witness{HasErrors: yes(), HasSuccess: yes(), ElementFound: yes(), SentinelPassed: yes(), DropdownOpened: true},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Client verification: expected element found",
				"Sentinel verification passed",
				"Extension reported an error message on the page",
				"Extension reported a success message on the page",
				"Dropdown opened",
			},
		},
		"focus that moved on": {
			before: func() Before { b := base.Before(); b.ActiveElement = "1"; return b }(),
			now:    func(p *Page) { p.ActiveElement = "77" },
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				`Focus moved from textbox "Name" to 77`,
			},
		},
		"a recovered element": {
			w: Witness{RecoveredID: "92"},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Action executed on recovered element (ID 92)",
			},
		},
		"a recovered element and what came of it": {
			w: Witness{RecoveredFrom: "55", RecoveredID: "92", Result: "menu\u00a0open\u200b"},
			want: []string{
				"URL did not change",
				"Page content did not change (no interactive element or alert changes)",
				"Extension reported the state after the action: menu open",
				"Action executed on recovered element (ID 55 → ID 92)",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, now := c.before, base
			if before.URL == "" {
				before = base.Before()
			}
			if c.now != nil {
				c.now(&now)
				AssignKeys(now.Elements)
			}
			if diff := cmp.Diff(c.want, texts(Observe(before, now, c.w))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestObserve_boundsTheClientsWords(t *testing.T) {
	t.Parallel()
	p := reading(home, nil)
	long := make([]string, 500)
	for i := range long {
		long[i] = strings.Repeat("x\n", 5000)
	}
	obs := Observe(p.Before(), p, Witness{RecentEvents: long, ErrorsDetected: long, SuccessMessages: long, DropdownOptions: long, SentinelPassed: no(), SentinelMessage: long[0]})
	total := 0
	for _, o := range obs {
		total += len(o.Text)
		if strings.Contains(o.Text, "\n") {
			t.Errorf("a line break in %q", o.Text)
		}
	}
	if total > 12_000 {
		t.Errorf("%d observations of %d bytes", len(obs), total)
	}
}

func TestNothingChanged(t *testing.T) {
	t.Parallel()
	base := reading(home, []Element{field("1", "Name", ""), button("2", "Save"), button("3", "12:03:58")})
	for name, c := range map[string]struct {
		now  func(*Page)
		w    Witness
		want bool
	}{
		"the same page":                       {want: true},
		"only the raw document":               {now: func(p *Page) { p.DOMHash = "other" }, want: true},
		"only a clock":                        {now: func(p *Page) { p.DOMHash = "other"; p.Elements[2].Name = "12:03:59" }, want: true},
		"an expected element not found":       {w: Witness{ElementFound: no()}, want: true},
		"a client that saw no network":        {w: Witness{NetworkOccurred: no(), DOMMutated: no(), URLChanged: no()}, want: true},
		"a client that executed without more": {w: Witness{Status: "success"}, want: true},
		"a value":                             {now: func(p *Page) { p.Elements[0].Value = "Jas" }},
		"the URL":                             {now: func(p *Page) { p.URL = home + "?tab=2" }},
		"the focus":                           {now: func(p *Page) { p.ActiveElement = "2" }},
		"network":                             {w: Witness{NetworkOccurred: yes()}},
		"a mutation the client saw":           {w: Witness{DOMMutated: yes()}},
		"an error the client saw":             {w: Witness{ErrorsDetected: []string{"No"}}},
		"a dropdown":                          {w: Witness{DropdownOpened: true}},
		"an event":                            {w: Witness{RecentEvents: []string{"Added: 'Saved'"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := base
			now.Elements = append([]Element(nil), base.Elements...)
			if c.now != nil {
				c.now(&now)
			}
			AssignKeys(now.Elements)
			now.MeaningHash = MeaningHash(now)
			if got := NothingChanged(base.Before(), now, c.w); got != c.want {
				t.Errorf("got %t, want %t", got, c.want)
			}
		})
	}
	t.Run("a client that no longer says what has the focus has not moved it", func(t *testing.T) {
		t.Parallel()
		before := base.Before()
		before.ActiveElement = "1"
		if !NothingChanged(before, base, Witness{}) {
			t.Error("silence counts as a moved focus")
		}
	})
	t.Run("without a reading the hash decides", func(t *testing.T) {
		t.Parallel()
		if !NothingChanged(Before{URL: home, DOMHash: base.DOMHash}, base, Witness{}) || NothingChanged(Before{URL: home, DOMHash: "x"}, base, Witness{}) {
			t.Error("the hash does not decide")
		}
	})
}

func TestObserve_isBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 5000)
	many := make([]string, 500)
	for i := range many {
		many[i] = long
	}
	before := reading("https://a.test/"+long, nil)
	var es []Element
	for range 2000 {
		es = append(es, Element{ID: long, Role: "button", Name: long, Value: long, Href: long})
	}
	var alerts []Alert
	for _, s := range many {
		alerts = append(alerts, Alert{AlertError, s})
	}
	now := reading("https://b.test/"+long, es, alerts...)
	obs := Observe(before.Before(), now, Witness{
		ErrorsDetected: many, SuccessMessages: many, RecentEvents: many, DropdownOptions: many, SentinelMessage: long, Result: long,
		Error: &ActionError{Message: long, Code: long, Action: long, ElementID: long},
	})
	size := 0
	for _, text := range texts(obs) {
		size += len(text)
	}
	if len(obs) > 120 || size > 30_000 {
		t.Errorf("%d lines of %d bytes", len(obs), size)
	}
}

func TestBefore_Missing(t *testing.T) {
	t.Parallel()
	if !(Before{}).Missing() || !(Before{ActiveElement: "14"}).Missing() {
		t.Error("of a page without address and hash something is known")
	}
	if (Page{URL: "https://a.test/"}).Before().Missing() || (Page{DOMHash: "x"}).Before().Missing() {
		t.Error("of a page with address or hash nothing is known")
	}
}
