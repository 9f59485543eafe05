package interact_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/dom"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// filteredTo is a page of which the client sends some nodes only.
func filteredTo(nodes ...page.NodeV3) page.Capture {
	return page.Capture{URL: "https://site.test/", Mode: page.ModeFiltered, Tree: nodes}
}

func wholePage(html string) page.Capture {
	return page.Capture{URL: "https://site.test/", Mode: page.ModeFull, DOM: html}
}

// seen is what a request shows, and how it is answered: by an action or a status, with the
// outcome of the verdict, "" for none.
type seen struct {
	capture       page.Capture
	witness       page.Witness
	want, outcome string
}

func TestInteract_FilteredPages(t *testing.T) {
	t.Parallel()
	save, help := page.NodeV3{ID: "3", Role: "btn", Name: "Save"}, page.NodeV3{ID: "4", Role: "btn", Name: "Help"}
	del := func(id page.Scalar, name string) page.NodeV3 {
		return page.NodeV3{ID: id, Role: "btn", Name: page.Scalar("Delete " + name)}
	}
	row := func(id, name string) string {
		return fmt.Sprintf(`<tr><td>%s</td><td><button id=%s>Delete %s</button></td></tr>`, name, id, name)
	}
	users := func(rows string) string { return `<h1>Users</h1><table>` + rows + `</table><button id=4>Help</button>` }
	field := func(value page.Scalar) page.NodeV3 {
		return page.NodeV3{ID: "7", Role: "inp", Name: "City", Value: value}
	}
	changed := page.Witness{NetworkOccurred: new(true), DOMMutated: new(true), URLChanged: new(false)}
	for name, tc := range map[string]struct {
		query string
		seen  []seen
	}{
		"given what is sought is on it, when it is sent, then it is acted on": {"click Save", []seen{
			{capture: filteredTo(save, help), want: `click("3")`},
		}},
		"given what is sought was left out, when it is sent, then the whole page is asked for and acted on": {"click Save", []seen{
			{capture: filteredTo(help), want: "needs_full_dom"},
			{capture: wholePage(`<button id=4>Help</button><button id=3>Save</button>`), want: `click("3")`},
		}},
		"given a client that has no more, when it sends the same again, then the user is asked": {"click Save", []seen{
			{capture: filteredTo(help), want: "needs_full_dom"},
			{capture: filteredTo(help), want: "needs_user_input"},
		}},
		"given a condition, when what it is about is not on it, then it is not taken for absent": {"if there is no Banner, click Save", []seen{
			{capture: filteredTo(save), want: "needs_full_dom"},
		}},
		"given a row that was deleted, when it is only not on the next one, then it is undecided until the whole page lacks it": {"Delete Kim", []seen{
			{capture: filteredTo(del("2", "Kim"), help), want: `click("2")`},
			{capture: filteredTo(help), witness: mutated, want: "needs_full_dom", outcome: "undecided"},
			{capture: wholePage(users(row("1", "Ann") + row("2", "Kim"))), witness: page.Witness{}, want: "wait(1)", outcome: "undecided"},
		}},
		"given a row that was deleted, when the whole page lacks it, then it is done": {"Delete Kim", []seen{
			{capture: filteredTo(del("2", "Kim"), help), want: `click("2")`},
			{capture: filteredTo(help), witness: changed, want: "needs_full_dom", outcome: "undecided"},
			{capture: wholePage(users(row("1", "Ann"))), witness: changed, want: "finish", outcome: "succeeded"},
		}},
		"given a field, when it holds the value on the next one, then only the whole page ends the task": {"set City to Oslo", []seen{
			{capture: filteredTo(field(""), help), want: `setValue("7", "Oslo")`},
			{capture: filteredTo(field("Oslo"), help), witness: mutated, want: "needs_full_dom", outcome: "undecided"},
			{capture: wholePage(`<label for=7>City</label><input id=7 value=Oslo><button id=4>Help</button>`), witness: mutated, want: "finish", outcome: "succeeded"},
		}},
		"given an action the client could not do, when it says so, then that counts on any page": {"click Save", []seen{
			{capture: filteredTo(save, help), want: `click("3")`},
			{capture: filteredTo(help), witness: page.Witness{Status: "failure", Error: &page.ActionError{Message: "gone", Code: "ELEMENT_NOT_FOUND"}}, want: "needs_full_dom", outcome: "failed"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(d *interact.Deps) { d.Pages, d.Reasoner = dom.Reader{}, rules.Reasoner{} })
			id := ""
			for i, s := range tc.seen {
				res, err := r.Interact(t.Context(), interact.Request{
					Tenant: "acme", User: "jo", Key: fmt.Sprint("k", i), BodyHash: strconv.Itoa(i), Query: tc.query, TaskID: id, Client: able, Capture: s.capture, Witness: s.witness,
				})
				if err != nil {
					t.Fatal(err)
				}
				var a interact.Answer
				if err := json.Unmarshal(res.Answer, &a); err != nil {
					t.Fatal(err)
				}
				id = a.TaskID
				got, outcome := a.Status, ""
				if a.ActionDetails != nil {
					got = a.Action
				}
				if act, err := action.Parse(a.Action); err == nil && act.Name == action.Finish {
					got = "finish"
				}
				if a.Verification != nil {
					outcome = a.Verification.Outcome
				}
				if got != s.want || outcome != s.outcome {
					t.Fatalf("request %d: %s, verdict %q, want %s, %q\n%s", i+1, got, outcome, s.want, s.outcome, res.Answer)
				}
				if a.Status == "needs_full_dom" && (a.RequestedElement == "" || a.NeedsFullDOMReason != page.ReasonPartial) && i == 0 {
					t.Errorf("request %d asks for %q because of %q", i+1, a.RequestedElement, a.NeedsFullDOMReason)
				}
			}
		})
	}
}

// What a model says of a partial page does not end a task either.
func TestInteract_FilteredPagesEndNoTask(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	done := reasoning.ActAnswer{Action: action.Action{Name: action.Finish, Text: "The patient is gone."}, Confidence: 0.9}
	r.reasons.acts = []any{done, done}
	p := form
	p.Mode = page.ModeFiltered
	first, err := r.Interact(t.Context(), request(t, p, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, first); a.Status != "needs_full_dom" {
		t.Fatalf("%+v", a)
	}
	again := request(t, p, "b")
	again.TaskID = first.TaskID
	if first, err = r.Interact(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, first); a.Status != "needs_user_input" {
		t.Errorf("%+v", a)
	}
}
