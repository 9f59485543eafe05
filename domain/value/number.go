package value

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// number is a text that is a number, possibly with a unit.
type number struct {
	body string // as it is written
	// english is the number if commas group and a point begins the decimals, other if
	// it is the other way round. One is "" if only the other is possible; both are
	// equal if it makes no difference.
	english, other string
	unit           string // kg; money and percent have fields of their own
	attached       bool   // the unit is one letter right behind, as in a house number: 12a
	money          string // by its code where the sign has one
	percent        bool
}

// readings returns all numbers the text can mean.
func (n number) readings() []string {
	switch {
	case n.other == "" || n.other == n.english:
		return []string{n.english}
	case n.english == "":
		return []string{n.other}
	}
	return []string{n.english, n.other}
}

// ambiguous reports several readings: 12.345 is twelve and a bit, or twelve thousand.
func (n number) ambiguous() bool { return len(n.readings()) > 1 }

func (n number) plain() bool { return allDigits(strings.TrimPrefix(n.body, "-")) }

// numberShape is sign, currency, figures, and a unit or currency.
var numberShape = regexp.MustCompile(`^([-+]?)\s?(\p{Sc}|R\$|[A-Z]{2,3}\$|[A-Z]{3})?\s?([-+]?)([0-9.,' ]*[0-9])\s?(\p{Sc}|%|[\p{L}°][\p{L}/²³]{0,4}\.?)?$`)

// maxNumber is the longest number, in bytes.
const maxNumber = 60

// readNumber parses a folded text. ok is false if it is no number.
func readNumber(s string) (number, bool) {
	if len(s) > maxNumber || !hasDigit(s) {
		return number{}, false
	}
	m := numberShape.FindStringSubmatch(s)
	if m == nil || m[1] != "" && m[3] != "" || m[2] != "" && !isCurrency(m[2]) {
		return number{}, false
	}
	n := number{attached: len([]rune(m[5])) == 1 && !strings.HasSuffix(s, " "+m[5]), body: strings.TrimPrefix(m[1]+m[3], "+") + m[4]}
	if n.english, n.other = readFigures(m[4]); n.english == "" && n.other == "" {
		return number{}, false
	}
	if m[1]+m[3] == "-" {
		n.english, n.other = negative(n.english), negative(n.other)
	}
	switch tail := strings.TrimSuffix(m[5], "."); {
	case m[2] != "":
		n.money = currency(m[2])
		n.unit = strings.ToLower(tail)
	case tail == "%":
		n.percent = true
	case isCurrency(tail):
		n.money = currency(tail)
	default:
		n.unit = strings.ToLower(tail)
	}
	return n, true
}

func negative(s string) string {
	if s == "" || s == "0" {
		return s
	}
	return "-" + s
}

// readFigures returns the number that digits with separators mean in either
// convention. Spaces and apostrophes always group.
func readFigures(s string) (english, other string) {
	return asDecimal(s, ',', '.'), asDecimal(s, '.', ',')
}

// asDecimal parses figures with a given grouping and decimal mark.
func asDecimal(s string, group, mark rune) string {
	whole, part, has := strings.Cut(s, string(mark))
	if has && (strings.ContainsRune(part, mark) || !allDigits(part)) {
		return ""
	}
	used := ""
	groups := strings.FieldsFunc(whole, func(r rune) bool {
		sep := r == group || r == ' ' || r == '\''
		if sep && !strings.ContainsRune(used, r) {
			used += string(r)
		}
		return sep
	})
	if whole == "" && has {
		return canonical("", part)
	}
	if len(used) > 1 || !grouped(groups) || strings.Join(groups, used) != whole {
		return ""
	}
	return canonical(strings.Join(groups, ""), part)
}

// grouped reports groups of three figures, or Indian ones: 12,34,567.
func grouped(groups []string) bool {
	if len(groups) == 0 || !allDigits(strings.Join(groups, "")) {
		return false
	}
	if len(groups) == 1 {
		return true
	}
	first, rest := groups[0], groups[1:]
	last := rest[len(rest)-1]
	if len(first) > 3 || len(last) != 3 || first[0] == '0' {
		return false
	}
	threes := !slices.ContainsFunc(rest, func(g string) bool { return len(g) != 3 })
	twos := len(first) <= 2 && !slices.ContainsFunc(rest[:len(rest)-1], func(g string) bool { return len(g) != 2 })
	return threes || twos
}

