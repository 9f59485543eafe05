package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stepledger/stepledger/internal/browser"
)

// askingPeople is a page with a row for each person, which asks in a dialog of the browser
// before it deletes one, and before it refreshes what it shows.
type askingPeople struct {
	mu   sync.Mutex
	gone []string
	ask  string // what refreshing asks
}

func (p *askingPeople) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Method == http.MethodPost {
		p.gone = append(p.gone, r.FormValue("name"))
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	fmt.Fprintf(w, `<!doctype html><title>People</title><h1>People</h1><table>
		<tr><td>Ann<td><button onclick="del(this, 'Ann')">Delete</button>
		<tr><td>Kim<td><button onclick="del(this, 'Kim')">Delete</button></table>
		<p><button onclick="if (confirm('%s')) del(document.querySelectorAll('button')[1], 'Kim', true)">Refresh</button></p><p role=status></p>
		<script>
		const del = (button, name, sure) => {
			if (!sure && !confirm('Really delete ' + name + '?')) return;
			fetch('/', {method: 'POST', body: new URLSearchParams({name})}).then(() => {
				button.closest('tr').remove();
				document.querySelector('[role=status]').textContent = name + ' was deleted';
			});
		}
		</script>`, p.ask)
}

func (p *askingPeople) deleted() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.gone, ",")
}

// pursueOn does a task on a page by rules alone. It returns what was executed, and how it
// ended.
func pursueOn(t *testing.T, site http.Handler, task string) ([]string, browser.Outcome) {
	t.Helper()
	ctx, chromium := startChromium(t)
	s := newServer(t, hooks{})
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	tab, err := chromium.NewTab(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tab.Close)
	if err := tab.Open(ctx, srv.URL); err != nil {
		t.Fatal(err)
	}
	var did []string
	client := &browser.Client{BaseURL: s.base, Token: s.client.token}
	outcome, err := client.Run(ctx, tab, browser.Goal{Query: task, OnTurn: func(turn browser.Turn) {
		did = append(did, fmt.Sprintf("%s %s (%s)", turn.Answer.Action, turn.Report.Status, turn.Answer.Thought))
		if v := turn.Answer.Verification; v != nil {
			did = append(did, "  "+v.Outcome+" "+v.Rule+": "+v.Reason)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return did, outcome
}

// A confirmation of what the user asked for is a step of the task; whatever else a page
// wants confirmed is the user's to decide.
func TestDialog_IsDecidedByTheServer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		task, ask    string
		status, gone string
		accepts      bool
	}{
		"what was asked for is confirmed":           {"Delete Kim", "", "completed", "Kim", true},
		"what was not asked for is put to the user": {"Click Refresh", "Really delete Kim?", "needs_user_input", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := &askingPeople{ask: tt.ask}
			did, outcome := pursueOn(t, site, tt.task)
			said := strings.Join(did, "\n")
			if outcome.Status != tt.status || site.deleted() != tt.gone || strings.Contains(said, `click("dialog_accept") success`) != tt.accepts {
				t.Errorf("%+v, deleted %q\n%s", outcome, site.deleted(), said)
			}
		})
	}
}
