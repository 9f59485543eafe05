package observe_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/internal/observe"
)

// port answers everything with what it was given.
type port struct {
	verdict reasoning.Verdict
	err     error
}

func (p port) Act(context.Context, reasoning.ActQuestion) (reasoning.ActAnswer, error) {
	return reasoning.ActAnswer{Thought: "passed on"}, p.err
}

func (p port) Verify(context.Context, reasoning.VerifyQuestion) (reasoning.Verdict, error) {
	return p.verdict, p.err
}

func (p port) Correct(context.Context, reasoning.CorrectQuestion) (reasoning.Correction, error) {
	return reasoning.Correction{Reason: "passed on"}, p.err
}

func (p port) Confirm(context.Context, reasoning.ConfirmQuestion) (reasoning.Verdict, error) {
	return p.verdict, p.err
}

func (p port) Find(context.Context, string, string, string) ([]reasoning.Skill, error) {
	return []reasoning.Skill{{ID: "passed on"}}, p.err
}

// ask puts every question there is and gives what was logged.
func ask(t *testing.T, p port) string {
	t.Helper()
	var out bytes.Buffer
	log := slog.New(slog.NewTextHandler(&out, nil))
	on := reasoning.On{Task: "task-7", Turn: 3}
	r := observe.Reasoner{Next: p, Log: log}
	act, err1 := r.Act(t.Context(), reasoning.ActQuestion{On: on, Query: "private words"})
	_, err2 := r.Verify(t.Context(), reasoning.VerifyQuestion{On: on, Query: "private words", Before: page.Before{URL: "private address"}})
	fix, err3 := r.Correct(t.Context(), reasoning.CorrectQuestion{On: on, Query: "private words"})
	found, err4 := observe.Skills{Next: p, Log: log}.Find(t.Context(), "acme", "site", "private words")
	for _, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, p.err) {
			t.Errorf("the error became %v", err)
		}
	}
	if act.Thought != "passed on" || fix.Reason != "passed on" || len(found) != 1 {
		t.Error("an answer was not passed on")
	}
	return out.String()
}

func TestObserve_SaysNothingWhenAllIsWell(t *testing.T) {
	t.Parallel()
	if got := ask(t, port{verdict: reasoning.Verdict{Confidence: 0.9}}); got != "" {
		t.Errorf("logged %s", got)
	}
}

func TestObserve_LogsWhatWasNotAnswered(t *testing.T) {
	t.Parallel()
	got := ask(t, port{err: errors.New("no model")})
	for _, want := range []string{"next action", "verdict", "correction", "skills out of reach", "task-7", "turn=3", "no model"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %s", want, got)
		}
	}
	if strings.Contains(got, "private") {
		t.Errorf("the question is in %s", got)
	}
}

func TestObserve_LogsConfidencesThatAreNone(t *testing.T) {
	t.Parallel()
	if got := ask(t, port{verdict: reasoning.Verdict{Confidence: math.NaN()}}); !strings.Contains(got, "no probability") {
		t.Errorf("logged %q", got)
	}
}

// planner plans with an answer of its own.
type planner struct {
	commands.Planner
	answer reasoning.PlanAnswer
}

func (p planner) Plan(context.Context, reasoning.PlanQuestion) (reasoning.PlanAnswer, error) {
	return p.answer, nil
}

func TestObserve_LogsHowSureAPlannerIs(t *testing.T) {
	t.Parallel()
	for confidence, want := range map[float64]string{0.29: "WARN", 0.3: "DEBUG", 0.9: "DEBUG"} {
		var out bytes.Buffer
		log := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))
		answer := reasoning.PlanAnswer{Sources: []reasoning.Source{reasoning.FromWeb}, Confidence: confidence, Evidence: "private words"}
		if _, err := (observe.Planner{Next: planner{answer: answer}, Log: log}).Plan(t.Context(), reasoning.PlanQuestion{}); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); !strings.Contains(got, "level="+want) || !strings.Contains(got, "WEB_SEARCH") || strings.Contains(got, "private") {
			t.Errorf("%v: %s", confidence, got)
		}
	}
}

func TestObserve_LogsVerificationThatIsSkipped(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	r := observe.Reasoner{Next: port{verdict: reasoning.Verdict{Undecided: true}}, Log: slog.New(slog.NewTextHandler(&out, nil))}
	if _, err := r.Verify(t.Context(), reasoning.VerifyQuestion{On: reasoning.On{Task: "task-7", Turn: 3}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"level=WARN", "verification skipped", "task-7", "turn=3"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in %s", want, out.String())
		}
	}
}
