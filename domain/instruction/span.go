package instruction

import (
	"cmp"
	"slices"
)

// span is the tokens of a clause, and what each was read as so far. What is tried is
// read in a copy, and the better copy is kept.
type span struct {
	g     *grammar
	query string
	t     []token
	use   []Use
	of    []HoleKind // what an unread word would have said

	fields bool // what is read is given a value: its words name fields before they are kinds
}

func (s *span) sub(i, j int) *span {
	return &span{g: s.g, query: s.query, t: s.t[i:j], use: make([]Use, j-i), of: make([]HoleKind, j-i)}
}

// adopt takes over what was read in a copy of the tokens from i on.
func (s *span) adopt(i int, other *span) {
	copy(s.use[i:], other.use)
	copy(s.of[i:], other.of)
}

// as marks tokens as read, and returns where they end.
func (s *span) as(i, n int, use Use) int {
	for k := i; k < i+n; k++ {
		if !s.t[k].mark {
			s.use[k] = use
		}
	}
	return i + n
}

// unread counts the words that are not understood.
func (s *span) unread() int {
	n := 0
	for i, t := range s.t {
		if !t.mark && s.use[i] == Unread {
			n += spaced(s.query[t.from:t.to])
		}
	}
	return n
}

// missing says what the unread words of a part would have said.
func (s *span) missing(i, j int, of HoleKind) {
	for k := i; k < j; k++ {
		if s.of[k] == "" {
			s.of[k] = of
		}
	}
}

// verbatim is the text from one token to before another, as the user wrote it.
func (s *span) verbatim(i, j int) string { return s.query[s.t[i].from:s.t[j-1].to] }

// literal is one token, or the text of several.
func (s *span) literal(i, j int) Literal {
	if j == i+1 {
		return Literal{s.t[i].text, s.t[i].form, s.t[i].quoted}
	}
	return Literal{Text: s.verbatim(i, j)}
}

func (s *span) at(i int, classes ...string) (phrase, bool) {
	if i < 0 || i >= len(s.t) {
		return phrase{}, false
	}
	return s.g.at(s.t[i:], classes...)
}

// skip reads past words of some classes.
func (s *span) skip(i, j int, use Use, classes ...string) int {
	for i < j {
		p, ok := s.at(i, classes...)
		if !ok || i+len(p.words) > j {
			break
		}
		i = s.as(i, len(p.words), use)
	}
	return i
}

// holes are the unread words, those that follow each other together. What stands behind
// all that a frame takes says more about the target.
func (s *span) holes() (out []Hole) {
	open := false
	for i, t := range s.t {
		switch {
		case t.mark:
		case s.use[i] != Unread:
			open = false
		case open && out[len(out)-1].Of == cmp.Or(s.of[i], NoTarget):
			last := &out[len(out)-1]
			last.To = t.to
			last.Text = s.query[last.From:last.To]
		default:
			out = append(out, Hole{cmp.Or(s.of[i], NoTarget), s.query[t.from:t.to], t.from, t.to})
			open = true
		}
	}
	return slices.Clip(out)
}
