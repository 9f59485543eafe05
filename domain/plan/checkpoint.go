package plan

import "math"

// Scores judge a plan before it is carried out (spec: Verification Checkpoint Logic,
// checkpoint 1), each from 0 to 1: does it cover all of the task, do its steps agree,
// does it rest on what is known, and can somebody carry out each step.
type Scores struct {
	Completeness float64 `json:"completeness"`
	Consistency  float64 `json:"consistency"`
	Groundedness float64 `json:"groundedness"`
	Routability  float64 `json:"routability"`
}

// Weights of the scores (spec: overall score calculation).
const (
	completenessWeight = 0.4
	consistencyWeight  = 0.2
	groundednessWeight = 0.2
	routabilityWeight  = 0.2
)

// Thresholds and retries of a checkpoint (spec: verdict logic).
const (
	PassFrom   = 0.7
	RetryFrom  = 0.5
	MaxRetries = 2
)

// CheckVerdict is what a checkpoint makes of a plan.
type CheckVerdict string

// The verdicts.
const (
	// Pass: the plan is carried out.
	Pass CheckVerdict = "PASS"
	// Retry: another plan is made, by what was found fault with.
	Retry CheckVerdict = "RETRY"
	// Fail: the plan is not carried out, and no other one is asked for.
	Fail CheckVerdict = "FAIL"
)

// Sane reports whether every score is one.
func (s Scores) Sane() bool {
	for _, v := range []float64{s.Completeness, s.Consistency, s.Groundedness, s.Routability} {
		if !(v >= 0 && v <= 1) {
			return false
		}
	}
	return true
}

// Overall is the weighted sum, to three digits: sums of floats that are a threshold on
// paper would fall short of it.
func (s Scores) Overall() float64 {
	sum := completenessWeight*s.Completeness + consistencyWeight*s.Consistency + groundednessWeight*s.Groundedness + routabilityWeight*s.Routability
	return math.Round(sum*1000) / 1000
}

// Check is the verdict on a plan that was made after so many retries.
func (s Scores) Check(retries int) CheckVerdict { return verdictOn(s.Overall(), retries) }

// verdictOn is the verdict on a score after so many retries (spec: verdict logic).
func verdictOn(score float64, retries int) CheckVerdict {
	switch {
	case score >= PassFrom:
		return Pass
	case score >= RetryFrom && retries < MaxRetries:
		return Retry
	}
	return Fail
}
