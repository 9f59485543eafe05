package crawl

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/stepledger/stepledger/domain/weburl"
)

// MaxURL bounds the length of an address in bytes.
const MaxURL = 2_000

// Normalize returns the one form in which the address of a page is fetched, kept and
// compared. raw may be relative to base; base may be "" if it is not. Scheme and host
// are in lower case, the host in ASCII without a dot at its end; the port of the scheme,
// dot segments, the fragment, and parameters that only say who comes from where
// (utm_source, gclid, session ids) are gone; percent escapes are in one form; the query
// is sorted by name. It says nothing about whether two addresses have the same page:
// "/index.html" and "/" stay two.
//
// It returns a BadURL error for what is no page's address: another scheme than http or
// https, no host, a user name, more than MaxURL bytes.
func Normalize(raw, base string) (string, error) {
	u, err := normalized(raw, base)
	if err != nil {
		return "", err
	}
	return u.String(), nil
}

func normalized(raw, base string) (*url.URL, error) {
	u, err := webAddress(raw, base)
	if err != nil {
		return nil, err
	}
	path := withoutSession(oneForm(u.EscapedPath()))
	if path == "" {
		path = "/"
	}
	clean := &url.URL{Scheme: u.Scheme, Host: u.Host, RawQuery: oneQuery(u.RawQuery)}
	if clean.Path, err = url.PathUnescape(path); err != nil {
		return nil, failed(BadURL, raw, "not an address: %v", err).because(err)
	}
	clean.RawPath = path
	if n := len(clean.String()); n > MaxURL {
		return nil, failed(BadURL, short(raw), "an address of %d bytes", n)
	}
	return clean, nil
}

// webAddress resolves what can be an address of the web, its host in one form.
func webAddress(raw, base string) (*url.URL, error) {
	u, err := resolve(raw, base)
	if err == nil {
		err = webOnly(u)
	}
	if err == nil {
		u.Host, err = oneHost(u)
	}
	if err != nil {
		return nil, failed(BadURL, short(raw), "not an address of the web: %v", err).because(err)
	}
	return u, nil
}

// short is the beginning of what may be long.
func short(raw string) string {
	const enough = 200
	if len(raw) <= enough {
		return raw
	}
	return strings.ToValidUTF8(raw[:enough], "") + "…"
}

func resolve(raw, base string) (*url.URL, error) {
	// Before it is taken apart: parameters that go may make it shorter.
	if len(raw) > 4*MaxURL {
		return nil, fmt.Errorf("it has %d bytes", len(raw))
	}
	u, err := parse(raw)
	if err != nil {
		return nil, err
	}
	if base == "" {
		return u.ResolveReference(&url.URL{}), nil
	}
	b, err := parse(base)
	if err != nil {
		return nil, err
	}
	return b.ResolveReference(u), nil
}

// parse parses an address and escapes its path, which net/url otherwise does anew where
// something is not escaped, taking an escaped slash for a slash.
func parse(raw string) (*url.URL, error) {
	u, err := weburl.Parse(raw)
	if err == nil && u.RawPath != "" {
		u.RawPath = oneForm(u.RawPath)
	}
	return u, err
}

func webOnly(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("the scheme is %q, not http or https", u.Scheme)
	case u.Hostname() == "":
		return fmt.Errorf("it has no host")
	case u.User != nil:
		return fmt.Errorf("it has a user name")
	}
	return nil
}

// oneHost is host and port in one form.
func oneHost(u *url.URL) (string, error) {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(host, ":") {
		// A zone is only known to the machine it is on.
		a, err := netip.ParseAddr(host)
		if err != nil || a.Zone() != "" {
			return "", fmt.Errorf("the host %q is no address", host)
		}
		host = "[" + a.String() + "]"
	} else if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	} else if strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return "", fmt.Errorf("the host %q is no name", host)
	}
	if host == "" {
		return "", fmt.Errorf("it has no host")
	}
	port := u.Port()
	if port == "" || u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		return host, nil
	}
	return host + ":" + port, nil
}

// oneForm writes the percent escapes of a path or query in one way: capital digits,
// none for letters, digits and -._~, one for everything that is no ASCII.
func oneForm(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c, escaped := s[i], false
		if c == '%' && i+2 < len(s) {
			if high, low := unhex(s[i+1]), unhex(s[i+2]); high >= 0 && low >= 0 {
				c, escaped = byte(high<<4|low), true
				i += 2
			}
		}
		switch {
		case isUnreserved(c), !escaped && c > ' ' && c < 0x7f && strings.IndexByte("%\"<>\\^`{|}", c) < 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}

func isUnreserved(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// Parameters that do not choose a page.
var (
	tracking = regexp.MustCompile(`^(utm_[a-z_]+|gclid|gclsrc|dclid|gbraid|wbraid|fbclid|msclkid|yclid|twclid|igshid|mc_cid|mc_eid|_ga|_gl|_hsenc|_hsmi|mkt_tok|oly_anon_id|oly_enc_id|vero_id)$`)
	session  = regexp.MustCompile(`^(jsessionid|phpsessid|aspsessionid[a-z]*|asp\.net_sessionid|sessionid|session_id|sessid|cfid|cftoken)$`)
	// sid is a session's name on some sites, a station's or a size's on others: a long
	// value tells.
	longID      = regexp.MustCompile(`^[0-9A-Za-z_-]{16,}$`)
	pathSession = regexp.MustCompile(`(?i);(jsessionid|phpsessid|sid)=[^/;?]*`)
)

func withoutSession(path string) string {
	if !strings.Contains(path, ";") {
		return path
	}
	return pathSession.ReplaceAllString(path, "")
}

func oneQuery(raw string) string {
	var kept []string
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		lower := strings.ToLower(name)
		if pair == "" || tracking.MatchString(lower) || session.MatchString(lower) || lower == "sid" && longID.MatchString(value) {
			continue
		}
		kept = append(kept, oneForm(pair))
	}
	// Equal names keep their order: it may mean something.
	slices.SortStableFunc(kept, func(a, b string) int {
		a, _, _ = strings.Cut(a, "=")
		b, _, _ = strings.Cut(b, "=")
		return strings.Compare(a, b)
	})
	return strings.Join(kept, "&")
}

// Bounds of what a page's address looks like.
const (
	maxSegments = 20
	maxRepeated = 3
)

// Trap says why an address looks like one of a site without end, a reason for a person,
// or "" if it does not: deeper than 20 segments, a segment more than 3 times, longer
// than MaxURL. Calendars that go on for ever look like pages; a limit of pages ends them.
func Trap(address string) string {
	if len(address) > MaxURL {
		return fmt.Sprintf("the address has %d bytes", len(address))
	}
	u, err := weburl.Parse(address)
	if err != nil {
		return "it is no address"
	}
	times := map[string]int{}
	depth := 0
	for segment := range strings.SplitSeq(u.EscapedPath(), "/") {
		if segment == "" {
			continue
		}
		depth++
		times[segment]++
		if times[segment] > maxRepeated {
			return fmt.Sprintf("the path has %q more than %d times", segment, maxRepeated)
		}
	}
	if depth > maxSegments {
		return fmt.Sprintf("the path has %d segments", depth)
	}
	return ""
}
