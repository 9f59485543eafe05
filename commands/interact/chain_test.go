package interact_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/task/tasktest"
)

var fieldNames = []string{"Name", "Street", "City", "Phone", "Email"}

// valueOf is what belongs into a field.
func valueOf(name string) string {
	switch name {
	case "Phone":
		return "0171 234567"
	case "Email":
		return "jas@example.org"
	}
	return "v" + name
}

// patientForm is a form of five fields; ids count from one, and the first of them hold
// what belongs into them.
func patientForm(from, filled int) page.Page {
	p := page.Page{Headings: []string{"New patient"}, Elements: []page.Element{{ID: "9", Role: "button", Name: "Save", Tag: "button", Type: "submit"}}}
	for i, name := range fieldNames {
		e := page.Element{ID: strconv.Itoa(from + i), Role: "textbox", Name: name, Group: "Patient"}
		if i < filled {
			e.Value = valueOf(name)
		}
		p.Elements = append(p.Elements, e)
	}
	page.AssignKeys(p.Elements)
	return p
}

// fillsAll is an answer that fills in the five fields; those of the indices may fail.
func fillsAll(mayFail ...int) reasoning.ActAnswer {
	var steps []reasoning.ActStep
	for i, name := range fieldNames {
		steps = append(steps, reasoning.ActStep{
			Action: action.Action{Name: action.SetValue, Target: strconv.Itoa(31 + i), Text: valueOf(name)}, Description: "Type the " + name,
			CanFail: slices.Contains(mayFail, i),
		})
	}
	return reasoning.ActAnswer{
		Action: steps[0].Action, Description: steps[0].Description, CanFail: steps[0].CanFail, Next: steps[1:],
		Thought: "I fill in the form.", Confidence: 0.9, By: "script", Final: true,
	}
}

// chained is a task whose first answer was the chain of five fields.
type chained struct {
	*rig
	t  *testing.T
	id string
	n  int
}

func startChain(t *testing.T, first reasoning.ActAnswer) (*chained, interact.Answer) {
	t.Helper()
	c := &chained{rig: newRig(t), t: t}
	c.reasons.acts = []any{first}
	a, err := c.send(patientForm(31, 0), page.Witness{})
	if err != nil {
		t.Fatal(err)
	}
	return c, a
}

func (c *chained) send(p page.Page, w page.Witness) (interact.Answer, error) {
	c.t.Helper()
	req := request(c.t, p, strconv.Itoa(c.n))
	req.TaskID, req.Client, req.Witness = c.id, takesChains, w
	res, err := c.Interact(c.t.Context(), req)
	if err != nil {
		return interact.Answer{}, err
	}
	c.n, c.id = c.n+1, res.TaskID
	if broken := tasktest.Check(c.eventsOf(c.t, c.id), task.DefaultLimits); broken != nil {
		c.t.Error(broken)
	}
	return answerOf(c.t, res), nil
}

func (c *chained) stop() (e task.ChainPartiallyFailed, found bool) {
	for _, any := range c.eventsOf(c.t, c.id) {
		if stop, ok := any.(task.ChainPartiallyFailed); ok {
			e, found = stop, true
		}
	}
	return e, found
}

func sent(a interact.Answer) (out []string) {
	for i, item := range a.Actions {
		if item.Index != i {
			return []string{"counted wrong"}
		}
		out = append(out, item.Action)
	}
	if len(out) == 0 && a.Action != "" {
		return []string{a.Action}
	}
	return out
}

func fill(from int, indices ...int) (out []string) {
	for _, i := range indices {
		out = append(out, fmt.Sprintf("setValue(%q, %q)", strconv.Itoa(from+i), valueOf(fieldNames[i])))
	}
	return out
}

func failedAt(last int) page.Witness {
	return page.Witness{
		Status: "failure", Error: &page.ActionError{Code: "ELEMENT_NOT_FOUND", Message: "it is gone"},
		Chain: &page.ChainProgress{LastExecuted: last, Total: len(fieldNames), Executed: fill(31, indices(0, last+1)...)},
	}
}

func indices(from, to int) (out []int) {
	for i := from; i < to; i++ {
		out = append(out, i)
	}
	return out
}

