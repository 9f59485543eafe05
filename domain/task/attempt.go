package task

import (
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/plan"
	"github.com/stepledger/stepledger/domain/reasoning"
)

// Attempt is one try of a step: the generated action, or a correction.
type Attempt struct {
	Kind    action.Name `json:"kind"`
	Action  string      `json:"action"`
	Target  Target      `json:"target"`
	Thought string      `json:"thought,omitempty"`
	// Turn is the turn it was decided in.
	Turn int `json:"turn,omitempty"`
	// LeaseUntil is the end of that turn's lease, which tells when it began.
	LeaseUntil time.Time `json:"-"`
	// MaySubmit: repeating it may do harm. Clears: it only removes what is in the way
	// of the step.
	MaySubmit bool `json:"maySubmit,omitempty"`
	Clears    bool `json:"clears,omitempty"`
	// Expected is the predicted outcome, Type the kind of action.
	Expected page.Outcome       `json:"expected,omitzero"`
	Type     page.ActionKind    `json:"actionType,omitempty"`
	Final    bool               `json:"final,omitempty"`
	Strategy reasoning.Strategy `json:"strategy,omitempty"`
	By       string             `json:"by"`
	Skills   []string           `json:"skills,omitempty"`
	// Instead is the failing action that a skill avoided.
	Instead reasoning.Instead `json:"instead,omitzero"`
	// On is the page the attempt was decided on. Before is more of it; it is kept
	// only while the action is under judgement.
	On     Place        `json:"on,omitzero"`
	Before *page.Before `json:"before,omitempty"`
	// Reported is what the client has reported since the action, while it is under
	// judgement; nil before the first report.
	Reported *page.Witness `json:"-"`
	Verdict  *Verdict      `json:"verdict,omitempty"`
	// Chain are the actions of a chain, nil for a single action; Action and Target
	// are those of the first.
	Chain []Link `json:"chain,omitempty"`
	// LeftOut says which action of several was not done with it, and why.
	LeftOut string `json:"leftOut,omitempty"`
	// For is the step of the task, read as a program, that the action belongs to. A
	// correction is for what the first action of its step was for.
	For instruction.Progress `json:"for,omitzero"`
}

// Verdict is the verdict on an attempt.
type Verdict struct {
	Outcome       reasoning.Outcome `json:"outcome"`
	Succeeded     bool              `json:"succeeded"`
	TaskCompleted bool              `json:"taskCompleted"`
	Confidence    float64           `json:"confidence"`
	Reason        string            `json:"reason"`
	Missing       reasoning.Missing `json:"missing,omitempty"`
	Proof         reasoning.Proof   `json:"proof,omitzero"`
	Tier          int               `json:"tier"`
	// Turn is the turn it was given in.
	Turn int `json:"turn"`
	// Code is the client's word for why it could not do the action.
	Code string `json:"code,omitempty"`
}

// Decided reports whether the attempt has a decided verdict.
func (a Attempt) Decided() bool { return a.Verdict != nil && a.Verdict.Outcome != reasoning.Undecided }

// Pending returns the attempt that has no verdict yet.
func (s State) Pending() (step Step, a Attempt, ok bool) {
	if len(s.Steps) == 0 {
		return Step{}, Attempt{}, false
	}
	step = s.Steps[len(s.Steps)-1]
	a = step.Attempts[len(step.Attempts)-1]
	return step, a, a.Verdict == nil
}

// Judgement is an action whose verdict is not decided.
type Judgement struct {
	Attempt
	Step int // its index
	// Looks counts the waits, scrolls and hovers since.
	Looks int
}

