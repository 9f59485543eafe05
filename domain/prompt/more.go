package prompt

import (
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Find renders the places of a page that have a text: elements by what is written on
// them, their value, options, row or group, and lines of text, each with what stands
// beside it. All words of the text have to be there, in any order; case does not
// matter. It keeps within a quarter of the budget.
func Find(p page.Page, v View, text string) string {
	s := newSelection(p, View{Task: text, Before: v.Before})
	s.room = max(v.budget()/4, MinTokens/2) - fixed
	wanted := distinct(words(text))
	places := 0
	fits := true
	for i := range s.texts {
		here := s.findText(i, wanted)
		if i < len(s.list) && hasWords(s.textsOf(i), wanted) {
			here++
			fits = (s.shown[i] || s.add(i, s.room)) && fits
		}
		places += here
	}
	if places == 0 {
		none := fmt.Sprintf("find %s: nothing on this page has it", quote(text, maxName))
		if len(p.Scrollable) > 0 {
			none += ", as far as it is loaded: more may come when it is scrolled"
		}
		return none
	}
	var r Rendering
	s.omitted = maxOmissions // what is not found is not left out
	body := s.write(&r)
	out := fmt.Sprintf("find %s: %s\n%s", quote(text, maxName), plural(places, "place"), body)
	if !fits || s.room < leastLine {
		out += "more places have it than are shown\n"
	}
	return strings.TrimRight(out, "\n")
}

// findText takes the lines before element i that have the words, with their neighbours
// and the elements beside them, and returns how many there are.
func (s *selection) findText(i int, wanted []string) (places int) {
	lines := s.texts[i]
	for n, l := range lines {
		if !hasWords([]string{l}, wanted) {
			continue
		}
		places++
		for _, m := range [...]int{n, n + 1, n - 1} {
			if m >= 0 && m < len(lines) {
				s.takeLine(i, m)
			}
		}
		if i == len(s.list) && i > 0 && !s.shown[i-1] {
			s.add(i-1, s.room)
		}
		for e := i; e < min(i+beside, len(s.list)) && s.list[e].Group == s.list[i].Group; e++ {
			if !s.shown[e] {
				s.add(e, s.room)
			}
		}
	}
	return places
}

// beside is how many elements after a line are shown with it.
const beside = 3

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

// textsOf are the texts by which element i is found. Its row and group are, if they are
// not found as texts of the page.
func (s *selection) textsOf(i int) []string {
	e := s.list[i]
	out := []string{e.Name, e.Placeholder, e.Caption, e.Hint}
	if !s.placed {
		out = append(out, e.Row, e.Group)
	}
	if !e.State.Secret {
		out = append(out, e.Value)
	}
	for _, o := range e.Options {
		out = append(out, optionText(o))
	}
	return out
}

// hasWords reports whether the texts have all the words.
func hasWords(texts, wanted []string) bool {
	if len(wanted) == 0 {
		return false
	}
	missing := map[string]bool{}
	for _, w := range wanted {
		missing[w] = true
	}
	for _, t := range texts {
		for _, w := range words(t) {
			delete(missing, w)
		}
		if len(missing) == 0 {
			return true
		}
	}
	return false
}

func distinct(list []string) (out []string) {
	seen := map[string]bool{}
	for _, s := range list {
		if !seen[s] && len(out) < maxWords {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

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
