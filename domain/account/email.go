package account

import (
	"net/mail"
	"strings"
	"unicode"
)

// MaxEmail is the longest address SMTP can deliver to (RFC 5321), in bytes.
const MaxEmail = 254

// NormalEmail is an address in lower case, as accounts are known by, and false for what is
// no address.
func NormalEmail(email string) (string, bool) {
	email = strings.ToLower(strings.TrimSpace(email))
	a, err := mail.ParseAddress(email)
	return email, err == nil && a.Address == email && len(email) <= MaxEmail && !strings.ContainsFunc(email, unicode.IsControl)
}
