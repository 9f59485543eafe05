package secret

import "unicode/utf8"

// pair says of a first character which second ones a value may go on with. Most
// places of a text where a value could begin are told apart from one by it, however
// many values there are.
type pair struct {
	follows [2]uint64 // the ASCII characters that may be second
	any     bool      // it does not say
	count   int       // how many values begin with the character
}

// mayPair records the pairs of ASCII characters the pattern can begin with. Where more
// than the two characters counts, the first goes with any.
func (p *pattern) mayPair(pairs *[utf8.RuneSelf]pair) {
	first := p.elems[0]
	simple := len(p.elems) > 1 && p.care == inAnyText && !p.grouped && first.isPlain() && p.elems[1].isPlain() && first.r != ' '
	if !first.isPlain() { // any letter may be it, with a mark
		for c := range pairs {
			pairs[c].any = true
		}
		return
	}
	for _, c := range cases(first.r) {
		pr := &pairs[c]
		if !simple {
			pr.any = true
			continue
		}
		pr.count++
		for _, d := range cases(p.elems[1].r) {
			pr.follows[d/64] |= 1 << (d % 64)
		}
	}
}

// cases are the visible ASCII characters that fold to r.
func cases(r rune) []rune {
	if r >= 'a' && r <= 'z' {
		return []rune{r, r - 'a' + 'A'}
	}
	return []rune{r}
}

// isPlain reports an element that only a single ASCII character, or a code for one, can
// be read as.
func (e elem) isPlain() bool { return e.r < utf8.RuneSelf && !e.marked }

// isOther reports that no value begins at text[i:], by its first two characters. What
// may be a code for others is not known by them, nor is what is invisible.
func (s *Set) isOther(t *reader, i int) bool {
	if i+1 >= len(t.text) {
		return false
	}
	c, d := t.text[i], t.text[i+1]
	if !isLiteral[c] || !isLiteral[d] {
		return false
	}
	pr := &s.pairs[c]
	if pr.any || pr.follows[d/64]&(1<<(d%64)) != 0 {
		return false
	}
	t.steps += pr.count // as many as comparing takes
	return !t.isExhausted()
}

// isLiteral are the visible ASCII characters that always stand for themselves.
var isLiteral = func() (set [256]bool) {
	for c := byte(' '); c < 0x7f; c++ {
		set[c] = c != '%' && c != '&' && c != '\\' && c != '+'
	}
	return set
}()
