package projtest

import (
	"context"
	"fmt"
	"sync"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/domaintest"
)

// Keys gives every subject a sealer that marks text instead of encrypting it.
// The zero value is ready.
type Keys struct {
	mu      sync.Mutex
	dropped map[string]bool
	spoilt  map[string]bool
	broken  error
}

// Key implements projections.Keys.
func (k *Keys) Key(_ context.Context, _, subject string) (domain.Sealer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.spoilt[subject] {
		return nil, fmt.Errorf("key of %s: %w", subject, domain.ErrBadKey)
	}
	if k.dropped[subject] {
		return domaintest.Erased{}, k.broken
	}
	return sealer{domaintest.Sealer{}, subject}, k.broken
}

// Drop erases a subject.
func (k *Keys) Drop(subject string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.dropped == nil {
		k.dropped = map[string]bool{}
	}
	k.dropped[subject] = true
}

// Spoil makes a subject's key one that cannot be opened, until Mend.
func (k *Keys) Spoil(subject string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spoilt = map[string]bool{subject: true}
}

// Mend undoes Spoil.
func (k *Keys) Mend() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.spoilt = nil
}

// Break makes every Key fail with an error, until it is nil again.
func (k *Keys) Break(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.broken = err
}

// sealer binds text to its subject as well as to its place.
type sealer struct {
	domain.Sealer
	subject string
}

// Seal implements domain.Sealer.
func (s sealer) Seal(plain, ctx []byte) ([]byte, error) { return s.Sealer.Seal(plain, s.place(ctx)) }

// Open implements domain.Sealer.
func (s sealer) Open(sealed, ctx []byte) ([]byte, error) { return s.Sealer.Open(sealed, s.place(ctx)) }

func (s sealer) place(ctx []byte) []byte { return append([]byte(s.subject+"/"), ctx...) }
