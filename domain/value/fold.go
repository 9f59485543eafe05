package value

import (
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// fold normalises a text for comparison: clean spaces, composed letters, ASCII for
// full-width forms, digits of any script as 0 to 9, one kind of dash and of
// apostrophe, hiragana as katakana. Case is kept. Folding twice changes nothing more.
func fold(s string) string {
	if isPlain(s) {
		return page.Clean(s)
	}
	return page.Clean(compose(strings.Map(foldRune, page.Clean(s))))
}

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func foldRune(r rune) rune {
	switch {
	case r <= unicode.MaxASCII:
		return r
	case r >= '！' && r <= '～': // full-width ASCII
		return r - '！' + '!'
	case r >= 'ｦ' && r <= 'ﾟ':
		return halfWidth[r-'ｦ']
	case unicode.Is(unicode.Nd, r):
		return digit(r)
	case r >= 'ぁ' && r <= 'ゖ':
		return r + 'ァ' - 'ぁ'
	}
	if to, ok := lookalikes[r]; ok {
		return to
	}
	return r
}

// digit returns a digit of any script as 0 to 9. The ten digits of a script are
// consecutive.
func digit(r rune) rune {
	for zero := r; ; zero-- {
		if !unicode.Is(unicode.Nd, zero-1) || r-zero == 9 {
			return '0' + (r-zero)%10
		}
	}
}

// lookalikes are characters that keyboards produce and pages replace.
var lookalikes = map[rune]rune{
	'’': '\'', '‘': '\'', '“': '"', '”': '"', '‐': '-', '‑': '-', '–': '-', '—': '-', '−': '-',
	'￠': '¢', '￡': '£', '￥': '¥', '￦': '₩', '\u309b': '\u3099', '\u309c': '\u309a',
}

// halfWidth are the half-width katakana from ｦ on, written in full.
var halfWidth = []rune("ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a")

// firstMark is the first combining character.
const firstMark = 0x300

// compose joins letters and combining marks that have one character, so that both
// Unicode forms of a text are the same.
func compose(s string) string {
	out := make([]rune, 0, len(s))
	starter := -1 // where in out the last letter is that marks belong to
	for _, r := range s {
		if r < firstMark {
			starter = len(out)
			out = append(out, r)
			continue
		}
		if to, ok := singletons[r]; ok {
			r = to
		}
		at, c, ok := joins(out, starter, r)
		if ok {
			out[at] = c
			continue
		}
		if !unicode.IsMark(r) {
			starter = len(out)
		}
		out = append(out, r)
	}
	return string(out)
}

// joins finds what a mark combines with: its letter, or the mark before it.
func joins(out []rune, starter int, mark rune) (at int, c rune, ok bool) {
	for _, at := range [...]int{starter, len(out) - 1} {
		if at < 0 {
			continue
		}
		if c, ok := composed(out[at], mark); ok {
			return at, c, true
		}
	}
	return 0, 0, false
}

// Hangul syllables are put together by counting.
const (
	hangulL, hangulV, hangulT, hangulS = 0x1100, 0x1161, 0x11a7, 0xac00
	hangulVs, hangulTS, hangulLs       = 21, 28, 19
)

func composed(base, mark rune) (rune, bool) {
	switch {
	case base >= hangulL && base < hangulL+hangulLs && mark >= hangulV && mark < hangulV+hangulVs:
		return hangulS + ((base-hangulL)*hangulVs+mark-hangulV)*hangulTS, true
	case base >= hangulS && base < hangulS+hangulLs*hangulVs*hangulTS && (base-hangulS)%hangulTS == 0 && mark > hangulT && mark < hangulT+hangulTS:
		return base + mark - hangulT, true
	}
	c, ok := pairs[[2]rune{base, mark}]
	return c, ok
}

// sameFolded compares folded texts, ignoring case and the dots that distinguish
// Turkish i's.
func sameFolded(a, b string) bool {
	return strings.EqualFold(a, b) || strings.EqualFold(undotted.Replace(a), undotted.Replace(b))
}

var undotted = strings.NewReplacer("İ", "i", "I", "i", "ı", "i", "i\u0307", "i")

// digits returns the digits of a folded text.
func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

func allDigits(s string) bool { return s != "" && digits(s) == s }

// letters returns the letters of a text in lower case.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// symbols returns the symbols of a text that no mask adds or leaves out.
func symbols(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) {
			return r
		}
		return -1
	}, s)
}

// bare returns the letters, digits and symbols of a text in lower case.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// words returns the runs of letters and digits of a text in lower case.
func words(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}
