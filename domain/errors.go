// Package domain holds what every part of Stepledger means by the same word:
// the kinds of error a user may be told about, how ids are derived, what a
// decider is, and how personal text is sealed.
//
// It promises to import nothing but the standard library and to do no I/O.
// The aggregates live in its subpackages and meet by id, never by import.
package domain

import (
	"errors"
	"fmt"
	"time"
)

// Kind says who has to do something about an error. The HTTP layer maps each
// kind to one status; nothing else in the system knows about statuses.
type Kind int

const (
	// Internal is everything a user cannot be told more about.
	Internal Kind = iota
	// Invalid is input that can never be accepted as it is.
	Invalid
	// Unauthenticated is a missing, unknown, expired or revoked token.
	Unauthenticated
	// Denied is a known caller who may not do this.
	Denied
	// NotFound is something that does not exist for this caller.
	NotFound
	// Conflict is a wish that the present state refuses.
	Conflict
	// Limited is a caller who has to slow down or whose budget is used up.
	Limited
	// TooLarge is a body over the hard cap.
	TooLarge
	// Unsupported is a body in a format this endpoint does not take.
	Unsupported
	// Unavailable is trouble outside (database, model, network) that may pass.
	Unavailable
)

// Error is an error a user may be told about. Code is one of the codes of the
// HTTP contract (TASK_NOT_FOUND, VALIDATION_ERROR, ...), Msg a sentence for a
// person, Field the part of the input at fault, Details further facts for a
// program. RetryAfter, when set, says when trying again makes sense. Cause is
// kept for the log and never shown.
type Error struct {
	Kind       Kind
	Code       string
	Msg        string
	Field      string
	Details    map[string]any
	RetryAfter time.Duration
	Cause      error
}

// Error implements error.
func (e *Error) Error() string {
	s := e.Code + ": " + e.Msg
	if e.Field != "" {
		s += " (" + e.Field + ")"
	}
	if e.Cause != nil {
		s += ": " + e.Cause.Error()
	}
	return s
}

// Unwrap gives the cause to errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an Error of a kind and a code with a formatted message.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// At names the part of the input the error is about.
func (e *Error) At(field string) *Error {
	e.Field = field
	return e
}

// Because keeps the cause for the log.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// KindOf is the kind of the first Error in err's chain, Internal if there is none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}
