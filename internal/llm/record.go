package llm

import (
	"context"
	"encoding/json"
	"time"
)

// On identifies the tenant, user, task and turn of a call.
type On struct {
	Tenant, User, Session, Task string
	Turn                        int
	// Request identifies the client request, After the last turn that had ended
	// before it. A turn that runs again after a crash has another number but the same
	// two values.
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
	// Call is this attempt's id: one id, one attempt, one bill.
	Call    string
	Purpose string
	// Role, and the prompt below, are empty for a call that makes vectors.
	Role            Role
	Provider, Model string
	// ServiceTier is the provider's service asked for, "" for the standard one.
	ServiceTier string
	Attempt     int
	// Fallback counts the models of the role that come before this one.
	Fallback               int
	PromptName, PromptHash string
	// PromptRef is what KeepPrompt returned.
	PromptRef                                   string
	EstimatedInputTokens, EstimatedOutputTokens int64
	StartedAt                                   time.Time
}

// CallCompleted is how an attempt ended.
type CallCompleted struct {
	On      On      `json:"on"`
	Call    string  `json:"call"`
	Outcome Outcome `json:"outcome"`
	// Usage is nil if it was not reported or is impossible. If Unbilled is set too,
	// nothing was used; otherwise it is unknown.
	Usage         *Usage          `json:"usage,omitempty"`
	Unbilled      bool            `json:"unbilled,omitempty"`
	RawUsage      json.RawMessage `json:"rawUsage,omitempty"`
	ResponseModel string          `json:"responseModel,omitempty"`
	// ServiceTier is the one the provider says it gave, "" if it did not say.
	ServiceTier string        `json:"serviceTier,omitempty"`
	ResponseID  string        `json:"responseId,omitempty"`
	Duration    time.Duration `json:"duration"`
	// AnswerRef is what KeepAnswer returned, "" if there is no answer.
	AnswerRef   string    `json:"answerRef,omitempty"`
	CompletedAt time.Time `json:"completedAt"`
}

// Recorder records calls and stores prompts and answers. Every method may be repeated
// with the same values without further effect.
type Recorder interface {
	// Started records an attempt before it is made. After an error the attempt must
	// not be made.
	Started(ctx context.Context, c CallStarted) error
	// Completed records its end.
	Completed(ctx context.Context, c CallCompleted) error
	// KeepPrompt stores a prompt as sent. It is durable before Started refers to it.
	KeepPrompt(ctx context.Context, on On, body []byte) (ref string, err error)
	// KeepAnswer stores an answer under a key. It is durable before Completed refers
	// to it. Only the first answer to a key is kept.
	KeepAnswer(ctx context.Context, on On, key string, body []byte) (ref string, err error)
	// KeptAnswer returns what KeepAnswer stored for the task and key; ok is false if
	// there is none.
	KeptAnswer(ctx context.Context, on On, key string) (body []byte, ref string, ok bool, err error)
}
