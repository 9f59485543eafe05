package task

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Attempt is one try of a step: the action first generated, or a correction.
type Attempt struct {
	Kind    action.Name `json:"kind"`
	Action  string      `json:"action"`
	Target  Target      `json:"target"`
	Thought string      `json:"thought,omitempty"`
	// Turn it was decided in.
	Turn int `json:"turn,omitempty"`
	// MaySubmit: doing it twice may do harm. Clears: it only takes away what is in
	// the way of the step.
	MaySubmit bool `json:"maySubmit,omitempty"`
	Clears    bool `json:"clears,omitempty"`
	// Expected is what was predicted of the action, Type what it is for.
	Expected page.Outcome       `json:"expected,omitzero"`
	Type     page.ActionKind    `json:"actionType,omitempty"`
	Final    bool               `json:"final,omitempty"`
	Strategy reasoning.Strategy `json:"strategy,omitempty"`
	By       string             `json:"by"`
	Skills   []string           `json:"skills,omitempty"`
	// Instead is the action that a skill spared the task.
	Instead reasoning.Instead `json:"instead,omitzero"`
	// On is the page the attempt was decided on. Before is more of it, kept while
	// the action is under judgement; nothing needs it later.
	On     Place        `json:"on,omitzero"`
	Before *page.Before `json:"before,omitempty"`
	// Heard is what the client has reported since the action, turn by turn, as long
	// as it is under judgement; nil before the first report.
	Heard   *page.Witness `json:"-"`
	Verdict *Verdict      `json:"verdict,omitempty"`
}

// Verdict on an attempt.
type Verdict struct {
	Outcome       reasoning.Outcome `json:"outcome"`
	Succeeded     bool              `json:"succeeded"`
	TaskCompleted bool              `json:"taskCompleted"`
	Confidence    float64           `json:"confidence"`
	Reason        string            `json:"reason"`
	Missing       reasoning.Missing `json:"missing,omitempty"`
	Proof         reasoning.Proof   `json:"proof,omitzero"`
	Tier          int               `json:"tier"`
	// Turn it was given in.
	Turn int `json:"turn"`
}

// Decided reports whether it is known how the attempt went.
func (a Attempt) Decided() bool { return a.Verdict != nil && a.Verdict.Outcome != reasoning.Undecided }

// Pending is the attempt that waits for its first verdict.
func (s State) Pending() (step Step, a Attempt, ok bool) {
	if len(s.Steps) == 0 {
		return Step{}, Attempt{}, false
	}
	step = s.Steps[len(s.Steps)-1]
	a = step.Attempts[len(step.Attempts)-1]
	return step, a, a.Verdict == nil
}

// Judgement is an action that nobody has decided yet.
type Judgement struct {
	Attempt
	Step int // its index
	// Looks counts what was done since only to look at the page.
	Looks int
}

// UnderJudgement is the newest action that does more than look, unless it is decided
// whether it worked. Waits, looks and questions do not end it; another action does.
// Where the user has just said whether something worked, it is what they were asked
// about: what may have been submitted, if that is not known.
func (s State) UnderJudgement() (Judgement, bool) {
	if j, open := s.UnsettledSubmit(); open && s.Told {
		return j, true
	}
	return s.newestAction()
}

func (s State) newestAction() (Judgement, bool) {
	looks := 0
	for _, step := range slices.Backward(s.Steps) {
		for _, a := range slices.Backward(step.Attempts) {
			if !a.Kind.LooksOnly() {
				return Judgement{a, step.Index, looks}, !a.Decided()
			}
			looks++
		}
	}
	return Judgement{}, false
}

// ToCorrect is the action that was found in the turn under way to have failed: one
// that does more than look before one that does not.
func (s State) ToCorrect() (step Step, failed Attempt, found bool) {
	for _, st := range slices.Backward(s.Steps) {
		a := st.Attempts[len(st.Attempts)-1]
		if !a.Decided() || a.Verdict.Succeeded || a.Verdict.Turn != s.Turn.Number {
			continue
		}
		if !a.Kind.LooksOnly() {
			return st, a, true
		}
		if !found {
			step, failed, found = st, a, true
		}
	}
	return step, failed, found
}

// Corrections counts those of a step.
func (s Step) Corrections() int { return max(0, len(s.Attempts)-1) }

