package rules

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/reason/rules/verdict"
)

func anyText() *rapid.Generator[string] {
	line := rapid.SampledFrom([]string{"Saved", "Not saved", "Saving…", "Jas", "x", "14 March 2026", "12", "12:04", "Email is not valid", "Log in", "Save", "New patient", "", "已保存", "a@b.co was added"})
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "\n") })
}

func anyWitness() *rapid.Generator[page.Witness] {
	maybe := rapid.SampledFrom([]*bool{nil, yes(), nay()})
	event := rapid.SampledFrom([]string{"Added: 'Saved'", "Added: 'Jas'", "Added: '12:04'", "Added: 'a download of x'", "Removed: 'x'", "Added: 'a dialog (confirm): sure?'", ""})
	refused := rapid.Custom(func(t *rapid.T) page.Refusal {
		return page.Refusal{
			Method: rapid.SampledFrom([]string{"", "GET", "POST"}).Draw(t, "method"), Path: rapid.SampledFrom([]string{"", "/save", "/track"}).Draw(t, "path"), Status: rapid.SampledFrom([]int{0, 404, 500}).Draw(t, "status"),
		}
	})
	return rapid.Custom(func(t *rapid.T) page.Witness {
		return page.Witness{
			NetworkOccurred: maybe.Draw(t, "network"), DOMMutated: maybe.Draw(t, "mutated"), URLChanged: maybe.Draw(t, "url"), ElementFound: maybe.Draw(t, "found"),
			SentinelPassed: maybe.Draw(t, "passed"), HasErrors: maybe.Draw(t, "errors"), HasSuccess: maybe.Draw(t, "success"),
			SentinelMessage: rapid.SampledFrom([]string{"", "URL unchanged"}).Draw(t, "message"),
			SuccessMessages: rapid.SliceOfN(rapid.Just("Saved"), 0, 1).Draw(t, "successes"),
			RecentEvents:    rapid.SliceOfN(event, 0, 4).Draw(t, "events"), Refused: rapid.SliceOfN(refused, 0, 2).Draw(t, "refused"),
			Added: rapid.IntRange(0, 9).Draw(t, "added"), Removed: rapid.IntRange(0, 9).Draw(t, "removed"),
			DropdownOpened: rapid.Bool().Draw(t, "dropdown"), RecoveredID: rapid.SampledFrom([]string{"", "10", "99"}).Draw(t, "recovered"),
		}
	})
}

// anyVerify draws an action between two pages: the second is another one, or the
// first with other values and texts.
func anyVerify() *rapid.Generator[reasoning.VerifyQuestion] {
	return rapid.Custom(func(t *rapid.T) reasoning.VerifyQuestion {
		was := withText(anyPage().Draw(t, "before"), anyText().Draw(t, "said"))
		is := withText(was, anyText().Draw(t, "says"))
		if rapid.Bool().Draw(t, "elsewhere") {
			is = withText(anyPage().Draw(t, "after"), is.Text)
		}
		is = with(is, func(p *page.Page) {
			for i := range p.Elements {
				if rapid.IntRange(0, 4).Draw(t, "set") == 0 {
					p.Elements[i].Value = rapid.SampledFrom([]string{"", "Jas", "14/03/2026"}).Draw(t, "value")
				}
				p.Elements[i].State.Checked = rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "checked")
				p.Elements[i].State.Expanded = rapid.SampledFrom([]string{"", "true", "false"}).Draw(t, "expanded")
			}
		})
		q := reasoning.VerifyQuestion{
			Query: anyQuery().Draw(t, "query"), Before: was.Before(), Page: is, Steps: anySteps(was).Draw(t, "steps"), Witness: anyWitness().Draw(t, "saw"),
			Action: rapid.SampledFrom([]action.Action{
				{Name: action.Press, Text: "Enter"}, {Name: action.Press, Text: "Escape"}, goTo, {Name: action.GoBack}, {Name: action.Scroll}, {Name: action.Wait, Seconds: 1},
			}).Draw(t, "action"),
		}
		if len(was.Elements) > 0 && rapid.IntRange(0, 3).Draw(t, "on") > 0 {
			q.Target = rapid.SampledFrom(was.Elements).Draw(t, "target")
			q.Action = action.Action{Name: action.Click, Target: q.Target.ID}
			if rapid.IntRange(0, 3).Draw(t, "types") == 0 {
				q.Action = action.Action{Name: action.SetValue, Target: q.Target.ID, Text: "Jas"}
			}
		}
		q.Observations = page.Observe(q.Before, q.Page, q.Witness)
		return q
	})
}

// Whatever pages and clients say, a verdict is a probability with a reason and a
// rule that exists, the same every time; and what the client could not do has
// failed.
func TestVerify_OnAnyPage(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{"none": true}
	for _, r := range verdict.Rows() {
		rules[r.ID] = true
	}
	rapid.Check(t, func(rt *rapid.T) {
		q := anyVerify().Draw(rt, "question")
		v, err := Reasoner{}.Verify(t.Context(), q)
		if _, sane := v.Sanitised(); err != nil || !sane || v.Reason == "" || !rules[v.Rule] {
			rt.Fatalf("%+v, %v", v, err)
		}
		if v.TaskCompleted && !v.ActionSucceeded || v.Undecided && v.ActionSucceeded {
			rt.Fatalf("completed without success, or undecided with it: %+v", v)
		}
		if again, _ := (Reasoner{}).Verify(t.Context(), q); !reflect.DeepEqual(again, v) {
			rt.Fatalf("%+v, then %+v", v, again)
		}
		q.Witness.Error = &page.ActionError{Code: "NOT_FOUND"}
		if v, _ := (Reasoner{}).Verify(t.Context(), q); v.Undecided || v.ActionSucceeded || v.Rule != "client-error" {
			rt.Fatalf("the client could not do it, and yet: %+v", v)
		}
	})
}
