package crawl

import (
	"net/url"
	"strings"

	"github.com/stepledger/stepledger/domain/weburl"
)

// Scope says which addresses belong to a site. The zero Scope has none.
type Scope struct {
	// Host is the site's, with a port that is not that of http or https. "www." before it
	// makes no difference.
	Host string `json:"host"`
	// Subdomains takes in hosts below Host.
	Subdomains bool `json:"subdomains,omitempty"`
	// Prefix, when set, is what paths have to begin with: "/docs/". Where it does not end
	// in a slash it ends at one: "/docs" is "/docs" and "/docs/a", not "/docs-old".
	Prefix string `json:"prefix,omitempty"`
}

// SameHost returns the scope of all pages of a start's host, by http and https.
func SameHost(start string) (Scope, error) {
	u, err := normalized(start, "")
	if err != nil {
		return Scope{}, err
	}
	return Scope{Host: siteHost(u)}, nil
}

// In says whether an address is in the scope.
func (s Scope) In(address string) bool {
	u, err := weburl.Parse(address)
	if err != nil || webOnly(u) != nil || s.Host == "" {
		return false
	}
	host, ours := siteHost(u), withoutWWW(s.Host)
	if host != ours && (!s.Subdomains || !strings.HasSuffix(host, "."+ours)) {
		return false
	}
	path, prefix := u.EscapedPath(), strings.TrimSuffix(s.Prefix, "/")
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" && !strings.HasSuffix(s.Prefix, "/") || strings.HasPrefix(rest, "/") || prefix == "")
}

// siteHost is the host of an address as sites are compared.
func siteHost(u *url.URL) string {
	host := withoutWWW(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."))
	switch port := u.Port(); port {
	case "", "80", "443":
		return host
	default:
		return host + ":" + port
	}
}

// withoutWWW leaves www.com what it is.
func withoutWWW(host string) string {
	if rest, ok := strings.CutPrefix(host, "www."); ok && strings.Contains(rest, ".") {
		return rest
	}
	return host
}
