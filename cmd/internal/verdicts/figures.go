package verdicts

import "math"

// Share is a part of a whole.
type Share struct{ Count, Of int }

// Percent of the whole; 0 of nothing.
func (s Share) Percent() float64 { return 100 * float64(s.Count) / float64(max(s.Of, 1)) }

// wilsonZ is the normal quantile of a 95 % interval.
const wilsonZ = 1.959963984540054

// Interval is the 95 % Wilson interval of the percentage; 0 to 100 if there are no
// cases.
func (s Share) Interval() (low, high float64) {
	if s.Of == 0 {
		return 0, 100
	}
	n, p, z2 := float64(s.Of), float64(s.Count)/float64(s.Of), wilsonZ*wilsonZ
	centre := (p + z2/(2*n)) / (1 + z2/n)
	reach := wilsonZ / (1 + z2/n) * math.Sqrt(p*(1-p)/n+z2/(4*n*n))
	return 100 * max(0, centre-reach), 100 * min(1, centre+reach)
}

// Figures are the results over some judged cases. False shares are of the decided
// cases.
type Figures struct {
	Cases     int
	NotWorked Share // of all cases
	Decided   Share // of all cases
	// FalseSuccess: of those that did not work, called success. FalseFailure: of
	// those that worked, called failure.
	FalseSuccess, FalseFailure Share
	// FlowFalseDone: of those that did not work, the task was called done. FlowRepeated:
	// of those that worked, the action was done again. FlowAsked, of all cases: the user
	// was asked.
	FlowFalseDone, FlowRepeated, FlowAsked Share
	Tokens                                 int64
	TokensSaved                            int
}

// Count returns the figures of judged cases.
func Count(cases []Judged) Figures {
	f := Figures{Cases: len(cases), NotWorked: Share{0, len(cases)}, Decided: Share{0, len(cases)}}
	for _, c := range cases {
		if !c.Worked {
			f.NotWorked.Count++
		}
		f.flow(c)
		f.Tokens += c.Verdict.Tokens.Prompt + c.Verdict.Tokens.Completion
		if c.Verdict.Undecided {
			continue
		}
		f.Decided.Count++
		f.TokensSaved += c.TokensSaved
		whole := &f.FalseSuccess
		if c.Worked {
			whole = &f.FalseFailure
		}
		whole.Of++
		if c.Wrong() {
			whole.Count++
		}
	}
	return f
}

func (f *Figures) flow(c Judged) {
	one := map[bool]int{true: 1}
	f.FlowAsked = f.FlowAsked.plus(one[c.Flow == Asked])
	if c.Worked {
		f.FlowRepeated = f.FlowRepeated.plus(one[c.Flow == Repeated])
		return
	}
	f.FlowFalseDone = f.FlowFalseDone.plus(one[c.Flow == ClaimedDone])
}

func (s Share) plus(n int) Share { return Share{s.Count + n, s.Of + 1} }

// Wrong reports whether the verdict is decided and wrong.
func (j Judged) Wrong() bool { return !j.Verdict.Undecided && j.Verdict.ActionSucceeded != j.Worked }
