package task_test

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

// beat is a turn: the page that is seen, the verdict on what was done before
// (good unless it says otherwise), and what is done next.
type beat struct {
	meaning, url string
	words        string // those the page shows
	verdict      *reasoning.Verdict
	reply        string
	do           action.Action
	on           task.Target
}

var (
	good    = reasoning.Verdict{Confidence: 0.9, By: "rules", Tier: 1}
	bad     = reasoning.Verdict{Confidence: 0.2, By: "rules", Tier: 1}
	subDone = reasoning.Verdict{Confidence: 0.9, SubTaskCompleted: yes()}
)

// play plays beats to a task until one is refused, and says at which, why and
// with what code.
func play(t *testing.T, beats []beat) (at int, code, why string, s task.State) {
	t.Helper()
	s = task.Initial()
	put := func(c task.Command) error {
		events, err := task.Decide(c, s)
		s = task.Decider.Fold(s, events...)
		return err
	}
	for i, b := range beats {
		seen := observedFor(0, task.Request{Body: strconv.Itoa(i)})
		seen.MeaningHash, seen.WordsHash, seen.URL, seen.Query = b.meaning, b.words, b.url, b.reply
		if err := put(task.Claim{Page: seen, Now: noon}); err != nil {
			t.Fatal(err)
		}
		v := good
		if b.verdict != nil {
			v = *b.verdict
		}
		if err := put(task.RecordVerdict{Step: len(s.Steps) - 1, Verdict: v}); err != nil {
			t.Fatal(err)
		}
		err := put(task.GenerateAction{Limits: task.DefaultLimits, Generated: task.ActionGenerated{
			Kind: b.do.Name, Action: b.do.String(), Target: b.on,
		}})
		var limit *domain.Error
		if errors.As(err, &limit) {
			return i, limit.Code, limit.Msg, s
		}
		if err := put(task.EndTurn{Status: "action"}); err != nil {
			t.Fatal(err)
		}
	}
	return len(beats), "", "", s
}

func target(role, name, id string) task.Target {
	return task.Target{Target: reasoning.Target{Role: role, Name: name}, ID: id, Key: role + "|" + name + "|"}
}

// pressing is a click on a button of some name; its id moves from turn to turn.
func pressing(name, meaning string, turn int) beat {
	id := strconv.Itoa(100 + turn)
	return beat{
		meaning: meaning, url: "https://a.example/" + meaning[:1],
		do: action.Action{Name: action.Click, Target: id}, on: target("button", name, id),
	}
}

func turns(n int, one func(i int) beat) (out []beat) {
	for i := range n {
		out = append(out, one(i))
	}
	return out
}