func TestChain_FiveFieldsInOneAnswer(t *testing.T) {
	t.Parallel()
	c, a := startChain(t, fillsAll(2))
	if diff := cmp.Diff(fill(31, 0, 1, 2, 3, 4), sent(a)); diff != "" || a.Action != a.Actions[0].Action {
		t.Errorf("%s %s", a.Action, diff)
	}
	if a.ChainMetadata == nil || a.ChainMetadata.TotalActions != 5 || !a.ChainMetadata.SafeToChain || a.ChainMetadata.EstimatedDuration <= 0 {
		t.Errorf("metadata %+v", a.ChainMetadata)
	}
	if !a.Actions[2].CanFail || a.Actions[1].CanFail || a.Actions[1].Description != "Type the Street" {
		t.Errorf("%+v", a.Actions)
	}
	c.reasons.verdicts, c.reasons.acts = []any{worked}, []any{click("9")}
	a, err := c.send(patientForm(31, 5), page.Witness{Status: "success", Chain: &page.ChainProgress{LastExecuted: 4}})
	if err != nil || a.Action != `click("9")` || len(a.Actions) > 0 || a.StepIndex != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	q := c.reasons.verified[0]
	if len(q.Chain) != 5 || q.Chain[4].Target.Name != "Email" || !q.Final || q.Action.Text != "vName" {
		t.Errorf("judged by %+v", q.Chain)
	}
	if _, stopped := c.stop(); stopped {
		t.Error("it did not stop")
	}
	if steps := c.reasons.asked[1].Steps; len(steps) != 5 || steps[3].Target != `textbox "Phone"` || !steps[3].Succeeded {
		t.Errorf("the history is %+v", steps)
	}
}

// At whatever index it stops: what was executed is judged, and never done again.
func TestChain_StopsAtEachIndex(t *testing.T) {
	t.Parallel()
	for failed := range fieldNames {
		executed := indices(0, failed)
		t.Run("the fields are elsewhere: "+fieldNames[failed], func(t *testing.T) {
			t.Parallel()
			c, _ := startChain(t, fillsAll())
			c.reasons.verdicts = []any{verdictOn(failed)}
			a, err := c.send(patientForm(51, failed), failedAt(failed-1))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(fill(51, indices(failed, 5)...), sent(a)); diff != "" {
				t.Error(diff)
			}
			c.wantStop(t, executed, failed, "retry")
			c.reasons.verdicts, c.reasons.acts = []any{worked}, []any{click("9")}
			if a, err = c.send(patientForm(51, 5), page.Witness{Status: "success"}); err != nil || a.Action != `click("9")` {
				t.Errorf("%+v, %v", a, err)
			}
		})
		t.Run("it may fail: "+fieldNames[failed], func(t *testing.T) {
			t.Parallel()
			c, _ := startChain(t, fillsAll(failed))
			c.reasons.verdicts, c.reasons.acts = []any{verdictOn(failed)}, []any{click("9")}
			a, err := c.send(patientForm(31, failed), failedAt(failed-1))
			if err != nil {
				t.Fatal(err)
			}
			want := fill(31, indices(failed+1, 5)...)
			if failed == 4 { // nothing is left
				want = []string{`click("9")`}
			}
			if diff := cmp.Diff(want, sent(a)); diff != "" {
				t.Error(diff)
			}
			c.wantStop(t, executed, failed, "skip")
		})
		t.Run("it may not: "+fieldNames[failed], func(t *testing.T) {
			t.Parallel()
			c, _ := startChain(t, fillsAll())
			c.reasons.verdicts, c.reasons.acts, c.reasons.fixes = []any{verdictOn(failed)}, []any{click("9")}, []any{retryWith("9")}
			a, err := c.send(patientForm(31, failed), failedAt(failed-1))
			if err != nil {
				t.Fatal(err)
			}
			c.wantStop(t, executed, failed, "regenerate")
			if failed == 0 { // as of a single action, which has failed
				if a.Status != "correcting" || a.Correction.FailedAction != fill(31, 0)[0] {
					t.Errorf("%s, %+v", a.Status, a.Correction)
				}
				return
			}
			if a.Action != `click("9")` || failed > 1 && len(c.reasons.verified[0].Chain) != failed {
				t.Errorf("%s, judged by %+v", a.Action, c.reasons.verified[0].Chain)
			}
			steps := c.reasons.asked[1].Steps
			if last := steps[len(steps)-1]; len(steps) != failed+1 || last.Succeeded || !last.Verified || !strings.Contains(last.Reason, "it is gone") {
				t.Errorf("the history is %+v", steps)
			}
			if w := c.reasons.verified[0].Witness; w.Error != nil || w.Status != "success" {
				t.Errorf("what was executed is judged by the report on what was not: %+v", w)
			}
		})
	}
}

// verdictOn is what a reasoner says of a chain that stopped at an index.
func verdictOn(failed int) reasoning.Verdict {
	if failed == 0 {
		return didNot
	}
	return worked
}

