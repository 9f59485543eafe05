package secret

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// char is a character of a text, which may be written as itself or encoded in HTML,
// JSON or a URL. Next is where the text continues.
type char struct {
	r    rune
	next int
}

// depth is how many nested encodings are decoded: a URL in an attribute in JSON.
const depth = 3

// Bounds of a reader: how many decodings of one place it keeps, and of how many
// places. A decoding looks a few characters ahead.
const (
	maxReadings = 6
	ringSize    = 64
)

// reader decodes a text and works out each place once: a text of nothing but
// backslashes can be decoded in many ways.
type reader struct {
	text  string
	rings *[depth + 1][ringSize]readings
	steps int // how far values were compared with the text, past their first character
}

// isExhausted reports whether comparing took too many steps, which only a text made
// for it does: it nearly repeats a value over and over. Ordinary texts hardly ever
// agree with a secret by more than a few characters.
func (t *reader) isExhausted() bool { return t.steps > stepsAtLeast+stepsPerByte*len(t.text) }

// Bounds on the characters of values compared with one text.
const (
	stepsAtLeast = 1_000_000
	stepsPerByte = 64
)

type readings struct {
	at   int // one more than the place
	n    int
	char [maxReadings]char
}

func (rs *readings) add(c char) {
	for _, known := range rs.char[:rs.n] {
		if known == c {
			return
		}
	}
	if rs.n < maxReadings {
		rs.char[rs.n] = c
		rs.n++
	}
}

// plain returns the decoding of the text at i, if there is only one.
func (t *reader) plain(i int) (char, bool) {
	c := t.text[i]
	if c < utf8.RuneSelf {
		return char{rune(c), i + 1}, c != '%' && c != '&' && c != '\\' && c != '+'
	}
	r, n := utf8.DecodeRuneInString(t.text[i:])
	return char{r, i + n}, true
}

// chars returns all decodings of the text at i, the plain one first.
func (t *reader) chars(i, depth int) []char {
	if t.rings == nil {
		t.rings = new([4][ringSize]readings)
	}
	rs := &t.rings[depth][i%ringSize]
	if rs.at == i+1 {
		return rs.char[:rs.n]
	}
	*rs = readings{at: i + 1}
	literal, only := t.plain(i)
	rs.add(literal)
	if depth == 0 || only {
		return rs.char[:rs.n]
	}
	out := *rs // reading ahead may take the place in the ring
	for _, lead := range t.chars(i, depth-1) {
		out.add(lead)
		if c, ok := t.decoded(lead, depth-1); ok {
			out.add(c)
		}
	}
	*rs = out
	return out.char[:out.n]
}

// decoded decodes what begins with lead.
func (t *reader) decoded(lead char, depth int) (char, bool) {
	switch lead.r {
	case '+':
		return char{' ', lead.next}, true
	case '%':
		return t.percent(lead.next, depth)
	case '&':
		return t.entity(lead.next, depth)
	case '\\':
		return t.escaped(lead.next, depth)
	}
	return char{}, false
}

// read returns the decoding of the text at i that accept accepts.
func (t *reader) read(i, depth int, accept func(rune) bool) (char, bool) {
	if i >= len(t.text) {
		return char{}, false
	}
	if c, only := t.plain(i); only || depth == 0 {
		return c, accept(c.r)
	}
	for _, c := range t.chars(i, depth) {
		if accept(c.r) {
			return c, true
		}
	}
	return char{}, false
}

func isRune(want rune) func(rune) bool { return func(r rune) bool { return r == want } }

func isHex(r rune) bool { return r < 0x80 && unicode.Is(unicode.ASCII_Hex_Digit, r) }

// hex reads n hexadecimal digits.
func (t *reader) hex(i, n, depth int) (v rune, next int, ok bool) {
	for range n {
		c, ok := t.read(i, depth, isHex)
		if !ok {
			return 0, i, false
		}
		v, i = v<<4|digit(c.r), c.next
	}
	return v, i, true
}

func digit(r rune) rune {
	switch {
	case r >= 'a':
		return r - 'a' + 10
	case r >= 'A':
		return r - 'A' + 10
	}
	return r - '0'
}

// percent reads what follows a percent sign: %C3%BC is one character.
func (t *reader) percent(i, depth int) (char, bool) {
	b, next, ok := t.hex(i, 2, depth)
	if !ok {
		return char{}, false
	}
	bytes := []byte{byte(b)}
	for !utf8.FullRune(bytes) {
		if b, next, ok = t.continued(next, depth); !ok {
			return char{}, false
		}
		bytes = append(bytes, byte(b))
	}
	r, _ := utf8.DecodeRune(bytes)
	return char{r, next}, true
}

