package task_test

import (
	"strconv"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

// An action stays under judgement through waits, looks and questions, until it is
// decided or another one follows.
func TestState_UnderJudgement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		given func(*course)
		what  string // the button of the action; "" for none
		looks int
	}{
		{"nothing was done", func(c *course) { c.turn("") }, "", 0},
		{"done, and not judged", func(c *course) { c.turn("").must(click("Go")).next() }, "Go", 0},
		{"a wait is none", func(c *course) { c.turn("").must(waitFor(1)).next() }, "", 0},
		{"not decided", func(c *course) { c.turn("").must(click("Go")).next().must(nobodyKnows(0)) }, "Go", 0},
		{"decided", func(c *course) { c.turn("").must(click("Go")).next().must(worked(0)) }, "", 0},
		{"found to have failed", func(c *course) { c.turn("").must(click("Go")).next().must(failing(0)) }, "", 0},
		{"after a wait", func(c *course) { c.turn("").must(click("Go")).next().must(nobodyKnows(0), waitFor(1)).next() }, "Go", 1},
		{"after two, judged in between", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), waitFor(1)).next().must(worked(1), nobodyKnows(0), waitFor(2)).next()
		}, "Go", 2},
		{"after a look that is no wait", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), actOn(action.Hover, "Go", false)).next().must(worked(1), nobodyKnows(0), checks("it"))
		}, "Go", 2},
		{"after a question", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0)).must(asksIfItWorked()...).turn("")
		}, "Go", 0},
		{"decided after a wait", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), waitFor(1)).next().must(worked(1), worked(0))
		}, "", 1},
		{"followed by another action", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), click("On")).next()
		}, "On", 0},
		{"followed by another that is decided", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), click("On")).next().must(worked(1))
		}, "", 0},
		{"its correction", func(c *course) {
			c.turn("").must(click("Go")).next().must(failing(0), correctWith("Menu", false)).next()
		}, "Menu", 0},
		{"its correction after a wait", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), waitFor(1)).next().must(worked(1), failing(0), correctWith("Menu", false)).next()
		}, "Menu", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := set(t)
			c.given(s)
			j, open := s.UnderJudgement()
			if open != (c.what != "") || open && j.Target.Name != c.what || j.Looks != c.looks {
				t.Errorf("%v, %q after %d looks", open, j.Target.Name, j.Looks)
			}
		})
	}
}

// Given a question about what was sent before, the answer is about that, not about
// what was done since.
func TestState_UnderJudgement_isWhatTheUserWasAskedAbout(t *testing.T) {
	t.Parallel()
	s := set(t).turn("").must(sends("Order")).next().must(nobodyKnows(0), click("Details")).next().must(nobodyKnows(1))
	s.must(asksIfItWorked()...).turn("no")
	j, open := s.UnderJudgement()
	if !open || j.Step != 0 || !s.RepliedNow {
		t.Fatalf("%v, step %d, told %v", open, j.Step, s.RepliedNow)
	}
	s.must(failing(0))
	if step, failed, found := s.ToCorrect(); !found || step.Index != 0 || failed.Target.Name != "Order" || s.SubmitUndecided {
		t.Errorf("to correct %v %+v, unsettled %v", found, failed, s.SubmitUndecided)
	}
	s.must(correctWith("Order now", true)).next()
	if j, open := s.UnderJudgement(); !open || j.Target.Name != "Order now" || s.RepliedNow {
		t.Errorf("%v %+v", open, j)
	}
}

