package tasks

import (
	"strings"

	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/projections"
)

// place returns a URL in two forms to compare by: the page, ignoring the host's case,
// default ports, a final slash and the fragment, and its origin. Text without a host
// is its own key and has no origin.
func place(raw string) (key, origin string) {
	raw = projections.BareURL(raw)
	u, err := weburl.Parse(raw)
	if err != nil || u.Host == "" {
		return raw, ""
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	u.Path, u.RawPath = strings.TrimSuffix(u.Path, "/"), strings.TrimSuffix(u.RawPath, "/")
	return u.String(), u.Scheme + "://" + u.Host
}

// host is the name of the site a URL is on, "" if it names none.
func host(raw string) string {
	u, err := weburl.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}
