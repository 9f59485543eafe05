package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Kind is what went wrong with a question.
type Kind string

// Kinds a Generator reports.
const (
	RateLimited Kind = "rate_limited"
	Unavailable Kind = "unavailable" // overload, server error, no connection, an unreadable answer
	Timeout     Kind = "timeout"
	Cancelled   Kind = "cancelled"
	Rejected    Kind = "rejected" // bad request, bad key, unknown model
	// Blocked by a Generator is a prompt refused with an error. A refused answer is a
	// Response, since it has a bill.
	Blocked Kind = "blocked"
)

// Kinds only the Client reports, of answers that came, of the ledger and of
// attempts it does not make.
const (
	Skipped    Kind = "skipped" // the model is left alone, or its provider has enough to do
	Truncated  Kind = "truncated"
	Malformed  Kind = "malformed"  // not what was asked for
	Unrecorded Kind = "unrecorded" // the call could not be noted
)

// Error is a question without a usable answer. Its text never contains a key, a
// prompt or an answer.
type Error struct {
	Kind Kind
	// Msg says more and is safe for a log.
	Msg string
	// Status is the provider's HTTP status, 0 if there was none.
	Status int
	// RetryAfter is how long the provider asks to wait, 0 if it did not say.
	RetryAfter time.Duration
	// Unbilled reports that the provider certainly did not run the model, because it
	// said so or was not reached. Otherwise the attempt may be billed.
	Unbilled bool
	// Answer is the unusable answer of Truncated and Malformed.
	Answer string
	// Usage is the usage of an unusable answer or of a refusal, nil if it was not
	// reported. RawUsage is a refusal's usage as received.
	Usage    *Usage
	RawUsage json.RawMessage
	Cause    error
}

// Error implements error.
func (e *Error) Error() string {
	s := "model " + string(e.Kind)
	if e.Status != 0 {
		s += fmt.Sprintf(" (status %d)", e.Status)
	}
	if e.Msg != "" {
		s += ": " + e.Msg
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf returns the kind of the first Error in err's chain, "" if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// asError returns a Generator's error as an *Error. Any other error counts as
// Unavailable.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Unavailable, Cause: err}
}
