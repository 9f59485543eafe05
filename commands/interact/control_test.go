package interact_test

import (
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// booking is a form with one control of each kind.
func booking() page.Page {
	input := func(id, kind string) page.Element {
		return page.Element{ID: id, Key: id, Role: "textbox", Tag: "input", Type: kind, Name: kind}
	}
	size := page.Element{ID: "size", Key: "size", Role: "combobox", Tag: "select", Name: "Size", Options: []page.Option{
		{Value: "m", Label: "M"}, {Value: "l", Label: "L"}, {Value: "xl", Label: "XL", Disabled: true},
	}}
	rating := page.Element{ID: "rating", Key: "rating", Role: "combobox", Tag: "select", Name: "Rating", Options: []page.Option{{Value: "1", Label: "5"}, {Value: "5", Label: "1"}}}
	box := page.Element{ID: "box", Key: "box", Role: "checkbox", Tag: "input", Type: "checkbox", Name: "I agree"}
	pin := page.Element{ID: "pin", Key: "pin", Role: "textbox", Tag: "input", Type: "number", Name: "PIN", State: page.State{Secret: true}}
	return page.Page{Elements: []page.Element{
		input("time", "time"), input("date", "date"), input("month", "month"), input("week", "week"), input("moment", "datetime-local"), input("number", "number"),
		input("color", "color"), input("text", "text"), {ID: "range", Key: "range", Role: "slider", Tag: "input", Type: "range", Name: "Volume", Max: "11"}, size, rating, box, pin,
	}}
}

func enter(id, text string) action.Action {
	return action.Action{Name: action.SetValue, Target: id, Text: text}
}

// Whoever decides, a model or the rules: a client is given a value in the form its
// control takes, and never one that the control cannot have.
func TestTurn_ValuesInTheFormOfTheControl(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, text string
		want     string // "" where it is refused
		says     string
	}{
		{"time", "3:30 pm", "15:30", ""}, {"date", "March 5, 2026", "2026-03-05", ""}, {"month", "March 2026", "2026-03", ""}, {"week", "week 12, 2026", "2026-W12", ""},
		{"moment", "5 Mar 2026 at 3:30 pm", "2026-03-05T15:30", ""}, {"number", "1,000.00", "1000", ""}, {"color", "red", "#ff0000", ""}, {"range", "7", "7", ""},
		{"size", "l", "L", ""}, {"rating", "1", "1", ""}, {"box", "yes", "true", ""}, {"text", "3:30 pm", "3:30 pm", ""},
		{"size", "XL", "", `has the option "XL", but it is disabled; what can be chosen is "M", "L"`}, {"size", "S", "", `has no option "S", only "M", "L"`},
		{"date", "3/4/2026", "", `it can mean "2026-04-03", "2026-03-04"`}, {"time", "later", "", "it takes hours:minutes"}, {"range", "12", "", "numbers from 0 to 11"},
		{"pin", "hunter2", "", "does not take this value"},
	} {
		t.Run(c.id+" "+c.text, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a := reasoning.ActAnswer{Action: enter(c.id, c.text), Thought: "I enter it.", Confidence: 0.9, By: "script"}
			r.reasons.acts = []any{a, a, a} // what is objected to is proposed again
			result, err := r.Interact(t.Context(), request(t, booking(), "1"))
			if err != nil {
				t.Fatal(err)
			}
			checkEntered(t, answerOf(t, result), c.id, c.text, c.want, c.says)
		})
		t.Run("as a correction, "+c.id+" "+c.text, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{reasoning.ActAnswer{Action: action.Action{Name: action.Click, Target: "text"}, Confidence: 0.9, By: "script"}}
			r.reasons.verdicts = []any{didNot}
			r.reasons.fixes = []any{reasoning.Correction{Strategy: reasoning.AlternativeTool, Action: enter(c.id, c.text), Thought: "I try this.", By: "script"}}
			first, err := r.Interact(t.Context(), request(t, booking(), "1"))
			if err != nil {
				t.Fatal(err)
			}
			next := request(t, booking(), "2")
			next.TaskID = answerOf(t, first).TaskID
			result, err := r.Interact(t.Context(), next)
			if err != nil {
				t.Fatal(err)
			}
			checkEntered(t, answerOf(t, result), c.id, c.text, c.want, c.says)
		})
	}
}

func checkEntered(t *testing.T, a interact.Answer, id, text, want, says string) {
	t.Helper()
	if want != "" {
		if a.Action != enter(id, want).String() {
			t.Errorf("%s, want %s: %+v", a.Action, enter(id, want), a)
		}
		return
	}
	if a.ActionDetails != nil && a.ActionDetails.Name == string(action.SetValue) || !strings.Contains(a.Action+a.Thought, says) && !strings.Contains(a.Action, strings.ReplaceAll(says, `"`, `\"`)) {
		t.Errorf("%+v, want it refused: %s", a, says)
	}
	if id == "pin" && strings.Contains(a.Action+a.Thought, text) {
		t.Errorf("the secret is told: %+v", a)
	}
}
