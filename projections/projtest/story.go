package projtest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

// Story writes the interleaved histories of many tasks, with their model
// calls, corrections, questions and ends: at least n events, the same for the
// same seed but for ids and times.
func (e *Env) Story(seed uint64, n int) {
	e.T.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	sessions := []string{e.Session(), e.Session(), e.Session()}
	var open []*Task
	for written := len(sessions); written < n; {
		if len(open) < 5 {
			i := rng.IntN(len(sessions))
			k := e.Task(sessions[i], fmt.Sprintf("https://site%d.example/page", i), fmt.Sprintf("goal %d", rng.IntN(4)))
			if i == 0 { // what becomes known as secret later
				k.Query += " with Hunter2zz"
			}
			open = append(open, k)
		}
		i := rng.IntN(len(open))
		before := e.head()
		if ended := open[i].live(rng); ended {
			open = append(open[:i], open[i+1:]...)
		}
		written += int(e.head() - before)
	}
}

func (e *Env) head() int64 {
	head, err := e.Store.Head(e.T.Context())
	if err != nil {
		e.T.Fatal(err)
	}
	return head
}

// live is one turn of a task.
func (t *Task) live(rng *rand.Rand) (ended bool) {
	t.Turn(t.URL)
	t.call(rng)
	if rng.IntN(40) == 0 {
		t.Erase()
		return true
	}
	pending := t.lastAction != ""
	succeeded := rng.IntN(3) > 0
	if pending {
		if t.chained && rng.IntN(2) == 0 {
			t.Stop(1, 3, []string{"retry", "skip", "regenerate"}[rng.IntN(3)])
		}
		t.Verdict(succeeded)
		t.lastAction, t.chained = "", false
	}
	if rng.IntN(4) == 0 {
		t.checked(rng)
	}
	buttons := []task.Target{Target("1", "button", "Save"), Target("2", "link", "New"), Target("3", "textbox", "Name")}
	one, two := buttons[rng.IntN(len(buttons))], buttons[rng.IntN(len(buttons))]
	switch die := rng.IntN(12); {
	case die == 0:
		t.Complete("done")
		return true
	case die == 1:
		t.Fail("GAVE_UP", "no way")
		return true
	case die == 2 && !t.started:
		t.Ask("which one?").End().Turn(t.URL).Reply("that one")
	case die == 4:
		t.Append(task.TaskPaused{By: "u1", Kind: task.TakenOver, At: time.Now(), Note: "with Hunter2zz"})
		if rng.IntN(2) == 0 {
			t.Append(task.TaskHandedBack{By: "u2", At: time.Now(), Note: "go on"})
		}
	case die == 3 && t.started:
		t.Append(task.TaskInterrupted{Why: "nobody asked"}).Turn(t.URL).Append(task.TaskResumed{Turn: t.turn})
	}
	switch {
	case pending && !succeeded:
		t.lastAction = Click(one.ID).String()
		t.Correct(reasoning.AlternativeSelector, Click(two.ID), two)
	case rng.IntN(4) == 0:
		t.Chain(3, one)
		t.chained = true
	default:
		t.Act([]action.Action{Click(one.ID), Set(one.ID, "a value")}[rng.IntN(2)], one)
	}
	if die := rng.IntN(6); die == 0 {
		t.Typed("Hunter2zz")
	} else {
		t.End()
	}
	return false
}

// checked is the checkpoint of a plan, with its retries.
func (t *Task) checked(rng *rand.Rand) {
	for attempt := 1; ; attempt++ {
		score := []float64{0.3, 0.6, 0.6, 0.7, 0.9}[rng.IntN(5)]
		t.Check(attempt, score)
		if score != 0.6 || attempt > plan.MaxRetries {
			return
		}
	}
}

// call is a model call of the turn, which may still be open.
func (t *Task) call(rng *rand.Rand) {
	t.env.T.Helper()
	id, at := domain.NewUUID(), time.Date(2026, 1, 27, rng.IntN(24), 0, 0, 0, time.UTC)
	m := usage.Meters{InputUncached: rng.Int64N(1000), Output: rng.Int64N(100)}
	cost := usage.Pico(rng.Int64N(1e10))
	events := []usage.Event{usage.LLMCallStarted{
		Call: id, Tenant: t.Tenant, User: t.User, Session: t.Session, Task: t.ID, Turn: t.turn,
		Purpose: usage.ActionGeneration, Provider: usage.Google, Model: "m-1", Attempt: 1, StartedAt: at,
	}}
	charge := usage.Charge{Cost: &cost, CostStatus: usage.Priced, PriceVersion: "v1"}
	switch rng.IntN(4) {
	case 0, 1:
		events = append(events, usage.LLMCallCompleted{
			Call: id, TotalMatches: true, Charge: charge, Report: usage.Report{Outcome: usage.OK, Meters: m, CompletedAt: at},
		})
	case 2:
		events = append(events, usage.LLMCallSettled{Call: id, Meters: m, Charge: charge, SettledAt: at},
			usage.UsageCorrected{Call: id, Meters: m, CostDelta: &cost, CostStatus: usage.Priced, CorrectedAt: at})
	}
	Append(t.env, usage.Codec, usage.Stream(t.ID), events...)
}
