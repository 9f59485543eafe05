package verdicts

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/domain/reasoning"
)

// TestShare_Interval compares with values of Wilson's interval as published
// (Newcombe 1998, table I, method 3) or worked out by hand.
func TestShare_Interval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		share Share
		want  string
	}{
		"81 of 263":          {Share{81, 263}, "30.80 (25.53 to 36.62)"},
		"15 of 148":          {Share{15, 148}, "10.14 (6.24 to 16.05)"},
		"0 of 20":            {Share{0, 20}, "0.00 (0.00 to 16.11)"},
		"1 of 29":            {Share{1, 29}, "3.45 (0.61 to 17.18)"},
		"all of some":        {Share{5, 5}, "100.00 (56.55 to 100.00)"},
		"of nothing nothing": {Share{0, 0}, "0.00 (0.00 to 100.00)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			low, high := test.share.Interval()
			if got := fmt.Sprintf("%.2f (%.2f to %.2f)", test.share.Percent(), low, high); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestShare_Interval_HoldsTheShare(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5000).Draw(t, "of")
		s := Share{rapid.IntRange(0, n).Draw(t, "count"), n}
		low, high := s.Interval()
		if low < 0 || high > 100 || low > s.Percent()+1e-9 || high < s.Percent()-1e-9 {
			t.Fatalf("%v: %.3f to %.3f around %.3f", s, low, high, s.Percent())
		}
	})
}

// judged is a case that worked or not, and a verdict on it: "yes", "no" or "".
func judged(worked bool, said string) Judged {
	v := reasoning.Verdict{Undecided: said == "", ActionSucceeded: said == "yes", Tier: 1, Tokens: reasoning.Tokens{Prompt: 3, Completion: 1}}
	return Judged{Recorded: Recorded{Name: "n", Page: "p", Split: Train, Kind: "k", Worked: worked}, Verdict: v, TokensSaved: 10}
}

func TestCount(t *testing.T) {
	t.Parallel()
	got := Count([]Judged{
		judged(true, "yes"), judged(true, "yes"), judged(true, "no"), judged(true, ""),
		judged(false, "no"), judged(false, "yes"), judged(false, ""), judged(false, ""),
	})
	want := Figures{
		Cases: 8, NotWorked: Share{4, 8}, Decided: Share{5, 8},
		FalseSuccess: Share{1, 2}, FalseFailure: Share{1, 3}, Tokens: 32, TokensSaved: 50,
		FlowFalseDone: Share{0, 4}, FlowRepeated: Share{0, 4}, FlowAsked: Share{0, 8},
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
