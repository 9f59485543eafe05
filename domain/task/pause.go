package task

import (
	"slices"
	"time"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/secret"
)

// PauseKind says what whoever holds a task does with it.
type PauseKind string

// The kinds.
const (
	// Paused: the task stands still, and so does its page.
	Paused PauseKind = "pause"
	// TakenOver: a person works on the page by hand.
	TakenOver PauseKind = "takeover"
)

// Pause is who holds a task, since when and why.
type Pause struct {
	By   string    `json:"by"`
	Kind PauseKind `json:"kind"`
	At   time.Time `json:"at"`
	Note string    `json:"note,omitempty"`
}

// Note is what was said when the task was handed back.
type Note struct {
	Text    string   `json:"text"`
	Secrets []string `json:"-"`
}

// PauseTask holds a task: no turn is claimed until it is handed back. The same person
// holding it in the same way already is no error and leads to no event.
type PauseTask struct {
	Tenant, By string
	Kind       PauseKind
	Note       string
	Now        time.Time
}

// HandBack lets a paused task go on. A task that nobody holds is left as it is, note
// included.
type HandBack struct {
	Tenant, By string
	Note       string
	Now        time.Time
}

func (PauseTask) isTaskCommand() {}
func (HandBack) isTaskCommand()  {}

func pauseTask(c PauseTask, s State) ([]Event, error) {
	switch err := mayHold(s, c.Tenant); {
	case err != nil:
		return nil, err
	case c.Kind != Paused && c.Kind != TakenOver:
		return nil, domain.Errorf(domain.Invalid, domain.CodeValidation, "the kind of a pause is %s or %s", Paused, TakenOver).At("kind")
	case s.Pause != nil && s.Pause.By == c.By && s.Pause.Kind == c.Kind:
		return nil, nil
	}
	// Nobody needs a secret of this note again.
	set := secret.New(slices.Concat(s.Secrets, secret.InText(c.Note))...)
	return []Event{TaskPaused{c.By, c.Kind, c.Now.UTC(), set.Cut(c.Note)}}, nil
}

func handBack(c HandBack, s State) ([]Event, error) {
	switch err := mayHold(s, c.Tenant); {
	case err != nil:
		return nil, err
	case s.Pause == nil:
		return nil, nil
	}
	// A secret of this one may be what the task waited for, as in a reply.
	secrets := secret.Within(c.Note, s.Secrets)
	for _, v := range secret.InReply(s.Question, c.Note) {
		if !slices.Contains(secrets, v) {
			secrets = append(secrets, v)
		}
	}
	return []Event{TaskHandedBack{c.By, c.Now.UTC(), c.Note, secrets}}, nil
}

// mayHold refuses a task that is not the tenant's, or has ended.
func mayHold(s State, tenant string) error {
	switch {
	case !s.Exists() || s.Tenant != tenant:
		return domain.Errorf(domain.NotFound, domain.CodeTaskNotFound, "there is no such task").At("taskId")
	case s.Erased:
		return ErasedError()
	case s.Ended():
		return domain.Errorf(domain.Conflict, domain.CodeTaskCompleted, "this task is %s: there is nothing to pause or hand back", s.Status).At("taskId")
	}
	return nil
}

func paused(s State, e TaskPaused) State {
	s.Pause = &Pause{e.By, e.Kind, e.At, e.Note}
	if e.Kind == TakenOver {
		s.TakenOverIn = s.Turn.Number // no turn begins until it is handed back
	}
	return s
}

func handedBack(s State, e TaskHandedBack) State {
	s.Pause = nil
	if e.Note != "" {
		s.Notes = append(slices.Clip(s.Notes), Note{e.Note, e.Secrets})
	}
	return s.withSecrets(e.Secrets)
}

// MayBeTheirs reports whether what the page shows now may be what a person did who had
// taken the task over, and not what the attempt did. A turn that began before the
// takeover saw the page without it.
func (s State) MayBeTheirs(a Attempt) bool {
	return a.Turn <= s.TakenOverIn && s.Turn.Number > s.TakenOverIn
}

// WithoutBlame returns a verdict on an attempt as it may be recorded. After a takeover
// the page says nothing against an attempt from before it: failed becomes undecided,
// unless the user said so. What may have been submitted is then not sent again before
// somebody knows, and anything else is decided anew from the page as it is.
func (s State) WithoutBlame(a Attempt, v reasoning.Verdict) reasoning.Verdict {
	if clean, _ := v.Sanitised(); clean.Outcome() != reasoning.Failed || v.By == reasoning.ByUserWord || !s.MayBeTheirs(a) {
		return v
	}
	return reasoning.Verdict{
		Undecided: true, Missing: reasoning.MissingSign, Confidence: reasoning.FailureThreshold, Tier: v.Tier, By: v.By, Tokens: v.Tokens,
		Rule: v.Rule, NextGoalMet: v.NextGoalMet, Degraded: v.Degraded, TokensSaved: v.TokensSaved,
		Reason: "A person worked on the page since, so it does not show what this did.",
	}
}

// retryPausedAfter is how often it is worth asking whether a task was handed back.
const retryPausedAfter = 5 * time.Second

// PausedError refuses a turn of a task that somebody holds.
func PausedError(s State) error {
	does := "is paused by"
	if s.Pause.Kind == TakenOver {
		does = "was taken over by"
	}
	err := domain.Errorf(domain.Conflict, domain.CodeTaskPaused,
		"this task %s user %s; nothing was done with this request: send the same one again when the task was handed back", does, s.Pause.By)
	err.RetryAfter = retryPausedAfter
	err.Details = map[string]any{"kind": string(s.Pause.Kind), "by": s.Pause.By, "since": s.Pause.At.Format(time.RFC3339)}
	return err
}
