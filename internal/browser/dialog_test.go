package browser

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// A page that is blocked by a dialog is captured and acted on within this.
const blocked = 5 * time.Second

func TestTab_Dialog(t *testing.T) {
	t.Parallel()
	const asks = `<p>Kim</p><button onclick="this.textContent = confirm('Really delete <Kim>?') ? 'Gone' : 'Kept'">Delete</button>`
	for name, tt := range map[string]struct {
		page string
		does []action.Action
		want string // name of the button afterwards
	}{
		"a confirm that is accepted":    {asks, []action.Action{click(dialogAccept)}, "Gone"},
		"a confirm that is dismissed":   {asks, []action.Action{click(dialogDismiss)}, "Kept"},
		"an alert":                      {`<button onclick="alert('Saved'); this.textContent = 'Told'">Save</button>`, []action.Action{click(dialogAccept)}, "Told"},
		"a prompt as it is":             {`<button onclick="this.textContent = prompt('Your name?', 'Jo')">Ask</button>`, []action.Action{click(dialogAccept)}, "Jo"},
		"a prompt that is filled in":    {`<button onclick="this.textContent = prompt('Your name?', 'Jo')">Ask</button>`, []action.Action{setValue(dialogText, "Kim"), click(dialogAccept)}, "Kim"},
		"a prompt that is dismissed":    {`<button onclick="this.textContent = prompt('Your name?') ?? 'None'">Ask</button>`, []action.Action{setValue(dialogText, "Kim"), click(dialogDismiss)}, "None"},
		"one after the other":           {`<button onclick="this.textContent = confirm('One?') && confirm('Two?') ? 'Both' : 'Not both'">Ask</button>`, []action.Action{click(dialogAccept), click(dialogAccept)}, "Both"},
		"after a pause":                 {`<button onclick="setTimeout(() => this.textContent = confirm('Sure?') ? 'Late' : 'No', 200)">Ask</button>`, []action.Action{click(dialogAccept)}, "Late"},
		"on pressing the mouse alone":   {`<button onmousedown="this.textContent = confirm('Sure?') ? 'Down' : 'No'">Ask</button>`, []action.Action{click(dialogAccept)}, "Down"},
		"in a frame of the same origin": {`<iframe srcdoc="<button onclick='this.textContent = confirm(&quot;Sure?&quot;) ? &quot;In&quot; : &quot;No&quot;'>Ask</button>"></iframe>`, []action.Action{click(dialogAccept)}, "In"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// Given a page that asks, when its button is clicked
			tab := openHTML(t, tt.page)
			tab.does(t, click(string(tab.mustCapture(t).Tree[0].ID)))
			// and the dialog is answered, then the page goes on with the answer
			for _, a := range tt.does {
				node(t, tab.mustCapture(t), "btn", "OK")
				tab.does(t, a)
			}
			c := tab.mustCapture(t)
			node(t, c, "btn", tt.want)
			if strings.Contains(c.DOM, "alertdialog") {
				t.Errorf("the dialog is still shown: %s", c.DOM)
			}
		})
	}
}

// Given an open dialog, the request shows it as the server reads any other: on top of the
// page, with its message, and the rest under it.
func TestTab_Capture_ShowsADialog(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<p>Kim</p><button onclick="prompt('Delete <Kim>?', 'a&quot;b')">Delete</button>`)
	hand := NewHand(tab, "x")
	_, first, err := hand.Request(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if _, err := hand.Do(t.Context(), click(id(t, first, "btn", "Delete"))); err != nil {
		t.Fatal(err)
	}
	for _, full := range []bool{false, true} {
		hand.run.full = full
		body, c, err := hand.Request(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > blocked {
			t.Errorf("it took %v", took)
		}
		if said := strings.Join(c.RecentEvents, "\n"); !strings.Contains(said, "a dialog (prompt): Delete <Kim>?") {
			t.Errorf("events %q", said)
		}
		behind, field := node(t, c, "btn", "Delete"), node(t, c, "inp", "Delete <Kim>?")
		if !behind.Occluded || string(field.ID) != dialogText || field.Value != `a"b` || !field.Focused || id(t, c, "btn", "Cancel") != dialogDismiss {
			t.Errorf("the tree is\n%s", treeText(c))
		}
		for _, want := range []string{
			`<div role="alertdialog" aria-modal="true" aria-label="The page says"><p>Delete &lt;Kim&gt;?</p>`, `data-llm-id="dialog_text"`,
			`<button data-llm-id="dialog_accept">OK</button><button data-llm-id="dialog_dismiss">Cancel</button></div></body>`, "<p>Kim</p>",
		} {
			if !strings.Contains(c.DOM, want) {
				t.Errorf("the document lacks %s:\n%s", want, c.DOM)
			}
		}
		if !strings.Contains(string(body), `"lastActionStatus":"success"`) || !strings.Contains(string(body), `"i":"dialog_accept"`) {
			t.Errorf("the request is %s", body)
		}
	}
}

