package rules

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

func TestSkill(t *testing.T) {
	t.Parallel()
	skill := func(change func(*reasoning.Skill)) []reasoning.Skill {
		s := reasoning.Skill{
			ID: "s1", Goal: "Add a new patient", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "New patient"},
			UseAction: "click", UseTarget: reasoning.Target{Role: "link", Name: "Add patient"}, Successes: 2, Failures: 1,
		}
		change(&s)
		return []reasoning.Skill{s}
	}
	two := pageOf(home, elem("button", "New patient"), elem("link", "Add patient"))
	failed := []reasoning.Step{{Action: action.Action{Name: action.Click, Target: "11"}, Target: `link "Add patient"`, Verified: true}}
	for name, tc := range map[string]struct {
		skills []reasoning.Skill
		page   page.Page
		steps  []reasoning.Step
		used   bool
	}{
		"what worked is used":                  {skill(func(*reasoning.Skill) {}), two, nil, true},
		"not for another goal":                 {skill(func(s *reasoning.Skill) { s.Goal = "Print all invoices" }), two, nil, false},
		"not if it failed more often":          {skill(func(s *reasoning.Skill) { s.Failures = 3 }), two, nil, false},
		"not if another element failed":        {skill(func(s *reasoning.Skill) { s.FailedTarget.Name = "Create" }), two, nil, false},
		"not if another kind of action worked": {skill(func(s *reasoning.Skill) { s.UseAction = "press" }), two, nil, false},
		"not if the element is not there":      {skill(func(s *reasoning.Skill) { s.UseTarget.Name = "Menu" }), two, nil, false},
		"not if it is there twice":             {skill(func(*reasoning.Skill) {}), pageOf(home, elem("button", "New patient"), elem("link", "Add patient"), elem("link", "Add patient")), nil, false},
		"not if it cannot be used":             {skill(func(*reasoning.Skill) {}), pageOf(home, elem("button", "New patient"), elem("link", "Add patient", state(occluded))), nil, false},
		"not if it failed in this task":        {skill(func(*reasoning.Skill) {}), two, failed, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: "Add a new patient with name 'Jas'", Page: tc.page, Steps: tc.steps, Skills: tc.skills})
			if err != nil {
				t.Fatal(err)
			}
			want := "10"
			if tc.used {
				want = "11"
			}
			if a.Action.Target != want || (len(a.SkillsUsed) == 1) != tc.used || a.Confidence < reasoning.SuccessThreshold {
				t.Errorf("%s, skills %v, confidence %v", a.Action, a.SkillsUsed, a.Confidence)
			}
			if tc.used && !strings.Contains(a.Thought, "I remember") {
				t.Errorf("thought %q", a.Thought)
			}
		})
	}
}

func TestSkill_ThatNoLongerFits(t *testing.T) {
	t.Parallel()
	skill := reasoning.Skill{
		ID: "s1", Goal: "click Save", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Save", Group: "Profile"},
		UseAction: "click", UseTarget: reasoning.Target{Role: "button", Name: "Apply"}, Successes: 1,
	}
	save := elem("button", "Save", withID("s"), group("Profile"))
	apply := func(with ...func(*page.Element)) page.Element {
		return elem("button", "Apply", append(with, withID("a"))...)
	}
	for name, tc := range map[string]struct {
		page page.Page
		want string
	}{
		"it fits":                             {pageOf(home, save, apply()), "a"},
		"what worked is hidden now":           {pageOf(home, save, apply(state(hidden))), "s"},
		"what worked is disabled now":         {pageOf(home, save, apply(state(disabled))), "s"},
		"what worked is covered now":          {pageOf(home, save, apply(state(occluded))), "s"},
		"what worked has another role now":    {pageOf(home, save, elem("link", "Apply", withID("a"))), "s"},
		"what worked is gone":                 {pageOf(home, save), "s"},
		"what worked is there twice":          {pageOf(home, save, apply(), elem("button", "Apply", withID("b"))), "s"},
		"what failed stands elsewhere now":    {pageOf(home, elem("button", "Save", withID("s"), group("Billing")), apply()), "s"},
		"what failed is there twice":          {pageOf(home, save, elem("button", "Save", withID("t"), group("Billing")), apply()), ""},
		"a hidden twin of what worked is not": {pageOf(home, save, elem("button", "Apply", withID("b"), state(hidden)), apply()), "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := acted(t, reasoning.ActQuestion{Client: able, Query: "click Save", Page: tc.page, Skills: []reasoning.Skill{skill}}); got != tc.want {
				t.Errorf("acts on %q, want %q", got, tc.want)
			}
		})
	}
}

