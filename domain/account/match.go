package account

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/weburl"
)

// MatchesDomain reports whether a host is one that a pattern of DomainPattern stands for:
// the host itself, or with *. any host below the domain, but not the domain. Case, a dot
// at the end, and whether a name is written in Unicode or in punycode make no difference.
func MatchesDomain(pattern, host string) bool {
	host = weburl.Host(host)
	parent, wild := strings.CutPrefix(strings.TrimSpace(pattern), "*.")
	if parent = weburl.Host(parent); parent == "" || host == "" {
		return false
	}
	if !wild {
		return host == parent
	}
	below, ok := strings.CutSuffix(host, "."+parent)
	return ok && below != ""
}

// MatchingDomain returns the first pattern that stands for a host, "" for none.
func MatchingDomain(patterns []string, host string) string {
	if i := slices.IndexFunc(patterns, func(p string) bool { return MatchesDomain(p, host) }); i >= 0 {
		return patterns[i]
	}
	return ""
}
