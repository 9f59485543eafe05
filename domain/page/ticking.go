package page

import "strings"

// dropTicking replaces everything in s that changes by itself by "~": clock times
// with seconds (12:03:59), ages ("3 seconds ago", "just now"), countdowns ("2m 10s
// left", "in 5 minutes"), positions of players ("1:23 / 4:56"), counts of viewers
// ("1.2K watching") and progress ("Uploading 45%"). Two readings of a page between
// which only time has passed give the same texts. loose is for messages, which nobody
// clicks: then short clocks (4:59) and "in 5" count too; on a button they may be what
// it is for (an appointment at 10:30). What an action may have caused stays: counts
// of things, slides, percentages of anything done or saved. Ages are known in the
// languages of timeUnits and a few without spaces, everything else in English.
func dropTicking(s string, loose bool) string {
	// What was replaced may have hidden what stands before it.
	for work := 0; work < maxWork; work += len(s) + 1 {
		once := dropTickingOnce(s, loose)
		if once == s {
			break
		}
		s = once
	}
	return s
}

// maxWork and maxDuration bound the work on a hostile text: the bytes looked at in
// all passes, and the numbers with a unit in one duration.
const (
	maxWork     = 200_000
	maxDuration = 8
)

func dropTickingOnce(s string, loose bool) string {
	if !mayTick(s, loose) {
		return s
	}
	var buf [32]string // most texts are short, and most of them stay as they are
	words := buf[:0]
	for w := range strings.SplitSeq(s, " ") {
		words = append(words, w)
	}
	var out []string
	busy := strings.Contains(s, "%") && reportsProgress(words)
	for i := 0; i < len(words); {
		n := 0
		if mayBegin(words[i]) {
			n = tickingAt(words, i, loose, busy)
		}
		switch {
		case n == 0 && out != nil:
			out = append(out, words[i])
		case n > 0:
			if out == nil {
				out = append(make([]string, 0, len(words)), words[:i]...)
			}
			out = append(out, "~")
		}
		i += max(n, 1)
	}
	if out == nil {
		return s
	}
	return strings.Join(out, " ")
}

// mayTick rules out most texts in one pass over their bytes: it looks for a number
// followed by a colon or the first letter of a unit, or for a word used to tell time.
func mayTick(s string, loose bool) bool {
	digit, foreign := false, false
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9':
			digit = true
			continue
		case digit && (loose || c == ':' || c == '%' || startsUnit(c) || c == ' ' && i+1 < len(s) && startsUnit(s[i+1])):
			return true
		case c == 'w' && ends(s, i, "now"), c == 'o' && ends(s, i, " ago"), c == 't' && ends(s, i, "left"),
			c == 'g' && ends(s, i, "remaining"), c == 'a' && ends(s, i, "in a"):
			return true
		case c >= 0x80:
			foreign = true
		}
		digit = false
	}
	return digit && loose || foreign && (strings.Contains(s, "刚刚") || strings.Contains(s, "たった今") || strings.Contains(s, "방금"))
}

// ends reports whether the text up to and with byte i ends in word.
func ends(s string, i int, word string) bool { return strings.HasSuffix(s[:i+1], word) }

// startsUnit also accepts the first letters of units in other languages, of counted
// things, and of K, M and B.
func startsUnit(c byte) bool {
	return c >= 0x80 || strings.IndexByte("smhdjtouvwlpbk", c|0x20) >= 0
}

// mayBegin rules out most words: what ticks begins with a number or a word of another
// language, or with just, moments, a or an.
func mayBegin(word string) bool {
	for i := range len(word) {
		if c := word[i]; c >= '0' && c <= '9' || c >= 0x80 {
			return true
		}
	}
	switch w := trimmed(word); len(w) {
	case len("a"), len("an"), len("just"), len("moments"):
		return true
	}
	return false
}

// tickingAt returns how many words from i on form a ticking text, or 0. busy: the
// text reports progress.
func tickingAt(words []string, i int, loose, busy bool) int {
	w := core(words[i])
	colons, ok := clock(w)
	switch {
	case ok && (colons == 2 || loose):
		return 1 + isOneOf(at(words, i+1), "am", "pm")
	case w == "just" && at(words, i+1) == "now":
		return 2
	case w == "moments" && at(words, i+1) == "ago":
		return 2
	case loose && number(w) && len(w) < 4 && at(words, i-1) == "in" && !timeUnits[at(words, i+1)]:
		return 1
	case ok && i+2 < len(words) && isOneOf(words[i+1], "/", "of") > 0:
		if _, total := clock(at(words, i+2)); total {
			return 3 // how far a film has played
		}
	case ok && isOneOf(at(words, i-1), "updated", "refreshed", "synced") > 0,
		agoInOneWord(w), busy && percent(words[i]):
		return 1
	}
	if n := watchersAt(words, i); n > 0 {
		return n
	}
	n, parts, seconds := durationAt(words, i)
	if n == 0 {
		return 0
	}
	after := isOneOf(at(words, i+n), "ago", "left", "remaining", "fa", "atrás", "geleden", "назад")
	before := isOneOf(at(words, i-1), "in", "within", "ends", "expires", "starts", "closes", "left", "remaining", "vor", "hace", "há")
	if at(words, i-1) == "a" && at(words, i-2) == "y" && at(words, i-3) == "il" {
		before = 1
	}
	alone := n == 1 && len(words) == 1 // "3h" under a post, but not a button "30 min"
	if after+before > 0 || seconds || alone || parts > 1 && endsInSeconds(at(words, i+n-1)) {
		return n + after
	}
	return 0 // "2h 30m" is how long a flight takes
}

