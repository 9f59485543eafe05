package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Kind says what went wrong with a question.
type Kind string

// Kinds a Generator reports.
const (
	RateLimited Kind = "rate_limited"
	Unavailable Kind = "unavailable" // overload, server error, no connection, an unreadable answer
	Timeout     Kind = "timeout"
	Cancelled   Kind = "cancelled"
	Rejected    Kind = "rejected" // bad request, bad key, unknown model
	// Blocked by a Generator is a prompt refused with an error; an answer that was
	// refused is a Response, since it has a bill.
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

// Error is a question without a usable answer. Its text never holds a key, a
// prompt or an answer.
type Error struct {
	Kind Kind
	// Msg says more, in words safe for a log.
	Msg string
	// Status is the provider's HTTP status, 0 where there was none.
	Status int
	// RetryAfter is how long the provider asks to wait, 0 if it did not say.
	RetryAfter time.Duration
	// Unbilled: the provider certainly did not run the model, because it said so
	// or was never reached. Otherwise the attempt may be on its bill.
	Unbilled bool
	// Answer is the unusable answer of Truncated and Malformed.
	Answer string
	// Usage is what an answer used that came but cannot be used, or a refusal says
	// was used; nil if it did not say. RawUsage is a refusal's account as it came.
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

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// KindOf is the kind of the first Error in err's chain, "" if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// asError makes an *Error of what a Generator returned; one that is not is
// taken for trouble outside.
func asError(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Kind: Unavailable, Cause: err}
}
