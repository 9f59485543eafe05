package act

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a quoted text or a punctuation mark of a task. Start and end are
// byte offsets, so that a value is taken from the task verbatim.
type token struct {
	text       string // without its quotes
	low        string
	quoted     bool
	mark       bool // , ; . : = ? ! or a line break
	start, end int
}

var quotePairs = map[rune]rune{'"': '"', '\'': '\'', '“': '”', '‘': '’', '«': '»', '„': '“', '`': '`'}

// tokenize never fails: a quote without an end is a character like others.
func tokenize(s string) []token {
	var out []token
	q, run := quotes{src: s}, unbroken{}
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		end := q.closing(i, r)
		switch {
		case r == '\n':
			out = append(out, token{text: ".", low: ".", mark: true, start: i, end: i + n})
			i += n
		case unicode.IsSpace(r):
			i += n
		case end > 0:
			out = append(out, token{text: s[i+n : end], quoted: true, start: i, end: end + utf8.RuneLen(quotePairs[r])})
			i = end + utf8.RuneLen(quotePairs[r])
		case strings.ContainsRune(",;.:=?!()", r):
			out = append(out, token{text: string(r), low: string(r), mark: true, start: i, end: i + n})
			i += n
		default:
			run.at(s, i)
			end = i + wordEnd(s[i:run.end], s[i:max(i, run.trimmed)])
			out = append(out, token{text: s[i:end], low: strings.ToLower(s[i:end]), start: i, end: end})
			i = end
		}
	}
	return out
}

// quotes finds the ends of quotes, and remembers which have no end.
type quotes struct {
	src  string
	none map[rune]bool
}

// closing is where the quote opened at i ends, -1 if it does not. The closing quote is
// not followed by a letter or digit, as it is in O'Brien.
func (q *quotes) closing(i int, open rune) int {
	pair, s := quotePairs[open], q.src
	if pair == 0 || q.none[pair] {
		return -1
	}
	from := i + utf8.RuneLen(open)
	for at := from; at < len(s); {
		r, n := utf8.DecodeRuneInString(s[at:])
		if r == pair {
			next, _ := utf8.DecodeRuneInString(s[at+n:])
			if at+n == len(s) || !unicode.IsLetter(next) && !unicode.IsDigit(next) {
				return at
			}
		}
		at += n
	}
	if q.none == nil {
		q.none = map[rune]bool{}
	}
	q.none[pair] = true
	return -1
}

// unbroken is a run of text without spaces, with and without the marks at its end.
type unbroken struct{ end, trimmed int }

// at finds the run that i is in. Calls come in order of i.
func (u *unbroken) at(s string, i int) {
	if i < u.end {
		return
	}
	u.end = len(s)
	if n := strings.IndexFunc(s[i:], unicode.IsSpace); n >= 0 {
		u.end = i + n
	}
	u.trimmed = i + len(strings.TrimRight(s[i:u.end], ",;.:=?!()"))
}

var assigned = regexp.MustCompile(`^[\pL_-]+[=:]`)

// wordEnd is the length of the word at the start of run, a text without spaces; w is
// run without the marks at its end. Marks inside a word (3.5, a.b@c.d, 10:30,
// http://x) belong to it; at its end they do not. The equals sign of name=Jas is a
// mark.
func wordEnd(run, w string) int {
	if i := strings.IndexByte(w, ','); i > 0 && !unicode.IsDigit(rune(w[i-1])) {
		w = w[:i] // Smith,John
	}
	if m := assigned.FindString(w); m != "" && !strings.HasPrefix(w[len(m):], "//") {
		w = m[:len(m)-1]
	}
	if i := strings.IndexAny(w, "\"“"); i > 0 {
		w = w[:i]
	}
	if w == "" {
		_, n := utf8.DecodeRuneInString(run)
		return n
	}
	return len(w)
}

// verbatim is the task's own text from the first to the last token; a single quoted
// text is given without its quotes. Tokens that are not next to each other in the task
// are joined by spaces.
func verbatim(src string, ts []token) string {
	switch len(ts) {
	case 0:
		return ""
	case 1:
		return ts[0].text
	}
	ws := make([]string, len(ts))
	beside := true
	for i, t := range ts {
		ws[i] = t.text
		beside = beside && (i == 0 || ts[i-1].end <= t.start && strings.TrimSpace(src[ts[i-1].end:t.start]) == "")
	}
	if !beside {
		return strings.Join(ws, " ")
	}
	return src[ts[0].start:ts[len(ts)-1].end]
}

// shapes are what a single token may look like; the first match counts.
var shapes = []struct {
	name string
	re   *regexp.Regexp
}{
	{"url", regexp.MustCompile(`^https?://\S+$`)},
	{"email", regexp.MustCompile(`^[^\s@]+@[^\s@]+\.[^\s@]+$`)},
	{"date", regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}$`)},
	{"number", regexp.MustCompile(`^[+(#$€£]?\d[\d().,/+-]*$`)},
}

// shapeOf is what a token looks like: url, email, date, number, or "".
func shapeOf(t token) string {
	for _, s := range shapes {
		if s.re.MatchString(t.text) {
			return s.name
		}
	}
	return ""
}
