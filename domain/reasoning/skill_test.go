package reasoning_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func on(role, name, group string) reasoning.Target {
	return reasoning.Target{Role: role, Name: name, Group: group}
}

func element(id, role, name, group string) page.Element {
	return page.Element{ID: id, Role: role, Name: name, Group: group}
}

func TestSkill_FitsPage(t *testing.T) {
	t.Parallel()
	hidden, disabled := element("2", "link", "Add patient", ""), element("2", "link", "Add patient", "")
	hidden.State.Hidden, disabled.State.Disabled = true, true
	dead, way := element("1", "button", "New patient", "Main"), element("2", "link", "Add patient", "")
	skill := reasoning.Skill{
		FailedAction: "click", FailedTarget: on("button", "New patient", ""), UseAction: "click", UseTarget: on("link", "add  patient:", "Main"),
	}
	as := func(change func(*reasoning.Skill)) reasoning.Skill {
		s := skill
		change(&s)
		return s
	}
	for name, tc := range map[string]struct {
		skill reasoning.Skill
		page  []page.Element
		fits  bool
	}{
		"both are there":                      {skill, []page.Element{dead, way}, true},
		"what failed is not":                  {skill, []page.Element{way}, false},
		"what worked is not":                  {skill, []page.Element{dead}, false},
		"what worked is hidden":               {skill, []page.Element{dead, hidden}, false},
		"what worked is disabled":             {skill, []page.Element{dead, disabled}, false},
		"a hidden twin counts for nothing":    {skill, []page.Element{dead, way, hidden}, true},
		"what worked is there twice":          {skill, []page.Element{dead, way, element("3", "link", "Add patient", "")}, false},
		"its group tells":                     {skill, []page.Element{dead, element("2", "link", "Add patient", "Main"), element("3", "link", "Add patient", "Foot")}, true},
		"another group":                       {skill, []page.Element{dead, element("2", "link", "Add patient", "Foot")}, false},
		"another role":                        {skill, []page.Element{dead, element("2", "button", "Add patient", "")}, false},
		"what failed is there twice":          {skill, []page.Element{dead, dead, way}, true},
		"what cannot be acted on":             {skill, []page.Element{dead, element("", "link", "Add patient", "")}, false},
		"a key worked":                        {as(func(s *reasoning.Skill) { s.UseAction, s.UseTarget = "press", on("key", "Enter", "") }), []page.Element{dead}, true},
		"a key failed":                        {as(func(s *reasoning.Skill) { s.FailedAction, s.FailedTarget = "press", on("key", "Enter", "") }), []page.Element{way}, true},
		"a page was gone to":                  {as(func(s *reasoning.Skill) { s.UseAction, s.UseTarget = "goBack", reasoning.Target{} }), []page.Element{dead}, true},
		"an element without a name":           {as(func(s *reasoning.Skill) { s.UseTarget = on("link", "", "") }), []page.Element{dead, way, element("3", "link", "", "")}, false},
		"a container that was scrolled":       {as(func(s *reasoning.Skill) { s.UseAction = "scroll" }), []page.Element{dead}, false},
		"a page that was scrolled":            {as(func(s *reasoning.Skill) { s.UseAction, s.UseTarget = "scroll", reasoning.Target{} }), []page.Element{dead}, true},
		"an empty page":                       {skill, nil, false},
		"what failed has no name to look for": {as(func(s *reasoning.Skill) { s.FailedTarget = on("button", "", "") }), []page.Element{element("1", "button", "", ""), way}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := tc.skill.FitsPage(page.Page{Elements: tc.page}); got != tc.fits {
				t.Errorf("fits: %v, want %v", got, tc.fits)
			}
		})
	}
}

func TestFitting_TheFirstFew(t *testing.T) {
	t.Parallel()
	key := reasoning.Skill{FailedAction: "press", FailedTarget: on("key", "Enter", ""), UseAction: "press", UseTarget: on("key", "Tab", "")}
	absent := reasoning.Skill{ID: "absent", FailedAction: "click", FailedTarget: on("button", "Gone", ""), UseAction: "goBack"}
	list := []reasoning.Skill{absent}
	for _, id := range []string{"1", "2", "3", "4", "5", "6", "7"} {
		key.ID = id
		list = append(list, key)
	}
	if diff := cmp.Diff([]string{"1", "2", "3", "4", "5"}, reasoning.IDs(reasoning.Fitting(append([]reasoning.Skill{{ID: "own", Task: "t"}}, list...), page.Page{}, "t"))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpared(t *testing.T) {
	t.Parallel()
	shown := []reasoning.Skill{{
		ID: "s1", FailedAction: "click", FailedTarget: on("button", "Save", ""), UseAction: "press", UseTarget: on("key", "Enter", ""),
	}, {
		ID: "s2", FailedAction: "click", FailedTarget: on("button", "New", ""), UseAction: "click", UseTarget: on("link", "Add", "Main"),
	}}
	enter, click := action.Action{Name: action.Press, Text: "Enter"}, action.Action{Name: action.Click, Target: "7"}
	for name, tc := range map[string]struct {
		used   []string
		action action.Action
		on     reasoning.Target
		want   reasoning.Instead
	}{
		"a key":                     {[]string{"s1"}, enter, reasoning.Target{}, reasoning.Instead{Action: "click", Target: on("button", "Save", "")}},
		"an element":                {[]string{"s2"}, click, on("link", "Add", ""), reasoning.Instead{Action: "click", Target: on("button", "New", "")}},
		"another element":           {[]string{"s2"}, click, on("link", "Edit", ""), reasoning.Instead{}},
		"the same in another group": {[]string{"s2"}, click, on("link", "Add", "Foot"), reasoning.Instead{}},
		"another key":               {[]string{"s1"}, action.Action{Name: action.Press, Text: "Tab"}, reasoning.Target{}, reasoning.Instead{}},
		"by itself":                 {nil, click, on("link", "Add", ""), reasoning.Instead{}},
		"by one not shown":          {[]string{"s3"}, click, on("link", "Add", ""), reasoning.Instead{}},
	} {
		if got := reasoning.InsteadOf(shown, tc.used, tc.action, tc.on); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}

func TestErrorType(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"ELEMENT_NOT_FOUND": "ELEMENT_NOT_FOUND", "HTTP_500": "HTTP_500", "": "VERIFICATION_FAILED",
		"could not find Jas": "VERIFICATION_FAILED", "Jas": "VERIFICATION_FAILED",
		"AN_ERROR_CODE_THAT_GOES_ON_AND_ON_AND_ON_AND_ON": "VERIFICATION_FAILED",
	} {
		if got := reasoning.ErrorType(page.Witness{Error: &page.ActionError{Code: code}}); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
	if got := reasoning.ErrorType(page.Witness{}); got != reasoning.VerificationFailed {
		t.Errorf("nothing reported: %q", got)
	}
}
