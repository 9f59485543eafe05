package wire

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

// maxAccount bounds a provider's account of usage in bytes: real ones have a few
// hundred, and the ledger must be able to hold it.
const maxAccount = 16 << 10

// Account is a member of the body that holds the usage, as it came; nil when
// there is none.
func (x *Exchange) Account(member string) json.RawMessage {
	var body map[string]json.RawMessage
	if json.Unmarshal(x.Body, &body) != nil {
		return nil // a body that is not JSON is the library's to refuse
	}
	if raw := body[member]; string(raw) != "null" && len(raw) <= maxAccount {
		return raw
	}
	return nil
}

// Name keeps names that go into the ledger to a length names have.
func Name(s string) string { return strings.ToValidUTF8(s[:min(len(s), 200)], "") }

// CheckKey refuses what no header can carry; empty is refused too.
func CheckKey(key string) error {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the API key is empty or holds characters no key has")
	}
	return nil
}

// CheckURL refuses what is no absolute http(s) URL, and a password in one: it
// would be logged.
func CheckURL(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the base URL is no absolute http(s) URL")
	case u.User != nil:
		return errors.New("the base URL holds a name or a password")
	}
	return nil
}
