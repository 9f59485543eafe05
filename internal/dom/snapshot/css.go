package snapshot

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// css writes a style sheet, or the text of a style attribute, anew: without comments,
// at-rules and functions that are not allowed, and anything that would end the element
// it is in. A function that is not allowed becomes none.
func css(src string) string {
	c := sheet{src: strings.ReplaceAll(strings.ToValidUTF8(src, ""), "\x00", "")}
	c.copy()
	return c.out.String()
}

type sheet struct {
	src string
	at  int
	out strings.Builder
}

// copy goes over the whole text. What it leaves out it leaves a space for, so that no
// two parts join to a word of another meaning.
func (c *sheet) copy() {
	for c.at < len(c.src) {
		switch b := c.src[c.at]; {
		case strings.HasPrefix(c.src[c.at:], "/*"):
			c.skipComment()
			c.out.WriteByte(' ')
		case b == '"' || b == '\'':
			c.out.WriteString(quoted(c.text()))
		case b == '@':
			c.atRule()
		case startsName(c.src[c.at:]):
			c.name()
		case b == '<' && !c.isComparison():
			c.out.WriteByte(' ')
			c.at++
		default:
			c.out.WriteByte(b)
			c.at++
		}
	}
}

// isComparison: a range in a media query. Any other < could begin a tag.
func (c *sheet) isComparison() bool {
	if c.at+1 == len(c.src) {
		return false
	}
	next := c.src[c.at+1]
	return next == '=' || next == ' ' || next >= '0' && next <= '9'
}

func (c *sheet) skipComment() {
	end := strings.Index(c.src[c.at+2:], "*/")
	if end < 0 {
		c.at = len(c.src)
		return
	}
	c.at += end + 4
}

// name copies a name, decoded and encoded again: \75rl( is a way to write url(.
func (c *sheet) name() {
	escaped := c.src[c.at] == '\\'
	n := c.ident()
	lower := strings.ToLower(n)
	switch {
	case c.at < len(c.src) && c.src[c.at] == '(' && !functions[lower]:
		c.skipBlock()
		c.out.WriteString("none")
	case badProperties[lower]:
		c.out.WriteString("x-none")
	default:
		if escaped && n != "" && n[0] >= '0' && n[0] <= '9' { // a name, and no number
			c.out.WriteString(`\3` + n[:1] + " ")
			n = n[1:]
		}
		c.out.WriteString(escapedName(n))
	}
}

// atRule copies the name of a rule that is allowed, and skips one that is not, to its
// semicolon or the end of its block.
func (c *sheet) atRule() {
	c.at++
	n := c.ident()
	if atRules[strings.ToLower(n)] {
		c.out.WriteString("@" + escapedName(n))
		return
	}
	for c.at < len(c.src) {
		switch c.src[c.at] {
		case ';':
			c.at++
			return
		case '{':
			c.skipBlock()
			return
		case '}':
			return
		default:
			c.skipOne()
		}
	}
}

// skipBlock skips from an opening bracket to the one that closes it.
func (c *sheet) skipBlock() {
	depth := 0
	for c.at < len(c.src) {
		switch c.src[c.at] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			if depth--; depth == 0 {
				c.at++
				return
			}
		}
		c.skipOne()
	}
}

// skipOne skips a comment, a text, an escape or a character.
func (c *sheet) skipOne() {
	switch b := c.src[c.at]; {
	case strings.HasPrefix(c.src[c.at:], "/*"):
		c.skipComment()
	case b == '"' || b == '\'':
		c.text()
	case b == '\\':
		c.escape()
	default:
		c.at++
	}
}

// text reads a quoted text. A line break ends one that is not closed.
func (c *sheet) text() string {
	quote := c.src[c.at]
	c.at++
	var out strings.Builder
	for c.at < len(c.src) {
		switch b := c.src[c.at]; {
		case b == quote:
			c.at++
			return out.String()
		case b == '\n':
			return out.String()
		case b == '\\' && c.at+1 < len(c.src) && c.src[c.at+1] == '\n':
			c.at += 2
		case b == '\\':
			out.WriteString(c.escape())
		default:
			out.WriteByte(b)
			c.at++
		}
	}
	return out.String()
}

// ident reads a name and decodes it.
func (c *sheet) ident() string {
	var out strings.Builder
	for c.at < len(c.src) {
		switch b := c.src[c.at]; {
		case isNameByte(b):
			out.WriteByte(b)
			c.at++
		case b == '\\' && c.at+1 < len(c.src) && c.src[c.at+1] != '\n':
			out.WriteString(c.escape())
		default:
			return out.String()
		}
	}
	return out.String()
}

// escape reads a backslash and what it escapes.
func (c *sheet) escape() string {
	c.at++
	end := c.at
	for end < len(c.src) && end-c.at < 6 && isHex(c.src[end]) {
		end++
	}
	if end == c.at {
		if c.at == len(c.src) {
			return ""
		}
		_, n := utf8.DecodeRuneInString(c.src[c.at:])
		c.at += n
		return c.src[c.at-n : c.at]
	}
	code, _ := strconv.ParseUint(c.src[c.at:end], 16, 32) // six digits at most
	if c.at = end; c.at < len(c.src) && strings.IndexByte(" \t\n\r\f", c.src[c.at]) >= 0 {
		c.at++
	}
	if code == 0 || code > utf8.MaxRune || code >= 0xd800 && code < 0xe000 {
		return "\ufffd"
	}
	return string(rune(code))
}

func startsName(s string) bool { return isNameByte(s[0]) || s[0] == '\\' && len(s) > 1 && s[1] != '\n' }

func isNameByte(b byte) bool {
	return b == '-' || b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= utf8.RuneSelf
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// escapedName writes a decoded name such that it is read as the same.
func escapedName(n string) string {
	var out strings.Builder
	for _, r := range n {
		if r >= utf8.RuneSelf || isNameByte(byte(r)) {
			out.WriteRune(r)
		} else {
			out.WriteString(`\` + strconv.FormatInt(int64(r), 16) + " ")
		}
	}
	return out.String()
}

// quoted writes a decoded text such that it is read as the same, and no markup is in it.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, r := range text {
		if r < ' ' || r == '"' || r == '\\' || r == '<' || r == '>' || r == '&' {
			out.WriteString(`\` + strconv.FormatInt(int64(r), 16) + " ")
		} else {
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
	return out.String()
}
