package skills

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/projections"
)

// Bounds of what a goal is compared by; a person's goal is far shorter.
const (
	maxGoal  = 400 // characters
	maxWords = 200
	maxWord  = 60 // characters
)

// goalKey is a goal in the form it is compared in, without case and spacing.
func goalKey(goal string) string {
	return cut(strings.ToLower(strings.Join(strings.Fields(projections.Text(goal)), " ")), maxGoal)
}

func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most])
}

// goalWords returns the words of a goal, sorted: the lexemes of its full text. It
// assumes no language, so nothing is stemmed and no word left out, and the database's
// locale does not matter. Scripts without spaces, and Korean, which attaches
// particles, are split into single characters and pairs.
func goalWords(goal string) []string {
	words := []string{}
	var run []string // characters of a script without spaces
	var word strings.Builder
	endWord := func() {
		if word.Len() > 0 {
			words = append(words, cut(word.String(), maxWord))
			word.Reset()
		}
	}
	endRun := func() {
		words = append(words, run...)
		for i := 1; i < len(run); i++ {
			words = append(words, run[i-1]+run[i])
		}
		run = nil
	}
	for _, r := range goalKey(goal) {
		switch {
		case unicode.In(r, unspaced...):
			endWord()
			run = append(run, string(r))
		case unicode.IsMark(r) && len(run) > 0:
			run[len(run)-1] = cut(run[len(run)-1]+string(r), maxWord)
		case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
			endRun()
			word.WriteRune(r)
		default:
			endWord()
			endRun()
		}
	}
	endWord()
	endRun()
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), maxWords)]
}

var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}