// A skill learnt on other values must not put a password where it can be read.
func TestSkill_MovesNoSecretIntoTheOpen(t *testing.T) {
	t.Parallel()
	skills := []reasoning.Skill{{
		ID: "s1", Goal: "enter password", FailedAction: "setValue", FailedTarget: reasoning.Target{Role: "textbox", Name: "Password"},
		UseAction: "setValue", UseTarget: reasoning.Target{Role: "textbox", Name: "Hint"}, Successes: 9,
	}}
	p := pageOf(home, elem("textbox", "Password", withID("p"), state(secret)), elem("textbox", "Hint", withID("h")))
	if got := acted(t, reasoning.ActQuestion{Client: able, Query: "enter password 'hunter2'", Page: p, Skills: skills}); got != "p" {
		t.Errorf("enters it into %q", got)
	}
}

func TestSkill_OfAnotherKind(t *testing.T) {
	t.Parallel()
	about := func(name, role string) reasoning.Target { return reasoning.Target{Role: role, Name: name} }
	set := reasoning.Step{Action: action.Action{Name: action.SetValue, Target: "10", Text: "x"}, Target: `textbox "Title"`, Verified: true, Succeeded: true}
	form := pageOf(home, elem("textbox", "Title", withID("10"), value("x")), elem("button", "Save", withID("11")), elem("button", "Store", withID("12")),
		elem("checkbox", "Draft", withID("13")))
	find := pageOf(home, elem("searchbox", "Search", withID("10"), value("x")), elem("button", "Los", withID("11")), elem("textbox", "Filter", withID("12")))
	found := reasoning.Step{Action: action.Action{Name: action.SetValue, Target: "10", Text: "x"}, Target: `searchbox "Search"`, Verified: true, Succeeded: true}
	login := pageOf(home, elem("textbox", "Email", withID("10")), elem("textbox", "Code", withID("11"), state(secret)))
	for name, tc := range map[string]struct {
		query string
		page  page.Page
		steps []reasoning.Step
		skill reasoning.Skill
		want  string
	}{
		"Enter sends what was just entered": {"add a note with title 'x'", form, []reasoning.Step{set},
			reasoning.Skill{FailedAction: "click", FailedTarget: about("Save", "button"), UseAction: "press", UseTarget: about("Enter", "key")}, `press("Enter")`},
		"but not where nothing was": {"click Save", form, nil,
			reasoning.Skill{FailedAction: "click", FailedTarget: about("Save", "button"), UseAction: "press", UseTarget: about("Enter", "key")}, `click("11")`},
		"no other key does": {"add a note with title 'x'", form, []reasoning.Step{set},
			reasoning.Skill{FailedAction: "click", FailedTarget: about("Save", "button"), UseAction: "press", UseTarget: about("Escape", "key")}, `click("11")`},
		"a control in place of Enter": {"search for 'x'", find, []reasoning.Step{found},
			reasoning.Skill{FailedAction: "press", FailedTarget: about("Enter", "key"), UseAction: "click", UseTarget: about("Los", "button")}, `click("11")`},
		"no field in place of Enter": {"search for 'x'", find, []reasoning.Step{found},
			reasoning.Skill{FailedAction: "press", FailedTarget: about("Enter", "key"), UseAction: "click", UseTarget: about("Filter", "textbox")}, `press("Enter")`},
		"a click into the field itself": {"enter 'y' as Title", form, nil,
			reasoning.Skill{FailedAction: "setValue", FailedTarget: about("Title", "textbox"), UseAction: "click", UseTarget: about("Title", "textbox")}, `click("10")`},
		"no click on something else": {"enter 'y' as Title", form, nil,
			reasoning.Skill{FailedAction: "setValue", FailedTarget: about("Title", "textbox"), UseAction: "click", UseTarget: about("Draft", "checkbox")}, `setValue("10", "y")`},
		"nothing that is not done here": {"click Save", form, nil,
			reasoning.Skill{FailedAction: "click", FailedTarget: about("Save", "button"), UseAction: "navigate"}, `click("11")`},
		"nothing into a secret field": {"enter 'a@b.co' as Email", login, nil,
			reasoning.Skill{FailedAction: "setValue", FailedTarget: about("Email", "textbox"), UseAction: "setValue", UseTarget: about("Code", "textbox")}, `setValue("10", "a@b.co")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tc.skill.ID, tc.skill.Goal, tc.skill.Successes = "s1", tc.query, 1
			a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: tc.query, Page: tc.page, Steps: tc.steps, Skills: []reasoning.Skill{tc.skill}})
			if err != nil || a.Action.String() != tc.want {
				t.Errorf("%s, %v; want %s", a.Action, err, tc.want)
			}
		})
	}
}

// stubborn is a form that does not do what it looks like it does.
type stubborn struct {
	still
	// focus: the field takes a value only after it was clicked.
	focus, focused bool
	// deadSave: the button sends nothing, the Enter key does.
	deadSave bool
}

func (s *stubborn) do(a action.Action, e page.Element) page.Witness {
	es := slices.Clone(s.p.Elements)
	saved := func() {
		for i := range es {
			es[i].Value = ""
		}
		s.p = pageOf(home+"notes", elem("link", "Milk"))
		s.p.Alerts = []page.Alert{{Kind: page.AlertSuccess, Text: "Note saved"}}
	}
	s.p.Elements = es
	switch {
	case a.Name == action.SetValue && (!s.focus || s.focused):
		for i := range es {
			if es[i].ID == e.ID {
				es[i].Value = a.Text
			}
		}
	case a.Name == action.Click && e.Role == "textbox":
		s.focused, s.p.ActiveElement = true, e.ID
	case a.Name == action.Click && e.Name == "Save" && !s.deadSave, a.Name == action.Press && a.Text == "Enter":
		saved()
	}
	s.p.MeaningHash = page.MeaningHash(s.p)
	s.p.DOMHash = s.p.MeaningHash
	return page.Witness{}
}

func noteForm() still {
	return still{p: pageOf(home+"notes/new", elem("textbox", "Title"), elem("button", "Save", typ("submit")))}
}

// The second run of a task that needed corrections needs none.
func TestSkill_SparesTheSecondRunItsCorrections(t *testing.T) {
	t.Parallel()
	const note = "add a note with title 'Milk'"
	for name, tc := range map[string]struct {
		query  string
		site   func() site
		second []string
	}{
		"another way to the same form": {
			"Add a new patient with name 'Jas'", func() site { return &registry{deadButton: true} },
			[]string{`click link "Add patient"`, `setValue textbox "Full name *" = Jas`, `click button "Save"`, `complete: The task is complete: the page says “Patient saved”.`},
		},
		"Enter for a button": {
			note, func() site { return &stubborn{still: noteForm(), deadSave: true} },
			[]string{`setValue textbox "Title" = Milk`, `press("Enter")`, `complete: The task is complete: the page says “Note saved”.`},
		},
		"a click before the value": {
			note, func() site { return &stubborn{still: noteForm(), focus: true} },
			[]string{`click textbox "Title"`, `setValue textbox "Title" = Milk`, `click button "Save"`, `complete: The task is complete: the page says “Note saved”.`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first := &journey{query: tc.query, site: tc.site()}
			if log := first.run(t); !slices.ContainsFunc(log, func(s string) bool { return strings.HasPrefix(s, "failed") }) || len(first.learnt) == 0 {
				t.Fatalf("the first run needs no correction, or teaches nothing:\n%s", strings.Join(log, "\n"))
			}
			second := &journey{query: tc.query, site: tc.site(), skills: first.learnt}
			if diff := cmp.Diff(tc.second, second.run(t)); diff != "" {
				t.Errorf("second run (-want +got):\n%s", diff)
			}
		})
	}
}

// anySkills draws skills, most of them about elements of a page.
func anySkills(p page.Page) *rapid.Generator[[]reasoning.Skill] {
	name := rapid.SampledFrom([]string{"", "Save", "New patient", "Add patient", "Name", "Email", "Password", "Search", "Close", "Next", "Log in", "Female", "Enter", "Escape"})
	verb := rapid.SampledFrom([]string{"click", "click", "click", "setValue", "setValue", "press", "navigate", "hover", "finish"})
	target := rapid.Custom(func(t *rapid.T) reasoning.Target {
		if len(p.Elements) > 0 && rapid.IntRange(0, 9).Draw(t, "of the page") > 0 {
			e := rapid.SampledFrom(p.Elements).Draw(t, "element")
			return reasoning.Target{Role: e.Role, Name: e.Name, Group: e.Group}
		}
		return reasoning.Target{
			Role: rapid.SampledFrom([]string{"button", "link", "textbox", "combobox", "key", ""}).Draw(t, "role"), Name: name.Draw(t, "name"),
			Group: rapid.SampledFrom([]string{"", "", "Main"}).Draw(t, "group"),
		}
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) reasoning.Skill {
		return reasoning.Skill{
			ID: rapid.StringMatching("[a-z]{8}").Draw(t, "id"), FailedAction: verb.Draw(t, "failed"), FailedTarget: target.Draw(t, "on"),
			UseAction: verb.Draw(t, "uses"), UseTarget: target.Draw(t, "to"), Successes: rapid.IntRange(0, 2).Draw(t, "won"), Failures: rapid.IntRange(0, 2).Draw(t, "lost"),
		}
	}), 4, 8)
}

// describes reports whether a skill's description fits an element.
func describes(t reasoning.Target, e page.Element) bool {
	return t.Name != "" && slices.Equal(text.Key(t.Name), text.Key(e.Label())) &&
		(t.Role == "" || t.Role == e.Role) && (t.Group == "" || e.Group == "" || text.Same(t.Group, e.Group))
}

// Whatever a library holds: a skill acts on what it singles out or on nothing,
// ends no task, moves no secret and is one of those shown.
func TestSkill_OnAnyPage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		p := anyPage().Draw(rt, "page")
		if rapid.Bool().Draw(rt, "a form") {
			p = pageOf(home, append(p.Elements, elem("textbox", "Name"), elem("textbox", "Title"), elem("link", "Store"), elem("button", "Save"))...)
		}
		query := rapid.OneOf(rapid.SampledFrom([]string{
			"click Save", "add a new patient with name 'Jas'", "enter 'Jas' as Name", "search for 'x'", "click Next", "log in with email a@b.co and password 'pw'",
		}), anyQuery()).Draw(rt, "query")
		var steps []reasoning.Step
		if rapid.Bool().Draw(rt, "begun") {
			steps = anySteps(p).Draw(rt, "steps")
		}
		ask := func(s []reasoning.Skill) reasoning.ActAnswer {
			a, err := Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Client: able, Query: query, Page: p, Steps: steps, Skills: s})
			if err != nil {
				rt.Fatal(err)
			}
			return a
		}
		without := ask(nil)
		skills := anySkills(p).Draw(rt, "skills")
		for i := range skills { // most are about what is planned
			planned, ok := p.ByID(without.Action.Target)
			if !ok || rapid.IntRange(0, 4).Draw(rt, "another") == 4 {
				continue
			}
			skills[i].FailedAction, skills[i].Failures = string(without.Action.Name), min(skills[i].Failures, skills[i].Successes)
			skills[i].FailedTarget = reasoning.Target{Role: planned.Role, Name: planned.Name, Group: planned.Group}
		}
		with := ask(skills)
		if len(with.SkillsUsed) == 0 {
			if diff := cmp.Diff(without, with); diff != "" {
				rt.Fatalf("skills that are not used change the answer (-without +with):\n%s", diff)
			}
			return
		}
		allowed(rt, with.Action, p)
		i := slices.IndexFunc(skills, func(s reasoning.Skill) bool { return s.ID == with.SkillsUsed[0] })
		if i < 0 || with.Action.EndsTask() || with.Action == without.Action {
			rt.Fatalf("%s by %v of %+v", with.Action, with.SkillsUsed, skills)
		}
		s := skills[i]
		if string(with.Action.Name) != s.UseAction || string(without.Action.Name) != s.FailedAction {
			rt.Fatalf("%s instead of %s by %+v", with.Action, without.Action, s)
		}
		if was, ok := p.ByID(without.Action.Target); ok && (was.State.Secret || !describes(s.FailedTarget, was)) {
			rt.Fatalf("%+v is not what has failed, or is secret: %+v", was, s)
		}
		if with.Action.Target == "" {
			if with.Action.Text != s.UseTarget.Name || with.Action.Text != "Enter" {
				rt.Fatalf("%s by %+v", with.Action, s)
			}
			return
		}
		var meant []string
		for _, e := range p.Elements {
			if describes(s.UseTarget, e) && !e.State.Hidden {
				meant = append(meant, e.ID)
			}
		}
		if e, _ := p.ByID(with.Action.Target); e.State.Secret || !slices.Equal(meant, []string{e.ID}) {
			rt.Fatalf("%s, but %+v means %v", with.Action, s, meant)
		}
	})
}

// What a skill did counts as what it was done for: the task goes on after it.
func TestSkill_DoesWhatItReplaced(t *testing.T) {
	t.Parallel()
	site := &still{p: pageOf(home, elem("button", "Save"), elem("button", "Apply"), elem("button", "Next")), click: func(s *still, e page.Element) {
		switch e.Name {
		case "Apply":
			s.p.Alerts = []page.Alert{{Kind: page.AlertSuccess, Text: "Applied"}}
		case "Next":
			s.p = pageOf(home+"2", elem("link", "Home"))
		}
	}}
	j := &journey{query: "click Save and then click Next", site: site, skills: []reasoning.Skill{{
		ID: "s1", Goal: "click Save", FailedAction: "click", FailedTarget: reasoning.Target{Role: "button", Name: "Save"},
		UseAction: "click", UseTarget: reasoning.Target{Role: "button", Name: "Apply"}, Successes: 1,
	}}}
	log := j.run(t)
	want := []string{`click button "Apply"`, `click button "Next"`}
	if diff := cmp.Diff(want, log[:min(len(log), 2)]); diff != "" || len(log) != 3 || !strings.HasPrefix(log[2], "complete") && !strings.HasPrefix(log[2], "finish") {
		t.Errorf("%q (-want +got):\n%s", log, diff)
	}
}
