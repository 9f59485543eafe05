package interact_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

func find(text string) reasoning.ActAnswer {
	return reasoning.ActAnswer{Action: action.Action{Name: action.Find, Text: text}, Thought: "I look for it.", Confidence: 0.9, By: "script", Note: "looking for " + text}
}

var more = reasoning.ActAnswer{Action: action.Action{Name: action.More}, Thought: "I look further.", Confidence: 0.9, By: "script"}

// TestTurn_LooksUpWithinTheTurn: what the agent looks up on the page takes no round
// trip, and each question says what was looked up before it.
func TestTurn_LooksUpWithinTheTurn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		acts   []any
		asked  [][]string // the look-ups each question has
		status string
		action string
		says   string
	}{
		{"an action at once", []any{click("14")}, [][]string{nil}, "executing", `click("14")`, ""},
		{"a text, then the rest", []any{find("Save"), more, click("14")}, [][]string{nil, {`find("Save")`}, {`find("Save")`, `more()`}}, "executing", `click("14")`, ""},
		{"a question after it", []any{find("Save"), reasoning.ActAnswer{UserQuestion: "Which one?"}}, [][]string{nil, {`find("Save")`}}, "needs_user_input", "", "Which one?"},
		{
			"again and again", []any{find("a"), find("b"), more, find("c")},
			[][]string{nil, {`find("a")`}, {`find("a")`, `find("b")`}, {`find("a")`, `find("b")`, `more()`}}, "needs_user_input", "", "“c”",
		},
		{"the same twice", []any{find("Order"), find(" order")}, [][]string{nil, {`find("Order")`}}, "needs_user_input", "", "“order”"},
		{"the rest, beyond the end", []any{more, more, more, more}, [][]string{nil, {`more()`}, {`more()`, `more()`}, {`more()`, `more()`, `more()`}}, "needs_user_input", "", "through the page"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = tt.acts
			res, err := r.Interact(t.Context(), request(t, form, "a"))
			if err != nil {
				t.Fatal(err)
			}
			got := answerOf(t, res)
			if got.Status != tt.status || got.Action != tt.action || !strings.Contains(got.UserQuestion, tt.says) {
				t.Errorf("%s %q %q", got.Status, got.Action, got.UserQuestion)
			}
			var asked [][]string
			for _, q := range r.reasons.asked {
				var before []string
				for _, a := range q.LookedUp {
					before = append(before, a.String())
				}
				asked = append(asked, before)
			}
			if diff := cmp.Diff(tt.asked, asked); diff != "" {
				t.Error(diff)
			}
			for _, e := range r.eventsOf(t, res.TaskID) {
				if g, ok := e.(task.ActionGenerated); ok {
					if want := tt.asked[len(tt.asked)-1]; !slices.Equal(g.LookedUp, want) {
						t.Errorf("recorded %v, want %v", g.LookedUp, want)
					}
					if act, err := action.Parse(g.Action); err != nil || act.LooksUp() {
						t.Errorf("a look-up became a step: %s", g.Action)
					}
				}
			}
		})
	}
}

// TestTurn_LooksUpAgainAfterACrash: a turn that runs again asks the same questions, so
// that it finds the answers that were paid for.
func TestTurn_LooksUpAgainAfterACrash(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	down := domain.Errorf(domain.Unavailable, domain.CodeLLM, "the model is out of reach")
	r.reasons.acts = []any{find("Save"), error(down)}
	req := request(t, form, "a")
	if _, err := r.Interact(t.Context(), req); !errors.Is(err, down) {
		t.Fatalf("%v", err)
	}
	r.reasons.acts = []any{find("Save"), click("14")}
	if _, err := r.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	asked := r.reasons.asked
	if len(asked) != 4 {
		t.Fatalf("%d questions", len(asked))
	}
	for i := range 2 {
		a, b := asked[i], asked[i+2]
		a.On.Turn, b.On.Turn = 0, 0
		if diff := cmp.Diff(a, b); diff != "" {
			t.Error(diff)
		}
	}
}

