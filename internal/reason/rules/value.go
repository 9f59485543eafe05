package rules

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Whether a field holds what was entered: pages write values in ways of their own.

// sameValue compares what was typed with what a field holds. A mask may add
// spaces and punctuation to a number, and put a date in another order.
func sameValue(want, got string) bool {
	want, got = oneScript(want), oneScript(got)
	if sameText(want, got) || sameAddress(want, got) || sameText(undotted(want), undotted(got)) || sameCode(want, got) {
		return true
	}
	if stripped(want, got) || shifted(want, got) {
		return false
	}
	dw, dg := digits(want), digits(got)
	if len(dw) > 5 && sameDate(want, got) {
		return true
	}
	if len(dw) < 3 || !slices.Equal(letters(want), letters(got)) || pictures(want) != pictures(got) {
		return false
	}
	return len(dw) >= 4 && dw == dg || sameDate(want, got)
}

// undotted writes the four i of Turkish as one: upper and lower case of the same word
// differ in their dots.
func undotted(s string) string { return dots.Replace(s) }

var dots = strings.NewReplacer("İ", "i", "I", "i", "ı", "i", "i\u0307", "i")

// shifted reports a number whose decimals came or went: 12.50 as 1250, or the other
// way round.
func shifted(want, got string) bool {
	if decimals.MatchString(want) == decimals.MatchString(got) {
		return false
	}
	a, ok := amount(want)
	b, ok2 := amount(got)
	return ok && ok2 && a != b
}

// decimals are a number with one or two of them.
var decimals = regexp.MustCompile(`\d[.,]\d{1,2}(\D|$)`)

// stripped reports that marks were taken out of a name or a code, HP/22-071 becoming
// HP22071. Out of a number they may be, and spaces out of anything.
func stripped(want, got string) bool {
	signs := func(s string) int {
		return len(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsPunct(r) && !unicode.IsSymbol(r) }))
	}
	return len(letters(want)) > 0 && signs(want) > signs(got)+strings.Count(strings.TrimSpace(got), " ")
}

// sameCode compares what has letters and digits: a page may write it in capitals and
// in groups, as it does with sl61qz.
func sameCode(want, got string) bool {
	if digits(want) == "" || len(letters(want)) == 0 || len(words(want)) > 2 || stripped(want, got) {
		return false
	}
	return strings.EqualFold(ungrouped.Replace(want), ungrouped.Replace(got))
}

var ungrouped = strings.NewReplacer(" ", "", "-", "", "\u00a0", "")

// oneScript writes digits of any script as 0 to 9 and hiragana as katakana: pages
// turn the one into the other.
func oneScript(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r > unicode.MaxASCII && unicode.Is(unicode.Nd, r):
			for zero := r; ; zero-- { // the ten digits of a script follow each other
				if !unicode.Is(unicode.Nd, zero-1) || r-zero == 9 {
					return '0' + (r-zero)%10
				}
			}
		case r >= 'ぁ' && r <= 'ゖ':
			return r + 'ァ' - 'ぁ'
		}
		return r
	}, s)
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// pictures are the characters of a text that are neither letters nor digits nor
// what a mask may add or leave out.
func pictures(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.So, r) {
			return r
		}
		return -1
	}, s)
}

func letters(s string) []rune {
	var out []rune
	for _, r := range strings.ToLower(s) {
		if unicode.IsLetter(r) {
			out = append(out, r)
		}
	}
	return out
}

// sameDate compares the numbers of two dates whatever their order: a mask that
// turned 1990-01-02 into 02/01/1990 kept the date.
func sameDate(a, b string) bool {
	split := func(s string) []string {
		parts := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsDigit(r) })
		for i, p := range parts {
			parts[i] = strings.TrimLeft(p, "0")
		}
		return parts
	}
	pa, pb := split(a), split(b)
	if len(pa) == 3 && len(pb) == 2 && len(letters(b)) > 2 && len(letters(a)) == 0 && len(pb[1]) == 4 {
		return slices.Contains(pa, pb[0]) && slices.Contains(pa, pb[1]) // the month in letters
	}
	if len(pa) != 3 || len(pb) != 3 {
		return false
	}
	if pa[0] == pb[0] && pa[1] == pb[1] && len(pa[2]) == 2 && len(pb[2]) == 4 && strings.HasSuffix(pb[2], pa[2]) {
		return true // the page has written the year out
	}
	if slices.Equal(pa, pb) {
		return true
	}
	if swapped := marks(a) == marks(b) && len(pa[2]) == len(pb[2]) && len(pa[0]) < 3 && len(pb[0]) < 3; swapped && !past(pa[:2]) {
		return false // in the same order, the day has become the month
	}
	slices.Sort(pa)
	slices.Sort(pb)
	return slices.Equal(pa, pb)
}

// past reports a number that is no month's.
func past(parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { n, err := strconv.Atoi(p); return err == nil && n > 12 })
}

