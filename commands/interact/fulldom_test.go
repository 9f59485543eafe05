package interact_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestTurn_AsksForTheWholePage(t *testing.T) {
	t.Parallel()
	inMode := func(mode string) page.Page { p := form; p.Mode = mode; return p }
	seeks := reasoning.ActAnswer{Undecided: true, Reason: "I see no Confirm.", Seeks: "button “Confirm”"}
	ask := func(reason, element string) interact.Answer {
		return interact.Answer{
			Status: "needs_full_dom", Thought: "I need to see the whole page before I can go on.",
			NeedsFullDOMReason: reason, RequestedElement: element,
		}
	}
	const notInTree, notInSkeleton = "Element not found in the semantic tree", "Element not found in skeleton"
	for name, c := range map[string]struct {
		page   page.Page
		answer any
		want   interact.Answer
	}{
		"a page with nothing to act on": {
			page.Page{Mode: page.ModeSemanticV3}, errors.New("nobody is asked"), ask("the page you sent has no element to act on", ""),
		},
		"what the reasoner is missing": {inMode(page.ModeSemanticV3), seeks, ask(notInTree, "button “Confirm”")},
		"in a skeleton":                {inMode(page.ModeSkeleton), seeks, ask(notInSkeleton, "button “Confirm”")},
		"an action on what is not there": {
			inMode(page.ModeSkeleton), click("99"), ask(notInSkeleton, `the element with the id "99"`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{c.answer}
			res, err := r.Interact(t.Context(), request(t, c.page, "a"))
			if err != nil {
				t.Fatal(err)
			}
			got := answerOf(t, res)
			c.want.Metrics = &interact.Metrics{Turn: 1}
			c.want.TaskID, c.want.SessionID, c.want.DOMHash = got.TaskID, got.SessionID, got.DOMHash
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for name, p := range map[string]page.Page{"the whole page": inMode(page.ModeFull), "the same page again": inMode(page.ModeSemanticV3)} {
		t.Run(name+" leaves only the user to ask", func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.reasons.acts = []any{seeks, seeks}
			res, err := r.Interact(t.Context(), request(t, inMode(page.ModeSemanticV3), "a"))
			if err != nil {
				t.Fatal(err)
			}
			req := request(t, p, "b")
			req.TaskID = res.TaskID
			if res, err = r.Interact(t.Context(), req); err != nil {
				t.Fatal(err)
			}
			if a := answerOf(t, res); a.Status != "needs_user_input" || a.UserQuestion != seeks.Reason {
				t.Errorf("answer %+v", a)
			}
		})
	}
	t.Run("an element of an earlier step is named", func(t *testing.T) {
		t.Parallel()
		r := newRig(t)
		r.reasons.acts, r.reasons.verdicts = []any{click("14"), click("14")}, []any{worked}
		res, err := r.Interact(t.Context(), request(t, inMode(page.ModeSemanticV3), "a"))
		if err != nil {
			t.Fatal(err)
		}
		req := request(t, page.Page{Mode: page.ModeSemanticV3, Elements: []page.Element{menuLink}}, "b")
		req.TaskID = res.TaskID
		if res, err = r.Interact(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		if a := answerOf(t, res); a.Status != "needs_full_dom" || a.RequestedElement != `button "Save"` || a.Verification == nil {
			t.Errorf("answer %+v", a)
		}
	})
}

func TestTurn_ScrollsAContainerThatIsNoElement(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.reasons.acts = []any{reasoning.ActAnswer{Action: action.Action{Name: action.Scroll, Target: "feed"}, Thought: "I scroll."}}
	p := form
	p.Scrollable = []string{"feed"}
	res, err := r.Interact(t.Context(), request(t, p, "a"))
	if err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, res); a.Action != `scroll("feed")` {
		t.Errorf("answer %+v", a)
	}
}
