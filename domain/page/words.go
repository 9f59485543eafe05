package page

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"
)

// WordsHash is a hash of the words a page shows, without numbers: a clock and a counter
// tick, and the month of a calendar is another one though its days have the same names.
// It is short: equal pages matter, and nobody gains by a collision.
func WordsHash(p Page) string {
	h := sha256.New()
	for _, text := range append([]string{p.Title, p.Text}, p.Headings...) {
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
			_, _ = h.Write([]byte(word))
			_, _ = h.Write([]byte{' '})
		}
		_, _ = h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
