// Package domain has what all parts of Stepledger share: the kinds of error a user
// may be told about, derived ids, deciders, and the sealing of personal text.
//
// It imports only the standard library and does no I/O. The aggregates live in its
// subpackages and refer to each other by id, never by import.
package domain

import (
	"errors"
	"fmt"
	"time"
)

// Kind classifies an error by who has to act on it. The HTTP layer maps each kind to
// a status; nothing else knows about statuses.
type Kind int

const (
	// Internal: the user cannot be told more.
	Internal Kind = iota
	// Invalid: the input can never be accepted as it is.
	Invalid
	// Unauthenticated: the token is missing, unknown, expired or revoked.
	Unauthenticated
	// Denied: the caller is known and may not do this.
	Denied
	// NotFound: it does not exist for this caller.
	NotFound
	// Conflict: the present state does not allow it.
	Conflict
	// Limited: the caller has to slow down, or the budget is used up.
	Limited
	// TooLarge: the body is over the hard cap.
	TooLarge
	// Unsupported: the endpoint does not take this format.
	Unsupported
	// Unavailable: a database, model or network is down, which may pass.
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

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf returns an Error with a formatted message.
func Errorf(kind Kind, code, format string, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Msg: fmt.Sprintf(format, args...)}
}

// newerAgain is when it makes sense to ask for what a newer version has stored: another
// server, which may be of that version, answers at once.
const newerAgain = 2 * time.Second

// Newer returns the error for what a newer version of this program has stored. It may pass:
// while versions are exchanged others are of that version, and then this one is.
func Newer(what string) *Error {
	e := Errorf(Unavailable, CodeNewerVersion, "%s is of a newer version of the server; try again", what)
	e.RetryAfter = newerAgain
	return e
}

// IsNewer reports whether an error is, or was caused by, one of Newer.
func IsNewer(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Code == CodeNewerVersion || IsNewer(e.Cause))
}

// At sets the part of the input the error is about.
func (e *Error) At(field string) *Error {
	e.Field = field
	return e
}

// Because sets the cause.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

// KindOf returns the kind of the first Error in err's chain, Internal if there is
// none.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}
