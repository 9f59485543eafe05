package slot

import (
	"slices"
	"strings"
	"unicode/utf8"
)

var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '「': "」", '\'': "'", '‘': "’"}

// quotes are the values between quotation marks.
func (r *reading) quotes() []Slot {
	var out []Slot
	for from := 0; from < len(r.text); {
		at := strings.IndexFunc(r.text[from:], func(c rune) bool { return closing[c] != "" })
		if at < 0 {
			break
		}
		open := from + at
		mark, n := utf8.DecodeRuneInString(r.text[open:])
		begin := open + n
		from = begin
		before, _ := utf8.DecodeLastRuneInString(r.text[:open])
		length := strings.IndexAny(r.text[begin:min(len(r.text), begin+maxQuoted)], closing[mark])
		if length <= 0 || isWord(before) && before < 0x2e80 {
			continue
		}
		if s, ok := r.quoted(begin, begin+length); ok {
			out = append(out, s)
			from = begin + length + 1
		}
	}
	return out
}

// maxQuoted is how many bytes a value in quotation marks has.
const maxQuoted = 500

func (r *reading) quoted(begin, end int) (Slot, bool) {
	first, _ := slices.BinarySearchFunc(r.tokens, begin, func(t token, at int) int { return t.start - at })
	last, _ := slices.BinarySearchFunc(r.tokens, end, func(t token, at int) int { return t.start - at })
	value := strings.TrimRight(r.text[begin:end], ".,; ")
	if first >= last || value == "" || strings.Contains(value, "\n") {
		return Slot{}, false
	}
	s := r.slot(first, last-1)
	s.Value, s.Start, s.End, s.Kind = value, begin, begin+len(value), Quoted
	return s, true
}
