package model_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/llm"
	"github.com/stepledger/stepledger/internal/reason/model"
)

// asker keeps the questions and answers them all alike.
type asker struct {
	asked  []llm.Question
	answer string
}

func (a *asker) Ask(_ context.Context, q llm.Question) (llm.Answer, error) {
	a.asked = append(a.asked, q)
	return llm.Answer{}, q.Check(a.answer)
}

// TestAct_theTimeIsNotTheQuestion: a turn that runs again later finds the answer that
// was paid for; one that has looked something up asks another question.
func TestAct_theTimeIsNotTheQuestion(t *testing.T) {
	t.Parallel()
	a := &asker{answer: `{"thought":"t","action":"goBack()","confidence":1}`}
	r := model.New(a)
	now, later, noted, looked := actQuestion(), actQuestion(), actQuestion(), actQuestion()
	now.Now, later.Now = time.Unix(1e9, 0).UTC(), time.Unix(2e9, 0).UTC()
	noted.Note = "Next: save."
	looked.LookedUp = []action.Action{{Name: action.Find, Text: "Ward"}}
	for _, q := range []reasoning.ActQuestion{now, later, noted, looked} {
		if _, err := r.Act(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	same := func(i, j int) bool { return a.asked[i].Identity == a.asked[j].Identity }
	if !same(0, 1) || same(0, 2) || same(0, 3) || same(2, 3) {
		t.Error("the identity of a question is not what it rests on")
	}
	if a.asked[0].Request.User[0].Text == a.asked[1].Request.User[0].Text {
		t.Error("the time is not told")
	}
}

// TestAct_notes: a note is read, bounded, without names of secrets, and never worth
// asking again.
func TestAct_notes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ raw, want string }{
		{`"Order 11 is Jas\u0027s."`, "Order 11 is Jas's."}, {`""`, ""}, {`null`, ""}, {`["a"]`, ""}, {`7`, ""},
		{`"typed {secret 1}"`, "typed [secret]"},
		{`"` + strings.Repeat("a", 2*reasoning.MaxNote) + `"`, strings.Repeat("a", reasoning.MaxNote) + "…"},
	} {
		a := &asker{answer: `{"thought":"t","action":"goBack()","confidence":1,"note":` + tt.raw + `}`}
		q := actQuestion()
		q.On.Secrets = []string{"hunter2zz"}
		got, err := model.New(a).Act(t.Context(), q)
		if err != nil || got.Note != tt.want || len(a.asked) != 1 {
			t.Errorf("%s was read as %q, %v, %d questions", tt.raw, got.Note, err, len(a.asked))
		}
	}
}

// TestAct_nothingSecretIsShown: neither in the page, in what is looked up, in the
// history nor in the note.
func TestAct_nothingSecretIsShown(t *testing.T) {
	t.Parallel()
	const value = "hunter2zz"
	a := &asker{answer: `{"thought":"t","action":"goBack()","confidence":1}`}
	q := actQuestion()
	q.On.Secrets = []string{value}
	q.Note, q.Page.Text = "it is "+value, "Your key: "+value+"\n"+value
	q.Page.Elements = append(q.Page.Elements, page.Element{
		ID: "40", Role: "button", Name: "+", Row: value, Hint: value, Column: value, Caption: value, Group: value, TextFrom: 3, TextTo: 12,
	})
	q.Steps = []reasoning.Step{{Action: action.Action{Name: action.Click}, Target: value, Where: value, Thought: value, Code: value, Verified: true}}
	q.LookedUp = []action.Action{{Name: action.Find, Text: value}, {Name: action.Find, Text: "key"}, {Name: action.More}}
	if _, err := model.New(a).Act(t.Context(), q); err != nil {
		t.Fatal(err)
	}
	for _, part := range a.asked[0].Request.User {
		if strings.Contains(part.Text, value) {
			t.Errorf("a secret is shown:\n%s", part.Text)
		}
	}
}

// TestAct_pageTokens: the budget of the page is configured, and smaller for a small
// task.
func TestAct_pageTokens(t *testing.T) {
	t.Parallel()
	size := func(tokens int, simple bool) int {
		a := &asker{answer: `{"thought":"t","action":"goBack()","confidence":1}`}
		r := model.New(a)
		r.PageTokens = tokens
		q := actQuestion()
		q.Page, q.Simple = large(3_874), simple
		if _, err := r.Act(t.Context(), q); err != nil {
			t.Fatal(err)
		}
		return prompt.Tokens(a.asked[0].Request.User[0].Text)
	}
	small, usual, most := size(2_000, false), size(0, false), size(12_000, false)
	if small > 2_000 || usual < 2*small || usual > prompt.MaxTokens || most < 3*usual/2 || size(0, true) > usual*3/4 {
		t.Errorf("the prompts have %d, %d, %d and for a small task %d tokens", small, usual, most, size(0, true))
	}
}
