package domain

import "errors"

// Erased replaces personal text whose key was dropped. Decide and Evolve treat it as
// any other text; it is shown to people.
const Erased = "[erased]"

// ErrErased is returned by a Sealer whose data key was dropped.
var ErrErased = errors.New("the data key was erased")

// ErrBadKey is returned if a data key exists and cannot be opened: the master key is
// another one, or the row is damaged. Trying again does not help.
var ErrBadKey = errors.New("the data key cannot be opened")

// Sealer encrypts personal text under one task's data key. The same plain text
// and context give the same sealed bytes, so that a repeated append is
// recognised as the same. Context is authenticated, not stored: what was
// sealed for one event does not open in another's place.
type Sealer interface {
	Seal(plain, context []byte) ([]byte, error)
	// Open returns ErrErased if the key was dropped, and another error if the bytes
	// were not sealed by this key for this context.
	Open(sealed, context []byte) ([]byte, error)
}
