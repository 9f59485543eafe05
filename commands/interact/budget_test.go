package interact_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/commands/interact"
	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// slow is a script that never comes to an end with one kind of question.
type slow struct {
	*script
	at string
}

// until gives the error of a question that takes as long as it is let.
func (s *slow) until(ctx context.Context, question string) error {
	if s.at != question {
		return nil
	}
	ctx, done := reasoning.Think(ctx)
	<-ctx.Done()
	return done(ctx.Err())
}

func (s *slow) Act(ctx context.Context, q reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	if err := s.until(ctx, "act"); err != nil {
		return reasoning.ActAnswer{}, err
	}
	return s.script.Act(ctx, q)
}

func (s *slow) Verify(ctx context.Context, q reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	if err := s.until(ctx, "verify"); err != nil {
		return reasoning.Verdict{}, err
	}
	return s.script.Verify(ctx, q)
}

func (s *slow) Correct(ctx context.Context, q reasoning.CorrectQuestion) (reasoning.Correction, error) {
	if err := s.until(ctx, "correct"); err != nil {
		return reasoning.Correction{}, err
	}
	return s.script.Correct(ctx, q)
}

func (s *slow) Confirm(ctx context.Context, q reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	if err := s.until(ctx, "confirm"); err != nil {
		return reasoning.Verdict{}, err
	}
	return s.script.Confirm(ctx, q)
}

func newSlow(t *testing.T) (*rig, *slow) {
	t.Helper()
	var s *slow
	r := newRig(t, func(d *interact.Deps) {
		s = &slow{script: d.Reasoner.(*script)}
		d.Reasoner, d.Limits.Thinking = s, 1
	})
	return r, s
}

// tooComplex expects the error of a turn that was not thought through, and a task on
// which nobody works.
func tooComplex(t *testing.T, r *rig, err error, status task.Status) string {
	t.Helper()
	var e *domain.Error
	if !errors.As(err, &e) || e.Code != domain.CodeTooComplex || e.Kind != domain.Invalid {
		t.Fatalf("the turn ended with %v", err)
	}
	id, _ := e.Details["taskId"].(string)
	state := task.Decider.Fold(task.Initial(), r.eventsOf(t, id)...)
	if state.Turn.Open || state.Status != status {
		t.Errorf("a turn is open: %t; the task is %s", state.Turn.Open, state.Status)
	}
	return id
}

func TestBudget(t *testing.T) {
	t.Parallel()
	for question, before := range map[string]int{"act": 0, "verify": 1, "correct": 1, "confirm": 0} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			r, s := newSlow(t)
			s.acts, s.verdicts = []any{click("14")}, []any{didNot, didNot}
			if question == "confirm" {
				s.acts = []any{says(action.VerifySuccess, "it is saved"), says(action.VerifySuccess, "it is saved")}
			}
			req := request(t, form, "first")
			if before > 0 {
				res, err := r.Interact(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				req.TaskID, req.Key, req.BodyHash = answerOf(t, res).TaskID, "key-second", "second"
			}
			s.at = question
			_, err := r.Interact(t.Context(), req)
			id := tooComplex(t, r, err, task.Active)
			kept := names(r.eventsOf(t, id))
			if last := kept[len(kept)-1]; last != task.NameTurnEnded {
				t.Errorf("the turn left %q", last)
			}
			_, again := r.Interact(t.Context(), req)
			tooComplex(t, r, again, task.Active)
			if diff := cmp.Diff(kept, names(r.eventsOf(t, id))); diff != "" {
				t.Errorf("the same request again was more than its stored answer (-was +is):\n%s", diff)
			}
			req.TaskID, req.Key, req.BodyHash = id, "key-third", "third"
			_, err = r.Interact(t.Context(), req)
			tooComplex(t, r, err, task.Failed)
		})
	}
}

func TestBudget_GoesOn(t *testing.T) {
	t.Parallel()
	r, s := newSlow(t)
	s.acts, s.verdicts = []any{click("14"), click("3")}, []any{worked}
	req := request(t, form, "first")
	res, err := r.Interact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.TaskID, req.Key, req.BodyHash = answerOf(t, res).TaskID, "key-second", "second"
	s.at = "verify"
	_, err = r.Interact(t.Context(), req)
	tooComplex(t, r, err, task.Active)
	s.at, req.Key, req.BodyHash = "", "key-third", "third"
	if res, err = r.Interact(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if a := answerOf(t, res); a.Verification == nil || !a.Verification.Success || a.Action != `click("3")` {
		t.Errorf("the action before is not judged where there is time for it: %+v", a)
	}
}