var timeUnits = setOf(
	"s", "sec", "secs", "second", "seconds",
	"m", "min", "mins", "minute", "minutes",
	"h", "hr", "hrs", "hour", "hours",
	"d", "day", "days",
	"sekunde", "sekunden", "minuten", "std", "stunde", "stunden", "tag", "tagen",
	"seconde", "secondes", "heure", "heures", "jour", "jours",
	"segundo", "segundos", "minuto", "minutos", "hora", "horas", "día", "días", "dia", "dias",
	"secondo", "secondi", "minuti", "ora", "ore", "giorno", "giorni",
	"seconden", "minuut", "uur", "dag", "dagen",
	"секунд", "секунды", "секунду", "минут", "минуты", "минуту", "час", "часа", "часов", "день", "дня", "дней",
)

// durationAt reads "3 seconds", "59s", "1h 2m 3s", "a few minutes" from word i on. It
// returns the number of words, the number of number-unit pairs, and whether seconds
// are spelled out.
func durationAt(words []string, i int) (n, parts int, seconds bool) {
	for parts < maxDuration {
		w, unit, step := at(words, i+n), "", 0
		if more, ok := compact(w); ok {
			n, parts = n+1, parts+more
			continue
		}
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
		if !timeUnits[unit] {
			return n, parts, seconds
		}
		n, parts = n+step, parts+1
		seconds = seconds || len(unit) > 1 && unit[0] == 's'
	}
	return n, parts, seconds
}

// agoInOneWord reads ages of languages that write no spaces.
func agoInOneWord(w string) bool {
	rest := strings.TrimLeft(w, "0123456789")
	return w == "刚刚" || w == "たった今" || w == "방금" || len(rest) < len(w) &&
		isOneOf(rest, "秒前", "分前", "時間前", "日前", "秒钟前", "分钟前", "小时前", "天前", "分鐘前", "小時前") > 0
}

// compact reads durations without spaces: 1h23m, 02d:13h:05m:22s.
func compact(w string) (parts int, ok bool) {
	for w != "" {
		rest := strings.TrimLeft(w, "0123456789")
		if len(rest) == len(w) || rest == "" || strings.IndexByte("dhms", rest[0]) < 0 {
			return 0, false
		}
		w = strings.TrimPrefix(rest[1:], ":")
		parts++
	}
	return parts, parts > 1
}

func endsInSeconds(w string) bool {
	rest, ok := strings.CutSuffix(w, "s")
	inOne := ok && rest != "" && number(rest[len(rest)-1:]) // 22s, 05m:22s
	return inOne || isOneOf(w, "s", "sec", "secs") > 0
}

// watchersAt reads a count of viewers from word i on: "1,234 views", "3 people are
// viewing this", "12 online now".
func watchersAt(words []string, i int) int {
	if !quantity(words[i]) {
		return 0
	}
	n := 1
	for n < 4 && isOneOf(at(words, i+n), "people", "users", "others", "other", "are", "is", "person", "currently") > 0 {
		n++
	}
	switch w := at(words, i+n); {
	case isOneOf(w, "views", "viewers", "watching", "viewing", "listening", "listeners") > 0,
		w == "online" && (i+n == len(words)-1 || at(words, i+n+1) == "now"):
		return n + 1
	}
	return 0
}

// quantity reports a number as counters show it: 1,234 or 1.2K.
func quantity(w string) bool {
	w = strings.TrimLeft(w, "([")
	if w == "" || w[0] < '0' || w[0] > '9' {
		return false
	}
	return strings.Trim(strings.TrimRight(w, "kmbKMB"), "0123456789,.") == ""
}

func percent(w string) bool {
	digits, ok := strings.CutSuffix(strings.Trim(w, "()[]…"), "%")
	return ok && number(strings.Replace(digits, ".", "", 1))
}

// reportsProgress reports whether a text is about work that goes on by itself.
func reportsProgress(words []string) bool {
	for _, w := range words {
		if isOneOf(core(w), "uploading", "downloading", "loading", "processing", "installing", "importing", "exporting",
			"buffering", "converting", "generating", "preparing", "scanning", "syncing", "sending") > 0 {
			return true
		}
	}
	return false
}

// at returns word i in lower case without punctuation; "" outside the text.
func at(words []string, i int) string {
	if i < 0 || i >= len(words) {
		return ""
	}
	return core(words[i])
}

func core(w string) string { return strings.ToLower(trimmed(w)) }

func trimmed(w string) string {
	if n := len(w); n > 0 && (!isAlnum(w[0]) || !isAlnum(w[n-1])) { // strings.Trim is slow on what is not ASCII
		w = strings.Trim(w, "()[]{}.,;:!?…\"'·–—-")
	}
	return w
}

func isAlnum(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

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

// clock reads 4:59, 12:03:59 or 12:03:59.250 and returns the number of colons.
func clock(w string) (colons int, ok bool) {
	if !strings.Contains(w, ":") {
		return 0, false
	}
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