// canonical returns a decimal without superfluous zeros.
func canonical(whole, part string) string {
	whole, part = strings.TrimLeft(whole, "0"), strings.TrimRight(part, "0")
	if whole == "" {
		whole = "0"
	}
	if part != "" {
		return whole + "." + part
	}
	return whole
}

// signs are the currencies whose sign is unique.
var signs = map[string]string{"€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW", "₽": "RUB", "R$": "BRL", "zł": "PLN", "Kč": "CZK", "円": "JPY"}

// monies are common codes of ISO 4217. Other capitals beside a number are not a
// currency.
var monies = asSet("AED ARS AUD BDT BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP HKD HUF IDR ILS INR ISK JPY KES " +
	"KRW MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN RON RSD RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR")

func asSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

func currency(s string) string {
	if code, ok := signs[s]; ok {
		return code
	}
	return s
}

func isCurrency(s string) bool {
	_, ok := signs[s]
	return ok || monies[s] || s != "" && strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Sc, r) })
}

// numbers compares two numbers.
func numbers(asked, held string, _ page.Element) (Match, bool) {
	a, ok := readNumber(asked)
	h, also := readNumber(held)
	if !ok || !also {
		return CannotTell, false
	}
	m := sameFigures(a, h)
	if m == Other && a.percent != h.percent && overlap(percentReadings(a), h.readings()) {
		m = CannotTell // 7 % is 0.07
	}
	return lessCertain(m, sameUnit(a, h)), true
}

// lessCertain returns the less certain of two answers, with Other first.
func lessCertain(a, b Match) Match {
	switch {
	case a == Other || b == Other:
		return Other
	case a == CannotTell || b == CannotTell:
		return CannotTell
	}
	return Same
}

// sameFigures reads what was asked in the English convention first. If only the other
// convention makes them the same, it cannot tell.
func sameFigures(a, h number) Match {
	ar, hr := a.readings(), h.readings()
	switch {
	case !overlap(ar, hr):
		return Other
	case a.body == h.body:
		return Same
	case identifier(a.body) && digits(a.body) != digits(h.body):
		return Other
	case !h.ambiguous() && (ar[0] == hr[0] || !a.ambiguous()):
		return Same
	case a.plain():
		return Same // the page has grouped it
	}
	return CannotTell
}

// identifier reports a number with leading zeros, as codes have them.
func identifier(body string) bool { return len(body) > 2 && body[0] == '0' && allDigits(body) }

// sameUnit allows the page to add a unit but not to remove one. Currency and percent
// signs may be written beside the field instead.
func sameUnit(a, h number) Match {
	switch {
	case a.money != "" && h.money != "" && a.money != h.money:
		if dollars(a.money) && dollars(h.money) {
			return CannotTell
		}
		return Other
	case a.unit == h.unit, a.unit == "":
		return Same
	case h.unit == "" && !a.attached:
		return CannotTell
	}
	return Other
}

// dollars reports signs that several currencies share (dollar, yen).
func dollars(s string) bool {
	return strings.HasSuffix(s, "$") || strings.HasSuffix(s, "D") || s == "¥" || s == "JPY" || s == "CNY"
}

// percentReadings returns a percentage as a fraction, in all its readings.
func percentReadings(n number) []string {
	if !n.percent {
		return nil
	}
	var out []string
	for _, r := range n.readings() {
		sign, r := cutSign(r)
		whole, part, _ := strings.Cut(r, ".")
		for len(whole) < 3 {
			whole = "0" + whole
		}
		at := len(whole) - 2
		out = append(out, sign+canonical(whole[:at], whole[at:]+part))
	}
	return out
}

func cutSign(s string) (sign, rest string) {
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		return "-", rest
	}
	return "", s
}
