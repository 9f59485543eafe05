package interact_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// shot is one request of a client, and what it is answered with: an action, or the
// beginning of "asks: ".
type shot struct {
	html, reply string
	witness     page.Witness
	want        string
}

// converse works a task through requests, with the real reader and the rules.
func converse(t *testing.T, query string, shots ...shot) {
	t.Helper()
	r := newRig(t, func(d *interact.Deps) { d.Pages, d.Reasoner = dom.Reader{}, rules.Reasoner{} })
	id, session := "", ""
	for i, s := range shots {
		req := interact.Request{
			Tenant: "acme", User: "jo", Key: fmt.Sprint("k", i), BodyHash: strconv.Itoa(i), Query: query, TaskID: id, SessionID: session, Client: able,
			Capture: page.Capture{URL: "https://site.test/", DOM: s.html}, Witness: s.witness,
		}
		if s.reply != "" {
			req.Query = s.reply
		}
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		var a interact.Answer
		if err := json.Unmarshal(res.Answer, &a); err != nil {
			t.Fatal(err)
		}
		got := a.Action
		if a.Status == "needs_user_input" {
			got = "asks: " + a.UserQuestion
		}
		if got != s.want && (!strings.HasSuffix(s.want, "…") || !strings.HasPrefix(got, strings.TrimSuffix(s.want, "…"))) {
			t.Fatalf("request %d: %s %s, want %s (%s)", i+1, a.Status, got, s.want, a.Thought)
		}
		id, session = a.TaskID, a.SessionID
	}
}

var mutated = page.Witness{NetworkOccurred: new(false), DOMMutated: new(true), URLChanged: new(false)}

func TestInteract_Acting(t *testing.T) {
	t.Parallel()
	const users = `<h1>Users</h1><table><tr><td>Ann</td><td><button id=1>Delete</button></td></tr><tr><td>Kim</td><td><button id=2>Delete</button></td></tr></table>`
	const combo = `<label for=i>Industry</label><input id=i role=combobox aria-expanded=%s value="%s">`
	const covered = `<button id=s data-occluded=%t>Save</button>`
	const list = `<h1>Items</h1><div id=list style="overflow-y:auto">%s</div>`
	item := func(n int) string { return fmt.Sprintf(`<div><a id=a%d href="/%d">Item %d</a></div>`, n, n, n) }
	for name, tc := range map[string]struct {
		query string
		shots []shot
	}{
		"a confirmation is a step": {"delete Kim", []shot{
			{html: users, want: `click("2")`},
			{html: users + `<div role=dialog><p>Delete Kim?</p><button id=8>Delete</button><button id=9>Cancel</button></div>`, witness: mutated, want: `click("8")`},
		}},
		"a reply names what was not found": {"click the gear icon", []shot{
			{html: `<button id=1>Help</button><button id=2>Settings</button>`, want: "asks: …"},
			{html: `<button id=1>Help</button><button id=2>Settings</button>`, reply: "I mean Settings", want: `click("2")`},
		}},
		"a control's name is no key": {"click Delete", []shot{{html: `<button id=1>Cancel</button>`, want: "asks: …"}}},
		"what is typed is not chosen": {"set Industry to Mining", []shot{
			{html: fmt.Sprintf(combo, "false", ""), want: `setValue("i", "Mining")`},
			{html: fmt.Sprintf(combo, "true", "Mining") + `<ul role=listbox><li role=option id=o1>Farming<li role=option id=o2>Mining</ul>`, witness: mutated, want: `click("o2")`},
		}},
		"cookies are refused first": {"click Save", []shot{
			{html: fmt.Sprintf(covered, true) + `<div class=cookie-banner><p>We use cookies</p><button id=a>Accept all</button><button id=r>Reject all</button></div>`, want: `click("r")`},
			{html: fmt.Sprintf(covered, false), witness: mutated, want: `click("s")`},
		}},
		"a list is scrolled": {"click Item 4", []shot{
			{html: fmt.Sprintf(list, item(1)+item(2)), want: `scroll("list")`},
			{html: fmt.Sprintf(list, item(3)+item(4)), witness: mutated, want: `click("a4")`},
		}},
		"a label stands for its field": {"tick I agree to the terms", []shot{
			{html: `<input id=c type=checkbox style="display:none"><label id=l for=c>I agree to the terms</label>`, want: `click("l")`},
			{html: `<input id=c type=checkbox checked style="display:none"><label id=l for=c>I agree to the terms</label>`, witness: mutated, want: `finish("…`},
		}},
		"no value is dropped": {"Add a new passkey named 'Windows Hello'.", []shot{
			{html: `<div role=dialog><input id=n placeholder="e.g. my laptop"><button id=c>Cancel</button><button id=r>Register passkey</button></div>`, want: `setValue("n", "Windows Hello")`},
			{html: `<div role=dialog><input id=n placeholder="e.g. my laptop" value="Windows Hello"><button id=c>Cancel</button><button id=r>Register passkey</button></div>`, witness: mutated, want: `click("r")`},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			converse(t, tc.query, tc.shots...)
		})
	}
}
