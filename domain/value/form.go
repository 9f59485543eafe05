package value

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/stepledger/stepledger/domain/page"
)

// formReader returns all values a folded text can mean in the form of one kind of
// control: none if it is no such value, several if it is ambiguous.
type formReader func(s string, e page.Element) []string

// formReaders are for the HTML controls, by type, that take values in one form only.
// A value in another form empties such a control.
var formReaders = map[string]formReader{
	"time": timeForms, "date": dateForms, "month": monthForms, "week": weekForms, "datetime-local": momentForms,
	"number": numberForms, "range": numberForms, "color": colorForms,
}

// formReaderOf returns nil for a control that takes any text.
func formReaderOf(e page.Element) formReader {
	if e.Tag != "" && e.Tag != "input" {
		return nil
	}
	return formReaders[e.Type]
}

// dayTimes are times of day with names.
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

// daysOf returns the days a text can mean, apart from those in two-digit years, whose
// century is unknown.
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
		if f := form(d); !overlap(out, []string{f}) {
			out = append(out, f)
		}
	}
	return out
}

// weekShapes are a year and a week number, in either order.
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

// timeInMoment is the time of day after a date, or before it.
var (
	timeAfter  = regexp.MustCompile(`(?i)^(.*?)(?:t| at |[ ,])\s*(\d{1,2}(?:[:h]\d{2}(?::\d{2}(?:\.\d+)?)?)?\s*(?:a\.?m\.?|p\.?m\.?|uhr|h)?)$`)
	timeBefore = regexp.MustCompile(`(?i)^(\d{1,2}[:h]\d{2}(?::\d{2})?\s*(?:a\.?m\.?|p\.?m\.?|uhr)?)(?: on |[ ,])\s*(.*)$`)
)

// minMoment is the length of the shortest date with a time: 1/2/26 3h.
const minMoment = 9

// splitMoment splits a text into date and time of day.
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

// moments compares two texts that are a day with a time.
func moments(asked, held string, control page.Element) (Match, bool) {
	a, at, ok := splitMoment(asked)
	h, ht, also := splitMoment(held)
	if !ok || !also || len(readDate(a)) == 0 || len(readDate(h)) == 0 {
		return CannotTell, false
	}
	days, _ := dates(a, h, control)
	return lessCertain(days, sameClock(at, ht)), true
}

// scriptNumber is a number as HTML and JavaScript write it.
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
	if n.percent && countsToOne(e) {
		value = percentReadings(n)[0]
	}
	return []string{value}
}

// countsToOne reports a control with a range from zero to one.
func countsToOne(e page.Element) bool { return e.Type == "range" && e.Max == "1" }

// asScript reads a number in HTML's form.
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

// IsDate reports whether a text can only mean one day.
func IsDate(s string) bool {
	return len(s) <= maxCompared && len(readDate(fold(s))) == 1
}

// Given reports whether text is asked in the form that some kind of control takes.
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

// kindOfForm returns the type of the control whose form a text has, "" if none.
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