func (c *chained) wantStop(t *testing.T, executed []int, failed int, recovery string) {
	t.Helper()
	e, found := c.stop()
	if !found || !slices.Equal(e.Executed, executed) || e.Failed != failed || e.Recovery != recovery || e.Total != 5 || e.Code != "ELEMENT_NOT_FOUND" || e.Error != "it is gone" {
		t.Errorf("recorded %+v, want %v executed, %d failed, %s", e, executed, failed, recovery)
	}
}

// One that may fail did, and the client went on to the end.
func TestChain_GoesOnPastWhatMayFail(t *testing.T) {
	t.Parallel()
	c, _ := startChain(t, fillsAll(1))
	c.reasons.verdicts, c.reasons.acts = []any{worked}, []any{click("9")}
	report := page.Witness{Status: "success", Chain: &page.ChainProgress{LastExecuted: 4, Total: 5, Executed: fill(31, 0, 2, 3, 4)}}
	if a, err := c.send(patientForm(31, 5), report); err != nil || a.Action != `click("9")` {
		t.Fatalf("%+v, %v", a, err)
	}
	e, _ := c.stop()
	if !slices.Equal(e.Executed, []int{0, 2, 3, 4}) || e.Failed != 1 || e.Recovery != "nothing" {
		t.Errorf("recorded %+v", e)
	}
	if n := len(c.reasons.verified[0].Chain); n != 4 {
		t.Errorf("%d are judged", n)
	}
}

// A client that says nothing of how far it came has executed the first action, and
// what the page shows.
func TestChain_WithoutAnIndex(t *testing.T) {
	t.Parallel()
	for filled, executed := range [][]int{{0}, {0}, {0, 1}, {0, 1, 2}, {0, 1, 2, 3}, nil} {
		t.Run(fmt.Sprintf("%d fields are filled in", filled), func(t *testing.T) {
			t.Parallel()
			c, _ := startChain(t, fillsAll())
			c.reasons.verdicts, c.reasons.acts = []any{worked}, []any{click("9")}
			a, err := c.send(patientForm(31, filled), page.Witness{Status: "success"})
			if err != nil || a.Action != `click("9")` {
				t.Fatalf("%+v, %v", a, err)
			}
			e, stopped := c.stop()
			if !slices.Equal(e.Executed, executed) || stopped != (executed != nil) || stopped && (e.Recovery != "regenerate" || e.From != len(executed) || e.Failed != -1) {
				t.Errorf("recorded %+v, stopped %v", e, stopped)
			}
		})
	}
	t.Run("a failure without an index is one of the first", func(t *testing.T) {
		t.Parallel()
		c, _ := startChain(t, fillsAll())
		c.reasons.verdicts, c.reasons.fixes = []any{didNot}, []any{retryWith("9")}
		a, err := c.send(patientForm(31, 0), page.Witness{Status: "failure"})
		if e, _ := c.stop(); err != nil || a.Status != "correcting" || len(e.Executed) > 0 || e.Failed != 0 {
			t.Errorf("%+v, %v, %+v", a, err, e)
		}
	})
}

// What does not belong together, or may submit, is not sent together.
func TestChain_OnlyWhatIsSafe(t *testing.T) {
	t.Parallel()
	set := func(id string) reasoning.ActStep {
		return reasoning.ActStep{Action: action.Action{Name: action.SetValue, Target: id, Text: "x"}}
	}
	save := reasoning.ActStep{Action: action.Action{Name: action.Click, Target: "9"}}
	answer := func(steps ...reasoning.ActStep) reasoning.ActAnswer {
		return reasoning.ActAnswer{Action: steps[0].Action, Next: steps[1:], Thought: "I go on.", Confidence: 0.6, By: "script", Final: true}
	}
	for name, tt := range map[string]struct {
		says  reasoning.ActAnswer
		want  []string
		final bool
	}{
		"the button after the fields comes later":  {answer(set("31"), set("32"), save), []string{`setValue("31", "x")`, `setValue("32", "x")`}, false},
		"the button first comes alone":             {answer(save, set("31")), []string{`click("9")`}, false},
		"one field before the button comes alone":  {answer(set("31"), save), []string{`setValue("31", "x")`}, false},
		"what is not there ends the chain":         {answer(set("31"), set("32"), set("404"), set("33")), []string{`setValue("31", "x")`, `setValue("32", "x")`}, false},
		"the same field twice ends it":             {answer(set("31"), set("32"), set("31")), []string{`setValue("31", "x")`, `setValue("32", "x")`}, false},
		"all of them":                              {answer(set("31"), set("32")), []string{`setValue("31", "x")`, `setValue("32", "x")`}, true},
		"an unsure one is done all the same (0.6)": {answer(set("31")), []string{`setValue("31", "x")`}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, a := startChain(t, tt.says)
			if diff := cmp.Diff(tt.want, sent(a)); diff != "" {
				t.Error(diff)
			}
			for _, e := range c.eventsOf(t, c.id) {
				g, ok := e.(task.ActionGenerated)
				if ok && (g.Final != tt.final || g.MaySubmit && len(g.Chain) > 0) {
					t.Errorf("final %v, may submit %v", g.Final, g.MaySubmit)
				}
				if ok && (g.LeftOut == "") != tt.final { // what is not done is said, and why
					t.Errorf("left out: %q", g.LeftOut)
				}
			}
		})
	}
}

