package page

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns s as a person sees it: runs of white space, including no-break
// spaces, become one space, with none at the ends; invisible characters, which can
// carry hidden instructions or defeat a comparison, are removed; bytes that are not
// UTF-8 become U+FFFD.
func Clean(s string) string {
	if isClean(s) {
		return s
	}
	return strings.TrimRight(string(AppendClean(make([]byte, 0, len(s)), s)), " ")
}

// AppendClean appends Clean(s) to dst, except that it keeps one space at the end, so
// that the next text is kept apart. It never begins a text with a space and never
// adds one after white space in dst.
func AppendClean(dst []byte, s string) []byte {
	for s != "" {
		if n := words(s); n > 0 {
			dst, s = append(dst, s[:n]...), s[n:]
			continue
		}
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch {
		case unicode.IsSpace(r):
			dst = AppendSpace(dst)
		case !invisible(r):
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}

// words returns how many bytes at the start of s are words of printable ASCII with one
// space between each two.
func words(s string) int {
	space := true // none may be first
	for i := range len(s) {
		c := s[i]
		if c > ' ' && c < 0x7f {
			space = false
			continue
		}
		if c != ' ' || space {
			if space && i > 0 { // the one before may not be followed by anything
				i--
			}
			return i
		}
		space = true
	}
	if space {
		return max(0, len(s)-1)
	}
	return len(s)
}

// AppendSpace appends a space unless dst is empty or already ends in white space.
func AppendSpace(dst []byte) []byte {
	if n := len(dst); n == 0 || dst[n-1] == ' ' || dst[n-1] == '\n' {
		return dst
	}
	return append(dst, ' ')
}

// Cut returns the first runes characters of s.
func Cut(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	n := 0
	for i := range s {
		if n == runes {
			return strings.TrimRight(s[:i], " ")
		}
		n++
	}
	return s
}

// isClean reports texts that need no work: visible characters with single spaces
// inside.
func isClean(s string) bool {
	space := true
	for i := 0; i < len(s); {
		c, n := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, n = utf8.DecodeRuneInString(s[i:])
			if c == utf8.RuneError && n == 1 || unicode.IsSpace(c) {
				return false
			}
		}
		if c == ' ' && space || invisible(c) {
			return false
		}
		space = c == ' '
		i += n
	}
	return s == "" || !space
}

// invisible reports characters without a shape: controls, soft hyphen, zero-width and
// bidirectional marks, variation selectors, tags. They are used to hide text from a
// reader (prompt injection) or to make it look like other text.
func invisible(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r < 0xa0, r == 0xad:
		return true
	case r < 0x180b:
		return r == 0x34f || r == 0x61c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5
	case r <= 0x180f:
		return true // Mongolian variation selectors and vowel separator
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r == 0x3164, r == 0xffa0, r >= 0xfff9 && r <= 0xfffb:
		return true
	}
	return r >= 0xe0000 && r <= 0xe0fff
}