// UnsettledSubmit is the action of State.Unsettled: the newest one that may submit and
// is not decided.
func (s State) UnsettledSubmit() (Judgement, bool) {
	for _, step := range slices.Backward(s.Steps) {
		for _, a := range slices.Backward(step.Attempts) {
			if a.MaySubmit && !a.Decided() {
				return Judgement{Attempt: a, Step: step.Index}, s.Unsettled
			}
		}
	}
	return Judgement{}, false
}

// RefusedSubmit is the newest action that does more than look, where it may submit and
// is known to have failed.
func (s State) RefusedSubmit() (Judgement, bool) {
	j, open := s.newestAction()
	return j, !open && j.MaySubmit && j.Decided() && !j.Verdict.Succeeded
}

// passedOn is s before another action: one that does more than look ends what was
// under judgement, which needs no page to be compared with any more, and the question
// whether that worked.
func (s State) passedOn(kind action.Name, maySubmit bool) State {
	s.Unsettled = s.Unsettled || maySubmit
	if kind.LooksOnly() {
		return s
	}
	s.Judging = false
	j, open := s.newestAction()
	if !open {
		return s
	}
	return s.withAttempt(j.Step, func(a *Attempt) { a.Before, a.Heard = nil, nil })
}

// heard adds what was reported in a turn to what was before, for an action that is
// older than the turn and still under judgement.
func (s State) heard(turn int) State {
	j, open := s.newestAction()
	if !open || j.Turn >= turn {
		return s
	}
	w := s.HeardOf(j).Saying(newAlerts(j.Before, s.Observed.Alerts))
	return s.withAttempt(j.Step, func(a *Attempt) { a.Heard = &w })
}

// HeardOf is what the client has reported of an action under judgement, the turn under
// way included.
func (s State) HeardOf(j Judgement) page.Witness {
	if j.Heard == nil {
		return s.Observed.Witness
	}
	return j.Heard.Since(s.Observed.Witness)
}

// newAlerts are the messages that were not there before the action.
func newAlerts(before *page.Before, now []page.Alert) []page.Alert {
	if before == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(now), func(a page.Alert) bool {
		return slices.Contains(before.Skeleton.Alerts, a)
	})
}

// trusted is how many good verdicts in a row make up for a failed one.
const trusted = 3

func verified(s State, e ActionVerified) State {
	a, known := s.attemptOf(e.StepIndex)
	s.Idle = s.idleAfter(e, a)
	if !a.Kind.LooksOnly() || a.Kind == action.VerifySuccess || !e.Succeeded {
		s = s.counted(e)
	}
	if !known {
		return s
	}
	switch {
	case e.Undecided:
	case a.Kind == action.VerifySuccess && e.Succeeded:
		s.Doubtful, s.Unsettled = false, false
	case a.MaySubmit:
		j, open := s.UnsettledSubmit()
		s.Unsettled = open && j.Step != e.StepIndex
	}
	return s.withAttempt(e.StepIndex, func(a *Attempt) {
		a.Verdict = &Verdict{e.Outcome(), e.Succeeded, e.TaskCompleted, e.Confidence, e.Reason, e.Missing, e.Proof, e.Tier, e.Turn}
		if !e.Undecided {
			a.Before, a.Heard = nil, nil
		}
	})
}

// counted is s with the verdict among those in a row.
func (s State) counted(e ActionVerified) State {
	switch e.Outcome() {
	case reasoning.Succeeded:
		s.ConsecutiveFailures = 0
		s.ConsecutiveSuccesses++
		s.Doubtful = s.Doubtful && s.ConsecutiveSuccesses < trusted
	case reasoning.Failed:
		s.ConsecutiveFailures++
		s.ConsecutiveSuccesses, s.Doubtful = 0, true
	}
	return s
}

// attemptOf is the newest attempt of a step, if it may still be judged.
func (s State) attemptOf(step int) (Attempt, bool) {
	at := s.stepAt(step)
	if at < 0 {
		return Attempt{}, false
	}
	attempts := s.Steps[at].Attempts
	a := attempts[len(attempts)-1]
	return a, !a.Decided()
}

// stepAt is where the step of an index is, -1 if nowhere.
func (s State) stepAt(index int) int {
	return slices.IndexFunc(s.Steps, func(step Step) bool { return step.Index == index })
}

// withAttempt is s with a changed copy of a step's newest attempt.
func (s State) withAttempt(step int, change func(*Attempt)) State {
	at := s.stepAt(step)
	if at < 0 {
		return s
	}
	s.Steps = slices.Clone(s.Steps)
	attempts := slices.Clone(s.Steps[at].Attempts)
	change(&attempts[len(attempts)-1])
	s.Steps[at].Attempts = attempts
	return s
}
