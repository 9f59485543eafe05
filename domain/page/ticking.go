package page

import "strings"

// steady is s with everything that changes by itself replaced by "~": clock
// times with seconds (12:03:59), ages ("3 seconds ago", "just now") and
// countdowns ("2m 10s left", "in 5 minutes"). Two readings of a page on which
// only time has passed give the same steady texts. Loose is for messages, which
// nobody clicks: there short clocks (4:59) and "in 5" count too; on a button
// they may well be what it is for (an appointment at 10:30). English only:
// other languages keep their words and only lose clock times.
func steady(s string, loose bool) string {
	if !mayTick(s, loose) {
		return s
	}
	words := strings.Split(s, " ")
	out := make([]string, 0, len(words))
	for i := 0; i < len(words); {
		n := tickingAt(words, i, loose)
		if n == 0 {
			out = append(out, words[i])
			i++
			continue
		}
		out = append(out, "~")
		i += n
	}
	return strings.Join(out, " ")
}

// mayTick rules out nearly every text at the price of one look at its bytes: it
// wants a number with a colon or the first letter of a unit behind it, or one of
// the words that time is told with.
func mayTick(s string, loose bool) bool {
	digit := false
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' {
			digit = true
			continue
		}
		if digit && (loose || c == ':' || startsUnit(c) || c == ' ' && i+1 < len(s) && startsUnit(s[i+1])) {
			return true
		}
		digit = false
	}
	for _, word := range [...]string{" ago", "now", "left", "remaining", "in a"} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return digit && loose
}

func startsUnit(c byte) bool {
	c |= 0x20
	return c == 's' || c == 'm' || c == 'h' || c == 'd'
}

// tickingAt says how many words from i on form one text that ticks, 0 if none.
func tickingAt(words []string, i int, loose bool) int {
	w := core(words[i])
	colons, ok := clock(w)
	switch {
	case ok && (colons == 2 || loose):
		return 1 + isOneOf(at(words, i+1), "am", "pm")
	case w == "just" && at(words, i+1) == "now":
		return 2
	case w == "moments" && at(words, i+1) == "ago":
		return 2
	case loose && number(w) && at(words, i-1) == "in" && isOneOf(at(words, i+1), timeUnits...) == 0:
		return 1
	}
	n, parts, seconds := durationAt(words, i)
	if n == 0 {
		return 0
	}
	after := isOneOf(at(words, i+n), "ago", "left", "remaining")
	before := isOneOf(at(words, i-1), "in", "within")
	alone := n == 1 && len(words) == 1 // "3h" under a post, but not a button "30 min"
	if after+before > 0 || parts > 1 || seconds || alone {
		return n + after
	}
	return 0
}

var timeUnits = []string{
	"s", "sec", "secs", "second", "seconds",
	"m", "min", "mins", "minute", "minutes",
	"h", "hr", "hrs", "hour", "hours",
	"d", "day", "days",
}

// durationAt reads "3 seconds", "59s", "1h 2m 3s", "a few minutes" from word i
// on: how many words, how many number-unit pairs, and whether seconds are
// spelled out.
func durationAt(words []string, i int) (n, parts int, seconds bool) {
	for {
		w, unit, step := at(words, i+n), "", 0
		switch {
		case w == "a" && at(words, i+n+1) == "few":
			unit, step = at(words, i+n+2), 3
		case number(w) || w == "a" || w == "an":
			unit, step = at(words, i+n+1), 2
		default:
			digits := strings.TrimLeft(w, "0123456789")
			if len(digits) < len(w) {
				unit, step = digits, 1
			}
		}
		if isOneOf(unit, timeUnits...) == 0 {
			return n, parts, seconds
		}
		n, parts = n+step, parts+1
		seconds = seconds || len(unit) > 1 && unit[0] == 's'
	}
}

// at is word i without its punctuation, lower case; "" outside the text.
func at(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return core(words[i])
}

func core(w string) string { return strings.ToLower(strings.Trim(w, "()[]{}.,;:!?…\"'·–—-")) }

func isOneOf(w string, list ...string) int {
	for _, x := range list {
		if w == x {
			return 1
		}
	}
	return 0
}

func number(w string) bool {
	return w != "" && strings.Trim(w, "0123456789") == ""
}

// clock reads 4:59, 12:03:59 or 12:03:59.250 and says how many colons it has.
func clock(w string) (colons int, ok bool) {
	if len(w) > 1 && (strings.HasSuffix(w, "am") || strings.HasSuffix(w, "pm")) {
		w = w[:len(w)-2]
	}
	w, fraction, found := strings.Cut(w, ".")
	if found && !number(fraction) {
		return 0, false
	}
	parts := strings.Split(w, ":")
	if len(parts) < 2 || len(parts) > 3 {
		return 0, false
	}
	for i, p := range parts {
		if !number(p) || len(p) > 2 || i > 0 && len(p) != 2 {
			return 0, false
		}
	}
	return len(parts) - 1, true
}
