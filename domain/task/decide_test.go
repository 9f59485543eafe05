package task_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/task"
)

var (
	shown       = reasoning.Proof{Source: reasoning.OnPage, Quote: "Jas was added"}
	completed   = task.TaskCompleted{Turn: 1, Confidence: 0.9, Message: "done", Proof: shown}
	interrupted = task.TaskInterrupted{Why: "idle"}
)

func claimFor(r task.Request, query string) task.Claim {
	page := observedFor(0, r)
	page.Query = query
	return task.Claim{Page: page, Now: noon}
}

func withQuery(e task.PageObserved, query string) task.PageObserved {
	e.Query = query
	return e
}

func TestDecide_Claim(t *testing.T) {
	t.Parallel()
	asked := append(waiting(), observedFor(2, second), task.UserInputRequested{Turn: 2, Question: "Which?"}, task.TurnEnded{Turn: 2})
	late := claimFor(second, "")
	late.Now = noon.Add(3 * time.Minute)
	dead := claimFor(second, "")
	dead.OwnerDead = true
	third := task.Request{Key: "k3", Body: "b3"}
	for _, c := range []struct {
		name  string
		given []task.Event
		when  task.Claim
		then  []task.Event
		err   string
	}{
		{
			name: "the first claim begins turn 1", when: claimFor(first, "add a patient named Jas"),
			then: []task.Event{observedFor(1, first)},
		},
		{
			name: "the next request begins the next turn", given: waiting(), when: claimFor(second, ""),
			then: []task.Event{withQuery(observedFor(2, second), "")},
		},
		{
			name: "an open turn is not disturbed", given: []task.Event{observedFor(1, first)},
			when: claimFor(second, ""), err: domain.CodeConflict,
		},
		{
			name: "a dead owner's turn is taken over", given: []task.Event{observedFor(1, first)}, when: dead,
			then: []task.Event{
				task.TurnAbandoned{Turn: 1, Why: "its process is gone"}, withQuery(observedFor(2, second), ""),
			},
		},
		{
			name: "a turn past its lease is taken over", given: []task.Event{observedFor(1, first)}, when: late,
			then: []task.Event{
				task.TurnAbandoned{Turn: 1, Why: "its lease has expired"}, withQuery(observedFor(2, second), ""),
			},
		},
		{
			name: "a finished task takes no turn", given: append(waiting(), completed),
			when: claimFor(second, ""), err: domain.CodeTaskCompleted,
		},
		{
			name: "an interrupted task is resumed", given: append(waiting(), interrupted), when: claimFor(second, ""),
			then: []task.Event{withQuery(observedFor(2, second), ""), task.TaskResumed{Turn: 2}},
		},
		{
			name: "repeating the query says nothing new", given: waiting(), when: claimFor(second, "add a patient named Jas"),
			then: []task.Event{observedFor(2, second)},
		},
		{
			name: "other words are a new message", given: waiting(), when: claimFor(second, "with phone 123"),
			then: []task.Event{
				withQuery(observedFor(2, second), "with phone 123"), task.UserInputProvided{Turn: 2, Text: "with phone 123"},
			},
		},
		{
			name: "a reply answers the question", given: asked, when: claimFor(third, "the first"),
			then: []task.Event{
				withQuery(observedFor(3, third), "the first"), task.UserInputProvided{Turn: 3, Text: "the first"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.given, c.when, c.then, c.err)
		})
	}
}

func TestDecide_ClaimKeepsTheOwner(t *testing.T) {
	t.Parallel()
	other := claimFor(second, "")
	other.Page.Tenant, other.Page.User, other.Page.Session = "globex", "eve", "s9"
	check(t, waiting(), other, []task.Event{withQuery(observedFor(2, second), "")}, "")
}

