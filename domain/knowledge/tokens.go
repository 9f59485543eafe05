package knowledge

import "unicode"

// Costs are counted in twelfths of a token, so that they add up without rounding.
const (
	twelfths  = 12
	costPlain = 3 // four characters a token
	costDense = 8 // one and a half
)

// dense are the scripts whose letters carry more, and that are written without spaces.
var dense = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan,
}

// Tokens estimates how many tokens of a model a text is: a quarter of its characters,
// of scripts without spaces between words two thirds, rounded up. Models differ from
// it, most by less than a third.
func Tokens(s string) int {
	return (cost(s) + twelfths - 1) / twelfths
}

func cost(s string) int {
	n := 0
	for _, r := range s {
		n += costOf(r)
	}
	return n
}

func costOf(r rune) int {
	if r >= 0x0e00 && unicode.IsOneOf(dense, r) {
		return costDense
	}
	return costPlain
}
