package strictjson

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Every byte of a word.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// plain is how many bytes text begins with before a quote, a backslash or a control
// character. It looks at eight at a time: pages are what most bytes here are.
func plain(text []byte) int {
	n := 0
	for ; len(text)-n >= 8; n += 8 {
		w := binary.LittleEndian.Uint64(text[n:])
		quote, slash := w^(ones*'"'), w^(ones*'\\')
		// A byte's high bit is set where taking from it borrows, which a byte of its own
		// with a high bit does not show.
		if ((w-ones*' ')|(quote-ones)|(slash-ones))&^w&highs != 0 {
			break
		}
	}
	for n < len(text) && text[n] >= ' ' && text[n] != '"' && text[n] != '\\' {
		n++
	}
	return n
}

// escapeLen is how long the escape is that text begins with, 0 if it is none.
func escapeLen(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if unit(text) >= 0 {
			return 6
		}
	}
	return 0
}

// unit is the UTF-16 unit text begins with as \uXXXX, -1 if it does not.
func unit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	var r rune
	for _, b := range text[2:6] {
		d := digits[b]
		if d < 0 {
			return -1
		}
		r = r<<4 | rune(d)
	}
	return r
}

// digits are those of hexadecimal numbers, -1 for every other byte.
var digits = func() (of [256]int8) {
	for b := range of {
		of[b] = -1
	}
	for d := range int8(16) {
		of["0123456789abcdef"[d]], of["0123456789ABCDEF"[d]] = d, d
	}
	return of
}()

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// decoded reads a string and returns what it says. One with escapes is put together in
// r.scratch, which is made once for a document.
func (r *reader) decoded() (string, bool) {
	if !r.take('"') {
		return "", false
	}
	text := r.doc[r.at:]
	n := plain(text)
	if n < len(text) && text[n] == '"' {
		r.at += n + 1
		return string(text[:n]), true
	}
	if r.scratch == nil {
		r.scratch = make([]byte, 0, len(text))
	}
	out := r.scratch[:0]
	for {
		out = append(out, text[:n]...)
		if text = text[n:]; len(text) < 2 || text[0] != '\\' {
			break
		}
		if b := escapes[text[1]]; b != 0 {
			out, text = append(out, b), text[2:]
		} else {
			c, size := character(text)
			if c < 0 {
				return "", false
			}
			out, text = utf8.AppendRune(out, c), text[size:]
		}
		n = plain(text)
	}
	r.scratch = out
	if len(text) == 0 || text[0] != '"' { // the end, or a control character
		return "", false
	}
	r.at = len(r.doc) - len(text) + 1
	return string(out), true
}

// character decodes one \uXXXX or a pair of them. Half a pair is U+FFFD; -1 is none.
func character(raw []byte) (r rune, n int) {
	r = unit(raw)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if r = utf16.DecodeRune(r, unit(raw[6:])); r != utf8.RuneError {
		return r, 12
	}
	return r, 6
}
