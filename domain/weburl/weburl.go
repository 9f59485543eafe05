// Package weburl parses URLs as browsers do. They accept URLs that net/url refuses: a
// percent sign that begins no escape (/sale/50%off), any character in a user name, a
// line break inside a link, backslashes for slashes. Everything else is parsed as
// net/url does.
//
// It only parses; callers decide what a URL may be used for.
package weburl

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"
)

// Parse parses a URL, absolute or relative. It returns net/url's error for what a
// browser would not accept either.
func Parse(raw string) (*url.URL, error) {
	raw = clean(raw)
	if u, err := url.Parse(raw); err == nil {
		return u, nil
	}
	return url.Parse(escape(raw))
}

// Resolve resolves a reference as it stands on a page.
func Resolve(base *url.URL, ref string) (*url.URL, error) {
	u, err := Parse(ref)
	if err != nil {
		return nil, err
	}
	return base.ResolveReference(u), nil
}

// IsWeb reports whether a URL can be a web page's: absolute, http or https, with a
// host and without control characters.
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

// IsTab reports whether a browser tab can show a URL: a web page, or a page of the
// browser such as chrome://newtab/ and about:blank.
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

// clean drops what browsers drop, and replaces backslashes where they do.
func clean(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if strings.ContainsAny(raw, "\t\r\n") {
		raw = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(raw)
	}
	end := strings.IndexAny(raw, "?#")
	if end < 0 {
		end = len(raw)
	}
	if head := raw[:end]; strings.Contains(head, `\`) && readsBackslashes(head) {
		return strings.ReplaceAll(head, `\`, "/") + raw[end:]
	}
	return raw
}

// readsBackslashes reports whether browsers read backslashes as slashes: in web URLs
// and in those without a scheme.
func readsBackslashes(head string) bool {
	scheme, _, ok := strings.Cut(head, ":")
	return !ok || strings.ContainsAny(scheme, `/\`) || strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// escape escapes what net/url refuses and browsers accept.
func escape(raw string) string {
	raw, fragment, hasFragment := strings.Cut(raw, "#")
	head, query, hasQuery := strings.Cut(raw, "?")
	scheme, host, path := split(head)
	out := scheme + escapeUser(host) + escaped(path)
	if hasQuery {
		out += "?" + escaped(query)
	}
	if hasFragment {
		out += "#" + escaped(fragment)
	}
	return out
}

// split splits a URL without query and fragment. The scheme includes its colon and
// slashes.
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

// escapeUser escapes the user and password before a host.
func escapeUser(host string) string {
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
	return escapeBytes(s, func(b byte) bool {
		return b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || strings.IndexByte("-._~!$&'()*+,;=", b) >= 0
	})
}

func escaped(s string) string {
	return escapeBytes(s, func(b byte) bool { return b >= ' ' && b != 0x7f })
}

// escapeBytes escapes the bytes that keeps refuses. Existing escapes stay.
func escapeBytes(s string, keeps func(byte) bool) string {
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