func TestDecide(t *testing.T) {
	t.Parallel()
	limits := task.DefaultLimits
	inTurn := []task.Event{observedFor(1, first)}
	generate := generated
	generate.Turn, generate.StepIndex = 0, 0
	verdict := reasoning.Verdict{Confidence: 0.2, Reason: refuted.Reason, Tier: 1, TokensSaved: 100, Rule: refuted.Rule, By: "rules"}
	insane := verdict
	insane.Confidence = 7
	insane.Missing = reasoning.MissingAnswer
	sane := refuted
	sane.Confidence, sane.Undecided, sane.Missing = 0.5, true, reasoning.MissingAnswer
	retry := task.IssueCorrection{
		Correction: reasoning.Correction{
			Strategy: reasoning.AlternativeSelector, Action: action.Action{Name: action.Click, Target: "3"},
			Reason: issued.Reason, Thought: issued.Thought, By: "rules",
		},
		RetryTarget: menuLink, Before: before, Limits: limits,
	}
	oneStep, noRetry, oneFailure := limits, retry, retry
	oneStep.MaxSteps = 1
	noRetry.Limits.MaxCorrections = 0
	oneFailure.Limits.MaxConsecutiveFailures = 1
	verified := append(waiting(), observedFor(2, second), confirmed)
	over := append(waiting(), completed)
	idle := task.Interrupt{"idle", noon.Add(time.Hour)}
	atOnce := task.Interrupt{Why: "idle"}
	for _, c := range []struct {
		name  string
		given []task.Event
		when  task.Command
		then  []task.Event
		err   string
	}{
		{
			name: "the first action makes the task visible", given: inTurn,
			when: task.GenerateAction{generate, limits}, then: []task.Event{started, generated},
		},
		{
			name: "no action before the last one's verdict", given: waiting(),
			when: task.GenerateAction{generate, limits}, err: domain.CodeConflict,
		},
		{
			name: "no action past the step limit", given: verified,
			when: task.GenerateAction{generate, oneStep}, err: domain.CodeMaxSteps,
		},
		{
			name: "a verdict goes to the pending action", given: append(waiting(), observedFor(2, second)),
			when: task.RecordVerdict{0, verdict, refuted.Observations}, then: []task.Event{refuted},
		},
		{
			name: "a confidence that is no probability is not trusted", given: append(waiting(), observedFor(2, second)),
			when: task.RecordVerdict{0, insane, refuted.Observations}, then: []task.Event{sane},
		},
		{
			name: "an undecided one may be followed by another", given: undecidedOnce(),
			when: task.RecordVerdict{0, verdict, refuted.Observations}, then: []task.Event{refuted},
		},
		{name: "a verdict on a step that is not there changes nothing", given: undecidedOnce(), when: task.RecordVerdict{7, verdict, nil}},
		{name: "what is not decided is not corrected", given: undecidedOnce(), when: retry, err: domain.CodeConflict},
		{name: "a second verdict changes nothing", given: refusedOnce(), when: task.RecordVerdict{0, verdict, nil}},
		{name: "a verdict on nothing changes nothing", given: inTurn, when: task.RecordVerdict{0, verdict, nil}},
		{name: "a failed action is corrected", given: refusedOnce(), when: retry, then: []task.Event{issued}},
		{name: "a pending action is not corrected", given: waiting(), when: retry, err: domain.CodeConflict},
		{name: "an action that worked is not corrected", given: verified, when: retry, err: domain.CodeConflict},
		{name: "corrections of a step are limited", given: refusedOnce(), when: noRetry, err: domain.CodeMaxRetries},
		{name: "failures in a row are limited", given: refusedOnce(), when: oneFailure, err: domain.CodeMaxFailures},
		{
			name: "the user is asked, and the task stays invisible", given: inTurn,
			when: task.AskUser{Question: "Which?", Missing: []string{"name"}},
			then: []task.Event{task.UserInputRequested{Turn: 1, Question: "Which?", Missing: []string{"name"}}},
		},
		{
			name: "the same question is not asked twice", given: append(inTurn, task.UserInputRequested{Turn: 1, Question: "Which?"}),
			when: task.AskUser{Question: "Which?"},
		},
		{
			name: "a goal reached at once is still a visible task", given: inTurn,
			when: task.Complete{Message: "done", Confidence: 0.9, Proof: shown}, then: []task.Event{started, completed},
		},
		{name: "a goal nothing shows is not reached", given: inTurn, when: task.Complete{Message: "done", Confidence: 0.9}, err: domain.CodeConflict},
		{
			name: "a place without words shows nothing", given: inTurn,
			when: task.Complete{Message: "done", Confidence: 0.9, Proof: reasoning.Proof{Source: reasoning.OnPage}}, err: domain.CodeConflict,
		},
		{
			name: "the user is asked whether it worked", given: inTurn,
			when: task.AskUser{Question: "Did it?", Judges: true},
			then: []task.Event{task.UserInputRequested{Turn: 1, Judges: true, Question: "Did it?"}},
		},
		{
			name: "a failure is readable", given: inTurn, when: task.Fail{Code: "LLM_ERROR", Message: "no answer"},
			then: []task.Event{started, task.TaskFailed{Turn: 1, Code: "LLM_ERROR", Message: "no answer"}},
		},
		{name: "a finished task takes no action", given: over, when: task.GenerateAction{generate, limits}, err: domain.CodeTaskCompleted},
		{name: "a finished task does not fail", given: over, when: task.Fail{Code: "X"}, err: domain.CodeTaskCompleted},
		{
			name: "the turn ends with its answer", given: inTurn,
			when: task.EndTurn{Status: "action", Answer: json.RawMessage(`{}`), Secret: "x"},
			then: []task.Event{task.TurnEnded{Turn: 1, Status: "action", Answer: json.RawMessage(`{}`), Secret: "x"}},
		},
		{name: "a turn ends once", given: waiting(), when: task.EndTurn{Status: "action"}},
		{name: "an idle task is interrupted", given: waiting(), when: idle, then: []task.Event{interrupted}},
		{
			name: "an idle task's open turn is given up", given: inTurn, when: idle,
			then: []task.Event{task.TurnAbandoned{Turn: 1, Why: "nobody continued it"}, interrupted},
		},
		{name: "a task claimed since is not interrupted", given: waiting(), when: task.Interrupt{"idle", noon}},
		{name: "an interrupted task is not interrupted again", given: append(waiting(), interrupted), when: idle},
		{name: "a finished task is not interrupted", given: over, when: idle},
		{name: "a task claimed since is interrupted at once", given: waiting(), when: atOnce, then: []task.Event{interrupted}},
		{
			name: "a turn under way is given up at once", given: inTurn, when: atOnce,
			then: []task.Event{task.TurnAbandoned{Turn: 1, Why: "idle"}, interrupted},
		},
		{name: "an interrupted task is not interrupted again at once", given: append(waiting(), interrupted), when: atOnce},
		{name: "a finished task is not interrupted at once", given: over, when: atOnce},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			check(t, c.given, c.when, c.then, c.err)
		})
	}
}

func check(t *testing.T, given []task.Event, when task.Command, then []task.Event, code string) {
	t.Helper()
	got, err := task.Decide(when, fold(given...))
	var refused *domain.Error
	errors.As(err, &refused)
	switch {
	case code == "" && err != nil:
		t.Fatalf("refused: %v", err)
	case code != "" && (refused == nil || refused.Code != code):
		t.Fatalf("error %v, want code %s", err, code)
	}
	if diff := cmp.Diff(then, got); diff != "" {
		t.Error(diff)
	}
}
