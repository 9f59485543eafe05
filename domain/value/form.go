package value

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// former gives all that a folded text can mean in the form of one kind of control:
// none where it is no such value, more than one where it can be read in two ways.
type former func(s string, e page.Element) []string

// formers are the controls of HTML that take values in one form only, by their type.
// A value in another form empties them.
var formers = map[string]former{
	"time": timeForms, "date": dateForms, "month": monthForms, "week": weekForms, "datetime-local": momentForms,
	"number": numberForms, "range": numberForms, "color": colorForms,
}

// formOf is nil for a control that takes any text.
func formOf(e page.Element) former {
	if e.Tag != "" && e.Tag != "input" {
		return nil
	}
	return formers[e.Type]
}

// dayTimes are the two times of day with names.
var dayTimes = map[string]string{"noon": "12:00", "midday": "12:00", "midnight": "00:00"}

func timeForms(s string, _ page.Element) []string {
	s = strings.ToLower(s)
	if t, ok := dayTimes[s]; ok {
		return []string{t}
	}
	if len(s) >= 3 && len(s) <= 4 && allDigits(s) { // 930
		s = s[:len(s)-2] + ":" + s[len(s)-2:]
	}
	if n := strings.Replace(s, ".", ":", 1); n != s && len(digits(s)) == len(s)-1 && len(s) >= 4 { // 9.30
		s = n
	}
	c, ok := readTime(s)
	if !ok {
		return nil
	}
	return []string{c.form()}
}

func dateForms(s string, _ page.Element) []string {
	var out []string
	for _, d := range daysOf(s) {
		out = append(out, d.form())
	}
	return out
}

// daysOf are the days a text means beyond doubt but for the order of day and month: of
// two figures for the year nobody knows the century.
func daysOf(s string) []day {
	var out []day
	for _, d := range readDate(s) {
		if d.month > 0 {
			out = append(out, d)
		}
	}
	if len(out) == 1 && !strings.Contains(s, fmt.Sprintf("%04d", out[0].year)) {
		other := out[0]
		if other.year -= 100; other.year < 1900 {
			other.year += 200
		}
		if other.exists() {
			out = append(out, other)
		}
	}
	return out
}

func monthForms(s string, _ page.Element) []string {
	if m, ok := readMonth(s); ok {
		return []string{m.monthForm()}
	}
	return distinct(daysOf(s), day.monthForm)
}

func weekForms(s string, _ page.Element) []string {
	if w, ok := readWeek(s); ok {
		return []string{w}
	}
	return distinct(daysOf(s), day.weekForm)
}

func distinct(days []day, form func(day) string) []string {
	var out []string
	for _, d := range days {
		if f := form(d); !meet(out, []string{f}) {
			out = append(out, f)
		}
	}
	return out
}

// weekShapes are a year and the number of a week, in either order.
var weekShapes = []*regexp.Regexp{
	regexp.MustCompile(`^(?P<y>\d{4})[ ,/-]*(?:week|woche|semaine|semana|settimana|kw|w)[ .]*(?P<w>\d{1,2})$`),
	regexp.MustCompile(`^(?:week|woche|semaine|semana|settimana|kw|w)[ .]*(?P<w>\d{1,2})(?:[ ,/-]| of )+(?P<y>\d{4})$`),
}

func readWeek(s string) (string, bool) {
	for _, shape := range weekShapes {
		m := shape.FindStringSubmatch(strings.ToLower(s))
		if m == nil {
			continue
		}
		y, _ := strconv.Atoi(m[shape.SubexpIndex("y")])
		w, _ := strconv.Atoi(m[shape.SubexpIndex("w")])
		_, last := time.Date(y, time.December, 28, 0, 0, 0, 0, time.UTC).ISOWeek() // a day of the year's last week
		return fmt.Sprintf("%04d-W%02d", y, w), y > 0 && w >= 1 && w <= last
	}
	return "", false
}

// timeInMoment is the time of day at the end of a date, or before it.
var (
	timeAfter  = regexp.MustCompile(`(?i)^(.*?)(?:t| at |[ ,])\s*(\d{1,2}(?:[:h]\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*(?:a\.?m\.?|p\.?m\.?|uhr|h)?)$`)
	timeBefore = regexp.MustCompile(`(?i)^(\d{1,2}[:h]\d{2}(?::\d{2})?\s*(?:a\.?m\.?|p\.?m\.?|uhr)?)(?: on |[ ,])\s*(.*)$`)
)

