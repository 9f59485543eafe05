package value

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// day is one reading of a date. Month 0 is a month word of an unknown language; day 0
// is a whole month.
type day struct{ year, month, day int }

// form returns the day in the form date controls take.
func (d day) form() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day) }

func (d day) monthForm() string { return fmt.Sprintf("%04d-%02d", d.year, d.month) }

func (d day) weekForm() string {
	year, week := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC).ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, week)
}

func (d day) exists() bool {
	if d.day == 0 || d.month == 0 {
		return d.year > 0 && d.month >= 0 && d.month <= 12 && d.day >= 0 && d.day <= 31
	}
	t := time.Date(d.year, time.Month(d.month), d.day, 0, 0, 0, 0, time.UTC)
	return d.year > 0 && d.year <= 9999 && t.Day() == d.day && int(t.Month()) == d.month && t.Year() == d.year
}

// dated is a date taken apart: its numbers, the month if it is a word, and the
// separators.
type dated struct {
	numbers []string
	month   int    // by its name, 0 if there is none, -1 where the word is unknown
	marks   string // between the numbers
}

// readDated parses a folded text. ok is false if it is not a date.
func readDated(s string) (d dated, ok bool) {
	if len(s) > maxNumber || !hasDigit(s) {
		return d, false
	}
	rest := []rune(strings.ToLower(s))
	for len(rest) > 0 {
		n := 1
		switch r := rest[0]; {
		case r >= '0' && r <= '9':
			for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
				n++
			}
			d.numbers = append(d.numbers, string(rest[:n]))
			n += len(ordinal(rest[n:]))
		case strings.ContainsRune("年月日년월일", r):
			d.marks += "-"
		case unicode.IsLetter(r):
			for n < len(rest) && (unicode.IsLetter(rest[n]) || unicode.IsMark(rest[n])) {
				n++
			}
			if !d.word(string(rest[:n])) {
				return d, false
			}
		case strings.ContainsRune("./-", r):
			d.marks += string(r)
		case r != ' ' && r != ',':
			return d, false
		}
		rest = rest[n:]
	}
	return d, len(d.numbers) > 0 && len(d.numbers) <= 3
}

// ordinal returns the suffix that makes 5 the 5th.
func ordinal(rest []rune) []rune {
	if len(rest) >= 2 && slices.Contains([]string{"st", "nd", "rd", "th"}, string(rest[:2])) && (len(rest) == 2 || !unicode.IsLetter(rest[2])) {
		return rest[:2]
	}
	return nil
}

func (d *dated) word(w string) bool {
	month, known := monthNames[w]
	switch {
	case fillerWords[w]:
		return true
	case d.month > 0:
		return false
	case known:
		d.month = month
		return true
	case d.month == 0:
		d.month = -1
		return true
	}
	return false
}

// readDate returns the days a folded text can mean: none if it is no date, two if day
// and month may be in either order.
func readDate(s string) []day {
	d, ok := readDated(s)
	if !ok {
		return nil
	}
	var out []day
	add := func(year, month, dayOf string) {
		r := day{fullYear(year), number2(month), number2(dayOf)}
		if len(dayOf) <= 2 && r.day > 0 && r.month > 0 && r.exists() && !slices.Contains(out, r) {
			out = append(out, r)
		}
	}
	n := d.numbers
	switch {
	case d.month != 0:
		return d.named()
	case len(n) != 3 || strings.Trim(d.marks, "./-") != "" || len(d.marks) < 2 || len(n[1]) > 2:
	case len(n[0]) == 4:
		add(n[0], n[1], n[2])
	case len(n[0]) > 2 || len(n[2]) != 2 && len(n[2]) != 4:
	case strings.HasPrefix(d.marks, ".."): // with points, the day stands before the month everywhere
		add(n[2], n[1], n[0])
	default:
		add(n[2], n[1], n[0])
		add(n[2], n[0], n[1])
	}
	return out
}

// named returns the readings of a date with a month word.
func (d dated) named() []day {
	month := max(d.month, 0)
	var out []day
	add := func(year, dayOf string) {
		if r := (day{fullYear(year), month, number2(dayOf)}); len(dayOf) <= 2 && r.day > 0 && r.exists() {
			out = append(out, r)
		}
	}
	switch n := d.numbers; {
	case len(n) != 2 || d.month < 0 && len(n[0]) != 4 && len(n[1]) != 4:
	case len(n[0]) == 4:
		add(n[0], n[1])
	case len(n[1]) == 4 || len(n[1]) == 2:
		add(n[1], n[0])
	}
	return out
}

// readMonth returns the month a folded text names.
func readMonth(s string) (day, bool) {
	d, ok := readDated(s)
	if !ok || d.month < 0 {
		return day{}, false
	}
	var m day
	switch n := d.numbers; {
	case len(n) == 1 && d.month > 0 && len(n[0]) == 4:
		m = day{number2(n[0]), d.month, 0}
	case len(n) == 2 && d.month == 0 && len(d.marks) >= 1 && len(n[0]) == 4 && len(n[1]) <= 2:
		m = day{number2(n[0]), number2(n[1]), 0}
	case len(n) == 2 && d.month == 0 && d.marks == "/" && len(n[1]) == 4 && len(n[0]) <= 2:
		m = day{number2(n[1]), number2(n[0]), 0}
	}
	return m, m.month > 0 && m.exists()
}

func number2(s string) int {
	if len(s) > 4 {
		return -1
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		return -1
	}
	return n
}

// lastOfCentury is the last two-digit year that is in this century.
const lastOfCentury = 69

// fullYear expands a two-digit year as browsers and spreadsheets do.
func fullYear(s string) int {
	y := number2(s)
	switch {
	case len(s) != 2 || y < 0:
		return y
	case y <= lastOfCentury:
		return 2000 + y
	}
	return 1900 + y
}

// dates compares two dates or months.
func dates(asked, held string, _ page.Element) (Match, bool) {
	a, h := readDate(asked), readDate(held)
	if len(a) == 0 || len(h) == 0 {
		am, ok := readMonth(asked)
		hm, also := readMonth(held)
		switch {
		case ok && also && am == hm:
			return Same, true
		case ok && also:
			return Other, true
		case len(a) > 0 && allDigits(held):
			return sameDigitsOfDate(asked, held)
		}
		return CannotTell, false
	}
	switch {
	case samePlaces(asked, held), len(a) == 1 && overlap(a, h):
		return Same, true
	case overlap(a, h), slices.ContainsFunc(a, func(d day) bool { return overlap([]day{{d.year, 0, d.day}}, h) }),
		slices.ContainsFunc(h, func(d day) bool { return overlap([]day{{d.year, 0, d.day}}, a) }):
		return CannotTell, true // the order is not known, or the month's name
	}
	return Other, true
}

// sameDigitsOfDate compares a date with one that has lost its separators.
func sameDigitsOfDate(asked, held string) (Match, bool) {
	if digits(asked) == held {
		return Same, true
	}
	return CannotTell, false
}

// samePlaces reports dates with the same numbers in the same order, whatever they
// mean: a page may add zeros or write the year out.
func samePlaces(asked, held string) bool {
	a, _ := readDated(asked)
	h, _ := readDated(held)
	if a.month != 0 || h.month != 0 || len(a.numbers) != 3 || len(h.numbers) != 3 {
		return false
	}
	for i := range 3 {
		x, y := a.numbers[i], h.numbers[i]
		year := i == 2 && len(x) == 2 && len(y) == 4 && strings.HasSuffix(y, x)
		if !year && number2(x) != number2(y) {
			return false
		}
	}
	return true
}
