package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// Event is something that happened: a Step, a Verdict, a Question, a Pause or an End.
type Event interface{ kind() string }

// Step is what is done next. It is told before it is executed.
type Step struct {
	TaskID string `json:"taskId"`
	// Number counts the steps of this run from 1; StepIndex is the server's number,
	// which events of the task have too.
	Number    int `json:"number"`
	StepIndex int `json:"stepIndex"`
	// URL and Title of the page it is done on.
	URL   string `json:"url"`
	Title string `json:"title,omitempty"`
	// Thought says in plain words what is done and why.
	Thought string `json:"thought"`
	// Actions in their order, mostly one: click("14").
	Actions []string `json:"actions"`
	// Element is the target of the first as a person would call it: button "Save".
	Element string `json:"element,omitempty"`
	// Correction is set where an action that did not work is tried another way.
	Correction *Correction `json:"correction,omitempty"`
}

// Correction says how a failed action is tried again.
type Correction struct {
	Strategy string `json:"strategy"`
	Attempt  int    `json:"attempt"`
	Reason   string `json:"reason"`
}

// What a verdict can be.
const (
	Worked     = "worked"
	DidNotWork = "failed"
	NotKnown   = "not_known"
)

// Verdict is what the server makes of the last step. One that is not known yet may be
// followed by another on the same step.
type Verdict struct {
	TaskID string `json:"taskId"`
	// Number of the step; 0 is one before this run.
	Number int `json:"number"`
	// Outcome is worked, failed or not_known, Confidence from 0 to 1, Reason why.
	Outcome    string  `json:"outcome"`
	Confidence float64 `json:"confidence"`
	Reason     string  `json:"reason,omitempty"`
	// Rule is the id of the rule that decided, Tier 1 to 3 how dear the decision was.
	Rule         string   `json:"rule,omitempty"`
	Tier         int      `json:"tier,omitempty"`
	Observations []string `json:"observations,omitempty"`
	// Refused is why the page did not allow the action.
	Refused *Refused `json:"refused,omitempty"`
	// Cost of the task so far.
	Cost Cost `json:"cost"`
}

// Refused is an action that could not be executed. Code is one of internal/browser,
// like ELEMENT_OCCLUDED.
type Refused struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Cost is what the model calls of a task have used.
type Cost struct {
	InputTokens  int64 `json:"inputTokens"`
	OutputTokens int64 `json:"outputTokens"`
	// USD is an exact decimal; absent where the server did not say.
	USD string `json:"usd,omitempty"`
	// UnpricedCalls are of models without a known price, and not in USD.
	UnpricedCalls int64 `json:"unpricedCalls,omitempty"`
}

// Question is what the server wants to know of the user.
type Question struct {
	TaskID   string   `json:"taskId"`
	Question string   `json:"question"`
	Missing  []string `json:"missing,omitempty"`
}

// Pause is somebody holding the task; the run waits until it is handed back.
type Pause struct {
	TaskID string `json:"taskId,omitempty"`
	// Message says who holds it; "" when it was handed back.
	Message string `json:"message,omitempty"`
	// Over: it was handed back, and the run goes on.
	Over bool `json:"over,omitempty"`
}

// End is the last event of every run.
type End struct {
	Result
	ExitCode int `json:"exitCode"`
	// Error is why a run broke off or could not start.
	Error string `json:"error,omitempty"`
}

func (Step) kind() string     { return "step" }
func (Verdict) kind() string  { return "verdict" }
func (Question) kind() string { return "question" }
func (Pause) kind() string    { return "pause" }
func (End) kind() string      { return "end" }

// Status is how a run ended.
type Status string

// The ways a run ends.
const (
	Completed  Status = "completed"   // the task is done
	Failed     Status = "failed"      // the server gave it up
	BrokenOff  Status = "broken_off"  // the server or the browser was lost, or refused to go on
	Asked      Status = "asked"       // the server asked and nobody answered
	Stopped    Status = "stopped"     // the context ended, the time or the steps were used up
	NotStarted Status = "not_started" // no server, no login, no browser or no page
)

// ExitCode is what a program that runs one task should end with.
func (s Status) ExitCode() int {
	switch s {
	case Completed:
		return 0
	case Asked, Stopped:
		return 2
	case NotStarted:
		return 3
	}
	return 1
}

// Result is how a run ended.
type Result struct {
	Status Status `json:"status"`
	// Message is for the user: of the agent, or why the run was stopped.
	Message string `json:"message,omitempty"`
	// Question and Missing are what was asked, where Status is asked.
	Question string   `json:"question,omitempty"`
	Missing  []string `json:"missing,omitempty"`
	// TaskID and SessionID are empty where the server never answered.
	TaskID    string `json:"taskId,omitempty"`
	SessionID string `json:"sessionId,omitempty"`
	// URL of the page as it was seen last.
	URL string `json:"url,omitempty"`
	// Steps were executed in Turns requests that took Seconds in all.
	Steps   int     `json:"steps"`
	Turns   int     `json:"turns"`
	Seconds float64 `json:"seconds"`
	Cost    Cost    `json:"cost"`
}

// IsOpen reports whether the task can go on: Options.TaskID.
func (r Result) IsOpen() bool {
	return r.TaskID != "" && (r.Status == Asked || r.Status == Stopped || r.Status == BrokenOff)
}

// Line is an event as one line of JSON, with its kind as "type" and no line break.
func Line(e Event) ([]byte, error) {
	var body bytes.Buffer
	enc := json.NewEncoder(&body)
	enc.SetEscapeHTML(false) // addresses are full of &
	if err := enc.Encode(e); err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"type":%q,%s`, e.kind(), bytes.TrimSpace(body.Bytes())[1:]), nil // no event is empty
}

// seconds is a duration for a person: to the millisecond.
func seconds(d time.Duration) float64 { return d.Round(time.Millisecond).Seconds() }
