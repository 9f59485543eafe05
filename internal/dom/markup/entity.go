package markup

import (
	"strings"

	"golang.org/x/net/html"
)

// text decodes the text between tags.
func text(s string) string {
	s = lines(s)
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}

// lines turns line ends into line feeds.
func lines(s string) string {
	if strings.IndexByte(s, '\r') < 0 {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
}

// attribute decodes the value of an attribute. A reference without a semicolon is none
// there if an equals sign follows, or a letter: links would be full of them.
func attribute(s string) string {
	s = lines(s)
	amp := strings.IndexByte(s, '&')
	if amp < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for amp >= 0 {
		b.WriteString(s[:amp])
		s = s[amp:]
		n := reference(s)
		b.WriteString(referred(s[:n], strings.HasPrefix(s[n:], "=")))
		s = s[n:]
		amp = strings.IndexByte(s, '&')
	}
	b.WriteString(s)
	return b.String()
}

// reference is how much of s is a character reference that begins it.
func reference(s string) int {
	n := 1
	if n < len(s) && s[n] == '#' {
		n++
	}
	for n < len(s) && isAlphanumeric(s[n]) {
		n++
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	return n
}

// referred decodes a reference in an attribute.
func referred(ref string, equals bool) string {
	switch ref {
	case "&amp;":
		return "&"
	case "&quot;":
		return `"`
	case "&semi;":
		return ";"
	}
	last := ref[len(ref)-1]
	if numeric := strings.HasPrefix(ref, "&#"); !numeric && equals && last != ';' {
		return ref
	}
	s := html.UnescapeString(ref)
	if strings.HasPrefix(ref, "&#") {
		return s
	}
	// Only the whole name counts; of a name that is the start of ref the rest is left.
	if end := s[len(s)-1]; last == ';' && end == ';' || last != ';' && isAlphanumeric(end) {
		return ref
	}
	return s
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
