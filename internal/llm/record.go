package llm

import (
	"context"
	"encoding/json"
	"time"
)

// On says who a call is for and where in a task it is made.
type On struct {
	Tenant, User, Session, Task string
	Turn                        int
	// Request identifies the client request, After the last turn that had ended
	// before it: a turn run again after a crash has another number, but these two
	// are the same.
	Request string
	After   int
}

// Role is which of the configured models is asked.
type Role string

// The roles: Smart thinks, Fast does.
const (
	Smart Role = "smart"
	Fast  Role = "fast"
)

// Outcome is how an attempt ended: a Kind, or one of these.
type Outcome string

// Outcomes of attempts that were answered.
const (
	OutcomeOK            Outcome = "ok"
	OutcomeSchemaInvalid Outcome = "schema_invalid"
	OutcomeTruncated     Outcome = "truncated"
	OutcomeBlocked       Outcome = "blocked"
)

// CallStarted is an attempt about to be made.
type CallStarted struct {
	On On
	// Call is drawn for this attempt: one id, one attempt, one bill.
	Call            string
	Purpose         string
	Role            Role
	Provider, Model string
	// ServiceTier is the provider's service asked for, "" for the standard one.
	ServiceTier string
	Attempt     int
	// Fallback counts the models of the role that were to be asked before this.
	Fallback               int
	PromptName, PromptHash string
	// PromptRef is where KeepPrompt put the prompt.
	PromptRef                                   string
	EstimatedInputTokens, EstimatedOutputTokens int64
	StartedAt                                   time.Time
}

// CallCompleted is how an attempt ended.
type CallCompleted struct {
	On      On      `json:"on"`
	Call    string  `json:"call"`
	Outcome Outcome `json:"outcome"`
	// Usage is nil when nothing was said that can be true. Unbilled tells whether
	// that means nothing was used, or that nobody knows.
	Usage         *Usage          `json:"usage,omitempty"`
	Unbilled      bool            `json:"unbilled,omitempty"`
	RawUsage      json.RawMessage `json:"rawUsage,omitempty"`
	ResponseModel string          `json:"responseModel,omitempty"`
	// ServiceTier is the one the provider says it gave, "" if it did not say.
	ServiceTier string        `json:"serviceTier,omitempty"`
	ResponseID  string        `json:"responseId,omitempty"`
	Duration    time.Duration `json:"duration"`
	// AnswerRef is where KeepAnswer put the answer, "" if there is none.
	AnswerRef   string    `json:"answerRef,omitempty"`
	CompletedAt time.Time `json:"completedAt"`
}

// Recorder is where calls are noted and prompts and answers are kept. Every
// method may be repeated with the same values and then changes nothing.
type Recorder interface {
	// Started notes an attempt before it is made. An error means that it must
	// not be made.
	Started(ctx context.Context, c CallStarted) error
	// Completed notes its end.
	Completed(ctx context.Context, c CallCompleted) error
	// KeepPrompt keeps a prompt as sent, durable before Started refers to it.
	KeepPrompt(ctx context.Context, on On, body []byte) (ref string, err error)
	// KeepAnswer keeps an answer under a key, durable before Completed refers to
	// it. A key is kept once; a later answer to it may be dropped.
	KeepAnswer(ctx context.Context, on On, key string, body []byte) (ref string, err error)
	// KeptAnswer finds what KeepAnswer kept for the task and key. A missing one
	// is ok == false, not an error.
	KeptAnswer(ctx context.Context, on On, key string) (body []byte, ref string, ok bool, err error)
}
