package domain

import (
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 4122 version 5 is defined over SHA-1
	"encoding/hex"
	"fmt"
	"strings"
)

// UUIDs are lower-case strings in the 8-4-4-4-12 form everywhere: in ports, in
// events, in JSON. Stores that keep 16 bytes convert at their own edge.

// namespace is the version 5 namespace of derived ids.
const namespace = "6f1c9a52-6f0e-5b6a-9a55-0f6a7c2d1e30"

// NewUUID returns a random (version 4) UUID. It is not for Decide and Evolve, which
// get their ids in commands.
func NewUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails since Go 1.24
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return format(b)
}

// DeriveUUID returns the version 5 UUID of its parts: the same parts give the same id
// on every machine. Parts are length-prefixed, so ("ab","c") and ("a","bc") differ.
func DeriveUUID(parts ...string) string {
	ns, _ := parse(namespace)
	h := sha1.New() //nolint:gosec // see the import
	h.Write(ns[:])
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	var b [16]byte
	copy(b[:], h.Sum(nil))
	b[6] = b[6]&0x0f | 0x50
	b[8] = b[8]&0x3f | 0x80
	return format(b)
}

// ValidUUID reports whether s is a UUID in the form used here (upper case is
// accepted; see NormalUUID).
func ValidUUID(s string) bool {
	_, ok := parse(s)
	return ok
}

// NormalUUID is s in lower case.
func NormalUUID(s string) string { return strings.ToLower(s) }

func format(b [16]byte) string {
	var out [36]byte
	hex.Encode(out[0:8], b[0:4])
	out[8] = '-'
	hex.Encode(out[9:13], b[4:6])
	out[13] = '-'
	hex.Encode(out[14:18], b[6:8])
	out[18] = '-'
	hex.Encode(out[19:23], b[8:10])
	out[23] = '-'
	hex.Encode(out[24:36], b[10:16])
	return string(out[:])
}

func parse(s string) (b [16]byte, ok bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return b, false
	}
	n, err := hex.Decode(b[:], []byte(s[0:8]+s[9:13]+s[14:18]+s[19:23]+s[24:36]))
	return b, err == nil && n == 16
}
