package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// Find renders the places of a page that have a text: elements by what is written on
// them, their value or options, and lines of text, each with what stands beside it. All
// words of the text have to be there, in any order; case does not matter. Where no
// place has them, those are shown that have them together with their row, group or the
// lines around them, and then those that have them as parts of words. It keeps within
// a quarter of the budget.
func Find(p page.Page, v View, text string) string {
	s := newSelection(p, View{Task: text, Before: v.Before})
	wanted := distinct(words(text))
	room := max(v.budget()/4, MinTokens/2) - fixed
	for _, look := range []finder{
		{all: hasWords, own: true},
		{all: hasWords},
		{all: hasParts},
	} {
		s.clear(room)
		s.rows = !look.own
		places, fits := s.find(look, wanted)
		head := headPlaces(p, look, wanted)
		if places+len(head) == 0 {
			continue
		}
		var r Rendering
		s.omitted = maxOmissions // what is not found is not left out
		body := strings.Join(head, "") + s.write(&r)
		out := fmt.Sprintf("find %s: %s\n%s", quote(text, maxName), plural(places+len(head), "place"), body)
		if !fits || s.room < leastLine {
			out += "more places have it than are shown\n"
		}
		return strings.TrimRight(out, "\n")
	}
	none := fmt.Sprintf("find %s: nothing on this page has it", quote(text, maxName))
	if len(p.Scrollable) > 0 {
		none += ", as far as it is loaded: more may come when it is scrolled"
	}
	return none
}

// finder is a way of comparing texts with the words that are looked for. own: only what
// one line or element says itself counts.
type finder struct {
	all func(texts, wanted []string) bool
	own bool
}

// find takes the places that have the words, and returns how many there are and whether
// there was room for all elements among them.
func (s *selection) find(look finder, wanted []string) (places int, fits bool) {
	fits = true
	for i := range s.texts {
		here := s.findText(look, i, wanted)
		if i < len(s.list) && look.all(s.textsOf(i, look.own), wanted) {
			here++
			fits = (s.shown[i] || s.add(i, s.room)) && fits
		}
		places += here
	}
	return places, fits
}

// headPlaces returns the lines of title, messages and headings that have the words and
// stand nowhere else.
func headPlaces(p page.Page, look finder, wanted []string) (out []string) {
	if look.own {
		return nil
	}
	add := func(key, text string, limit int) {
		if look.all([]string{text}, wanted) && len(out) < maxAlerts {
			out = append(out, key+": "+Clip(text, limit)+"\n")
		}
	}
	add("title", p.Title, maxTitle)
	for _, a := range p.Alerts {
		add(fmt.Sprintf("message (%s)", a.Kind), a.Text, maxAlert)
	}
	for _, h := range p.Headings {
		add("heading", h, maxHeading)
	}
	return out
}

// findText takes the lines before element i that have the words, with their neighbours
// and the elements beside them, and returns how many there are.
func (s *selection) findText(look finder, i int, wanted []string) (places int) {
	lines := s.texts[i]
	found := linesWith(look, lines, wanted)
	if len(found) == 0 {
		return 0
	}
	for _, n := range found {
		places++
		for _, m := range [...]int{n, n + 1, n - 1} {
			if m >= 0 && m < len(lines) {
				s.takeLine(i, m)
			}
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
	return places
}

// linesWith returns the lines that have all the words, or, unless a line has to have
// them itself, of lines that have them together those with any.
func linesWith(look finder, lines, wanted []string) (found []int) {
	for n, l := range lines {
		if look.all([]string{l}, wanted) {
			found = append(found, n)
		}
	}
	if len(found) > 0 || look.own || !look.all(lines, wanted) {
		return found
	}
	for n, l := range lines {
		if slices.ContainsFunc(wanted, func(w string) bool { return look.all([]string{l}, []string{w}) }) {
			found = append(found, n)
		}
	}
	return found
}

// textsOf are the texts by which element i is found: its own, or also those it is shown
// with.
func (s *selection) textsOf(i int, own bool) []string {
	e := s.list[i]
	out := []string{e.Name, e.Placeholder, e.Caption, e.Hint}
	if !s.placed || !own {
		out = append(out, e.Row, e.Group)
	}
	if !own {
		out = append(out, e.Column, e.Href)
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

// hasParts reports whether the texts have all the words, be it inside others.
func hasParts(texts, wanted []string) bool {
	has := func(w string) bool {
		return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(strings.ToLower(page.Clean(t)), w) })
	}
	return len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return !has(w) })
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

// beside is how many elements after a line are shown with it.
const beside = 3
