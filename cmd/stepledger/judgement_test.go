package main

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/task"
)

// sight is what a client without keys and optional fields sends: a page, sometimes
// with a word of the user or what it saw.
type sight struct {
	page string
	says string
	saw  map[string]any
	// want begins the answer: its action, or its status where it has none.
	want string
}

var (
	sawNothing = map[string]any{"clientObservations": map[string]any{"didNetworkOccur": false, "didDomMutate": false, "didUrlChange": false}}
	sawMarkup  = map[string]any{"clientObservations": map[string]any{"didNetworkOccur": false, "didDomMutate": true, "didUrlChange": false}}
	sawTraffic = map[string]any{"clientObservations": map[string]any{"didNetworkOccur": true}}
	sawPending = map[string]any{"clientObservations": map[string]any{"didNetworkOccur": true, "pendingRequests": 1}}
	sawError   = map[string]any{"errors_detected": []string{"Server error: not saved"}}
	notFound   = map[string]any{"lastActionError": map[string]any{"message": "no such element", "code": "ELEMENT_NOT_FOUND", "elementId": "1"}}
)

const (
	order   = `<h1>Order</h1><p>Total $50</p><button id=1>Place order</button>`
	placed  = order + `<div role=alert>Order 4711 placed. Thank you!</div>`
	cart    = `<h1>Mug</h1><button id=1>Add to cart</button><p>Cart (0)</p>`
	inCart  = `<h1>Mug</h1><button id=1>Add to cart</button><p>Cart (1)</p><div role=status>Mug was added to your cart</div>`
	profile = `<h1>Profile</h1><form><label>Name <input id=1 value="%"></label><button id=2>Save</button></form>`
	report  = `<h1>Reports</h1><button id=1>Show report</button><div id=out>%</div>`
)

const (
	hosts      = `<h1>Hosts</h1><ul><li>alpha <button id=1>Remove</button></li></ul>`
	beta       = `<ul><li>beta <button id=2>Remove</button></li></ul>`
	shop       = `<h1>Shop</h1><button id=1>Checkout</button>`
	banner     = `<div role=dialog aria-label=Cookies><p>We use cookies</p><button id=8>Accept all</button><button id=9>Reject all</button></div>`
	consent    = shop + banner
	booking    = `<h1>Doctor</h1><button id=1>Book appointment</button>`
	chat       = `<form><input aria-label=Message id=1 value="%"><button id=2>Send</button></form>`
	statements = `<h1>Account</h1><button id=1>Load statements</button><section>%</section>`
)

var (
	sawRefused  = map[string]any{"clientObservations": map[string]any{"didNetworkOccur": true, "failedRequests": []any{map[string]any{"method": "POST", "path": "/name", "status": 500}}}}
	covered     = failed("ELEMENT_OCCLUDED", "covered")
	coveredSave = map[string]any{"lastActionStatus": "failure", "lastActionError": map[string]any{"message": "covered", "code": "ELEMENT_OCCLUDED", "elementId": "2"}}
)

// failed is what a client sends that could not do what it was to do to element 1.
func failed(code, message string) map[string]any {
	return map[string]any{"lastActionStatus": "failure", "lastActionError": map[string]any{"message": message, "code": code, "elementId": "1"}}
}

// tree is a page of elements, "role name", for a client that sends no markup.
func tree(elements ...string) map[string]any {
	var nodes []any
	for i, e := range elements {
		role, name, _ := strings.Cut(e, " ")
		nodes = append(nodes, map[string]any{"i": strconv.Itoa(i + 1), "r": role, "n": name})
	}
	return map[string]any{"domMode": "semantic_v3", "pageTitle": "People", "interactiveTree": nodes}
}

func filled(page, value string) string { return strings.Replace(page, "%", value, 1) }

