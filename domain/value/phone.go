package value

import (
	"regexp"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// phoneShape is what phone numbers are written with.
var phoneShape = regexp.MustCompile(`^\+?[\d ().\-/]+$`)

// Lengths of a phone number and of a country code, in digits.
const (
	minPhone     = 6
	maxPhone     = 15
	maxCountry   = 3
	longNational = 10
)

// phone is a phone number.
type phone struct {
	digits string
	abroad bool // with the country's code, and a sign that it is one
	// trunk: it has the zero in brackets that is only dialled inside the country.
	trunk bool
}

func readPhone(s string) (phone, bool) {
	if !phoneShape.MatchString(s) {
		return phone{}, false
	}
	p := phone{abroad: strings.HasPrefix(s, "+") || strings.HasPrefix(s, "00")}
	if p.abroad && strings.Contains(s, "(0)") {
		p.trunk, s = true, strings.Replace(s, "(0)", "", 1)
	}
	p.digits = digits(s)
	if p.abroad {
		p.digits = strings.TrimPrefix(p.digits, "00")
	}
	return p, len(p.digits) >= minPhone && len(p.digits) <= maxPhone
}

// showsPhone reports marks that only phone numbers have.
func showsPhone(s string) bool {
	return strings.HasPrefix(s, "+") || strings.Contains(s, "(") || strings.LastIndex(s, "-") > 0
}

// phones compares phone numbers, whose beginning is written in many ways: 0532 as
// (532), 8916 as +7 (916).
func phones(asked, held string, control page.Element) (Match, bool) {
	tel := control.Type == "tel"
	if !tel && !showsPhone(asked) && !showsPhone(held) {
		return CannotTell, false
	}
	a, ok := readPhone(asked)
	h, also := readPhone(held)
	switch {
	case !ok || !also:
		return CannotTell, false
	case a.digits == h.digits && a.trunk != h.trunk:
		return CannotTell, true // a digit has gone that may have been one of the number
	case a.digits == h.digits:
		return Same, true
	case a.abroad && h.abroad:
		return Other, true
	case h.abroad && national(h.digits, a.digits), a.abroad && national(a.digits, h.digits):
		return Same, true
	case !a.abroad && !h.abroad && overlap(domestic(a.digits), domestic(h.digits)[:1]):
		return Same, true
	case tel && len(h.digits) > len(a.digits) && national(h.digits, a.digits):
		return CannotTell, true // a country's code without its sign, or a digit too many
	}
	return CannotTell, false
}

// national reports whether a number with a country code is the given one without.
func national(abroad, inside string) bool {
	for n := 1; n <= min(maxCountry, len(abroad)-minPhone); n++ {
		for _, d := range domestic(inside) {
			if abroad[n:] == d {
				return true
			}
		}
	}
	return false
}

// domestic returns a number without the prefix dialled inside a country: 0, or 1 and
// 8 if the number is long enough.
func domestic(d string) []string {
	out := []string{strings.TrimLeft(d, "0")}
	if len(d) > longNational && (d[0] == '1' || d[0] == '8') {
		out = append(out, d[1:])
	}
	return out
}
