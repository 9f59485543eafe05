package replay

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/secret"
	"github.com/stepledger/stepledger/domain/task"
	"github.com/stepledger/stepledger/domain/usage"
)

func TestCompare(t *testing.T) {
	t.Parallel()
	verified := task.ActionVerified{Turn: 2, Succeeded: true, Confidence: 0.9, Observations: []string{"a", "b"}}
	less, other := verified, verified
	less.Confidence = 0.8
	other.Observations = []string{"a", "c"}
	predicted := task.OutcomePredicted{Turn: 2, Outcome: page.Outcome{Description: "it opens"}}
	ended := task.TurnEnded{Turn: 2, Status: "action", Answer: []byte(`{"action":"click(\"3\")","usage":{"promptTokens":5}}`)}
	spent := ended
	spent.Answer = []byte(`{"usage":{"promptTokens":6},"action":"click(\"3\")"}`)
	same := ended
	same.Answer = []byte(`{"usage":{"promptTokens":5},"action":"click(\"3\")"}`)
	for name, tt := range map[string]struct {
		was, now []task.Event
		want     string // the event and the field, "" for none
	}{
		"nothing":                {nil, nil, ""},
		"the same":               {[]task.Event{verified, predicted}, []task.Event{verified, predicted}, ""},
		"a number":               {[]task.Event{verified}, []task.Event{less}, "task.action_verified.v1/confidence"},
		"an item of a list":      {[]task.Event{verified}, []task.Event{other}, "task.action_verified.v1/observations/1"},
		"another event":          {[]task.Event{verified}, []task.Event{predicted}, "task.action_verified.v1"},
		"one is missing":         {[]task.Event{verified, predicted}, []task.Event{verified}, "task.outcome_predicted.v1"},
		"one more":               {[]task.Event{verified}, []task.Event{verified, predicted}, "task.outcome_predicted.v1"},
		"within the answer":      {[]task.Event{ended}, []task.Event{spent}, "task.turn_ended.v1/answer/usage/promptTokens"},
		"the order of its words": {[]task.Event{ended}, []task.Event{same}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := compare(tt.was, tt.now)
			got := ""
			if d != nil {
				got = d.Event + d.Field
			}
			if err != nil || got != tt.want {
				t.Errorf("%q %v, want %q", got, err, tt.want)
			}
		})
	}
}

// What a replay says of a turn has no secret in it, and a turn that differs only in one
// still differs.
func TestResult_HidesSecrets(t *testing.T) {
	t.Parallel()
	set := secret.New("hunter2zz9", "swordfish77")
	r := Result{
		Action:     Pair{`setValue("2", "hunter2zz9")`, `setValue("2", "swordfish77")`},
		Difference: &Difference{Was: text("hunter2zz9"), Now: text("swordfish77")},
	}
	hidden := r.without(set)
	b, err := json.Marshal(hidden)
	if err != nil || strings.Contains(string(b), "hunter2") || strings.Contains(string(b), "swordfish") || !hidden.Flips() {
		t.Errorf("%v %s", err, b)
	}
	if !strings.Contains(string(r.Difference.Was), "hunter2") {
		t.Error("the result itself was changed")
	}
}

// A turn of whose calls an answer is gone cannot be replayed, and says so.
func TestTurn_LostAnswers(t *testing.T) {
	t.Parallel()
	answered := usage.Call{Report: &usage.Report{AnswerRef: "a"}}
	answered.Started.Call = "1"
	turn := Turn{Decided: []task.Event{task.TurnEnded{}}, Calls: []usage.Call{answered, {}}, Answers: map[string][]byte{"1": []byte("{}")}}
	if why := turn.unplayable(); why != "" {
		t.Error(why)
	}
	turn.Answers = nil
	if why := turn.unplayable(); !strings.Contains(why, "1 of its model calls") {
		t.Errorf("%q", why)
	}
}