// minMoment is the shortest date with a time: 1/2/26 3h.
const minMoment = 9

// splitMoment takes the time of day off a date.
func splitMoment(s string) (date string, c clock, ok bool) {
	if len(s) < minMoment || len(s) > maxNumber || !hasDigit(s) {
		return "", clock{}, false
	}
	if m := timeAfter.FindStringSubmatch(s); m != nil {
		if c, ok := readTime(strings.TrimSpace(m[2])); ok {
			return strings.Trim(m[1], " ,"), c, true
		}
	}
	if m := timeBefore.FindStringSubmatch(s); m != nil {
		c, ok := readTime(strings.TrimSpace(m[1]))
		return strings.Trim(m[2], " ,"), c, ok
	}
	return "", clock{}, false
}

func momentForms(s string, _ page.Element) []string {
	date, c, ok := splitMoment(s)
	if !ok {
		return nil
	}
	var out []string
	for _, d := range daysOf(date) {
		out = append(out, d.form()+"T"+c.form())
	}
	return out
}

// moments compares two texts that both are a day with a time.
func moments(asked, held string, control page.Element) (Match, bool) {
	a, at, ok := splitMoment(asked)
	h, ht, also := splitMoment(held)
	if !ok || !also || len(readDate(a)) == 0 || len(readDate(h)) == 0 {
		return CannotTell, false
	}
	days, _ := dates(a, h, control)
	return lesser(days, sameClock(at, ht)), true
}

// scriptNumber is a number as HTML and scripts write it.
var scriptNumber = regexp.MustCompile(`^([-+]?)(\d*)(?:\.(\d+))?(?:e([-+]?\d{1,3}))?$`)

func numberForms(s string, e page.Element) []string {
	if n, ok := asScript(s); ok {
		return []string{n}
	}
	n, ok := readNumber(s)
	if !ok {
		return nil
	}
	value := n.readings()[0] // a comma groups, unless it cannot
	if n.percent && ofOne(e) {
		value = hundredths(n)[0]
	}
	return []string{value}
}

// ofOne reports a control that counts from zero to one.
func ofOne(e page.Element) bool { return e.Type == "range" && e.Max == "1" }

// asScript reads a number that is in the form of HTML already.
func asScript(s string) (string, bool) {
	m := scriptNumber.FindStringSubmatch(strings.ToLower(s))
	if m == nil || m[2] == "" && m[3] == "" {
		return "", false
	}
	whole, part := m[2], m[3]
	if m[4] != "" {
		exp, _ := strconv.Atoi(m[4])
		for ; exp > 0; exp-- {
			part += "0"[:max(0, 1-len(part))]
			whole, part = whole+part[:1], part[1:]
		}
		for ; exp < 0; exp++ {
			whole = "0"[:max(0, 1-len(whole))] + whole
			whole, part = whole[:len(whole)-1], whole[len(whole)-1:]+part
		}
	}
	n := canonical(whole, part)
	if m[1] == "-" {
		n = negative(n)
	}
	return n, true
}

func colorForms(s string, _ page.Element) []string {
	if c, ok := colorForm(s); ok {
		return []string{c}
	}
	return nil
}

// IsDate reports whether a text is one day, whoever reads it.
func IsDate(s string) bool {
	return len(s) <= maxCompared && len(readDate(fold(s))) == 1
}

// Given reports whether a text is what was asked for as some control is given it.
func Given(asked, text string) bool {
	if Compare(asked, text, page.Element{}) == Same {
		return true
	}
	kind := kindOfForm(text)
	if kind == "" {
		return false
	}
	form, err := ForControl(asked, page.Element{Tag: "input", Type: kind})
	return err == nil && form == text
}

// kindOfForm is the control of which a text has the form, "" where it has none.
func kindOfForm(text string) string {
	switch {
	case text == "" || len(text) > maxNumber:
	case text[0] == '#':
		return "color"
	case strings.Contains(text, "-W"):
		return "week"
	case strings.Contains(text, ":") && strings.Contains(text, "T"):
		return "datetime-local"
	case strings.Contains(text, ":"):
		return "time"
	case htmlNumber.MatchString(text):
		return "number"
	case len(text) == len("2006-01"):
		return "month"
	case len(text) == len("2006-01-02"):
		return "date"
	}
	return ""
}
