package reasoning_test

import (
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestVerifyQuestion_ExpectedShown(t *testing.T) {
	t.Parallel()
	appeared := func(text string) []page.Observation {
		return []page.Observation{{Kind: page.ElementAppeared, Text: "New element appeared: " + text}}
	}
	failed := appeared(`textbox "Full name"`)
	failed = append(failed, page.Observation{Kind: page.AlertAppeared, Alert: page.AlertError, To: "Server error"})
	for _, tt := range []struct {
		name     string
		expected page.Outcome
		seen     []page.Observation
		change   func(*reasoning.VerifyQuestion)
		want     bool
	}{
		{"what the next step needs came", page.Outcome{NextGoal: &page.NextGoal{Text: "Full name"}}, appeared(`textbox "Full name"`), nil, true},
		{"a quoted text came", page.Outcome{Description: `The page shows "Order 4711".`}, []page.Observation{{Kind: page.TextAppeared, To: "Order 4711 of Jas"}}, nil, true},
		{"a value is the one expected", page.Outcome{Description: "The field shows “Oslo”."}, []page.Observation{{Kind: page.ElementChanged, Attr: page.AttrValue, To: "Oslo"}}, nil, true},
		{"another text came", page.Outcome{NextGoal: &page.NextGoal{Text: "Full name"}}, appeared(`textbox "Search"`), nil, false},
		{"part of a word", page.Outcome{NextGoal: &page.NextGoal{Text: "name"}}, appeared(`button "Rename"`), nil, false},
		{"it went away", page.Outcome{NextGoal: &page.NextGoal{Text: "Full name"}}, []page.Observation{{Kind: page.ElementGone, Text: `textbox "Full name"`}}, nil, false},
		{"the value it had before", page.Outcome{Description: `"Oslo"`}, []page.Observation{{Kind: page.ElementChanged, From: "Oslo", To: "Bergen"}}, nil, false},
		{"an error beside it", page.Outcome{NextGoal: &page.NextGoal{Text: "Full name"}}, failed, nil, false},
		{"the client could not do it", page.Outcome{NextGoal: &page.NextGoal{Text: "Full name"}}, appeared(`textbox "Full name"`), func(q *reasoning.VerifyQuestion) { q.Witness.Error = &page.ActionError{} }, false},
		{"a final action", page.Outcome{NextGoal: &page.NextGoal{Text: "Full name"}}, appeared(`textbox "Full name"`), func(q *reasoning.VerifyQuestion) { q.Final = true }, false},
		{"one letter", page.Outcome{NextGoal: &page.NextGoal{Text: "a"}}, appeared(`a`), nil, false},
		{"nothing expected", page.Outcome{Description: "It is saved."}, appeared(`textbox "Full name"`), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			q := reasoning.VerifyQuestion{Expected: tt.expected, Observations: tt.seen}
			if tt.change != nil {
				tt.change(&q)
			}
			v, shown := q.ExpectedShown()
			if shown != tt.want || shown && v.Outcome() != reasoning.Succeeded {
				t.Errorf("%v, %+v", shown, v)
			}
		})
	}
}
