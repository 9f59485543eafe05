package value

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// clock is a time of day, in seconds.
type clock struct {
	seconds int
	// half: the half of the day is known, by a word, by an hour past noon or by a
	// leading zero.
	half bool
}

var (
	timeShape = regexp.MustCompile(`^(\d{1,2})(?:[:h.](\d{2})(?::(\d{2})(?:\.0+)?)?)?\s*(a\.?m\.?|p\.?m\.?|uhr|h|o'clock)?$`)
	// halfShape is the half of the day in front, as in Chinese, Japanese and Korean.
	halfShape = regexp.MustCompile(`^(午前|上午|오전|午後|下午|오후)\s*(\d{1,2})(?:[:時点點시]\s*(\d{1,2})?分?분?)?$`)
)

// readTime parses a folded text that is clearly a time: 9:30, 9 am, 21h05.
func readTime(s string) (clock, bool) {
	s = strings.ToLower(s)
	if m := halfShape.FindStringSubmatch(s); m != nil {
		half := "am"
		if strings.Contains("午後下午오후", m[1]) {
			half = "pm"
		}
		return clockOf(m[2], m[3], "", half)
	}
	m := timeShape.FindStringSubmatch(s)
	if m == nil || m[2] == "" && m[4] == "" || strings.Contains(s, ".") && m[4] == "" && m[3] == "" {
		return clock{}, false // 9.30 is a number
	}
	return clockOf(m[1], m[2], m[3], strings.ReplaceAll(m[4], ".", ""))
}

func clockOf(hour, minute, second, half string) (clock, bool) {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	s, _ := strconv.Atoi(second)
	if h > 24 || m > 59 || s > 59 || h == 24 && m+s > 0 || (half == "am" || half == "pm") && (h > 12 || h == 0) {
		return clock{}, false
	}
	c := clock{half: h == 0 || h > 12 || len(hour) == 2 && hour[0] == '0' || half != "" && half != "o'clock"}
	switch {
	case half == "pm" && h < 12:
		h += 12
	case half == "am" && h == 12, h == 24:
		h = 0
	}
	c.seconds = h*3600 + m*60 + s
	return c, true
}

// form returns the time in the form time controls take.
func (c clock) form() string {
	s := fmt.Sprintf("%02d:%02d", c.seconds/3600, c.seconds/60%60)
	if c.seconds%60 > 0 {
		s += fmt.Sprintf(":%02d", c.seconds%60)
	}
	return s
}

const noon = 12 * 3600

// times compares times of day and durations: 930 and 9:30, 1.5 and 90 as 1:30.
func times(asked, held string, _ page.Element) (Match, bool) {
	h, ok := readTime(held)
	if !ok {
		return compareDurations(asked, held), compareDurations(asked, held) == Same
	}
	if a, ok := readTime(asked); ok {
		return sameClock(a, h), true
	}
	return asNumber(asked, held, h)
}

func sameClock(a, h clock) Match {
	switch {
	case a.seconds == h.seconds:
		return Same
	case (!a.half || !h.half) && (a.seconds-h.seconds == noon || h.seconds-a.seconds == noon):
		return CannotTell // 3:30 is before noon or after
	}
	return Other
}

// asNumber compares a bare number with a time by its digits, minutes or hours.
func asNumber(asked, held string, h clock) (Match, bool) {
	n, ok := readNumber(asked)
	if !ok || n.unit != "" || n.money != "" || n.percent || !strings.Contains(held, ":") {
		return CannotTell, false
	}
	minutes := strconv.Itoa(h.seconds / 60)
	switch bare := strings.TrimLeft(digits(asked), "0"); {
	case len(bare) > 2 && bare == strings.TrimLeft(digits(held), "0"):
		return Same, true
	case n.plain() && n.english == minutes:
		return Same, true
	case n.plain() && n.english == strconv.Itoa(h.seconds/3600) && h.seconds%3600 == 0:
		return CannotTell, true // minutes or hours
	case !n.plain() && isDecimalHours(n.readings(), h.seconds):
		return Same, true
	}
	return Other, true
}

// isDecimalHours reports hours with decimals: 1.5 is 1:30.
func isDecimalHours(readings []string, seconds int) bool {
	for _, r := range readings {
		if v, err := strconv.ParseFloat(r, 64); err == nil && v*3600 == float64(seconds) {
			return true
		}
	}
	return false
}

// compareDurations compares the digits of a duration that is no time of day: 44.30 as
// 0:44:30.
func compareDurations(asked, held string) Match {
	a := strings.TrimLeft(digits(asked), "0")
	if strings.Contains(held, ":") && len(a) > 2 && letters(asked) == "" && letters(held) == "" && a == strings.TrimLeft(digits(held), "0") {
		return Same
	}
	return CannotTell
}
