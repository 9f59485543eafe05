package value

import (
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// maskChars are characters that pages show in place of hidden ones.
const maskChars = "•●∙·*×∗＊⁎▪■◦"

// masked compares with a value that a page shows only in part, or not at all. The
// visible part may still rule it out.
func masked(asked, held string, _ page.Element) (Match, bool) {
	shown := strings.FieldsFunc(held, func(r rune) bool { return strings.ContainsRune(maskChars, r) || unicode.IsSpace(r) || r == '-' })
	switch hidden := strings.Count(strings.Map(shade, held), "•"); {
	case hidden < 2 || strings.ContainsAny(asked, maskChars):
		return CannotTell, false
	case len(shown) == 0:
		return CannotTell, true
	}
	rest, first := bare(asked), bare(shown[0])
	last := bare(shown[len(shown)-1])
	begins := !strings.ContainsRune(maskChars, []rune(held)[0])
	if begins && !strings.HasPrefix(rest, first) || !begins && !strings.HasSuffix(rest, last) {
		return Other, true
	}
	return CannotTell, true
}

func shade(r rune) rune {
	if strings.ContainsRune(maskChars, r) {
		return '•'
	}
	return r
}

// addressWithPrefix reports a web address whose scheme the page has added.
func addressWithPrefix(asked, held string, _ page.Element) (Match, bool) {
	_, rest, ok := strings.Cut(held, "://")
	same := ok && strings.Contains(asked, ".") && strings.EqualFold(strings.TrimSuffix(rest, "/"), strings.TrimSuffix(asked, "/"))
	return Same, same
}

// marksRemoved reports a name or code whose separators the page removed: HP/22-071 as
// HP22071. Numbers may lose separators, and any text spaces.
func marksRemoved(asked, held string, _ page.Element) (Match, bool) {
	marks := func(s string) int {
		return len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsPunct(r) && !unicode.IsSymbol(r) }))
	}
	return Other, letters(asked) != "" && marks(asked) > marks(held)+strings.Count(held, " ")
}

// codes compares texts of letters and digits, which a page may put in capitals and
// groups: sl61qz.
func codes(asked, held string, _ page.Element) (Match, bool) {
	if digits(asked) == "" || letters(asked) == "" || len(words(asked)) > 2 {
		return CannotTell, false
	}
	return Same, strings.EqualFold(ungrouped.Replace(asked), ungrouped.Replace(held))
}

var ungrouped = strings.NewReplacer(" ", "", "-", "")

// groupedDigits compares texts with the same digits and letters and different
// separators, as masks add and remove them. A point or colon that was asked for
// counts.
func groupedDigits(asked, held string, _ page.Element) (Match, bool) {
	d := digits(asked)
	switch {
	case len(d) < 4 || d != digits(held) || letters(asked) != letters(held) || symbols(asked) != symbols(held):
		return CannotTell, false
	case countMeaningfulMarks(asked) > countMeaningfulMarks(held):
		return CannotTell, true
	}
	return Same, true
}

// countMeaningfulMarks counts the marks between digits that change the value.
func countMeaningfulMarks(s string) (n int) {
	for i := 1; i+1 < len(s); i++ {
		if strings.IndexByte(".,:", s[i]) >= 0 && allDigits(s[i-1:i]) && allDigits(s[i+1:i+2]) {
			n++
		}
	}
	return n
}

// punctuated reports words that the page has put punctuation between or around: anna
// as @anna, Rossi Mario as Rossi, Mario.
func punctuated(asked, held string, _ page.Element) (Match, bool) {
	if len([]rune(letters(asked))) < 2 || bare(asked) != bare(held) {
		return CannotTell, false
	}
	rest := []rune(strings.ToLower(asked))
	for _, r := range strings.ToLower(held) {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return Same, len(rest) == 0
}

// containsInOrder reports that held contains all letters and digits asked for, in
// order, among a few others: a number may be written in an unknown form.
func containsInOrder(asked, held string, _ page.Element) (Match, bool) {
	rest, all := []rune(bare(asked)), []rune(bare(held))
	if digits(asked) == "" || len(rest) < 3 || len(rest) >= len(all) || len(all) > 2*len(rest) {
		return CannotTell, false
	}
	for _, r := range all {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return CannotTell, len(rest) == 0
}
