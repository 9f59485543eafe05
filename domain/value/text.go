package value

import (
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// shades are what a page writes over a character it does not show.
const shades = "•●∙·*×∗＊⁎▪■◦"

// masked compares with a value of which a page shows a part, or nothing: what it does
// show may still be another one.
func masked(asked, held string, _ page.Element) (Match, bool) {
	shown := strings.FieldsFunc(held, func(r rune) bool { return strings.ContainsRune(shades, r) || unicode.IsSpace(r) || r == '-' })
	switch hidden := strings.Count(strings.Map(shade, held), "•"); {
	case hidden < 2 || strings.ContainsAny(asked, shades):
		return CannotTell, false
	case len(shown) == 0:
		return CannotTell, true
	}
	rest, first := bare(asked), bare(shown[0])
	last := bare(shown[len(shown)-1])
	begins := !strings.ContainsRune(shades, []rune(held)[0])
	if begins && !strings.HasPrefix(rest, first) || !begins && !strings.HasSuffix(rest, last) {
		return Other, true
	}
	return CannotTell, true
}

func shade(r rune) rune {
	if strings.ContainsRune(shades, r) {
		return '•'
	}
	return r
}

// address reports a web address to which the page has put what it begins with.
func address(asked, held string, _ page.Element) (Match, bool) {
	_, rest, ok := strings.Cut(held, "://")
	same := ok && strings.Contains(asked, ".") && strings.EqualFold(strings.TrimSuffix(rest, "/"), strings.TrimSuffix(asked, "/"))
	return Same, same
}

// marksTaken reports that marks were taken out of a name or a code, HP/22-071 becoming
// HP22071. Out of a number they may be, and spaces out of anything.
func marksTaken(asked, held string, _ page.Element) (Match, bool) {
	marks := func(s string) int {
		return len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsPunct(r) && !unicode.IsSymbol(r) }))
	}
	return Other, letters(asked) != "" && marks(asked) > marks(held)+strings.Count(held, " ")
}

// codes compares what has letters and digits: a page may write it in capitals and in
// groups, as it does with sl61qz.
func codes(asked, held string, _ page.Element) (Match, bool) {
	if digits(asked) == "" || letters(asked) == "" || len(words(asked)) > 2 {
		return CannotTell, false
	}
	return Same, strings.EqualFold(ungrouped.Replace(asked), ungrouped.Replace(held))
}

var ungrouped = strings.NewReplacer(" ", "", "-", "")

// groupedDigits compares texts with the same digits and letters, and other marks
// between: a mask may add them, or take its own away. A point or a colon that was
// asked for says something.
func groupedDigits(asked, held string, _ page.Element) (Match, bool) {
	d := digits(asked)
	switch {
	case len(d) < 4 || d != digits(held) || letters(asked) != letters(held) || pictures(asked) != pictures(held):
		return CannotTell, false
	case telling(asked) > telling(held):
		return CannotTell, true
	}
	return Same, true
}

// telling counts the marks between digits that change what they mean.
func telling(s string) (n int) {
	for i := 1; i+1 < len(s); i++ {
		if strings.IndexByte(".,:", s[i]) >= 0 && allDigits(s[i-1:i]) && allDigits(s[i+1:i+2]) {
			n++
		}
	}
	return n
}

// punctuated reports words between or around which a page has put marks: anna as
// @anna, Rossi Mario as Rossi, Mario.
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

// among reports that all letters and digits of what was asked are there, in order,
// among a few others: a number may have been written out in a way nobody thought of
// here.
func among(asked, held string, _ page.Element) (Match, bool) {
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
