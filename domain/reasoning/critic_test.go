package reasoning_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/reasoning"
)

func TestNeedsCritic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		action       action.Name
		confidence   float64
		afterFailure bool
		why          reasoning.CriticCause
	}{
		{"a sure click", action.Click, 0.9, false, ""},
		{"a click at the threshold", action.Click, 0.85, false, ""},
		{"a click below it", action.Click, 0.84, false, reasoning.LowConfidence},
		{"a confidence that is no number", action.Click, math.NaN(), false, reasoning.LowConfidence},
		{"a confidence that is no probability", action.Click, 7, false, reasoning.LowConfidence},
		{"a sure click after a failure", action.Click, 0.9, true, reasoning.AfterFailure},
		{"an unsure one after a failure", action.Click, 0.1, true, reasoning.AfterFailure},
		{"a value", action.SetValue, 1, false, reasoning.HighRisk},
		{"the end", action.Finish, 1, false, reasoning.HighRisk},
		{"giving up, after a failure", action.Fail, 0.1, true, reasoning.HighRisk},
		{"a wait", action.Wait, 0.9, false, ""},
		{"an unsure look", action.Hover, 0.2, true, ""},
	} {
		why, needed := reasoning.NeedsCritic(action.Action{Name: c.action}, c.confidence, c.afterFailure)
		if why != c.why || needed != (c.why != "") {
			t.Errorf("%s: %q %v", c.name, why, needed)
		}
	}
}

func TestNeedsCritic_Keys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"PageUp": false, "Control+PageUp": false, "Shift+Tab": false, "Escape": false,
		"Enter": true, "Space": true, "Delete": true, "Control+a": true, "Alt+ArrowLeft": true,
	} {
		if _, needed := reasoning.NeedsCritic(action.Action{Name: action.Press, Text: key}, 0.6, false); needed != want {
			t.Errorf("%s: %v", key, needed)
		}
	}
}

func TestCritique_SendsInDoubt(t *testing.T) {
	t.Parallel()
	no := reasoning.Critique{Reason: "a date is no name"}
	for _, c := range []struct {
		name     string
		critique reasoning.Critique
		err      error
		attempt  int
		sends    bool
	}{
		{"an approval", reasoning.Critique{Approved: true}, nil, 1, true},
		{"an objection", no, nil, 1, false},
		{"another objection", no, nil, reasoning.MaxCritiques - 1, false},
		{"the last objection", no, nil, reasoning.MaxCritiques, true},
		{"a critic who does not know", reasoning.Critique{Undecided: true}, nil, 1, true},
		{"a critic out of reach", no, errors.New("timeout"), 1, true},
	} {
		if got := c.critique.Sends(c.err, c.attempt); got != c.sends {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
