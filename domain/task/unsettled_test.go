package task_test

import (
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/task"
)

// What may submit is not done again, nor anything like it, before it is known how the
// first went.
func TestState_Unsettled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		given func(*course)
		open  bool
	}{
		{"nothing was submitted", func(c *course) { c.turn("").must(click("Go")).next().must(nobodyKnows(0)) }, false},
		{"submitted", func(c *course) { c.turn("").must(sends("Order")).next() }, true},
		{"and not decided", func(c *course) { c.turn("").must(sends("Order")).next().must(nobodyKnows(0)) }, true},
		{"and decided", func(c *course) { c.turn("").must(sends("Order")).next().must(worked(0)) }, false},
		{"and failed", func(c *course) { c.turn("").must(sends("Order")).next().must(failing(0)) }, false},
		{"gone on from", func(c *course) {
			c.turn("").must(sends("Order")).next().must(nobodyKnows(0), click("Menu")).next().must(worked(1))
		}, true},
		{"gone on from, and decided after all", func(c *course) {
			c.turn("").must(sends("Order")).next().must(nobodyKnows(0), click("Menu")).next().must(worked(1), worked(0))
		}, false},
		{"seen as a whole", func(c *course) { c.turn("").must(sends("Order")).next().must(nobodyKnows(0), checks("all"), worked(1)) }, false},
		{"not seen as a whole", func(c *course) {
			c.turn("").must(sends("Order")).next().must(nobodyKnows(0), checks("all"), failing(1))
		}, true},
		{"nobody can see it as a whole", func(c *course) {
			c.turn("").must(sends("Order")).next().must(nobodyKnows(0), checks("all"), nobodyKnows(1))
		}, true},
		{"the next, when the one before is decided late", func(c *course) {
			c.turn("").must(sends("Order")).next().must(nobodyKnows(0), checks("all"), worked(1), sends("Order more")).next().must(nobodyKnows(2), worked(0))
		}, true},
		{"a correction that submits", func(c *course) {
			c.turn("").must(click("Go")).next().must(failing(0), correctWith("Order", true)).next().must(nobodyKnows(0))
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := set(t)
			c.given(s)
			if _, open := s.UndecidedSubmit(); s.SubmitUndecided != c.open || open != c.open {
				t.Fatalf("unsettled %v, what %v", s.SubmitUndecided, open)
			}
			if _, _, pending := s.Pending(); pending {
				s.must(nobodyKnows(0))
			}
			want := map[bool]string{true: domain.CodeSubmitUndecided}[c.open]
			again, end := *s, *s
			if err := again.try(sends("Another")); code(err) != want {
				t.Errorf("again: %v", err)
			}
			if err := end.try(task.Complete{Message: "done", Confidence: 0.9, Proof: shown}); code(err) != want {
				t.Errorf("the end: %v", err)
			}
			s.must(click("Something else"))
		})
	}
}

func TestDecide_NoCorrectionSubmitsWhileAnotherIsOpen(t *testing.T) {
	t.Parallel()
	s := set(t).turn("").must(sends("Order")).next().must(nobodyKnows(0), click("Menu")).next().must(failing(1))
	if err := s.try(correctWith("Order", true)); code(err) != domain.CodeSubmitUndecided {
		t.Error(err)
	}
	s.must(correctWith("Close", false))
}

// A task does not ask for ever: any action in between begins the count anew.
func TestState_MayAsk(t *testing.T) {
	t.Parallel()
	l := task.Limits{MaxQuestions: 3}
	s := set(t).turn("")
	for _, status := range []string{"needs_user_input", "needs_full_dom", "needs_user_input"} {
		if err := s.MayAsk(l); err != nil {
			t.Fatal(err)
		}
		s.must(task.EndTurn{Status: status}).turn("reply " + strconv.Itoa(s.requests))
	}
	if err := s.MayAsk(l); code(err) != domain.CodeNoReply || err.Error() == "" {
		t.Errorf("after three: %v", err)
	}
	if s.must(click("Go")).next(); s.MayAsk(l) != nil {
		t.Error("after an action it may not ask")
	}
}
