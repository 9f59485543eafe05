package eventstore

import (
	"errors"
	"fmt"
)

// WrongRevisionError is returned if a stream is not at the expected revision. Actual
// is its head.
type WrongRevisionError struct {
	Stream           string
	Expected, Actual int64
}

// Error implements error.
func (e *WrongRevisionError) Error() string {
	return fmt.Sprintf("stream %s: expected revision %d, is at %d", e.Stream, e.Expected, e.Actual)
}

// IDConflictError is returned if an event id is already in the stream with another
// body or type, or at another place than a repeat would have it.
type IDConflictError struct{ Stream, ID string }

// Error implements error.
func (e *IDConflictError) Error() string {
	return fmt.Sprintf("stream %s: event id %s is taken by another event", e.Stream, e.ID)
}

// InvalidError says which part of an append or read can never be accepted.
type InvalidError struct{ What, Why string }

// Error implements error.
func (e *InvalidError) Error() string { return "invalid " + e.What + ": " + e.Why }

// DeletedError is returned for a stream that was ended by Tombstone.
type DeletedError struct{ Stream string }

// Error implements error.
func (e *DeletedError) Error() string { return "stream " + e.Stream + " is deleted for good" }

// UnavailableError is returned if the store could not be reached or did not answer in
// time. It is then unknown whether an append took place; repeating it is safe.
type UnavailableError struct {
	Op    string
	Cause error
}

// Error implements error.
func (e *UnavailableError) Error() string {
	return e.Op + ": event store unavailable: " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *UnavailableError) Unwrap() error { return e.Cause }

// Unavailable tells those who know no event store that the same may work later.
func (e *UnavailableError) Unavailable() bool { return true }

// ArchiveError says that a segment of the archive could not be read or written, and why: its place does not answer,
// the object is gone or is not what was written, or the process was given no archive (then Segment is what would have
// to be read). Live events are not concerned. It comes as the cause of an *UnavailableError, because trying again helps
// once the archive is back.
type ArchiveError struct {
	Segment string
	Cause   error
}

// Error implements error.
func (e *ArchiveError) Error() string {
	return "archive: segment " + e.Segment + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *ArchiveError) Unwrap() error { return e.Cause }

// IsWrongRevision reports whether err is, or wraps, a WrongRevisionError.
func IsWrongRevision(err error) bool {
	var w *WrongRevisionError
	return errors.As(err, &w)
}
