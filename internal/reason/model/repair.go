package model

import "strings"

// repairer rewrites an object as strict JSON without changing its meaning: commas
// before a closing bracket, comments, keys without quotes, strings in single or curly
// quotes, raw line breaks and controls in strings, and the constants of Python and
// JavaScript. Everything else is passed on for the decoder to refuse.
type repairer struct {
	s     string
	i     int
	out   strings.Builder
	depth int
	last  byte // written, spaces left out
}

const (
	space   = " \t\r\n"
	opening = "\u201c" // curly quotes
	closing = "\u201d"
)

// repairJSON rewrites the object s begins with and returns its length in s. closed is
// false if the object does not end.
func repairJSON(s string) (mended string, length int, closed bool) {
	m := repairer{s: s}
	for m.i < len(s) {
		if !m.next() {
			return "", 0, false
		}
		if m.depth == 0 {
			return m.out.String(), m.i, true
		}
	}
	return "", 0, false
}

// next reads one token. It returns false if the token does not end.
func (m *repairer) next() bool {
	rest := m.s[m.i:]
	if n := comment(rest); n > 0 {
		m.i += n
		return true
	}
	switch c := rest[0]; {
	case c == '"':
		return m.text(`"`, `"`)
	case c == '\'':
		return m.text("'", "'")
	case strings.HasPrefix(rest, opening):
		return m.text(opening, closing)
	case c == ',' && closesNext(rest[1:]):
		m.i++
		return true
	case c == '{':
		m.depth++
	case c == '}':
		m.depth--
	}
	if m.last == '{' || m.last == ',' {
		if n := bareKey(rest); n > 0 {
			m.write(`"` + rest[:n] + `"`)
			m.i += n
			return true
		}
	}
	if word, json := constant(rest); word != "" && (m.last == ':' || m.last == '[' || m.last == ',') {
		m.write(json)
		m.i += len(word)
		return true
	}
	m.write(rest[:1])
	m.i++
	return true
}

func (m *repairer) write(s string) {
	m.out.WriteString(s)
	if t := strings.TrimRight(s, space); t != "" {
		m.last = t[len(t)-1]
	}
}

// text copies a string, in double quotes.
func (m *repairer) text(begin, end string) bool {
	m.write(`"`)
	for m.i += len(begin); m.i < len(m.s); {
		rest := m.s[m.i:]
		switch c := rest[0]; {
		case strings.HasPrefix(rest, end):
			m.write(`"`)
			m.i += len(end)
			return true
		case c == '\\' && len(rest) > 1:
			m.out.WriteString(escape(rest[1]))
			m.i++
		case c == '"':
			m.out.WriteString(`\"`)
		case c < ' ':
			m.out.WriteString(control(c))
		default:
			m.out.WriteByte(c)
		}
		m.i++
	}
	return false
}

// escape returns a backslash and the character, without the backslash if JSON has no
// such escape.
func escape(c byte) string {
	switch {
	case c == '\'':
		return "'"
	case c < ' ':
		return control(c)
	}
	return string([]byte{'\\', c})
}

func control(c byte) string {
	switch c {
	case '\n':
		return `\n`
	case '\t':
		return `\t`
	case '\r':
		return `\r`
	}
	return " "
}

// comment returns the length of the comment s begins with; an unclosed one takes all
// of s.
func comment(s string) int {
	for _, c := range [][2]string{{"/*", "*/"}, {"//", "\n"}, {"#", "\n"}} {
		body, ok := strings.CutPrefix(s, c[0])
		if !ok {
			continue
		}
		if end := strings.Index(body, c[1]); end >= 0 {
			return len(c[0]) + end + len(c[1])
		}
		return len(s)
	}
	return 0
}

// closesNext reports whether a bracket closes after spaces and comments.
func closesNext(s string) bool {
	for {
		s = strings.TrimLeft(s, space)
		n := comment(s)
		if n == 0 {
			return s != "" && (s[0] == '}' || s[0] == ']')
		}
		s = s[n:]
	}
}

// bareKey returns the length of an unquoted key: a name followed by a colon.
func bareKey(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	if n > 0 && strings.HasPrefix(strings.TrimLeft(s[n:], space), ":") {
		return n
	}
	return 0
}

func isLetter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$'
}

// constant returns a constant of Python or JavaScript, and JSON's for it.
func constant(s string) (word, json string) {
	for _, c := range [][2]string{{"True", "true"}, {"False", "false"}, {"None", "null"}, {"NaN", "null"}, {"undefined", "null"}} {
		if rest, ok := strings.CutPrefix(s, c[0]); ok && (rest == "" || !isLetter(rest[0])) {
			return c[0], c[1]
		}
	}
	return "", ""
}
