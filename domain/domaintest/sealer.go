// Package domaintest has fakes for the interfaces domain declares. It is for tests
// only.
package domaintest

import (
	"bytes"
	"errors"

	"github.com/stepledger/stepledger/domain"
)

// Sealer keeps text readable but bound to its context, so tests can look into sealed
// bytes.
type Sealer struct{}

// Seal implements domain.Sealer.
func (Sealer) Seal(plain, context []byte) ([]byte, error) {
	return append(append(bytes.Clone(context), '|'), plain...), nil
}

// Open implements domain.Sealer.
func (Sealer) Open(sealed, context []byte) ([]byte, error) {
	plain, ok := bytes.CutPrefix(sealed, append(bytes.Clone(context), '|'))
	if !ok {
		return nil, errors.New("sealed for another place")
	}
	return plain, nil
}

// Erased is a sealer whose key was dropped.
type Erased struct{}

// Seal implements domain.Sealer.
func (Erased) Seal([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// Open implements domain.Sealer.
func (Erased) Open([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }
