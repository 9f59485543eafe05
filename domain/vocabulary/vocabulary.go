// Package vocabulary looks for words in the texts of a page: whole words, whatever
// the case, in the languages the lists of its users are written in. It finds words
// and understands nothing: whoever decides by it errs on the careful side.
package vocabulary

import "strings"

// List is words and phrases in lower case. One that ends with a hyphen is the
// beginning of a word: "lösch-" is in "Konto löschen".
type List []string

// In reports whether a text has one of the words. In scripts without spaces, and
// in Korean, whose words grow at their end, a word may stand anywhere. An Index is
// quicker where the same list is looked for often.
func (l List) In(text string) bool {
	padded := Read(text).padded
	inside := anywhere(padded) // else none of its words is, which is quicker to see
	for _, w := range l {
		stem, begins := strings.CutSuffix(Fold(w), "-")
		switch {
		case begins && strings.Contains(padded, " "+stem),
			!begins && strings.Contains(padded, " "+stem+" "),
			inside && anywhere(w) && strings.Contains(padded, stem):
			return true
		}
	}
	return false
}
