package interact_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// showing is a page with a heading and buttons, whose ids begin anywhere: they
// move with every reading.
func showing(turn int, heading string, buttons ...string) page.Page {
	p := page.Page{Title: "Clinic", Headings: []string{heading}}
	for i, name := range buttons {
		p.Elements = append(p.Elements, page.Element{ID: strconv.Itoa(20*turn + i), Role: "button", Name: name})
	}
	page.AssignKeys(p.Elements)
	return p
}

// goRound sends a page a turn until the task is over, each action having worked,
// and clicks the button of the name that press says.
func goRound(t *testing.T, r *rig, turns int, see func(turn int) page.Page, press func(turn int) string) (last interact.Answer, at int) {
	t.Helper()
	id := ""
	for at = range turns {
		now := see(at)
		for _, e := range now.Elements {
			if e.Name == press(at) {
				r.reasons.acts = []any{click(e.ID)}
			}
		}
		r.reasons.verdicts = []any{worked}
		req := request(t, now, strconv.Itoa(at))
		req.TaskID = id
		res, err := r.Interact(t.Context(), req)
		if err != nil {
			t.Fatalf("turn %d: %v", at, err)
		}
		if last = answerOf(t, res); last.Status != "executing" {
			return last, at
		}
		id = last.TaskID
	}
	return last, turns
}

func TestTurn_EndsCircles(t *testing.T) {
	t.Parallel()
	months := []string{"May", "June", "July", "August", "September"}
	one := func(name string) func(int) string { return func(int) string { return name } }
	for _, c := range []struct {
		name  string
		see   func(int) page.Page
		press func(int) string
		at    int // of 12 turns; 12 if it is not ended
		code  string
		says  string
		asked int
	}{
		{
			"a date picker paged month by month goes on (pilo 640)",
			func(i int) page.Page { return showing(i, months[i%5]+" "+strconv.Itoa(i/5), "Previous", "Next") }, one("Next"), 12, "", "", 12,
		},
		{
			"a master checkbox toggled for ever ends (browser-use 2901)",
			func(i int) page.Page {
				p := showing(i, "Files", "Select all", "a", "b")
				for j := range p.Elements {
					p.Elements[j].Role, p.Elements[j].State.Checked = "checkbox", strconv.FormatBool(i%2 == 1)
				}
				return p
			}, one("Select all"), 5, domain.CodeLoop, `the same 2 things in turn (clicking checkbox "Select all", then`, 6,
		},
		{
			"the same step again and again ends (browser-use 1632, page-agent 112)",
			func(i int) page.Page { return showing(i, "Patients", "Search") }, one("Search"), 4, domain.CodeLoop,
			`I did the same 4 times in a row (clicking button "Search")`, 5,
		},
		{
			"back and forth between two pages ends",
			func(i int) page.Page { return showing(i, []string{"List", "Form"}[i%2], []string{"Edit", "Back"}[i%2]) },
			func(i int) string { return []string{"Edit", "Back"}[i%2] }, 5, domain.CodeLoop, `(clicking button "Edit", then clicking button "Back")`, 6,
		},
		{
			"steps that work and bring nothing new end, before another is thought of",
			func(i int) page.Page { return showing(i, "Files", "a", "b", "c", "d", "e", "f", "g") },
			func(i int) string { return string(rune('a' + i)) }, 5, domain.CodeVelocity, "my last 5 steps worked", 5,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			a, at := goRound(t, r, 12, c.see, c.press)
			if at != c.at || len(r.reasons.asked) != c.asked {
				t.Fatalf("turn %d, asked %d times: %s", at, len(r.reasons.asked), a.Thought)
			}
			if c.code == "" {
				return
			}
			says := strings.Contains(a.Thought, "I stopped because I was going in circles") && strings.Contains(a.Thought, c.says)
			if a.Status != "failed" || !says || !strings.HasPrefix(a.Action, "fail(") || a.Verification == nil {
				t.Errorf("answer %+v", a)
			}
			events := r.eventsOf(t, a.TaskID)
			if failed, ok := events[len(events)-2].(task.TaskFailed); !ok || failed.Code != c.code || failed.Message != a.Thought {
				t.Errorf("the task ended with %+v", events[len(events)-2])
			}
			again := request(t, c.see(at), strconv.Itoa(at))
			again.TaskID = a.TaskID
			if res, err := r.Interact(t.Context(), again); err != nil || !res.Replayed || answerOf(t, res).Thought != a.Thought {
				t.Errorf("the same request again: %v", err)
			}
			again.Key = "another"
			_, err := r.Interact(t.Context(), again)
			wantCode(t, err, domain.Conflict, domain.CodeTaskCompleted)
		})
	}
}

func TestTurn_EndsCirclesOfCorrectionsAndClaims(t *testing.T) {
	t.Parallel()
	again := says(action.VerifySuccess, "it is saved")
	for _, c := range []struct {
		name                  string
		repeats               int
		acts, verdicts, fixes []any
		proofs                []any
		turns                 int
		want                  string
	}{
		{
			"a correction that is the same again", 2, []any{click("14")}, []any{didNot, didNot}, []any{retryWith("14"), retryWith("14")}, nil, 3,
			`clicking button "Save"`,
		},
		{"a claim that is the same again", 1, []any{again, again}, nil, nil, []any{worked}, 1, "checking whether it is done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, func(d *interact.Deps) { d.Limits.MaxRepeats = c.repeats })
			r.reasons.acts, r.reasons.verdicts, r.reasons.fixes, r.reasons.proofs = c.acts, c.verdicts, c.fixes, c.proofs
			a, err := walkThrough(t, r, c.turns)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != "failed" || !strings.Contains(a.Thought, c.want) {
				t.Errorf("answer %+v", a)
			}
		})
	}
}
