// Package weburl reads addresses as browsers do. They show and take addresses
// net/url refuses: a percent sign that begins no escape (/sale/50%off), a user name
// with any character in it, a line break in the middle of a link, backslashes for
// slashes. What net/url takes is read as net/url reads it, apart from these.
//
// It only reads. What an address may be used for is for its callers to say.
package weburl

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// Parse reads an address, absolute or not. The error is net/url's, about the address
// after everything a browser would forgive.
func Parse(raw string) (*url.URL, error) {
	raw = clean(raw)
	if u, err := url.Parse(raw); err == nil {
		return u, nil
	}
	return url.Parse(escape(raw))
}

// Resolve reads an address as it stands on a page.
func Resolve(base *url.URL, ref string) (*url.URL, error) {
	u, err := Parse(ref)
	if err != nil {
		return nil, err
	}
	return base.ResolveReference(u), nil
}

// IsWeb reports whether an address is one a page of the web can have: absolute, http
// or https, with a host. Nobody shows one with a control character in it.
func IsWeb(raw string) bool {
	u, err := Parse(raw)
	return err == nil && isWeb(u) && isShown(raw)
}

func isShown(raw string) bool {
	return !strings.ContainsFunc(strings.TrimSpace(raw), unicode.IsControl)
}

func isWeb(u *url.URL) bool {
	return (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// IsTab reports whether an address is one a browser's tab can show: that of a page of
// the web, or one of the browser's own such as chrome://newtab/ and about:blank.
func IsTab(raw string) bool {
	u, err := Parse(raw)
	switch {
	case err != nil || !isShown(raw):
		return false
	case u.Scheme == "http" || u.Scheme == "https":
		return isWeb(u)
	case u.Scheme == "about":
		return u.Opaque != ""
	}
	return u.Scheme != "" && u.Opaque == "" && (u.Host != "" || u.Path != "")
}

// clean drops what browsers drop, and turns backslashes where they do.
func clean(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(raw, "\t\r\n") {
		raw = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(raw)
	}
	end := strings.IndexAny(raw, "?#")
	if end < 0 {
		end = len(raw)
	}
	if head := raw[:end]; strings.Contains(head, `\`) && slashed(head) {
		return strings.ReplaceAll(head, `\`, "/") + raw[end:]
	}
	return raw
}

// slashed reports whether backslashes stand for slashes here: in the addresses of
// the web, and in those without a scheme, which stand on one of its pages.
func slashed(head string) bool {
	scheme, _, ok := strings.Cut(head, ":")
	return !ok || strings.ContainsAny(scheme, `/\`) || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// escape writes an address so that net/url takes it, wherever a browser would.
func escape(raw string) string {
	raw, fragment, hasFragment := strings.Cut(raw, "#")
	head, query, hasQuery := strings.Cut(raw, "?")
	scheme, host, path := split(head)
	out := scheme + user(host) + escaped(path)
	if hasQuery {
		out += "?" + escaped(query)
	}
	if hasFragment {
		out += "#" + escaped(fragment)
	}
	return out
}

// split an address without query and fragment. The scheme has its colon and slashes.
func split(head string) (scheme, host, path string) {
	scheme, rest, ok := strings.Cut(head, "//")
	if !ok || scheme != "" && (!strings.HasSuffix(scheme, ":") || strings.ContainsAny(scheme, "/?")) {
		return "", "", head
	}
	if end := strings.IndexByte(rest, '/'); end >= 0 {
		return scheme + "//", rest[:end], rest[end:]
	}
	return scheme + "//", rest, ""
}

// user escapes the name and password before a host, in which net/url takes little.
func user(host string) string {
	at := strings.LastIndexByte(host, '@')
	if at < 0 {
		return host
	}
	name, password, hasPassword := strings.Cut(host[:at], ":")
	name = unreserved(name)
	if hasPassword {
		name += ":" + unreserved(password)
	}
	return name + host[at:]
}

func unreserved(s string) string {
	return each(s, func(b byte) bool {
		return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || strings.IndexByte("-._~!$&'()*+,;=", b) >= 0
	})
}

func escaped(s string) string {
	return each(s, func(b byte) bool { return b >= ' ' && b != 0x7f })
}

// each escapes the bytes that cannot stand as they are. Escapes stay.
func each(s string, keeps func(byte) bool) string {
	var b strings.Builder
	for i := range len(s) {
		switch {
		case s[i] == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			b.WriteByte('%')
		case s[i] != '%' && keeps(s[i]):
			b.WriteByte(s[i])
		default:
			fmt.Fprintf(&b, "%%%02X", s[i])
		}
	}
	return b.String()
}

func isHex(b byte) bool { return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'f' }
