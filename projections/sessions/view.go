// Package sessions is the read model of conversations: sessions with their
// messages, folded from the events of the sessions and of their tasks.
//
// A session is visible, which is to say listed, once one of its tasks is. What was
// said before a task became visible gets its numbers the moment it does; until then it
// is at the end of the session's messages, for the session's id was given out with the
// question it may hold. Sequence numbers count from 0 without gaps within a session, but
// for messages that were erased, and never change once given.
package sessions

import (
	"encoding/json"
	"time"

	"github.com/stepledger/stepledger/domain"
)

// Statuses of a session (spec §4.8.2). Active while one of its tasks is;
// otherwise what its last task came to.
const (
	Active      = "active"
	Completed   = "completed"
	Failed      = "failed"
	Interrupted = "interrupted"
	Archived    = "archived"
)

// Session is a conversation as readers see it (spec §4.8.2).
type Session struct {
	SessionID string `json:"sessionId" db:"session_id"`
	// URL is where its first task began.
	URL    string `json:"url" db:"url"`
	Status string `json:"status" db:"status"`
	// MessageCount counts the visible messages.
	MessageCount int       `json:"messageCount" db:"message_count"`
	CreatedAt    time.Time `json:"createdAt" db:"created_at"`
	UpdatedAt    time.Time `json:"updatedAt" db:"updated_at"`
	// InitialQuery is what the user first asked for (metadata.initialQuery).
	InitialQuery string `json:"initialQuery" db:"initial_query"`
}

// Roles of a message.
const (
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleSystem    = "system"
)

// Statuses of a message that holds an action: pending until the verdict.
const (
	StatusPending = "pending"
	StatusSuccess = "success"
	StatusFailure = "failure"
)

// Message is one line of a conversation (spec §4.8.1).
type Message struct {
	MessageID      string         `json:"messageId" db:"message_id"`
	Role           string         `json:"role" db:"role"`
	Content        string         `json:"content" db:"content"`
	ActionPayload  *ActionPayload `json:"actionPayload,omitempty" db:"action_payload"`
	ActionString   string         `json:"actionString,omitempty" db:"action_string"`
	Status         string         `json:"status,omitempty" db:"status"`
	Error          *MessageError  `json:"error,omitempty" db:"error"`
	SequenceNumber int            `json:"sequenceNumber" db:"sequence"`
	Timestamp      time.Time      `json:"timestamp" db:"timestamp"`
	DOMSummary     string         `json:"domSummary,omitempty" db:"dom_summary"`
	Metadata       *Metadata      `json:"metadata,omitempty" db:"metadata"`
	// TaskID is the task the message belongs to.
	TaskID string `json:"taskId" db:"task_id"`
}

// ActionPayload is the action of a message in parts. ElementID is a number
// where the client's id is one.
type ActionPayload struct {
	Type      string          `json:"type,omitempty"`
	ElementID json.RawMessage `json:"elementId,omitempty"`
	Text      string          `json:"text,omitempty"`
}

// MessageError says why an action did not work, or a task failed.
type MessageError struct {
	Message string `json:"message,omitempty"`
	Code    string `json:"code,omitempty"`
}

// Metadata is what the turn of a message took.
type Metadata struct {
	TokensUsed *TokensUsed `json:"tokens_used,omitempty"`
	// Latency of the turn in milliseconds, 0 while it runs.
	Latency int64 `json:"latency,omitempty"`
	// LLMModel is the model that decided, "" where rules did.
	LLMModel string `json:"llm_model,omitempty"`
}

// TokensUsed are the tokens of all model calls of a turn.
type TokensUsed struct {
	PromptTokens     int64 `json:"promptTokens"`
	CompletionTokens int64 `json:"completionTokens"`
}

// NotFound is the error for a session that does not exist for the caller.
func NotFound() *domain.Error {
	return domain.Errorf(domain.NotFound, domain.CodeSessionNotFound, "there is no such session")
}