// marks are what stands between the numbers of a date.
func marks(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// sameAddress reports a web address to which the page has put what it begins with.
func sameAddress(want, got string) bool {
	_, bare, ok := strings.Cut(got, "://")
	return ok && strings.Contains(want, ".") && strings.EqualFold(strings.TrimSuffix(bare, "/"), strings.TrimSuffix(want, "/"))
}

// rewritten reports that a page has written out in its own way what was entered.
func rewritten(want, got string) bool {
	return prefixed(want, got) || samePhone(want, got) || sameAmount(want, got) || sameTime(want, got) || punctuated(want, got)
}

// holdsAllOf reports that all letters and digits of what was entered are there, in
// order, among others: a number or a date may have been written out in a way nobody
// thought of here.
func holdsAllOf(want, got string) bool {
	rest, all := []rune(strings.ToLower(bare(want))), []rune(strings.ToLower(bare(got)))
	if digits(want) == "" || len(rest) < 3 || len(rest) >= len(all) || len(all) > 2*len(rest) {
		return false
	}
	for _, r := range all {
		if len(rest) > 0 && r == rest[0] {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// prefixed reports a long number to which the page has put a prefix: +91, which
// takes the place of a leading zero.
func prefixed(want, got string) bool {
	bare := strings.TrimLeft(want, "0")
	return len(want) >= 6 && digits(want) == want && len(digits(got)) > len(bare) && strings.HasSuffix(digits(got), bare)
}

// sameAmount reports a number the page has written out: 45 as 45,00, 1000 as
// 1.000.
func sameAmount(want, got string) bool {
	if len(want) > 2 && isNumber(want) && want[0] == '0' {
		return false // a number that is a name keeps its zeros
	}
	a, ok := amount(want)
	b, ok2 := amount(got)
	unit := letters(want) // a page may add one, and not take one away
	return ok && ok2 && a == b && (len(unit) == 0 || slices.Equal(unit, letters(got)))
}

// amount reads a number with either kind of grouping: the last one is that of
// the decimals where one or two digits follow it.
func amount(s string) (float64, bool) {
	s = currency.ReplaceAllString(strings.Trim(s, " \u00a0\u202f"), "")
	if at := strings.LastIndexAny(s, ".,"); at >= 0 && len(s)-at-1 <= 2 {
		s = grouping.Replace(s[:at]) + "." + s[at+1:]
	} else {
		s = grouping.Replace(s)
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil && s != ""
}

// currency is what pages write before or behind an amount: a sign, a code, a unit.
var currency = regexp.MustCompile(`^(?:\p{Sc}|[A-Z]{3}|R\$)[\s\x{a0}\x{202f}]*|[\s\x{a0}\x{202f}]*(?:\p{Sc}|%|[\p{L}²³]{1,4}\.?)$`)

var grouping = strings.NewReplacer(".", "", ",", "", "'", "", "’", "", " ", "", "\u00a0", "", "\u202f", "")

// samePhone compares numbers to call, whose beginning is written in many ways: 0532 as
// (532), 8916 as +7 (916).
func samePhone(want, got string) bool {
	a, b := digits(want), digits(got)
	const own = 9 // of which differ from one to the other
	return len(letters(want)) == 0 && len(a) >= own && len(b) >= own && strings.ContainsAny(got, "+( -") && a[len(a)-own:] == b[len(b)-own:]
}

// sameTime compares times of day and spans of time: 930 and 9:30, 9am and 09:00, 1.5
// and 90 as 1:30.
func sameTime(want, got string) bool {
	a, b := minutes(want), minutes(got)
	switch bare := strings.TrimLeft(digits(want), "0"); {
	case strings.Contains(got, ":") && len(bare) > 2 && len(letters(want)) == 0 && bare == strings.TrimLeft(digits(got), "0"):
		return true
	case b < 0:
		return false
	case a >= 0:
		return a == b
	case isNumber(want) && len(want) > 2:
		return strings.TrimLeft(want, "0") == strings.TrimLeft(digits(got), "0") || want == strconv.Itoa(b)
	case isNumber(want):
		return want == strconv.Itoa(b)
	}
	hours, err := strconv.ParseFloat(strings.Replace(want, ",", ".", 1), 64)
	return err == nil && hours*60 == float64(b)
}

// minutes are those of a time that says it is one, -1 where it is none.
func minutes(s string) int {
	m := timeOfDay.FindStringSubmatch(strings.ToLower(strings.TrimSpace(s)))
	if m == nil || m[2] == "" && m[3] == "" {
		return -1
	}
	h, _ := strconv.Atoi(m[1])
	min, _ := strconv.Atoi(m[2])
	switch half := strings.ReplaceAll(m[3], ".", ""); {
	case half == "pm" && h < 12:
		h += 12
	case half == "am" && h == 12:
		h = 0
	}
	return h*60 + min
}

var timeOfDay = regexp.MustCompile(`^(\d{1,2})(?:[:h](\d{2})(?::00)?)?\s*(a\.?m\.?|p\.?m\.?|uhr|h)?$`)

// punctuated reports words between or around which a page has put marks: anna as
// @anna, Rossi Mario as Rossi, Mario.
func punctuated(want, got string) bool {
	if len(letters(want)) < 2 || !strings.EqualFold(bare(want), bare(got)) {
		return false
	}
	rest := []rune(strings.ToLower(want))
	for _, r := range strings.ToLower(got) {
		if len(rest) > 0 && (r == rest[0] || unicode.IsSpace(r) && unicode.IsSpace(rest[0])) {
			rest = rest[1:]
		}
	}
	return len(rest) == 0
}

// bare are the letters and digits of a text.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r) {
			return r
		}
		return -1
	}, s)
}
