package wire

import (
	"errors"
	"net/url"
	"strings"
)

// Name bounds a name for the ledger.
func Name(s string) string { return strings.ToValidUTF8(s[:min(len(s), 200)], "") }

// CheckKey returns an error for a key that is empty or cannot be sent in a header.
func CheckKey(key string) error {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the API key is empty or holds characters no key has")
	}
	return nil
}

// CheckURL returns an error unless base is an absolute http(s) URL without a
// password, which would be logged.
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