// continued reads %BC, the rest of a character of several bytes.
func (t *reader) continued(i, depth int) (b rune, next int, ok bool) {
	if i >= len(t.text) {
		return 0, i, false
	}
	for _, c := range t.chars(i, depth) {
		if c.r != '%' {
			continue
		}
		if b, next, ok := t.hex(c.next, 2, depth); ok && b&0xc0 == 0x80 {
			return b, next, true
		}
	}
	return 0, i, false
}

// longestEntity is about the length of the longest common entity.
const longestEntity = 10

// entity reads what follows an ampersand.
func (t *reader) entity(i, depth int) (char, bool) {
	name := []byte{'&'}
	for range longestEntity {
		c, ok := t.read(i, depth, func(r rune) bool {
			return r == '#' || r == ';' || r < 0x80 && (unicode.IsLetter(r) || unicode.IsDigit(r))
		})
		if !ok {
			break
		}
		name, i = append(name, byte(c.r)), c.next
		if c.r != ';' {
			continue
		}
		s := html.UnescapeString(string(name))
		r, n := utf8.DecodeRuneInString(s)
		return char{r, i}, n == len(s)
	}
	return char{}, false
}

// escaped reads what follows a backslash.
func (t *reader) escaped(i, depth int) (char, bool) {
	c, ok := t.read(i, depth, func(r rune) bool { return r != '\\' })
	if !ok {
		c, ok = t.read(i, depth, isRune('\\'))
		return c, ok
	}
	switch c.r {
	case 'x':
		v, next, ok := t.hex(c.next, 2, depth)
		return char{v, next}, ok
	case 'u':
		return t.unicodeEscape(c.next, depth)
	case 'n', 'r', 't', 'f', 'v':
		return char{' ', c.next}, true
	}
	return c, !unicode.IsLetter(c.r) && !unicode.IsDigit(c.r)
}

// unicodeEscape reads the digits of \u00fc and of surrogate pairs.
func (t *reader) unicodeEscape(i, depth int) (char, bool) {
	v, next, ok := t.hex(i, 4, depth)
	if !ok || v < 0xd800 || v > 0xdbff {
		return char{v, next}, ok
	}
	if next >= len(t.text) {
		return char{}, false
	}
	for _, slash := range t.chars(next, depth) {
		if slash.r != '\\' {
			continue
		}
		u, isU := t.read(slash.next, depth, isRune('u'))
		if !isU {
			continue
		}
		if low, end, ok := t.hex(u.next, 4, depth); ok && low >= 0xdc00 && low <= 0xdfff {
			return char{(v-0xd800)<<10 + (low - 0xdc00) + 0x10000, end}, true
		}
	}
	return char{}, false
}

// fold returns the character to compare: lower case, half width, with plain quotes
// and dashes in place of typographic ones.
func fold(r rune) rune {
	switch {
	case r < 0x80:
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= '\t' && r <= '\r':
			r = ' '
		}
		return r
	case r >= 0xff01 && r <= 0xff5e:
		return fold(r - 0xfee0)
	case strings.ContainsRune("‘’‚‛′", r):
		return '\''
	case strings.ContainsRune("“”„‟″", r):
		return '"'
	case r >= 0x2010 && r <= 0x2015 || r == 0x2212:
		return '-'
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ToLower(unicode.ToUpper(r))
}

// foldAll is fold for characters that may be written as several.
func foldAll(dst []rune, r rune) []rune {
	const first, leads, vowels, tails, perVowel = 0xac00, 0x1100, 0x1161, 0x11a7, 28
	switch {
	case r == 'ß' || r == 'ẞ':
		return append(dst, 's', 's')
	case r >= first && r <= 0xd7a3: // a Korean syllable
		i := r - first
		dst = append(dst, leads+i/(21*perVowel), vowels+i/perVowel%21)
		if t := i % perVowel; t > 0 {
			dst = append(dst, tails+t)
		}
		return dst
	}
	return append(dst, fold(r))
}

// isMark reports combining marks.
func isMark(r rune) bool { return r >= 0x300 && r <= 0x36f || r == 0x3099 || r == 0x309a }

// shows reports whether a character is visible.
func shows(r rune) bool {
	return r != 0xad && (r >= ' ' || unicode.IsSpace(r)) && (r <= 0x200a || !unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Variation_Selector, r))
}