// A client that does not declare chains gets one action, as ever.
func TestChain_NotForEveryClient(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{fillsAll()}
	a := answerOf(t, must(r.Interact(t.Context(), request(t, patientForm(31, 0), "1"))))
	if a.Action != fill(31, 0)[0] || a.Actions != nil || a.ChainMetadata != nil {
		t.Errorf("%+v", a)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// A report on a chain that was never sent is refused, and changes nothing.
func TestChain_ImpossibleReports(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		report page.ChainProgress
		field  string
	}{
		"an index beyond the end": {page.ChainProgress{LastExecuted: 5}, "lastExecutedActionIndex"},
		"another length":          {page.ChainProgress{LastExecuted: 1, Total: 6}, "chainPartialState.totalActionsInChain"},
		"an action of nobody's":   {page.ChainProgress{LastExecuted: 1, Total: 5, Executed: []string{fill(31, 0)[0], `click("9")`}}, "chainPartialState.executedActions[1]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := startChain(t, fillsAll())
			before := len(c.eventsOf(t, c.id))
			_, err := c.send(patientForm(31, 2), page.Witness{Status: "failure", Chain: &tt.report})
			wantCode(t, err, domain.Invalid, domain.CodeValidation)
			if e, ok := err.(*domain.Error); !ok || e.Field != tt.field { //nolint:errorlint // it is the error itself
				t.Errorf("%v, want the field %s", err, tt.field)
			}
			if n := len(c.eventsOf(t, c.id)); n != before {
				t.Errorf("%d events more", n-before)
			}
		})
	}
	t.Run("ids without quotes are the same action", func(t *testing.T) {
		t.Parallel()
		c, _ := startChain(t, fillsAll())
		c.reasons.verdicts, c.reasons.acts = []any{worked}, []any{click("9")}
		report := &page.ChainProgress{LastExecuted: 0, Total: 5, Executed: []string{`setValue(31, 'vName')`}}
		if _, err := c.send(patientForm(31, 1), page.Witness{Status: "failure", Chain: report}); err != nil {
			t.Error(err)
		}
	})
}

// A field that did not take its value is corrected; the others are not done again.
func TestChain_AFieldThatFailed(t *testing.T) {
	t.Parallel()
	c, _ := startChain(t, fillsAll())
	bad := didNot
	bad.Items = []reasoning.ItemVerdict{{Index: 0, Outcome: reasoning.Succeeded}, {Index: 3, Outcome: reasoning.Failed, Reason: "it is empty"}}
	c.reasons.verdicts, c.reasons.fixes = []any{bad}, []any{reasoning.Correction{
		Strategy: reasoning.AlternativeTool, Action: action.Action{Name: action.Press, Text: "Tab"}, Reason: "another way", Thought: "I try.", By: "script",
	}}
	a, err := c.send(patientForm(31, 3), page.Witness{Status: "success", Chain: &page.ChainProgress{LastExecuted: 4}})
	if err != nil || a.Correction == nil || a.Correction.FailedAction != fill(31, 3)[0] {
		t.Fatalf("%+v, %v", a.Correction, err)
	}
	if q := c.reasons.failures[0]; q.Failed.Target != "34" || q.Target.Name != "Phone" {
		t.Errorf("asked about %s", q.Failed)
	}
	if a.Verification == nil || len(a.Verification.Items) != 2 {
		t.Errorf("the client is told %+v", a.Verification)
	}
}

// A clear mistake further on ends the chain before it; the rest is decided later.
func TestChain_EndsBeforeAClearMistake(t *testing.T) {
	t.Parallel()
	answer := fillsAll()
	answer.Next[2].Action.Text = "jas@example.org" // Phone
	_, a := startChain(t, answer)
	if len(a.Actions) != 3 || a.Actions[2].Action != `setValue("33", "vCity")` {
		t.Errorf("%+v", a.Actions)
	}
}