// A word of the user is a verdict only where they were asked for one, and until
// something else is done.
func TestState_Told(t *testing.T) {
	t.Parallel()
	begun := func(t *testing.T) *course { return set(t).turn("").must(click("Go")).next().must(nobodyKnows(0)) }
	for _, c := range []struct {
		name string
		s    func(*testing.T) *course
		told bool
	}{
		{"asked and answered", func(t *testing.T) *course { return begun(t).must(asksIfItWorked()...).turn("yes") }, true},
		{"asked, and the page came instead", func(t *testing.T) *course { return begun(t).must(asksIfItWorked()...).turn("") }, false},
		{"answered a turn later", func(t *testing.T) *course {
			return begun(t).must(asksIfItWorked()...).turn("").must(waitFor(1)).next().turnOver("yes")
		}, true},
		{"answered, and the turn after", func(t *testing.T) *course { return begun(t).must(asksIfItWorked()...).turn("yes").next() }, false},
		{"asked for something else", func(t *testing.T) *course {
			return begun(t).must(task.AskUser{Question: "Which?"}, task.EndTurn{Status: "needs_user_input"}).turn("yes")
		}, false},
		{"not asked", func(t *testing.T) *course {
			return begun(t).must(waitFor(1), task.EndTurn{Status: "action"}).turn("yes")
		}, false},
		{"answered too late, when something else was done", func(t *testing.T) *course {
			return begun(t).must(asksIfItWorked()...).turn("").must(worked(0), click("On"), task.EndTurn{Status: "action"}).turn("yes")
		}, false},
		{"answered in a turn that is run again", func(t *testing.T) *course {
			return begun(t).must(asksIfItWorked()...).turn("yes").claims("yes", page.Witness{})
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if s := c.s(t); s.RepliedNow != c.told {
				t.Errorf("told %v", s.RepliedNow)
			}
		})
	}
}

// turnOver ends the turn that is open and begins another.
func (c *course) turnOver(says string) *course {
	c.t.Helper()
	return c.must(task.EndTurn{Status: "action"}).turn(says)
}

func TestState_ToCorrect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		given func(*course)
		step  int // -1 for none
	}{
		{"nothing has failed", func(c *course) { c.turn("").must(click("Go")).next().must(worked(0)) }, -1},
		{"nobody knows", func(c *course) { c.turn("").must(click("Go")).next().must(nobodyKnows(0)) }, -1},
		{"it has failed", func(c *course) { c.turn("").must(click("Go")).next().must(failing(0)) }, 0},
		{"it had failed in an earlier turn", func(c *course) { c.turn("").must(click("Go")).next().must(failing(0)).next() }, -1},
		{"after looks", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), waitFor(1)).next().must(worked(1), nobodyKnows(0), waitFor(2)).next().must(worked(2), failing(0))
		}, 0},
		{"before a look that failed too", func(c *course) {
			c.turn("").must(click("Go")).next().must(nobodyKnows(0), actOn(action.Hover, "Go", false)).next().must(failing(1), failing(0))
		}, 0},
		{"a look alone", func(c *course) {
			c.turn("").must(click("Go")).next().must(worked(0), actOn(action.Hover, "Go", false)).next().must(failing(1))
		}, 1},
		{"corrected already", func(c *course) { c.turn("").must(click("Go")).next().must(failing(0), correctWith("Menu", false)) }, -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := set(t)
			c.given(s)
			step, failed, found := s.ToCorrect()
			if found != (c.step >= 0) || found && (step.Index != c.step || failed.Verdict.Succeeded) {
				t.Errorf("%v, step %d: %+v", found, step.Index, failed)
			}
		})
	}
}

// The corrections of a step are counted however many looks came between.
func TestDecide_CorrectionsAfterLooksAreLimited(t *testing.T) {
	t.Parallel()
	s := set(t).turn("").must(click("Go"))
	limits := task.DefaultLimits
	limits.MaxConsecutiveFailures = 99
	for i := range limits.MaxCorrections {
		s.next().must(nobodyKnows(0), waitFor(float64(i+1))).next().must(worked(i+1), failing(0))
		retry := correctWith("Button "+strconv.Itoa(i), false)
		retry.Limits = limits
		s.must(retry)
	}
	s.next().must(failing(0))
	retry := correctWith("Button", false)
	retry.Limits = limits
	if err := s.try(retry); code(err) != domain.CodeMaxRetries {
		t.Error(err)
	}
	if n := len(s.Steps); n != limits.MaxCorrections+1 {
		t.Errorf("%d steps", n)
	}
}

func TestDecide_NoCorrectionWhileALookWaits(t *testing.T) {
	t.Parallel()
	s := set(t).turn("").must(click("Go")).next().must(nobodyKnows(0), waitFor(1)).next().must(failing(0))
	if err := s.try(correctWith("Menu", false)); code(err) != domain.CodeConflict {
		t.Error(err)
	}
	s.must(worked(1), correctWith("Menu", false))
}
