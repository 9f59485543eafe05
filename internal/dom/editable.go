package dom

import "strings"

// What people type into without it being a field of HTML: an element that is
// made editable, or plays the role of a field. Its text is its value.

// editableMark is a text with a b in it, and what is before and after that.
type editableMark struct {
	text          string
	b             int
	before, after byte
}

// isAround reports whether the b at i is that of the mark.
func (m *editableMark) isAround(src string, i int) bool {
	from := i - m.b
	return from >= 0 && from+len(m.text) <= len(src) && strings.EqualFold(src[from:from+len(m.text)], m.text)
}

// editableMarks are what the start tag of such an element has in it. Each has one b, with
// neighbours that are rare enough to be looked for.
var editableMarks = [...]editableMark{{"contenteditable", 12, 'a', 'l'}, {"textbox", 4, 't', 'o'}, {"spinbutton", 4, 'n', 'u'}}

// hasEditable reports whether a text has one of the marks, ignoring case. It is
// called for every page.
func hasEditable(src string) bool { return hasMark(src, 'b') || hasMark(src, 'B') }

func hasMark(src string, b byte) bool {
	for i := 0; ; i++ {
		n := strings.IndexByte(src[i:], b)
		if n < 0 {
			return false
		}
		if i += n; i == 0 || i+1 == len(src) {
			continue
		}
		for m := range editableMarks {
			if mark := &editableMarks[m]; mark.before == src[i-1]|0x20 && mark.after == src[i+1]|0x20 && mark.isAround(src, i) {
				return true
			}
		}
	}
}

// longestStart bounds how far marks are looked for, in bytes.
const longestStart = 2000

// editableTag is the name of the editable element whose start tag s begins with, ""
// if there is none.
func editableTag(s string) string {
	n := 1
	for n < len(s) && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 1 && (s[n] >= '0' && s[n] <= '9' || s[n] == '-')) {
		n++
	}
	if n == 1 || n >= len(s) || !isSpace(s[n]) {
		return ""
	}
	end := strings.IndexByte(s[:min(len(s), longestStart)], '>')
	if end < 0 {
		return ""
	}
	if hasEditable(s[n:end]) {
		return strings.ToLower(s[1:n])
	}
	return ""
}

// contentEnd is the end of an element's content, given the text after its start tag:
// before its end tag, counting nested elements of the same name.
func contentEnd(s, name string) int {
	open := 1
	for i := 0; i < len(s); i++ {
		lt := strings.IndexByte(s[i:], '<')
		if lt < 0 {
			break
		}
		i += lt
		rest := s[i+1:]
		closes := strings.HasPrefix(rest, "/")
		rest = strings.TrimPrefix(rest, "/")
		if len(rest) <= len(name) || !strings.EqualFold(rest[:len(name)], name) || !isTagEnd(rest[len(name)]) {
			continue
		}
		if !closes {
			open++
		} else if open--; open == 0 {
			return i
		}
	}
	return len(s)
}
