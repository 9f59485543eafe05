package rules_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// signUp is a form with something of everything.
func signUp(values ...string) page.Page {
	p := page.Page{URL: "https://a.example/new", Headings: []string{"Sign up"}, Elements: []page.Element{
		{ID: "1", Role: "textbox", Name: "First name", Group: "Sign up"},
		{ID: "2", Role: "textbox", Name: "City", Group: "Sign up"},
		{ID: "3", Role: "combobox", Tag: "select", Name: "Country", Group: "Sign up", Options: []page.Option{{Label: "Norway"}, {Label: "Germany"}}},
		{ID: "4", Role: "checkbox", Name: "Newsletter", Group: "Sign up", State: page.State{Checked: "false"}},
		{ID: "5", Role: "button", Name: "Register", Group: "Sign up", Tag: "button", Type: "submit"},
	}}
	for i, v := range values {
		p.Elements[i].Value = v
	}
	page.AssignKeys(p.Elements)
	return p
}

const signUpTask = `Enter first name "Jas", city "Oslo" and country "Norway", then click Register`

func TestAct_FieldsOfAFormTogether(t *testing.T) {
	t.Parallel()
	chains := action.Declared([]string{"chain"})
	ask := func(client action.Abilities, p page.Page) (out []string) {
		a, err := rules.Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Query: signUpTask, Page: p, Client: client})
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, a.Action.String())
		for _, s := range a.Next {
			if s.Description == "" {
				t.Errorf("%s is not described", s.Action)
			}
			out = append(out, s.Action.String())
		}
		return out
	}
	all := []string{`setValue("1", "Jas")`, `setValue("2", "Oslo")`, `setValue("3", "Norway")`}
	if diff := cmp.Diff(all, ask(chains, signUp())); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(all[:1], ask("", signUp())); diff != "" {
		t.Errorf("a client that takes one action is given %s", diff)
	}
	if diff := cmp.Diff([]string{`click("5")`}, ask(chains, signUp("Jas", "Oslo", "Norway"))); diff != "" {
		t.Errorf("what submits is given with others: %s", diff)
	}
	large := signUp()
	for i := range 1_000 {
		large.Elements = append(large.Elements, page.Element{ID: strconv.Itoa(100 + i), Role: "link", Name: "Link " + strconv.Itoa(i), Href: "/" + strconv.Itoa(i)})
	}
	page.AssignKeys(large.Elements)
	if diff := cmp.Diff(all[:1], ask(chains, large)); diff != "" {
		t.Errorf("a large page is read again and again: %s", diff)
	}
}

func TestAct_WhatTheClientCannotDo(t *testing.T) {
	t.Parallel()
	q := reasoning.ActQuestion{
		Query: "Search for Jas",
		Page:  page.Page{URL: "https://a.example/", Elements: []page.Element{{ID: "1", Key: "q", Role: "searchbox", Name: "Search", Value: "Jas"}}},
		Steps: []reasoning.Step{{
			Action: action.Action{Name: action.SetValue, Target: "1", Text: "Jas"}, Target: `searchbox "Search"`, Verified: true, Succeeded: true,
		}},
	}
	a, err := rules.Reasoner{}.Act(t.Context(), q)
	if err != nil || !a.Undecided || a.Action.Name != "" {
		t.Errorf("a client that cannot press is told to %s, %v", a.Action, err)
	}
	q.Client = action.Declared([]string{"press"})
	if a, err = (rules.Reasoner{}).Act(t.Context(), q); err != nil || a.Action.String() != `press("Enter")` {
		t.Errorf("one that can is told to %s (%s), %v", a.Action, a.Reason, err)
	}
}

func TestVerify_AChain(t *testing.T) {
	t.Parallel()
	before := signUp()
	chain := []reasoning.ChainStep{
		{Index: 0, Action: action.Action{Name: action.SetValue, Target: "1", Text: "Jas"}, Target: before.Elements[0]},
		{Index: 1, Action: action.Action{Name: action.SetValue, Target: "2", Text: "Oslo"}, Target: before.Elements[1]},
		{Index: 3, Action: action.Action{Name: action.SetValue, Target: "3", Text: "Norway"}, Target: before.Elements[2]},
	}
	for name, tt := range map[string]struct {
		now  page.Page
		want reasoning.Outcome
		of   []reasoning.Outcome
	}{
		"all hold":          {signUp("Jas", "Oslo", "Norway"), reasoning.Succeeded, []reasoning.Outcome{reasoning.Succeeded, reasoning.Succeeded, reasoning.Succeeded}},
		"one does not":      {signUp("Jas", "Bergen", "Norway"), reasoning.Failed, []reasoning.Outcome{reasoning.Succeeded, reasoning.Failed, reasoning.Succeeded}},
		"the last is empty": {signUp("Jas", "Oslo"), reasoning.Failed, []reasoning.Outcome{reasoning.Succeeded, reasoning.Succeeded, reasoning.Failed}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			saw := page.Witness{Status: "success"}
			past := page.Before{URL: before.URL, DOMHash: "1", MeaningHash: page.MeaningHash(before), Skeleton: before.Skeleton()}
			v, err := rules.Reasoner{}.Verify(t.Context(), reasoning.VerifyQuestion{
				Query: signUpTask, Action: chain[0].Action, Target: chain[0].Target, Chain: chain, Page: tt.now,
				Before: past, Witness: saw, Observations: page.Observe(past, tt.now, saw),
			})
			if err != nil {
				t.Fatal(err)
			}
			var of []reasoning.Outcome
			for i, item := range v.Items {
				if item.Index != chain[i].Index || item.Reason == "" {
					t.Errorf("%+v", item)
				}
				of = append(of, item.Outcome)
			}
			if diff := cmp.Diff(tt.of, of); diff != "" || v.Outcome() != tt.want || v.TaskCompleted {
				t.Errorf("%s (%s), done %v: %s", v.Outcome(), v.Reason, v.TaskCompleted, diff)
			}
		})
	}
}
