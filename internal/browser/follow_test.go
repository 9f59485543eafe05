package browser

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
)

func goBack() action.Action { return action.Action{Name: action.GoBack} }

// Given a page that opens a window, when it is clicked, then the tab goes on in there, and
// goes back when that closes.
func TestTab_FollowsANewTab(t *testing.T) {
	t.Parallel()
	for name, opener := range map[string]string{
		"a link":                      `<a href="/other" target=_blank>Open</a>`,
		"a link with an opener":       `<a href="/other" target=_blank rel=opener>Open</a>`,
		"a script":                    `<button onclick="window.open('/other')">Open</button>`,
		"a window of its own":         `<button onclick="window.open('/other', '', 'popup,width=300,height=200')">Open</button>`,
		"a script that fetches first": `<button onclick="fetch('/x').then(() => window.open('/other'))">Open</button>`,
		"a form":                      `<form action="/other" target=_blank><button>Open</button></form>`,
		"an address that comes later": `<button onclick="const w = window.open(''); setTimeout(() => (w.location = '/other'), 200)">Open</button>`,
		"a frame":                     `<iframe srcdoc="<a href='/other' target=_blank>Open</a>"></iframe>`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tab := openHTML(t, opener)
			first := tab.mustCapture(t)
			r := tab.does(t, click(string(first.Tree[0].ID)))
			c := tab.mustCapture(t)
			if !r.DidURLChange || !r.DidDOMMutate || r.PreviousURL != first.URL || c.Title != "other" || !strings.Contains(c.DOM, "<h1>/other</h1>") {
				t.Fatalf("title %q, report %+v\n%s", c.Title, r, c.DOM)
			}
			if said := strings.Join(c.RecentEvents, "\n"); !strings.Contains(said, "a new tab: other") || strings.Contains(said, "not followed") {
				t.Errorf("events %q", said)
			}
			if c.Viewport.Width != first.Viewport.Width || c.Viewport.Height != first.Viewport.Height {
				t.Errorf("it is %v", c.Viewport)
			}
			r = tab.does(t, goBack())
			again := tab.mustCapture(t)
			if r.URL != first.URL || again.Title != "test" || again.Tree[0].ID != first.Tree[0].ID {
				t.Errorf("back at %s, title %s\n%s", r.URL, again.Title, treeText(again))
			}
			tab.fails(t, goBack(), CodeNoHistory)
		})
	}
}

// Given a new tab, what happens in it is watched, acted on and reported like anywhere
// else, no id of its opener is used again, and when it closes itself its opener is shown
// with what was done to it.
func TestTab_ANewTabIsLikeAnyOther(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<p role=status></p><button onclick="w = window.open(''); w.document.write(page); w.document.close()">Choose</button><script>const page = `+"`"+`<title>Choice</title>
		<label>Name <input></label><p role=alert></p>
		<button onclick="document.querySelector('[role=alert]').textContent = 'The name is missing'; fetch('/refused', {method: 'POST'})">Check</button>
		<button onclick="this.textContent = confirm('Sure?') ? 'Agreed' : 'Not'">Ask</button>
		<button onclick="opener.document.querySelector('p').textContent = 'Chosen: ' + document.querySelector('input').value; window.close()">Done</button>`+"`"+`</script>`)
	first := tab.mustCapture(t)
	tab.does(t, click(id(t, first, "btn", "Choose")))
	c := tab.mustCapture(t)
	for _, n := range c.Tree {
		for _, o := range first.Tree {
			if n.ID == o.ID {
				t.Errorf("id %s is used again", n.ID)
			}
		}
	}
	tab.does(t, setValue(id(t, c, "inp", "Name"), "Kim"))
	r := tab.does(t, click(id(t, c, "btn", "Check")))
	if !r.DidDOMMutate || !r.DidNetworkOccur || len(r.FailedRequests) != 1 || !strings.Contains(strings.Join(r.RecentEvents, "\n"), "The name is missing") {
		t.Errorf("report %+v", r)
	}
	tab.does(t, click(id(t, c, "btn", "Ask")))
	tab.fails(t, click(id(t, c, "btn", "Done")), CodeDialogOpen)
	tab.does(t, click(dialogAccept))
	node(t, tab.mustCapture(t), "btn", "Agreed")
	r = tab.does(t, click(id(t, c, "btn", "Done")))
	back := tab.mustCapture(t)
	if !strings.Contains(back.DOM, "Chosen: Kim") || !r.DidDOMMutate || !strings.Contains(strings.Join(r.RecentEvents, "\n"), "the tab has closed, back to: test") {
		t.Errorf("report %+v\n%s", r, back.DOM)
	}
	tab.does(t, click(id(t, back, "btn", "Choose")))
	node(t, tab.mustCapture(t), "inp", "Name")
}

// A window that no action opened is none to go to.
func TestTab_DoesNotFollowWhatNobodyOpened(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button>x</button><script>setTimeout(() => window.open('/other'))</script>`)
	c := tab.mustCapture(t)
	if c.Title != "test" || !strings.Contains(strings.Join(c.RecentEvents, "\n"), "/other (not followed)") {
		t.Errorf("title %s, events %q", c.Title, c.RecentEvents)
	}
	tab.does(t, click(id(t, c, "btn", "x")))
	if title := tab.mustCapture(t).Title; title != "test" {
		t.Errorf("it went to %s", title)
	}
}

// Given a tab opened by one opened by the first, going back leads through both; a history
// of its own comes first.
func TestTab_GoesBackThroughTabs(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button onclick="window.open('').document.write(page)">Open</button><script>const page = `+"`"+`<title>Second</title><button onclick="window.open('/third')">Open</button>`+"`"+`</script>`)
	tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Open")))
	tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Open")))
	c := tab.mustCapture(t)
	tab.does(t, action.Action{Name: action.Navigate, Text: c.URL + "/more"})
	for _, want := range []string{"/third", "Second", "test"} {
		tab.does(t, goBack())
		if c := tab.mustCapture(t); c.Title != want && !strings.HasSuffix(c.URL, want) {
			t.Errorf("back at %s, title %s, want %s", c.URL, c.Title, want)
		}
	}
}