// TestTurn_NotesComeBack: a note comes back with the next question, also over one to
// the user, and holds no secret in any event.
func TestTurn_NotesComeBack(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	first := click("14")
	first.Note = "The order is 4711; the password is hunter2zz. " + strings.Repeat("x", reasoning.MaxNote)
	question := reasoning.ActAnswer{UserQuestion: "Which one?", Note: "I asked which one."}
	r.reasons.acts = []any{first, question, click("3")}
	r.reasons.verdicts = []any{worked}
	req := request(t, form, "a")
	req.Query = "log in with password hunter2zz and save"
	res, err := r.Interact(t.Context(), req)
	for _, query := range []string{"", "the second one"} {
		if err != nil {
			t.Fatal(err)
		}
		next := request(t, form, "b"+query)
		next.TaskID, next.Query = res.TaskID, query
		res, err = r.Interact(t.Context(), next)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got := r.reasons.asked[1].Note; !strings.HasPrefix(got, "The order is 4711") || strings.Contains(got, "hunter2zz") || len([]rune(got)) > reasoning.MaxNote {
		t.Errorf("the note came back as %q", got)
	}
	if got := r.reasons.asked[2].Note; got != "I asked which one." {
		t.Errorf("after a question it is %q", got)
	}
	for _, e := range r.eventsOf(t, res.TaskID) {
		if g, ok := e.(task.ActionGenerated); ok && strings.Contains(g.Note, "hunter2zz") {
			t.Errorf("a note with a secret is stored: %q", g.Note)
		}
	}
}

// TestTurn_AsksWithWhatIsKnown: the question has the time of the user's zone, the step,
// what the page was before, and where and how earlier steps ended.
func TestTurn_AsksWithWhatIsKnown(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	row := form
	row.Elements = slices.Clone(form.Elements)
	row.Elements[0].Row = "Order 7 of Jas"
	r.reasons.acts = []any{click("14"), click("3")}
	r.reasons.verdicts, r.reasons.fixes = []any{didNot, worked}, []any{retryWith("3")}
	req := request(t, row, "a")
	req.Timezone = "Europe/Oslo"
	var res interact.Result
	var err error
	for i, body := range []string{"a", "b", "c"} {
		if i > 0 {
			req = request(t, row, body)
			req.TaskID = res.TaskID
		}
		if i == 1 {
			req.Witness.Error = &page.ActionError{Code: page.CodeOccluded, Message: "covered"}
		}
		if res, err = r.Interact(t.Context(), req); err != nil {
			t.Fatal(err)
		}
	}
	q := r.reasons.asked[1]
	if got := q.Now.Format("2006-01-02 15:04 MST"); got != "2026-11-27 13:00 CET" {
		t.Errorf("it is %s", got)
	}
	if q.Step != 2 || q.StepsLeft != task.DefaultLimits.MaxSteps-2 || len(q.Before.Elements) == 0 || !q.Simple {
		t.Errorf("step %d, %d left, %d elements before, simple %v", q.Step, q.StepsLeft, len(q.Before.Elements), q.Simple)
	}
	if s := q.Steps[0]; s.Where != "Order 7 of Jas" || s.Code != page.CodeOccluded {
		out, _ := json.Marshal(s)
		t.Errorf("the failed step is %s", out)
	}
}

// TestTurn_CorrectionsLookUpToo: what a correction wants to look up on the page is looked
// up within the turn, what it notes comes back, and one that only looks is a question.
func TestTurn_CorrectionsLookUpToo(t *testing.T) {
	t.Parallel()
	finds := func(text string) reasoning.Correction {
		return reasoning.Correction{Strategy: reasoning.GatherInformation, Action: action.Action{Name: action.Find, Text: text}, Reason: "I look.", Note: "It was hunter2zz. I looked for " + text, By: "script"}
	}
	for name, tt := range map[string]struct {
		fixes  []any
		status string
	}{
		"and then a retry":          {[]any{finds("ward"), retryWith("3")}, "correcting"},
		"the same again":            {[]any{finds("ward"), finds("Ward ")}, "needs_user_input"},
		"one thing after the other": {[]any{finds("a"), finds("b"), finds("c"), finds("d")}, "needs_user_input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes = []any{click("14"), click("3")}, []any{didNot, worked}, tt.fixes
			req := request(t, form, "a")
			req.Query = "log in with password hunter2zz and save"
			res, err := r.Interact(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			next := request(t, form, "b")
			next.TaskID = res.TaskID
			if res, err = r.Interact(t.Context(), next); err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Status != tt.status {
				t.Errorf("%s: %s", a.Status, a.Thought)
			}
			if q := r.reasons.failures[1]; len(q.LookedUp) != 1 || q.LookedUp[0].Name != action.Find {
				t.Errorf("%+v", q.LookedUp)
			}
			for _, e := range r.eventsOf(t, res.TaskID) {
				c, ok := e.(task.CorrectionIssued)
				if ok && (len(c.LookedUp) != 1 || !strings.Contains(c.Note, "I looked for ward") || strings.Contains(c.Note, "hunter2zz")) {
					t.Errorf("%+v", c)
				}
			}
		})
	}
}

// TestTurn_OldEventsAreDropped: what the client heard before the action was decided is
// none of its effects.
func TestTurn_OldEventsAreDropped(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("3")}, []any{worked}
	res, err := r.Interact(t.Context(), request(t, form, "a"))
	if err != nil {
		t.Fatal(err)
	}
	req := request(t, form, "b")
	req.TaskID, req.ReceivedAt = res.TaskID, noon.Add(10*time.Second)
	req.Witness.RecentEvents = []string{"[89s ago] Added: 'Welcome'", "[11s ago] Added: 'Loading'", "[3s ago] Added: 'Saved'", "Added: 'no age'", "[x] odd"}
	if _, err := r.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	want := []string{"[11s ago] Added: 'Loading'", "[3s ago] Added: 'Saved'", "Added: 'no age'", "[x] odd"}
	if diff := cmp.Diff(want, r.reasons.verified[0].Witness.RecentEvents); diff != "" {
		t.Error(diff)
	}
}
