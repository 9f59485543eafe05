package instruction

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is a word, a literal, or a mark between them.
type token struct {
	from, to int
	low      string // in lower case; of a mark, the mark
	text     string // without quotes
	form     Form
	quoted   bool
	mark     bool // no word: a comma, the end of a sentence or line, a possessive
	within   bool // of a name, whatever else the word means: the "&" of "Terms & Privacy"
	digits   bool // begins with a digit
	capital  bool // begins with a capital
}

// The marks.
const (
	markComma = ","
	markColon = ":"
	markEnd   = "."  // of a sentence or line
	markOf    = "of" // a possessive ending
	markCut   = "|"  // where values were cut out
)

var closing = map[rune]string{'"': `"`, '“': `”"`, '„': `“”"`, '«': `»`, '»': `«`, '‘': `’'`, '\'': `'`, '`': "`'", '「': `」`, '‹': `›`}

// cutter cuts a query into tokens.
type cutter struct {
	g     *grammar
	s     string
	out   []token
	tried map[rune]int // up to where a quotation that begins with this mark is known not to end
}

func (g *grammar) cut(s string) []token {
	c := cutter{g: g, s: s, tried: map[rune]int{}}
	for i := 0; i < len(s); {
		i = c.next(i)
	}
	return g.link(g.join(c.out, s))
}

// link finds the signs that stand within a name: between two words with capitals.
func (g *grammar) link(t []token) []token {
	name := func(t token) bool { return !t.mark && !t.quoted && t.capital }
	for i := 1; i+1 < len(t); i++ {
		if !t[i].mark && !t[i].quoted && g.is(t[i].low, "within-name") && name(t[i-1]) && name(t[i+1]) {
			t[i].within, t[i].capital = true, true
		}
	}
	return t
}

func (c *cutter) mark(from, to int, m string) {
	c.out = append(c.out, token{from: from, to: to, low: m, mark: true})
}

func (c *cutter) next(i int) int {
	r, n := utf8.DecodeRuneInString(c.s[i:])
	switch {
	case r == '\n' || r == '\r':
		c.mark(i, i+n, markEnd)
	case r == ',' || r == '、' || r == '，':
		c.mark(i, i+n, markComma)
	case r == ':':
		c.mark(i, i+n, markColon)
	case r == ';' || r == '.' || r == '!' || r == '?' || r == '。' || r == '…':
		c.mark(i, i+n, markEnd)
	case closing[r] != "":
		if end, after := c.quotation(i, n, r); after > 0 {
			c.out = append(c.out, token{from: i, to: after, low: strings.ToLower(c.s[i+n : end]), text: c.s[i+n : end], quoted: true, form: c.g.formOf(c.s[i+n : end])})
			return after
		}
	case r == '[':
		if end := strings.IndexAny(c.s[i:min(len(c.s), i+60)], "]\n"); end > 0 && c.s[i+end] == ']' && strings.ContainsAny(c.s[i:i+end], "0123456789") {
			c.word(i, i+end+1)
			return i + end + 1
		}
	}
	if unicode.IsSpace(r) || unicode.IsControl(r) || unicode.IsPunct(r) && !strings.ContainsRune("#@-/&%*_\\[", r) {
		return i + n
	}
	return c.chunk(i)
}

// quotation returns where the quotation that begins at i ends, and where the text goes
// on. An apostrophe begins one only after a space and ends one only before none.
func (c *cutter) quotation(i, n int, r rune) (end, after int) {
	if i < c.tried[r] || r == '\'' && i > 0 && inWord(lastRune(c.s[:i])) {
		return 0, 0
	}
	for j, q := range c.s[i+n:] {
		at := i + n + j
		switch {
		case q == '\n':
			c.tried[r] = at
			return 0, 0
		case at > i+n && strings.ContainsRune(closing[r], q):
			after := at + utf8.RuneLen(q)
			if next, _ := utf8.DecodeRuneInString(c.s[after:]); (r == '\'' || r == '‘' || r == '`') && after < len(c.s) && inWord(next) {
				continue
			}
			return at, after
		}
	}
	c.tried[r] = len(c.s)
	return 0, 0
}

// chunk takes what stands together up to a space or a mark that ends it.
func (c *cutter) chunk(i int) int {
	end := i
	for j, r := range c.s[i:] {
		if unicode.IsSpace(r) || j > 0 && r == '"' || strings.ContainsRune("“”«»(){}", r) || r == ';' {
			break
		}
		inNumber := digitAt(c.s, i+j-1) && digitAt(c.s, i+j+1)
		if r == ',' && !inNumber && !strings.Contains(c.s[i:i+min(j, 12)], "://") {
			break
		}
		if r == '、' || r == '，' || r == '。' {
			break
		}
		end = i + j + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(c.s[i+j:])
			end = i + j + n
		}
	}
	if end == i {
		_, n := utf8.DecodeRuneInString(c.s[i:])
		return i + n
	}
	word := strings.TrimRight(c.s[i:end], ",.!?:…'’`”]")
	if strings.HasSuffix(c.s[i:end], ".") && c.g.has(strings.ToLower(word)+".") {
		word += "." // an abbreviation
	}
	if word == "" {
		return end
	}
	stop := i + len(word)
	c.word(i, stop)
	return stop
}

