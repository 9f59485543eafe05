package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/vocabulary"
)

// Lengths, in characters, from which a value is looked for as a separate word, and
// anywhere. Letters alone are more likely to be part of another word.
const (
	shortWord    = 3
	anywhere     = 4
	lettersAlone = 7
)

// minCutPrefix is how many characters of a value at the end of a text count as the
// value, since the text may have been cut there.
const minCutPrefix = 6

type care int

const (
	inAnyText care = iota
	asWord
	inContext
)

// pattern is a value to look for.
type pattern struct {
	value string
	elems []elem
	care  care
	// grouped digits may be separated, as in a card number or a code.
	grouped         bool
	digits, letters bool // it has nothing else
}

// elem is one character of a value. Marked: it is followed by a combining mark, which
// another Unicode form joins with it.
type elem struct {
	r      rune
	marked bool
}

// groupedFrom is how many digits may be written in groups.
const groupedFrom = 6

func patternOf(value string) pattern {
	p := pattern{digits: true, letters: true}
	numbers := 0
	for _, r := range strings.TrimSpace(value) {
		switch {
		case !shows(r):
			continue
		case isMark(r):
			if n := len(p.elems); n > 0 {
				p.elems[n-1].marked = true
			}
			continue
		case fold(r) == ' ' && len(p.elems) > 0 && p.elems[len(p.elems)-1].r == ' ':
			continue
		}
		for _, r := range foldAll(nil, r) {
			p.elems = append(p.elems, elem{r: r})
		}
		isDigit := unicode.IsDigit(r)
		if isDigit {
			numbers++
		}
		p.digits = p.digits && isDigit
		p.letters = p.letters && unicode.IsLetter(r)
	}
	if numbers >= groupedFrom && strings.Trim(value, "0123456789 -.") == "" {
		p.group()
	}
	p.care = p.careOf(value)
	return p
}

// group leaves the digits alone.
func (p *pattern) group() {
	p.grouped, p.digits = true, true
	kept := p.elems[:0]
	for _, e := range p.elems {
		if unicode.IsDigit(e.r) {
			kept = append(kept, e)
		}
	}
	p.elems = kept
}

func (p *pattern) careOf(value string) care {
	switch n := len(p.elems); {
	case n < shortWord, vocabulary.Secret(value) && p.letters:
		return inContext
	case n < anywhere, n < lettersAlone && p.letters:
		return asWord
	}
	return inAnyText
}

