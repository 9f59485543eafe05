package critic

import (
	"regexp"
	"strings"
	"unicode"
)

var (
	template     = regexp.MustCompile(`(?i)^(\{\{.+\}\}|\$\{.+\}|\[[\p{L} _-]+\]|<[\p{L} _-]+>|todo|tbd|x{3,}|lorem ipsum.*)$`)
	emailAddress = regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]+$`)
	isoDate      = regexp.MustCompile(`^(19|20)\d\d-(0?[1-9]|1[0-2])-(0?[1-9]|[12]\d|3[01])$`)
	slashDate    = regexp.MustCompile(`^(0?[1-9]|[12]\d|3[01])/(0?[1-9]|[12]\d|3[01])/(\d\d|(19|20)\d\d)$`)
	dottedDate   = regexp.MustCompile(`^(0?[1-9]|[12]\d|3[01])[.-](0?[1-9]|[12]\d|3[01])[.-]((19|20)\d\d|\d\d)$`)
	wordedDate   = regexp.MustCompile(`(?i)^(\d{1,2}(st|nd|rd|th|\.)? (de )?` + months + `\.?,? (de )?\d{4}|` + months + `\.? \d{1,2}(st|nd|rd|th)?,? \d{4}|\d{4}年\d{1,2}月\d{1,2}日)$`)
)

// months by the beginnings of their names in the languages that share most.
const months = `(jan|feb|fév|mar|mär|apr|avr|abr|ma[iy]|jun|juin|jui|jul|aug|ago|aoû|sep|set|oct|okt|out|nov|dec|dez|dic|déc|ene)\p{L}*`

func isEmail(s string) bool   { return emailAddress.MatchString(s) }
func isNoEmail(s string) bool { return !strings.Contains(s, "@") }

// isPlainDate reports a text that can only be a date; with dots or hyphens it may be
// a telephone number.
func isPlainDate(s string) bool {
	return isoDate.MatchString(s) || slashDate.MatchString(s) || wordedDate.MatchString(s)
}

func isDate(s string) bool { return isPlainDate(s) || dottedDate.MatchString(s) }

// isPhone reports at least seven digits with the usual separators.
func isPhone(s string) bool {
	digits := 0
	for _, r := range s {
		switch {
		case unicode.IsDigit(r):
			digits++
		case !strings.ContainsRune("+-()./ ", r):
			return false
		}
	}
	return digits >= 7 && !isDate(s)
}

// isNumeric reports digits without letters. A lone hyphen is how people say that they
// have none.
func isNumeric(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) && !strings.ContainsFunc(s, unicode.IsLetter)
}

// isWords reports letters without digits.
func isWords(s string) bool {
	return strings.ContainsFunc(s, unicode.IsLetter) && !strings.ContainsFunc(s, unicode.IsDigit)
}

// isNoAddress reports a text with a space, or without anything that separates the
// parts of a web address.
func isNoAddress(s string) bool {
	return strings.ContainsAny(s, " \n") || !strings.ContainsAny(s, ".:/")
}