// An action is under judgement until somebody knows whether it worked. What is not
// decided is not done, and what may submit is not done again.
func TestInteract_UnderJudgement(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	for name, tt := range map[string]struct {
		query  string
		url    string
		visits []sight
	}{
		"an order confirmed late is not placed twice": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, want: "wait(1)"}, {page: placed, want: "finish"},
		}},
		"an order confirmed after the third look": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, want: "wait(1)"}, {page: order, want: "wait(2)"}, {page: order, want: "wait(4)"}, {page: placed, want: "finish"},
		}},
		"an order nobody hears of is asked about, and the user says yes": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, want: "wait(1)"}, {page: order, want: "wait(2)"}, {page: order, want: "wait(4)"},
			{page: order, want: "needs_user_input"}, {page: order, says: "yes", want: "finish"},
		}},
		"and the user says no": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, want: "wait(1)"}, {page: order, want: "wait(2)"}, {page: order, want: "wait(4)"},
			{page: order, want: "needs_user_input"}, {page: order, says: "no, it did not", want: "press(\"Enter\")|fail|needs_user_input"},
		}},
		"an order that has no answer yet is not done": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, saw: sawPending, want: "wait(1)"}, {page: order, saw: sawPending, want: "wait(2)"},
			{page: order, saw: sawPending, want: "wait(4)"}, {page: order, saw: sawPending, want: "needs_user_input"},
		}},
		"traffic alone shows nothing": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, saw: sawTraffic, want: "wait(1)"}, {page: order, want: "wait(2)"}, {page: order, want: "wait(4)"},
			{page: order, want: "needs_user_input"},
		}},
		"a cart that counts late": {"click Add to cart", "", []sight{
			{page: cart, want: `click("1")`}, {page: cart, want: "wait(1)"}, {page: inCart, want: "finish"},
		}},
		"a page that opens late": {"click Reports", "", []sight{
			{page: `<h1>Home</h1><a id=1 href=/reports>Reports</a>`, want: `click("1")`},
			{page: `<h1>Home</h1><a id=1 href=/reports>Reports</a>`, want: "wait(1)"},
			{page: `<title>Reports</title><h1>Reports</h1><p>Three reports</p>`, saw: map[string]any{"url": "https://shop.example/reports"}, want: "finish"},
		}},
		"an error that was shown for a moment while waiting": {"click Save", "", []sight{
			{page: filled(profile, "Jas"), want: `click("2")`}, {page: filled(profile, "Jas"), want: "wait(1)"},
			{page: filled(profile, "Jas"), saw: sawError, want: "needs_user_input"},
		}},
		"an error of a page in between": {"click Save", "", []sight{
			{page: filled(profile, "Jas"), want: `click("2")`}, {page: filled(profile, "Jas"), saw: sawPending, want: "wait(1)"},
			{page: filled(profile, "Jas") + `<div role=alert>Server error: not saved</div>`, saw: sawPending, want: "wait(2)|needs_user_input"},
			{page: filled(profile, "Jas"), want: "needs_user_input"},
		}},
		"a slow save is not sent by another key": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas"), want: "wait(1)"}, {page: filled(profile, "Jas"), want: "wait(2)"}, {page: filled(profile, "Jas"), want: "wait(4)"},
			{page: filled(profile, "Jas"), want: "needs_user_input"},
		}},
		"a save that reached nobody is tried in another way": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas"), saw: sawNothing, want: "wait(1)"}, {page: filled(profile, "Jas"), saw: sawNothing, want: "wait(2)"},
			{page: filled(profile, "Jas"), saw: sawNothing, want: "wait(4)"}, {page: filled(profile, "Jas"), saw: sawNothing, want: `press("Enter")`},
		}},
		"a page that is busy is waited for": {"click Show report", "", []sight{
			{page: filled(report, ""), want: `click("1")`}, {page: filled(report, "Loading…"), saw: sawMarkup, want: "wait(1)"},
			{page: filled(report, "Loading…"), want: "wait(2)"}, {page: filled(report, "<h2>Report of May</h2><p>Sales 12</p><p>Visits 99</p>"), saw: sawMarkup, want: "finish"},
		}},
		"a click the client could not make, and no sign of its correction": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: strings.Replace(order, "id=1", "id=7", 1), saw: notFound, want: `click("7")`},
			{page: strings.Replace(order, "id=1", "id=7", 1), saw: sawTraffic, want: "wait(1)"},
			{page: strings.Replace(order, "id=1", "id=7", 1), want: "wait(2)"}, {page: strings.Replace(order, "id=1", "id=7", 1), want: "wait(4)"},
			{page: strings.Replace(order, "id=1", "id=7", 1), want: "needs_user_input"},
		}},
		"a task resumed where none of its fields are": {"Enter name 'Jas'", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: `<h1>Home</h1><p>Welcome</p>`, want: "needs_user_input|needs_full_dom|wait"},
		}},
		"a confirmation is a step": {"delete Kim", "", []sight{
			{page: people(""), want: `click("22")`},
			{page: people(`<div role=dialog aria-label="Delete Kim?"><p>Delete Kim?</p><button id=31>Delete</button><button id=32>Cancel</button></div>`), saw: sawMarkup, want: `click("31")`},
			{page: strings.Replace(people(`<div role=status>Kim was deleted</div>`), `<tr><td>Kim</td><td><button id=22>Delete</button></td></tr>`, "", 1), saw: sawTraffic, want: "finish"},
		}},
		"a control's name is no key": {"click Delete", "", []sight{
			{page: `<h1>Files</h1><button id=1>Rename</button>`, want: "needs_user_input|needs_full_dom"},
		}},
		"a deletion that is confirmed shows by what is gone": {"Remove host beta", "", []sight{
			{page: hosts + beta, want: `click("2")`}, {page: hosts + beta + `<dialog open><p>Are you sure you want to remove beta?</p><button id=8>Cancel</button><button id=9>Remove</button></dialog>`, saw: sawMarkup, want: `click("9")`},
			{page: hosts, saw: sawMarkup, want: "finish"},
		}},
		"a question that comes late": {"Remove host beta", "", []sight{
			{page: hosts + beta, want: `click("2")`}, {page: hosts + beta, want: "wait(1)"},
			{page: hosts + beta + `<div role=alertdialog><h2>Remove beta?</h2><p>This cannot be undone.</p><button id=8>Keep it</button><button id=9>Yes, remove</button></div>`, want: `click("9")`}, {page: hosts, want: "finish"},
		}},
		"a question that is a statement": {"Remove host beta", "", []sight{
			{page: hosts + beta, want: `click("2")`}, {page: hosts + beta + `<div role=dialog aria-label=Confirm><p>beta will be removed.</p><button id=8>Cancel</button><button id=9>OK</button></div>`, want: `click("9")`},
			{page: hosts, want: "finish"},
		}},
		"a question in a box without a role": {"Remove host beta", "", []sight{
			{page: hosts + beta, want: `click("2")`}, {page: hosts + beta + `<div class="modal show"><div>Really remove beta?</div><a id=8 href="#">No</a><button id=9>Yes</button></div>`, saw: sawMarkup, want: `click("9")`},
			{page: hosts, saw: sawMarkup, want: "finish"},
		}},
		"a question in the row itself": {"Remove host beta", "", []sight{
			{page: hosts + beta, want: `click("2")`}, {page: hosts + `<ul><li>beta <span>Are you sure?</span> <button id=11>Yes</button> <button id=12>No</button></li></ul>`, want: `click("11")`},
			{page: hosts, want: "finish"},
		}},
		"a question below the control": {"click Delete", "", []sight{
			{page: `<h1>Note</h1><button id=1>Delete</button>`, want: `click("1")`},
			{page: `<h1>Note</h1><button id=1>Delete</button><p>Are you sure? <button id=5>Yes</button> <button id=6>No</button></p>`, saw: sawMarkup, want: `click("5")`},
			{page: `<h1>Notes</h1><div role=status>Note deleted</div>`, saw: sawTraffic, want: "finish"},
		}},
		"a question nobody here can answer": {"click Delete", "", []sight{
			{page: `<h1>Note</h1><button id=1>Delete</button>`, want: `click("1")`},
			{page: `<h1>Note</h1><button id=1>Delete</button><p>Biztosan törlöd? <button id=5>Igen</button> <button id=6>Mégse</button></p>`, saw: sawMarkup, want: `wait(1)|click("5")|needs_user_input`},
		}},
		"a deletion in a tree without markup": {"Delete Kim", "", []sight{
			{saw: tree("row Ann", "button Delete Ann", "row Kim", "button Delete Kim"), want: `click("4")`},
			{saw: tree("row Ann", "button Delete Ann", "row Kim", "button Delete Kim", "dialog Delete Kim?", "button Cancel", "button Delete"), want: `click("7")`},
			{saw: tree("row Ann", "button Delete Ann"), want: "finish"},
		}},
		"a transfer in a tree, confirmed late": {"Click Send money", "", []sight{
			{saw: tree("heading Transfer", "button Send money"), want: `click("2")`}, {saw: tree("heading Transfer", "button Send money"), want: "wait(1)"},
			{saw: tree("heading Transfer", "button Send money"), want: "wait(2)"}, {saw: tree("heading Transfer", "button Send money", "status €250 sent to Ola. Reference 88120"), want: "finish"},
		}},
		"what covered a control is gone, and nothing else was done": {"click Checkout", "", []sight{
			{page: consent, want: `click("1")`}, {page: consent, saw: covered, want: `click("9")`}, {page: shop, saw: sawMarkup, want: `click("1")`},
		}},
		"nor was the form sent": {"Enter name 'Jas' and click Save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas") + banner, saw: coveredSave, want: `click("9")`}, {page: filled(profile, "Jas"), saw: sawMarkup, want: `click("2")`},
		}},
		"a refusal that only the stream heard": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`}, {page: filled(profile, "Jas"), want: "wait(1)"},
			{page: filled(profile, "Jas"), saw: map[string]any{"recentEvents": []string{"Added: 'Could not save your changes'"}}, want: "needs_user_input"},
		}},
		"a refusal in plain text": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas") + `<p>Could not save your changes</p>`, saw: sawMarkup, want: "needs_user_input"},
		}},
		"a refusal, and the user wants no second try": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas"), saw: sawRefused, want: "needs_user_input"}, {page: filled(profile, "Jas"), says: "no thanks", want: "fail"},
		}},
		"a refusal, and the user says nothing": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas"), saw: sawRefused, want: "needs_user_input"}, {page: filled(profile, "Jas"), want: "needs_user_input"},
		}},
		"a refusal, and the user wants a second try": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas"), saw: sawRefused, want: "needs_user_input"}, {page: filled(profile, "Jas"), says: "yes, try again", want: `press("Enter")|click("2")`},
			{page: filled(profile, "Jas") + `<div role=status>Changes saved</div>`, want: "finish"},
		}},
		"a value that is taken, and another one": {"Enter name 'Jas' and save", "", []sight{
			{page: filled(profile, ""), want: `setValue("1"`}, {page: filled(profile, "Jas"), want: `click("2")`},
			{page: filled(profile, "Jas") + `<div role=alert>Name is already taken</div>`, saw: sawTraffic, want: "needs_user_input"},
			{page: filled(profile, "Jas") + `<div role=alert>Name is already taken</div>`, says: "Jasmin", want: `setValue("1", "Jasmin")`},
		}},
		"the user says yes over an error": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, want: "wait(1)"}, {page: order, want: "wait(2)"}, {page: order, want: "wait(4)"}, {page: order, want: "needs_user_input"},
			{page: order + `<div role=alert>Payment declined</div>`, says: "yes", want: "needs_user_input"},
		}},
		"the user says no over a success": {"click Place order", "", []sight{
			{page: order, want: `click("1")`}, {page: order, want: "wait(1)"}, {page: order, want: "wait(2)"}, {page: order, want: "wait(4)"}, {page: order, want: "needs_user_input"},
			{page: placed, says: "no", want: "needs_user_input"},
		}},
		"a click that timed out and was heard": {"Book appointment", "", []sight{
			{page: booking, want: `click("1")`}, {page: booking, saw: failed("TIMEOUT", "timeout"), want: "wait(1)"}, {page: `<h1>Appointment booked</h1><p>See you on May 3</p>`, want: "finish"},
		}},
		"a click that lost its page": {"Book appointment", "", []sight{
			{page: booking, want: `click("1")`}, {page: booking, saw: failed("EXECUTION_ERROR", "Execution context was destroyed"), want: "wait(1)"},
			{page: booking, want: "wait(2)"},
		}},
		"a click on what was gone, which the page says was done": {"Book appointment", "", []sight{
			{page: booking, want: `click("1")`}, {page: `<div role=status>Appointment booked</div>`, saw: failed("STALE_ELEMENT", "Node is detached"), want: "finish"},
		}},
		"a message that is sent late, from a form that stays": {"Type 'Hello Ann' in Message and click Send", "", []sight{
			{page: filled(chat, ""), want: `setValue("1"`}, {page: filled(chat, "Hello Ann"), want: `click("2")`}, {page: filled(chat, "Hello Ann"), want: "wait(1)"},
			{page: filled(chat, "") + `<ul><li>Hello Ann</li></ul>`, want: "finish"},
		}},
		"a field that was only emptied": {"Type 'Hello Ann' in Message and click Send", "", []sight{
			{page: filled(chat, ""), want: `setValue("1"`}, {page: filled(chat, "Hello Ann"), want: `click("2")`}, {page: filled(chat, ""), want: "wait(1)"},
			{page: filled(chat, ""), want: "wait(2)"}, {page: filled(chat, ""), want: "wait(4)"}, {page: filled(chat, ""), want: "needs_user_input"},
		}},
		"a cart button that says so, once": {"Add the Kettle to the cart", "", []sight{
			{page: `<h1>Kettle</h1><button id=2>Add to cart</button>`, want: `click("2")`}, {page: `<h1>Kettle</h1><button id=2>Adding…</button>`, saw: sawMarkup, want: "wait(1)"},
			{page: `<h1>Kettle</h1><button id=2>Added ✓</button>`, saw: sawTraffic, want: "finish"},
		}},
		"a statement of the account, while it loads": {"click Load statements", "", []sight{
			{page: filled(statements, ""), want: `click("1")`}, {page: filled(statements, `<p>Bitte warten…</p>`), saw: sawMarkup, want: "wait(1)"},
			{page: filled(statements, `<div role=progressbar></div>`), want: "wait(2)"}, {page: filled(statements, `<ul><li>March 12 EUR</li><li>April 9 EUR</li></ul>`), saw: sawMarkup, want: "finish"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follow(t, s, tt.query, tt.visits)
		})
	}
}

func people(more string) string {
	return `<h1>People</h1><table><tr><td>Ann</td><td><button id=21>Delete</button></td></tr><tr><td>Kim</td><td><button id=22>Delete</button></td></tr></table>` + more
}

// look sends what the client sees and gives the answer.
func (s *server) look(t *testing.T, query, id string, v sight) interact.Answer {
	t.Helper()
	body := map[string]any{"url": "https://shop.example/", "query": query, "clientCapabilities": abilities}
	if v.page != "" {
		body["dom"] = "<html><body>" + v.page + "</body></html>"
	}
	if id != "" {
		body["taskId"] = id
	}
	if v.says != "" {
		body["query"] = v.says
	}
	for k, x := range v.saw {
		body[k] = x
	}
	return data[interact.Answer](t, s.post(t, "/api/agent/interact", body, nil))
}

func follow(t *testing.T, s *server, query string, visits []sight) {
	t.Helper()
	id := ""
	for i, v := range visits {
		a := s.look(t, query, id, v)
		id = a.TaskID
		got := a.Action
		if got == "" {
			got = a.Status
		}
		ok := false
		for want := range strings.SplitSeq(v.want, "|") {
			ok = ok || strings.HasPrefix(got, want)
		}
		if !ok {
			t.Fatalf("visit %d: %s, want %s: %s\n%+v", i, got, v.want, a.Thought, a.Verification)
		}
	}
	s.replays(t, t.Name(), id)
}

// A client that sends the same page for ever, without a key, comes to the end of its
// task.
func TestInteract_TheSameForEverEnds(t *testing.T) {
	t.Parallel()
	s := newServer(t, hooks{})
	for _, tt := range []struct{ query, page string }{
		{"click New patient", `<button id=1>New patient</button>`},
		{"click Place order", order},
		{"Enter name 'Jas' and save", filled(profile, "")},
		{"Enter name 'Jas' and save", `<h1>Home</h1>`},
		{"do something nobody understands", order},
		{"delete Kim", people("")},
	} {
		t.Run(tt.query, func(t *testing.T) {
			t.Parallel()
			id, pressed := "", 0
			for turn := range 4 * task.DefaultLimits.MaxSteps {
				body := map[string]any{"url": "https://shop.example/", "query": tt.query, "dom": "<html><body>" + tt.page + "</body></html>", "clientCapabilities": abilities}
				if id != "" {
					body["taskId"] = id
				}
				r := s.post(t, "/api/agent/interact", body, nil)
				if r.status == http.StatusBadRequest || r.status == http.StatusConflict { // a limit, or the end
					t.Logf("ended in turn %d: %s", turn, r.code())
					return
				}
				a := data[interact.Answer](t, r)
				id = a.TaskID
				if a.Status == "completed" {
					t.Fatalf("done without a sign: %s", a.Thought)
				}
				if a.Action == `click("1")` && tt.page == order {
					pressed++
				}
				if pressed > 1 {
					t.Fatal("ordered twice")
				}
			}
			t.Error("the task goes on for ever")
		})
	}
}
