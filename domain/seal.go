package domain

import "errors"

// Erased stands where personal text was whose key has been dropped. Decide and
// Evolve meet it like any other text; people are shown it.
const Erased = "[erased]"

// ErrErased is what a Sealer answers when the data key is gone for good.
var ErrErased = errors.New("the data key was erased")

// ErrBadKey says that a data key is there and cannot be opened: the master key
// is another one, or the row is damaged. Trying again does not help.
var ErrBadKey = errors.New("the data key cannot be opened")

// Sealer encrypts personal text under one task's data key. The same plain text
// and context give the same sealed bytes, so that a repeated append is
// recognised as the same. Context is authenticated, not stored: what was
// sealed for one event does not open in another's place.
type Sealer interface {
	Seal(plain, context []byte) ([]byte, error)
	// Open fails with ErrErased when the key was dropped, with another error
	// when the bytes were not sealed by this key for this context.
	Open(sealed, context []byte) ([]byte, error)
}
