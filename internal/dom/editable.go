package dom

import "strings"

// What people type into without it being a field of HTML: an element that is
// made editable, or plays the role of a field. Its text is its value.

// editableMarks are what the start tag of such an element has in it.
var editableMarks = [...]string{"contenteditable", "textbox", "spinbutton"}

// hasEditable reports whether a document has one, quickly.
func hasEditable(src string) bool {
	for _, mark := range editableMarks {
		if containsFold(src, mark) {
			return true
		}
	}
	return false
}

// containsFold is strings.Contains for a mark in lower case, whatever the case of
// the text.
func containsFold(s, mark string) bool {
	for i := 0; i+len(mark) <= len(s); i++ {
		j := strings.IndexAny(s[i:], mark[:1]+strings.ToUpper(mark[:1]))
		if j < 0 || i+j+len(mark) > len(s) {
			return false
		}
		if i += j; strings.EqualFold(s[i:i+len(mark)], mark) {
			return true
		}
	}
	return false
}

// longestStart bounds how far the marks are looked for, in bytes.
const longestStart = 2000

// editableTag is the name of the element people type into whose start tag s
// begins with, "" if it begins with none.
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
	for _, mark := range editableMarks {
		if containsFold(s[n:end], mark) {
			return strings.ToLower(s[1:n])
		}
	}
	return ""
}

// contentEnd is where the content of an element ends whose start tag ends at the
// beginning of s: before its end tag, those of the same name within it counted.
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