// UnderJudgement returns the newest action that does more than look, if its verdict
// is not decided. Waits, looks and questions do not end that; another action does. If
// the user has just said whether something worked, it returns the action they were
// asked about.
func (s State) UnderJudgement() (Judgement, bool) {
	if j, open := s.UndecidedSubmit(); open && s.RepliedNow {
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

// ToCorrect returns the action that got a failed verdict in this turn; an action that
// does more than look comes before one that does not.
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

// Corrections returns the number of corrections of a step.
func (s Step) Corrections() int { return max(0, len(s.Attempts)-1) }

// UndecidedSubmit returns the newest submission whose verdict is not decided.
func (s State) UndecidedSubmit() (Judgement, bool) {
	for _, step := range slices.Backward(s.Steps) {
		for _, a := range slices.Backward(step.Attempts) {
			if a.MaySubmit && !a.Decided() {
				return Judgement{Attempt: a, Step: step.Index}, s.SubmitUndecided
			}
		}
	}
	return Judgement{}, false
}

// FailedSubmit returns the newest action that does more than look, if it may submit
// and has failed.
func (s State) FailedSubmit() (Judgement, bool) {
	j, open := s.newestAction()
	return j, !open && j.MaySubmit && j.Decided() && !j.Verdict.Succeeded
}

// supersede is the state before another action. An action that does more than look
// ends the judgement of the one before it and the question about it.
func (s State) supersede(kind action.Name, maySubmit bool) State {
	s.SubmitUndecided = s.SubmitUndecided || maySubmit
	if kind.LooksOnly() {
		return s
	}
	s.Judging = false
	j, open := s.newestAction()
	if !open {
		return s
	}
	return s.withAttempt(j.Step, func(a *Attempt) { a.Before, a.Reported = nil, nil })
}

// withReport adds the report of a turn to the action under judgement, if that is
// older than the turn.
func (s State) withReport(turn int) State {
	j, open := s.newestAction()
	if !open || j.Turn >= turn {
		return s
	}
	w := s.ReportOf(j).WithAlerts(newAlerts(j.Before, s.Observed.Alerts))
	return s.withAttempt(j.Step, func(a *Attempt) { a.Reported = &w })
}

// ReportOf returns what the client has reported of an action under judgement, up to
// this turn.
func (s State) ReportOf(j Judgement) page.Witness {
	if j.Reported == nil {
		return s.Observed.Witness
	}
	return j.Reported.FollowedBy(s.Observed.Witness)
}

// newAlerts returns the messages that were not shown before the action, none where nobody
// knows which were.
func newAlerts(before *page.Before, now []page.Alert) []page.Alert {
	if before == nil || before.IsPartial() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(now), func(a page.Alert) bool {
		return slices.Contains(before.Skeleton.Alerts, a)
	})
}

// successesToTrust is how many successes in a row make up for a failure.
const successesToTrust = 3

func verified(s State, e ActionVerified) State {
	a, known := s.undecidedAttempt(e.StepIndex)
	s.Idle = s.idleAfter(e, a)
	if !a.Kind.LooksOnly() || a.Kind == action.VerifySuccess || !e.Succeeded {
		s = s.withStreaks(e)
		if !e.Undecided {
			s = s.changePart(func(h plan.Hierarchy) plan.Hierarchy { return h.Counted(e.Succeeded) })
		}
	}
	if !known {
		return s
	}
	switch {
	case e.Undecided:
	case a.Kind == action.VerifySuccess && e.Succeeded:
		s.FinishNeedsProof, s.SubmitUndecided = false, false
	case a.MaySubmit:
		j, open := s.UndecidedSubmit()
		s.SubmitUndecided = open && j.Step != e.StepIndex
	}
	code := ""
	if failed := s.ReportOf(Judgement{Attempt: a}).Error; failed != nil {
		code = failed.Code
	}
	return s.withAttempt(e.StepIndex, func(a *Attempt) {
		a.Verdict = &Verdict{e.Outcome(), e.Succeeded, e.TaskCompleted, e.Confidence, e.Reason, e.Missing, e.Proof, e.Tier, e.Turn, code}
		a.withItems(e.Items)
		if !e.Undecided {
			a.Before, a.Reported = nil, nil
		}
	})
}

// withStreaks counts the verdict among the successes or failures in a row.
func (s State) withStreaks(e ActionVerified) State {
	switch e.Outcome() {
	case reasoning.Succeeded:
		s.ConsecutiveFailures = 0
		s.ConsecutiveSuccesses++
		s.FinishNeedsProof = s.FinishNeedsProof && s.ConsecutiveSuccesses < successesToTrust
	case reasoning.Failed:
		s.ConsecutiveFailures++
		s.ConsecutiveSuccesses, s.FinishNeedsProof = 0, true
	}
	return s
}

// undecidedAttempt returns the newest attempt of a step, if its verdict is not
// decided.
func (s State) undecidedAttempt(step int) (Attempt, bool) {
	at := s.stepAt(step)
	if at < 0 {
		return Attempt{}, false
	}
	attempts := s.Steps[at].Attempts
	a := attempts[len(attempts)-1]
	return a, !a.Decided()
}

// stepAt returns the position of the step with an index, or -1.
func (s State) stepAt(index int) int {
	return slices.IndexFunc(s.Steps, func(step Step) bool { return step.Index == index })
}

// withAttempt returns s with a changed copy of a step's newest attempt.
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
