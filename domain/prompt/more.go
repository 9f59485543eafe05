package prompt

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// More renders what Page has left out, in the page's order, in parts of half the
// budget: part 1 is the first after Page.
func More(p page.Page, v View, part int) string {
	_, s := render(p, v)
	before, shown := s.take, s.shown
	size := max(v.budget()/2, MinTokens/2) - fixed
	s.clear(size)
	at := 1
	next := func() {
		if at++; at <= part {
			s.clear(size)
		}
	}
	full := false // the part asked for is
	fill := func(add func() bool) {
		if full || add() {
			return
		}
		if at == part {
			full = true
			return
		}
		next()
		add()
	}
	for i := range s.texts {
		for n := range s.texts[i] {
			if before[i] == nil || !before[i][n] {
				fill(func() bool { return s.takeLine(i, n) })
			}
		}
		if i < len(s.list) && !shown[i] {
			fill(func() bool { return s.addAlone(i) })
		}
	}
	var r Rendering
	s.omitted = maxOmissions
	body := s.write(&r)
	if at < part || body == "" {
		return "more: there is nothing more of this page"
	}
	out := fmt.Sprintf("more, part %d of what was left out:\n%s", part, body)
	if full {
		out += "and there is still more\n"
	}
	return strings.TrimRight(out, "\n")
}

// addAlone takes element i without the text before it.
func (s *selection) addAlone(i int) bool {
	take := s.take[i]
	if take == nil {
		s.take[i] = []bool{}
	}
	ok := s.add(i, s.room)
	s.take[i] = take
	return ok
}

// takeLine takes a line of the text before element i, if there is room.
func (s *selection) takeLine(i, n int) bool {
	cost := Tokens(escape.Replace(s.texts[i][n])) + Tokens(separator) + 1
	if s.take[i] == nil {
		cost += textLine
	}
	switch {
	case s.take[i] != nil && s.take[i][n]:
		return true
	case cost > s.room:
		return false
	case s.take[i] == nil:
		s.take[i] = make([]bool, len(s.texts[i]))
	}
	s.take[i][n] = true
	s.room -= cost
	return true
}
