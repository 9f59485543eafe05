package identity

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/stepledger/stepledger/domain"
	"github.com/stepledger/stepledger/domain/account"
)

// params are the parameters of every hash, as OWASP ASVS 5.0 recommends (appendix C:
// 46 MiB, one pass, one lane). They are explicit because the library's default
// depends on the number of cores, so hosts would hash differently.
var params = argon2id.Params{Memory: 46 * 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// Lengths of a password in characters. The upper bound limits the work of hashing.
const (
	MinPassword = 8
	MaxPassword = 256
)

// hasher hashes a bounded number of passwords at a time, so that a burst of logins
// waits instead of taking 46 MiB each.
type hasher struct {
	slots chan struct{}
	// dummy is compared with if there is no such user, so that an unknown address
	// takes as long as a wrong password.
	dummy string
}

func newHasher(slots int) (*hasher, error) {
	h := &hasher{slots: make(chan struct{}, slots)}
	var err error
	h.dummy, err = h.hash(context.Background(), account.Secret(rand.Text()))
	return h, err
}

func (h *hasher) enter(ctx context.Context) (leave func(), err error) {
	select {
	case h.slots <- struct{}{}:
		return func() { <-h.slots }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("identity: wait to hash: %w", ctx.Err())
	}
}

func (h *hasher) hash(ctx context.Context, password account.Secret) (string, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password.Reveal(), &params)
}

// matches compares with a stored hash. Without one it compares with the dummy and
// returns false after the same time.
func (h *hasher) matches(ctx context.Context, password account.Secret, hash string) (bool, error) {
	leave, err := h.enter(ctx)
	if err != nil {
		return false, err
	}
	defer leave()
	known := hash != ""
	if !known {
		hash = h.dummy
	}
	ok, err := argon2id.ComparePasswordAndHash(password.Reveal(), hash)
	if err != nil {
		return false, fmt.Errorf("identity: compare password: %w", err)
	}
	return ok && known, nil
}

// checkPassword refuses passwords that are too short, too long, or the email address.
func checkPassword(password account.Secret, email string) error {
	n := utf8.RuneCountInString(password.Reveal())
	if n < MinPassword || n > MaxPassword {
		return domain.Errorf(domain.Invalid, domain.CodeValidation,
			"a password has %d to %d characters, this one %d", MinPassword, MaxPassword, n).At("password")
	}
	if strings.EqualFold(password.Reveal(), email) {
		return domain.Errorf(domain.Invalid, domain.CodeValidation,
			"a password must not be the email address").At("password")
	}
	return nil
}
