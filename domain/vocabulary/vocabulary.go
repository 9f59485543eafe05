// Package vocabulary looks for words in the texts of a page: whole words, ignoring
// case, in the languages its callers list. It understands nothing of them, so callers
// should decide on the careful side.
package vocabulary

import "strings"

// List is words and phrases in lower case. One that ends with a hyphen is a prefix:
// "lösch-" matches "Konto löschen".
type List []string

// In reports whether a text contains one of the words. In scripts without spaces, and
// in Korean, whose words take suffixes, a word matches anywhere. For many lookups of
// the same list an Index is faster.
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