// Given an open dialog, whatever is not an answer is refused, and nothing hangs.
func TestTab_Execute_RefusesWhatADialogBlocks(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<button onclick="document.title = confirm('Sure?')">Ask</button><input aria-label=Name>`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "btn", "Ask")))
	start := time.Now()
	for _, a := range []action.Action{
		click(id(t, c, "btn", "Ask")), setValue(id(t, c, "inp", "Name"), "x"), setValue(dialogText, "x"), click(dialogText),
		{Name: action.Press, Text: "Enter"}, {Name: action.Scroll}, {Name: action.Navigate, Text: c.URL + "other"}, {Name: action.GoBack},
	} {
		r := tab.fails(t, a, CodeDialogOpen)
		if !strings.Contains(r.Error.Message, `"Sure?"`) || r.URL != c.URL {
			t.Errorf("%s: %s, at %s", a, r.Error.Message, r.URL)
		}
	}
	if err := tab.Open(t.Context(), c.URL); err == nil {
		t.Error("another page was opened over the dialog")
	}
	if _, err := tab.Screenshot(t.Context()); !errors.Is(err, ErrDialog) {
		t.Errorf("screenshot: %v", err)
	}
	if took := time.Since(start); took > blocked {
		t.Errorf("it took %v", took)
	}
	tab.does(t, click(dialogDismiss))
	if title := tab.mustCapture(t).Title; title != "false" {
		t.Errorf("the page heard %s", title)
	}
	tab.fails(t, click(dialogAccept), CodeNotFound)
}

// Given a page that asks when it is loaded, there is no capture of it yet: the dialog is
// shown alone.
func TestTab_Dialog_WhileThePageLoads(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<script>document.title = confirm('Are you a robot?')</script><button>Rest</button>`)
	c := tab.mustCapture(t)
	if len(c.Tree) != 2 || !strings.HasPrefix(c.URL, "http://") || !strings.Contains(c.DOM, "Are you a robot?") || page.Clean(c.DOM) == "" {
		t.Errorf("%s\n%s\n%s", c.URL, treeText(c), c.DOM)
	}
	r := tab.does(t, click(dialogDismiss))
	c = tab.mustCapture(t)
	if node(t, c, "btn", "Rest"); c.Title != "false" || !r.DidDOMMutate {
		t.Errorf("title %s, report %+v", c.Title, r)
	}
}

// Given a form that would be lost, leaving the page is a question like any other.
func TestTab_Dialog_BeforeLeaving(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<input aria-label=Name><a href="/other">Away</a><script>addEventListener('beforeunload', (e) => e.preventDefault())</script>`)
	c := tab.mustCapture(t)
	tab.does(t, click(id(t, c, "inp", "Name")))
	for _, away := range []action.Action{click(id(t, c, "link", "Away")), {Name: action.Navigate, Text: c.URL + "other"}} {
		r := tab.does(t, away)
		asked := tab.mustCapture(t)
		if r.DidURLChange || !strings.Contains(asked.DOM, "Leave site?") || id(t, asked, "btn", "Leave") != dialogAccept {
			t.Fatalf("%s: %+v\n%s", away, r, treeText(asked))
		}
		tab.does(t, click(dialogDismiss))
		node(t, tab.mustCapture(t), "inp", "Name")
	}
	tab.does(t, click(id(t, c, "link", "Away")))
	if r := tab.does(t, click(dialogAccept)); !r.DidURLChange || !strings.HasSuffix(r.URL, "/other") {
		t.Errorf("left to %s", r.URL)
	}
}

// What the page does with the answer is reported of the action that gave it.
func TestTab_Execute_ReportsWhatAnAnswerDid(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<ul><li>Kim</ul><button onclick="if (confirm('Sure?')) { document.querySelector('li').remove(); fetch('/refused', {method: 'POST'}) }">Delete</button>`)
	r := tab.does(t, click(id(t, tab.mustCapture(t), "btn", "Delete")))
	if r.DidDOMMutate || r.DidNetworkOccur || r.DidURLChange {
		t.Errorf("before the answer: %+v", r)
	}
	r = tab.does(t, click(dialogAccept))
	if !r.DidDOMMutate || !r.DidNetworkOccur || r.DOMChanges.RemovedCount != 1 || len(r.FailedRequests) != 1 || r.TargetChanged != nil {
		t.Errorf("after it: %+v", r)
	}
}

// An action that a dialog keeps from its element has not been done.
func TestTab_Execute_IsNotDoneWhereADialogCameFirst(t *testing.T) {
	t.Parallel()
	tab := openHTML(t, `<div id=cover style="position:fixed;inset:0">Wait</div><button onclick="document.title = 'pressed'">Go</button>`)
	c := tab.mustCapture(t)
	tab.eval(t, `setTimeout(() => { confirm('Sure?'); document.getElementById('cover').remove() }, 250)`)
	tab.fails(t, click(id(t, c, "btn", "Go")), CodeDialogOpen)
	tab.does(t, click(dialogAccept))
	if title := tab.mustCapture(t).Title; title != "test" {
		t.Errorf("it was pressed: %s", title)
	}
}
