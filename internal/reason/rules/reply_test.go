package rules_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules"
)

// Without a model too, a reply to a question is read against the page: it names what was
// meant.
func TestAct_ReplyNamesWhatWasMeant(t *testing.T) {
	t.Parallel()
	p := page.Page{URL: "https://a.example/", Elements: []page.Element{
		{ID: "1", Role: "button", Tag: "button", Name: "Settings"}, {ID: "2", Role: "button", Tag: "button", Name: "Profile"}, {ID: "3", Role: "textbox", Tag: "input", Name: "Search"},
	}}
	page.AssignKeys(p.Elements)
	for reply, want := range map[string]string{
		"I mean Settings": "1", "Settings": "1", "the Settings button": "1", "settings, please": "1",
		"No, I meant “Profile”": "2", "Use the Profile button": "2", "I meant the one called Profile": "2",
	} {
		got, err := rules.Reasoner{}.Act(t.Context(), reasoning.ActQuestion{Query: "Open the preferences", Answers: []string{reply}, Page: p})
		if err != nil || got.Action.Target != want {
			t.Errorf("%q: %v %v", reply, got.Action, err)
		}
	}
}
