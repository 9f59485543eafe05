package eventstore

import (
	"errors"
	"fmt"
)

// WrongRevisionError says that a stream was not where the writer expected it.
// Actual is its head at that moment.
type WrongRevisionError struct {
	Stream           string
	Expected, Actual int64
}

// Error implements error.
func (e *WrongRevisionError) Error() string {
	return fmt.Sprintf("stream %s: expected revision %d, is at %d", e.Stream, e.Expected, e.Actual)
}

// IDConflictError says that an event id is already in the stream with another
// body or type, or in another place than a repeat would have it.
type IDConflictError struct{ Stream, ID string }

// Error implements error.
func (e *IDConflictError) Error() string {
	return fmt.Sprintf("stream %s: event id %s is taken by another event", e.Stream, e.ID)
}

// InvalidError says which part of an append or read can never be accepted.
type InvalidError struct{ What, Why string }

// Error implements error.
func (e *InvalidError) Error() string { return "invalid " + e.What + ": " + e.Why }

// DeletedError says that a stream was ended by Tombstone.
type DeletedError struct{ Stream string }

// Error implements error.
func (e *DeletedError) Error() string { return "stream " + e.Stream + " is deleted for good" }

// UnavailableError says that the store could not be reached or did not answer
// in time. Whether an append took place is then unknown; repeating it is safe.
type UnavailableError struct {
	Op    string
	Cause error
}

// Error implements error.
func (e *UnavailableError) Error() string {
	return e.Op + ": event store unavailable: " + e.Cause.Error()
}

// Unwrap gives the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }

// IsWrongRevision reports whether err is, or wraps, a WrongRevisionError.
func IsWrongRevision(err error) bool {
	var w *WrongRevisionError
	return errors.As(err, &w)
}