func (c *cutter) word(from, to int) {
	s := c.s[from:to]
	low := strings.ReplaceAll(strings.ToLower(s), "’", "'")
	if n := c.g.owned(low, s); n > 0 {
		c.word(from, from+n)
		c.mark(from+n, to, markOf)
		return
	}
	first, _ := utf8.DecodeRuneInString(s)
	c.out = append(c.out, token{
		from: from, to: to, low: low, text: s, form: c.g.formOf(s),
		digits: first >= '0' && first <= '9', capital: unicode.IsUpper(first) || unicode.IsDigit(first) || strings.ContainsRune("#@$€£", first),
	})
}

// owned returns how much of a word stands before its possessive ending; 0 if it has
// none, or is known as it is: "what's".
func (g *grammar) owned(low, s string) int {
	cut, ok := strings.CutSuffix(low, g.possessive)
	if !ok || cut == "" || g.possessive == "" || g.has(low) {
		return 0
	}
	n := len(s)
	for range utf8.RuneCountInString(g.possessive) {
		_, size := utf8.DecodeLastRuneInString(s[:n])
		n -= size
	}
	return n
}

// join makes one token of the words of a date, a time, or an amount.
func (g *grammar) join(in []token, s string) []token {
	var out []token
	for i := 0; i < len(in); {
		n, form := g.literalAt(in[i:])
		if n <= 1 {
			out = append(out, in[i])
			i++
			continue
		}
		t := in[i]
		t.to, t.form = in[i+n-1].to, form
		t.text = s[t.from:t.to]
		t.low, t.capital = strings.ToLower(t.text), true
		out = append(out, t)
		i += n
	}
	return out
}

// literalAt returns how many of the next tokens are one date, time or amount.
func (g *grammar) literalAt(t []token) (int, Form) {
	is := func(i int, f func(token) bool) bool { return i < len(t) && !t[i].mark && !t[i].quoted && f(t[i]) }
	month := func(w token) bool { return g.is(w.low, "month") }
	day := func(w token) bool { return w.digits && len(w.low) <= 4 && number(w.low) >= 1 && number(w.low) <= 31 }
	year := func(w token) bool { return len(w.low) == 4 && number(w.low) > 1000 && w.form == Number }
	date := func(n int) (int, Form) {
		switch {
		case is(n, year):
			n++
		case n < len(t) && t[n].low == markComma && is(n+1, year):
			n += 2
		}
		return n, Date
	}
	switch {
	case is(0, month) && is(1, day):
		return date(2)
	case is(0, day) && is(1, month):
		return date(2)
	case is(0, day) && is(1, func(w token) bool { return w.low == g.dateOf }) && is(2, month):
		return date(3)
	case is(0, func(w token) bool { return w.form == Time || w.form == Number }) && is(1, func(w token) bool { return g.is(w.low, "clock") }):
		return 2, Time
	case is(0, func(w token) bool { return w.form == Number }) && is(1, func(w token) bool { return g.is(w.low, "currency") }):
		return 2, Money
	}
	return 1, Text
}

// formOf tells what a word looks like.
func (g *grammar) formOf(s string) Form {
	low := strings.ToLower(s)
	if low == "" || strings.ContainsAny(s, " \t") && !strings.Contains(s, "://") {
		return Text
	}
	if name, host, ok := strings.Cut(low, "@"); ok && name != "" && strings.Contains(host, ".") && !strings.ContainsAny(low, "/:") {
		return Email
	}
	if strings.Contains(low, "://") || strings.HasPrefix(low, "www.") {
		return Address
	}
	first, _ := utf8.DecodeRuneInString(low)
	if strings.ContainsRune("$€£", first) && digitAt(low, utf8.RuneLen(first)) {
		return Money
	}
	if digitAt(low, 0) || (first == '-' || first == '+') && digitAt(low, 1) {
		return g.numeric(low)
	}
	host, _, _ := strings.Cut(low, "/")
	dot := strings.LastIndexByte(host, '.')
	switch {
	case dot <= 0 || dot > len(host)-3:
	case host == low && g.is(low[dot+1:], "file"):
		return File
	case g.is(host[dot+1:], "domain"):
		return Address
	}
	return Text
}

func (g *grammar) numeric(low string) Form {
	body := strings.TrimLeft(low, "+-")
	if strings.Trim(body, "0123456789.,") == "" {
		if strings.Count(body, ".") == 2 && !strings.Contains(body, ",") {
			return Date
		}
		return Number
	}
	if strings.Trim(body, "0123456789/-") == "" && strings.Count(body, "/")+strings.Count(body, "-") == 2 && len(body) >= 6 && len(body) <= 10 {
		return Date
	}
	clock := strings.TrimRight(body, "abcdefghijklmnopqrstuvwxyz")
	hours := strings.Trim(clock, "0123456789:") == ""
	if rest := body[len(clock):]; hours && (rest == "" && strings.Count(clock, ":") == 1 || rest != "" && g.is(rest, "clock")) {
		return Time
	}
	if dot := strings.LastIndexByte(low, '.'); dot > 0 && g.is(low[dot+1:], "file") {
		return File
	}
	return Text
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func digitAt(s string, i int) bool { return i >= 0 && i < len(s) && s[i] >= '0' && s[i] <= '9' }

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// number reads the digits a word begins with: 22nd is 22.
func number(s string) int {
	n := 0
	for i := 0; digitAt(s, i) && i < 9; i++ {
		n = n*10 + int(s[i]-'0')
	}
	return n
}

func spaced(s string) int { return len(strings.Fields(s)) }
