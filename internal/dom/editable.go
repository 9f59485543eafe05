package dom

import "strings"

// What people type into without it being a field of HTML: an element that is
// made editable, or plays the role of a field. Its text is its value.

// editableMarks are what the start tag of such an element has in it, with the place
// of the letter b, which is rare enough to be looked for.
var editableMarks = [...]struct {
	text string
	b    int
}{{"contenteditable", 12}, {"textbox", 4}, {"spinbutton", 4}}

// hasEditable reports whether a text has one of the marks, ignoring case. It is
// called for every page.
func hasEditable(src string) bool {
	for _, b := range [...]byte{'b', 'B'} {
		for i := 0; i < len(src); i++ {
			n := strings.IndexByte(src[i:], b)
			if n < 0 {
				break
			}
			i += n
			for _, m := range editableMarks {
				from := i - m.b
				if from >= 0 && from+len(m.text) <= len(src) && strings.EqualFold(src[from:from+len(m.text)], m.text) {
					return true
				}
			}
		}
	}
	return false
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
