package account

import (
	"strings"
	"unicode"
)

// maxHost is the longest name a host can have (RFC 1035).
const maxHost = 253

// DomainPattern returns a host pattern in lower case, as it is stored: the name of a
// host, or *. and a domain for all hosts below it. It reports false for anything else.
func DomainPattern(pattern string) (normal string, ok bool) {
	normal = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(pattern), "."))
	host := strings.TrimPrefix(normal, "*.")
	if host == "" || len(host) > maxHost {
		return "", false
	}
	for label := range strings.SplitSeq(host, ".") {
		wrong := func(r rune) bool {
			return r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
		}
		if label == "" || label[0] == '-' || label[len(label)-1] == '-' || strings.ContainsFunc(label, wrong) {
			return "", false
		}
	}
	return normal, true
}
