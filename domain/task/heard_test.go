package task_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/task"
)

func saw(texts ...string) page.Witness { return page.Witness{RecentEvents: texts, Direct: new(1)} }

// reports is a turn in which the client reports this and the page shows that.
func (c *course) reports(w page.Witness, alerts ...page.Alert) *course {
	c.t.Helper()
	c.requests++
	return c.claims("", w, alerts...)
}

func (c *course) heardNow() page.Witness {
	c.t.Helper()
	j, open := c.UnderJudgement()
	if !open {
		c.t.Fatal("nothing is under judgement")
	}
	return c.ReportOf(j)
}

var (
	notSaved = page.Alert{Kind: page.AlertError, Text: "Server error: not saved"}
	savedIt  = page.Alert{Kind: page.AlertSuccess, Text: "Saved"}
	welcome  = page.Alert{Kind: page.AlertOther, Text: "Welcome"}
)

// What is reported turn by turn is heard together, with the messages of pages that
// are gone by then.
func TestState_HeardOf(t *testing.T) {
	t.Parallel()
	done := func(t *testing.T) *course {
		act := sends("Save")
		act.Generated.Before = before // it shows Welcome
		return set(t).turn("").must(act, task.EndTurn{Status: "action"})
	}
	again := func(step int) []task.Command {
		return []task.Command{nobodyKnows(0), waitFor(float64(step)), task.EndTurn{Status: "action"}}
	}
	for _, c := range []struct {
		name string
		s    func(*testing.T) *course
		want page.Witness
	}{
		{"one report", func(t *testing.T) *course { return done(t).reports(saw("a")) }, saw("a")},
		{
			"two", func(t *testing.T) *course { return done(t).reports(saw("a")).must(again(1)...).reports(saw("b", "a")) },
			page.Witness{RecentEvents: []string{"a", "b"}, Direct: new(2)},
		},
		{
			"three", func(t *testing.T) *course {
				return done(t).reports(saw("a")).must(again(1)...).reports(saw()).must(worked(1)).must(again(2)...).reports(saw("c"))
			},
			page.Witness{RecentEvents: []string{"a", "c"}, Direct: new(3)},
		},
		{
			"the message of a page in between", func(t *testing.T) *course {
				return done(t).reports(page.Witness{}, welcome, notSaved).must(again(1)...).reports(page.Witness{}, welcome)
			},
			page.Witness{ErrorsDetected: []string{notSaved.Text}},
		},
		{
			"what the page shows now is not told twice", func(t *testing.T) *course {
				return done(t).reports(page.Witness{}).must(again(1)...).reports(page.Witness{}, savedIt)
			},
			page.Witness{},
		},
		{
			"through a question", func(t *testing.T) *course {
				return done(t).reports(page.Witness{}, notSaved).must(nobodyKnows(0)).must(asksIfItWorked()...).reports(saw("b"))
			},
			page.Witness{ErrorsDetected: []string{notSaved.Text}, RecentEvents: []string{"b"}, Direct: new(1)},
		},
		{
			"a turn run again counts once", func(t *testing.T) *course {
				return done(t).reports(saw("a"), notSaved).claims("", saw("a"), notSaved).claims("", saw("a"), notSaved)
			},
			saw("a"),
		},
		{
			"and its report is kept like any other", func(t *testing.T) *course {
				return done(t).reports(saw("a"), notSaved).claims("", saw("a"), notSaved).must(again(1)...).reports(page.Witness{})
			},
			page.Witness{RecentEvents: []string{"a"}, ErrorsDetected: []string{notSaved.Text}, Direct: new(1)},
		},
		{
			"a turn that another request took over is heard", func(t *testing.T) *course {
				return done(t).reports(saw("a"), notSaved).reports(saw("b"))
			},
			page.Witness{RecentEvents: []string{"a", "b"}, ErrorsDetected: []string{notSaved.Text}, Direct: new(2)},
		},
		{
			"another action is heard from its beginning", func(t *testing.T) *course {
				return done(t).reports(saw("a"), notSaved).must(nobodyKnows(0), click("Menu"), task.EndTurn{Status: "action"}).reports(saw("b"))
			},
			saw("b"),
		},
		{
			"a correction too", func(t *testing.T) *course {
				return done(t).reports(saw("a"), notSaved).must(failing(0), correctWith("Save", false), task.EndTurn{Status: "action"}).reports(saw("b"))
			},
			saw("b"),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, c.s(t).heardNow()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// The page before and what was heard are kept as long as they are needed.
func TestState_ForgetsWhatItJudgedBy(t *testing.T) {
	t.Parallel()
	undecided := func(t *testing.T) *course {
		return set(t).turn("").must(click("Go"), task.EndTurn{Status: "action"}).reports(saw("a")).
			must(nobodyKnows(0), waitFor(1), task.EndTurn{Status: "action"}).reports(saw("b")).must(worked(1))
	}
	if a := undecided(t).Steps[0].Attempts[0]; a.Before == nil || a.Reported == nil {
		t.Errorf("forgotten too early: %+v", a)
	}
	for name, s := range map[string]*course{
		"decided":   undecided(t).must(worked(0)),
		"passed on": undecided(t).must(nobodyKnows(0), click("On")),
	} {
		if a := s.Steps[0].Attempts[0]; a.Before != nil || a.Reported != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
