package content

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/stepledger/stepledger/domain"
)

// keyBytes is the length of every key: AES-256.
const keyBytes = 32

var errOpen = errors.New("sealed bytes do not belong to this key and place")

// sealer implements domain.Sealer with keys derived from one data key.
type sealer struct {
	aead  cipher.AEAD
	nonce []byte
	refs  []byte
}

func newSealer(dataKey []byte) (*sealer, error) {
	derive := func(use string) ([]byte, error) { return hkdf.Expand(sha256.New, dataKey, use, keyBytes) }
	enc, err := derive("stepledger seal")
	if err != nil {
		return nil, err
	}
	nonce, err := derive("stepledger nonce")
	if err != nil {
		return nil, err
	}
	refs, err := derive("stepledger reference")
	if err != nil {
		return nil, err
	}
	aead, err := newAEAD(enc)
	return &sealer{aead, nonce, refs}, err
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// Seal implements domain.Sealer.
func (s *sealer) Seal(plain, context []byte) ([]byte, error) {
	nonce := keyed(s.nonce, context, plain)[:s.aead.NonceSize()]
	return s.aead.Seal(nonce, nonce, plain, context), nil
}

// Open implements domain.Sealer.
func (s *sealer) Open(sealed, context []byte) ([]byte, error) {
	return open(s.aead, sealed, context)
}

// ref is the address of a blob by its content.
func (s *sealer) ref(kind string, body []byte) string {
	return hex.EncodeToString(keyed(s.refs, []byte(kind), body)[:16])
}

func keyed(key []byte, parts ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p)) // no two splits of the same bytes agree
		h.Write(p)
	}
	return h.Sum(nil)
}

func open(aead cipher.AEAD, sealed, context []byte) ([]byte, error) {
	n := aead.NonceSize()
	if len(sealed) < n {
		return nil, errOpen
	}
	plain, err := aead.Open(nil, sealed[:n], sealed[n:], context)
	if err != nil {
		return nil, errOpen
	}
	return plain, nil
}

// erased is the sealer of a dropped data key.
type erased struct{}

// Seal implements domain.Sealer.
func (erased) Seal([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// Open implements domain.Sealer.
func (erased) Open([]byte, []byte) ([]byte, error) { return nil, domain.ErrErased }

// wrap seals one key under another with a random nonce. Keys are random, so equal
// bytes would gain nothing.
func wrap(outer, key, context []byte) ([]byte, error) {
	aead, err := newAEAD(outer)
	if err != nil {
		return nil, err
	}
	nonce := randomBytes(aead.NonceSize())
	return aead.Seal(nonce, nonce, key, context), nil
}

func unwrap(outer, wrapped, context []byte) ([]byte, error) {
	aead, err := newAEAD(outer)
	if err != nil {
		return nil, err
	}
	return open(aead, wrapped, context)
}

func randomBytes(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails since Go 1.24
	return b
}