func TestDecide_EndsCircles(t *testing.T) {
	t.Parallel()
	filled := func(text string, meaning string) beat {
		return beat{meaning: meaning, do: action.Action{Name: action.SetValue, Target: "3", Text: text}, on: target("textbox", "Name", "3")}
	}
	replying := func(b beat, reply string) beat { b.reply = reply; return b }
	judged := func(b beat, v reasoning.Verdict) beat { b.verdict = &v; return b }
	for _, c := range []struct {
		name  string
		beats []beat
		at    int // the turn that is refused; the number of beats if none
		code  string
		says  string
	}{
		{
			"months of which some have the same days are progress where they have other names",
			turns(12, func(i int) beat {
				b := pressing("Next month", []string{"31 days", "30 days", "31 days", "31 days", "30 days"}[i%5], i)
				b.words = fmt.Sprint("month ", i)
				return b
			}), 12, "", "",
		},
		{
			"months of which every second looks alike are progress",
			turns(12, func(i int) beat {
				return pressing("Next month", map[bool]string{true: "31 days", false: fmt.Sprint("30 days+", i)}[i%2 == 0], i)
			}), 12, "", "",
		},
		{
			"a date picker paged month by month is progress (pilo 640)",
			turns(12, func(i int) beat { return pressing("Next month", fmt.Sprintf("May+%d", i), i) }), 12, "", "",
		},
		{
			"a master checkbox toggled for ever is not (browser-use 2901)",
			turns(12, func(i int) beat { return pressing("Select all", []string{"0 of 3", "03 of 3"}[i%2], i) }),
			5, domain.CodeLoop, `the same 2 things in turn (clicking button "Select all", then clicking button "Select all")`,
		},
		{
			"the same step to the limit (browser-use 1632)",
			turns(50, func(i int) beat { return pressing("Open", "same", i) }), 4, domain.CodeLoop,
			`I did the same 4 times in a row (clicking button "Open"), and the page stayed as it was`,
		},
		{
			"the same input again and again (page-agent 112)",
			append([]beat{filled("Jas", "empty")}, turns(8, func(int) beat { return filled("Jas", "filled") })...),
			5, domain.CodeLoop, `filling in textbox "Name"`,
		},
		{
			"the same field with another text is another action",
			turns(5, func(i int) beat { return filled("Jas "+strconv.Itoa(i), "same") }), 5, "", "",
		},
		{
			"another button of the same kind is another action",
			turns(5, func(i int) beat { return pressing("Row "+strconv.Itoa(i), "same", i) }), 5, "", "",
		},
		{
			"back and forth between two pages, each step a success",
			turns(12, func(i int) beat { return pressing([]string{"Edit", "Back"}[i%2], []string{"list", "form"}[i%2], i) }),
			5, domain.CodeLoop, `back and forth between two pages (clicking button "Edit", then clicking button "Back")`,
		},
		{
			"back and forth, and one of the pages counts the visits",
			turns(12, func(i int) beat {
				return pressing([]string{"Edit", "Back"}[i%2], []string{"list", fmt.Sprintf("form, visit %d", i)}[i%2], i)
			}),
			5, domain.CodeLoop, "back and forth between two pages",
		},
		{
			"back and forth, and both bring something else each time, is progress",
			turns(12, func(i int) beat {
				return pressing([]string{"Open next", "Approve"}[i%2], fmt.Sprintf("%s, %d left", []string{"list", "form"}[i%2], 12-i), i)
			}), 12, "", "",
		},
		{
			"what fails once each time goes round as well",
			turns(14, func(i int) beat {
				b := pressing([]string{"Save", "Close", "Open"}[i%3], []string{"a", "b", "c"}[i%3], i)
				if i%3 == 1 {
					return judged(b, bad)
				}
				return b
			}), 8, domain.CodeLoop, "the same 3 things in turn",
		},
		{
			"five good verdicts without anything new",
			turns(12, func(i int) beat { return pressing("Button "+strconv.Itoa(i), []string{"list", "form"}[i%2], i) }),
			6, domain.CodeVelocity, "my last 5 steps worked, but they only led to what I had already seen",
		},
		{
			"five good verdicts in a row, with a new page among them",
			turns(8, func(i int) beat {
				return pressing("Button "+strconv.Itoa(i), []string{"list", "form", "list", "form", "list", "new", "list", "form"}[i], i)
			}), 8, "", "",
		},
		{
			"a failed verdict begins the count anew",
			turns(8, func(i int) beat {
				b := pressing("Button "+strconv.Itoa(i), "list", i)
				if i == 4 {
					return judged(b, bad)
				}
				return b
			}), 8, "", "",
		},
		{
			"a sub-task that is completed is something new",
			turns(8, func(i int) beat {
				b := pressing("Button "+strconv.Itoa(i), "list", i)
				if i == 4 {
					return judged(b, subDone)
				}
				return b
			}), 8, "", "",
		},
		{
			"a word of the user begins everything anew",
			turns(8, func(i int) beat {
				b := pressing("Open", "same", i)
				if i == 4 {
					return replying(b, "once more, please")
				}
				return b
			}), 8, "", "",
		},
		{
			"and then it ends all the same",
			turns(10, func(i int) beat {
				b := pressing("Open", "same", i)
				if i == 4 {
					return replying(b, "once more, please")
				}
				return b
			}), 8, domain.CodeVelocity, "",
		},
		{
			"of pages without a reading nobody knows",
			turns(12, func(i int) beat { b := pressing("Open", "same", i); b.meaning = ""; return b }), 12, "", "",
		},
		{
			"waiting a little longer each time is not the same, but brings nothing",
			turns(12, func(i int) beat {
				return beat{meaning: "busy", do: action.Action{Name: action.Wait, Seconds: float64(i + 1)}}
			}), 5, domain.CodeVelocity, "",
		},
		{
			"containers are told apart by their ids",
			turns(5, func(i int) beat {
				id := "c" + strconv.Itoa(i%5)
				return beat{meaning: "same", do: action.Action{Name: action.Scroll, Target: id}, on: task.Target{ID: id}}
			}), 5, "", "",
		},
		{
			"the same key",
			turns(9, func(int) beat { return beat{meaning: "same", do: action.Action{Name: action.Press, Text: "Enter"}} }),
			4, domain.CodeLoop, "(pressing Enter)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			at, code, why, _ := play(t, c.beats)
			if at != c.at || code != c.code || !strings.Contains(why, c.says) {
				t.Errorf("turn %d: %s %s", at, code, why)
			}
		})
	}
}