// mayStart records the bytes an occurrence can begin with.
func (p *pattern) mayStart(starts *[256]bool) {
	for _, c := range []byte(`%&\`) {
		starts[c] = true
	}
	first := p.elems[0]
	plain := first.r < utf8.RuneSelf && !first.marked
	for c := range 256 {
		b := byte(c)
		switch {
		case b >= utf8.RuneSelf: // full width, typographic, or a letter like it
			starts[b] = true
		case plain && fold(rune(b)) == first.r, !plain && unicode.IsLetter(rune(b)):
			starts[b] = true
		}
	}
}

// matchAt returns where an occurrence that begins at text[i:] ends, -1 if there is
// none.
func (p *pattern) matchAt(t *reader, i int) int {
	text := t.text
	if p.care != inAnyText && p.isInsideWord(before(text[:i])) {
		return -1
	}
	m := matcher{pattern: p, reader: t}
	end := m.match(i, 0)
	switch {
	case end < 0:
		return -1
	case p.care != inAnyText && p.isInsideWord(after(text[end:])):
		return -1
	case p.care == inContext && ((strings.TrimSpace(text) != text[i:end] || len(p.elems) <= 1) && !quoted(t, i, end) && !named(text[:i])):
		return -1
	}
	return end
}

// isInsideWord reports whether a neighbouring character makes the value part of a
// longer word.
func (p *pattern) isInsideWord(neighbour rune) bool {
	switch {
	case p.digits:
		return unicode.IsDigit(neighbour)
	case p.letters && spaced(neighbour):
		return unicode.IsLetter(neighbour)
	}
	return spaced(neighbour) && (unicode.IsLetter(neighbour) || unicode.IsDigit(neighbour))
}

// spaced reports letters of scripts with spaces between words.
func spaced(r rune) bool {
	return !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// before returns the last character of a text, or none if it belongs to an escape.
func before(text string) rune {
	if n := len(text); n >= 3 && text[n-3] == '%' || n >= 2 && text[n-2] == '\\' || n >= 6 && text[n-6] == '\\' && text[n-5] == 'u' {
		return 0
	}
	r, n := utf8.DecodeLastRuneInString(text)
	if n == 0 {
		return 0
	}
	return r
}

func after(text string) rune {
	r, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return 0
	}
	return r
}

// matcher compares a text with a pattern.
type matcher struct {
	*pattern
	*reader
	// failed are the places known not to match, so that a text with many decodings is
	// read only once.
	failed map[[2]int]bool
	// nested counts the escapes among the matched characters.
	nested int // how many of the characters matched so far are escapes
}

// maxNested bounds the escapes in one value, each of which needs stack.
const maxNested = 20_000

// match returns where the elements from j on end if they begin at i, else -1.
func (m *matcher) match(i, j int) int {
	for j < len(m.elems) {
		if i >= len(m.text) {
			if m.care == inAnyText && j >= minCutPrefix && 2*j > len(m.elems) {
				return i // a text that was cut
			}
			return -1
		}
		c, only := m.plain(i)
		if !only {
			return m.branch(i, j)
		}
		if !m.step(&i, &j, c) || m.isExhausted() {
			return -1
		}
	}
	return i
}

func (m *matcher) branch(i, j int) int {
	if m.isExhausted() || m.failed[[2]int{i, j}] {
		return -1
	}
	if j > 0 {
		m.steps += escapeCost
	}
	m.nested++
	defer func() { m.nested-- }()
	if m.nested > maxNested {
		m.steps += stepsAtLeast + stepsPerByte*len(m.text)
		return -1
	}
	var buf [maxReadings]char
	for _, c := range append(buf[:0], m.chars(i, depth)...) {
		at, el := i, j
		if !m.step(&at, &el, c) {
			continue
		}
		if end := m.match(at, el); end >= 0 {
			return end
		}
	}
	if j > 0 {
		if m.failed == nil {
			m.failed = map[[2]int]bool{}
		}
		m.failed[[2]int{i, j}] = true
	}
	return -1
}

// escapeCost is the cost of decoding an escape, in steps.
const escapeCost = 16

// step advances by one character of the text if that is the next element or may stand
// in between.
func (m *matcher) step(i, j *int, c char) bool {
	e := m.elems[*j]
	if *j > 0 {
		m.steps++
	}
	var buf [3]rune
	said := foldAll(buf[:0], c.r)
	switch {
	case m.is(said, *j) && (len(said) != 1 || !e.marked || m.markFollows(c.next)):
		*j += len(said)
		*i = m.pastMarks(c.next, e)
	case *j > 0 && !shows(c.r), *j > 0 && m.elems[*j-1].r == ' ' && said[0] == ' ', *j > 0 && m.grouped && strings.ContainsRune(" -.", fold(c.r)):
		*i = c.next
	case e.marked && c.r >= utf8.RuneSelf && unicode.IsLetter(c.r): // "é" for "e" and its mark
		*i, *j = m.pastMarks(c.next, e), *j+1
	case e.r >= utf8.RuneSelf && unicode.IsLetter(c.r) && m.markFollows(c.next): // and the other way round
		*i, *j = m.pastMarks(c.next, elem{marked: true}), *j+1
	default:
		return false
	}
	return true
}

func (m *matcher) is(said []rune, j int) bool {
	for k, r := range said {
		if j+k >= len(m.elems) || m.elems[j+k].r != r {
			return false
		}
	}
	return true
}

func (m *matcher) markFollows(i int) bool {
	_, ok := m.read(i, depth, isMark)
	return ok
}

func (m *matcher) pastMarks(i int, e elem) int {
	for e.marked {
		c, ok := m.read(i, depth, isMark)
		if !ok {
			break
		}
		i = c.next
	}
	return i
}