func TestDecide_EndsCirclesOfCorrections(t *testing.T) {
	t.Parallel()
	_, _, _, s := play(t, turns(4, func(i int) beat { return pressing("Open", "same", i) }))
	open := action.Action{Name: action.Click, Target: "200"}
	seen := observedFor(5, second)
	seen.MeaningHash = "same"
	s = task.Decider.Fold(s, seen, task.ActionVerified{Turn: 5, StepIndex: 3, Confidence: 0.2})
	_, err := task.Decide(task.IssueCorrection{
		Correction: reasoning.Correction{Action: open}, RetryTarget: target("button", "Open", "200"), Limits: task.DefaultLimits,
	}, s)
	var limit *domain.Error
	if !errors.As(err, &limit) || limit.Code != domain.CodeLoop {
		t.Errorf("the same again: %v", err)
	}
	events, err := task.Decide(task.IssueCorrection{
		Correction: reasoning.Correction{Action: open}, RetryTarget: target("button", "Close", "200"), Limits: task.DefaultLimits,
	}, s)
	if err != nil || len(events) != 1 {
		t.Errorf("something else: %v", err)
	}
}

func TestState_LooksAtThePageAreNoSteps(t *testing.T) {
	t.Parallel()
	_, _, _, s := play(t, turns(3, func(i int) beat { return pressing("Button "+strconv.Itoa(i), "same", i) }))
	idle := s.Idle
	s = task.Decider.Fold(s, task.ActionVerified{Turn: 4, StepIndex: 2, Succeeded: true}, task.ActionGenerated{
		Turn: 4, StepIndex: 3, Kind: action.VerifySuccess, Action: `verifySuccess("it is done")`,
	})
	if s.Idle != idle+1 {
		t.Fatalf("idle %d, was %d", s.Idle, idle)
	}
	for _, worked := range []bool{true, false} {
		if after := task.Evolve(s, task.ActionVerified{Turn: 4, StepIndex: 3, Succeeded: worked}); after.Idle != s.Idle {
			t.Errorf("a look at the page (%v) counts: %d, was %d", worked, after.Idle, s.Idle)
		}
	}
}

func TestState_RemembersWhatItActedOn(t *testing.T) {
	t.Parallel()
	s := fold(append(refusedOnce(), issued)...)
	want := task.Place{Meaning: "mean1", URL: "https://clinic.example/"}
	for _, a := range s.Steps[0].Attempts {
		if a.On != want {
			t.Errorf("%s was decided on %+v", a.Action, a.On)
		}
	}
}

// Corrections that come after looks are counted in the order things were done.
func TestDecide_EndsCirclesWithLooksInBetween(t *testing.T) {
	t.Parallel()
	s := set(t).turn("")
	same := func() { s.Observed.MeaningHash = "same" }
	same()
	s.must(click("Open"))
	for step := 1; step <= 2; step++ {
		s.next().must(nobodyKnows(0))
		same()
		s.must(waitFor(1)).next().must(worked(step), failing(0))
		same()
		s.must(task.IssueCorrection{
			Correction:  reasoning.Correction{Action: action.Action{Name: action.Click, Target: "1"}},
			RetryTarget: target("button", "Open", "1"), Limits: task.DefaultLimits,
		})
	}
	s.next().must(nobodyKnows(0))
	same()
	if err := s.try(waitFor(1)); code(err) != domain.CodeLoop {
		t.Errorf("%v", err)
	}
}

// What a slow page shows while it is waited for is what the action brought, not what
// had been seen before.
func TestDecide_SlowPagesAreNoCircle(t *testing.T) {
	t.Parallel()
	s := set(t).turn("")
	for i := range 2 * task.DefaultLimits.MaxIdle {
		acts, looks := 2*i, 2*i+1
		s.must(click("Next "+strconv.Itoa(i))).next().must(nobodyKnows(acts), waitFor(1), task.EndTurn{Status: "action"})
		s.claims("", page.Witness{}).must(worked(looks), worked(acts)) // the page as it was when it was waited for
	}
	if s.Idle != 0 {
		t.Errorf("%d steps brought nothing", s.Idle)
	}
}
