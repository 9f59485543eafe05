package instruction

import (
	"strings"
	"unicode/utf8"
)

// maxRead is how many bytes of a query are read; the rest is a hole.
const maxRead = 8 << 10

// Read reads a query. It knows the languages of the package's files, and reads a query
// in the one most of whose words it knows.
func Read(query string) Program { return languageOf(query[:min(len(query), maxRead)]).read(query) }

func (g *grammar) read(query string) Program {
	read, rest := query, ""
	if len(query) > maxRead {
		end := maxRead
		for end > 0 && !utf8.RuneStart(query[end]) {
			end--
		}
		if space := strings.LastIndexAny(query[:end], " \n\t"); space > end/2 {
			end = space
		}
		read, rest = query[:end], query[end:]
	}
	p := Program{Query: query, Language: g.language}
	r := &reader{g: g, p: &p, all: (&span{g: g, query: query, t: g.cut(read)})}
	r.all = r.all.sub(0, len(r.all.t))
	r.clauses()
	for i, t := range r.all.t {
		switch {
		case !t.mark:
			p.Words = append(p.Words, Word{t.from, t.to, r.all.use[i]})
		case t.low == markOf: // of the word before
			p.Words[len(p.Words)-1].To = t.to
		}
	}
	if strings.TrimSpace(rest) != "" {
		p.Words = append(p.Words, Word{len(read), len(query), Unread})
		p.Steps = append(p.Steps, Step{Holes: []Hole{{NoAct, rest, len(read), len(query)}}})
	}
	return p
}

func languageOf(s string) *grammar {
	best, most := grammars[0], -1
	if len(grammars) == 1 {
		return best
	}
	words := strings.Fields(strings.ToLower(s))
	for _, g := range grammars {
		known := 0
		for _, w := range words {
			if g.has(w) {
				known++
			}
		}
		if known > most {
			best, most = g, known
		}
	}
	return best
}

// reader cuts a query into clauses.
type reader struct {
	g    *grammar
	p    *Program
	all  *span
	when Condition // said before the clauses it holds for
}

// clauses reads the clauses one by one: sentences, lines, and what "then" divides, or
// "and" and a comma where a verb follows.
func (r *reader) clauses() {
	s := r.all
	n := len(s.t)
	for from := 0; from < n; {
		from = r.begin(from)
		end := from
		for end < n && r.breaks(from, end) == 0 {
			end++
		}
		if end > from {
			r.clause(from, end)
		}
		if end < n {
			after := end + r.breaks(from, end)
			for k := end; k < after; k++ {
				if t := s.t[k]; !t.mark {
					s.use[k] = Joint
				} else if t.low == markEnd {
					r.when = Condition{}
				}
			}
			if _, ok := s.at(after-1, "then"); ok {
				r.when = Condition{}
			}
			end = after
		}
		from = end
	}
}

// begin reads past what numbers a line.
func (r *reader) begin(i int) int {
	s := r.all
	lineBegins := i == 0 || s.t[i-1].mark && s.t[i-1].low == markEnd
	for i < len(s.t) && s.t[i].mark {
		i++
	}
	if p, ok := s.at(i, "opening"); ok && i+len(p.words) < len(s.t) && s.t[i+len(p.words)].low == markComma {
		return s.as(i, len(p.words), Small) + 1
	}
	if !lineBegins || i+1 >= len(s.t) || s.t[i].quoted {
		return i
	}
	next := s.t[i+1]
	if _, ok := s.at(i, "bullet"); ok {
		return s.as(i, 1, Small)
	}
	if s.t[i].form == Number && next.mark && (next.low == markEnd || next.low == markColon) && next.from == s.t[i].to {
		return s.as(i, 1, Small) + 1
	}
	if s.t[i].form == Number && s.followed(")", i) {
		return s.as(i, 1, Small)
	}
	return i
}

// followed reports whether a text stands right behind a token.
func (s *span) followed(text string, i int) bool { return strings.HasPrefix(s.query[s.t[i].to:], text) }

// breaks returns how many tokens at k end the clause that began at from: 0 if it goes
// on.
func (r *reader) breaks(from, k int) int {
	s := r.all
	t := s.t[k]
	if t.mark && t.low == markEnd {
		return 1
	}
	if p, ok := s.at(k, "then"); ok && k > from && (!t.capital || s.t[k-1].mark) {
		return len(p.words)
	}
	if n := r.numbered(k); n > 0 && k > from {
		return n
	}
	after := s.sub(k, min(len(s.t), k+8)) // a look at what follows
	i := after.joint(0, len(after.t))
	if p, ok := s.at(k+i, "then"); ok && i > 0 {
		return i + len(p.words)
	}
	_, conditional := s.at(from, "condition")
	_, placed := s.at(from, "relation")
	if (conditional || placed) && t.mark && t.low == markComma {
		return max(i, 1)
	}
	purpose, ok := s.at(k+i, "purpose")
	verb, _ := s.at(from, "verb")
	if ok && (i > 0 || act(verb.value) == Using) && k+i > from+1 {
		i += len(purpose.words)
	}
	if i == 0 || k == from || k+i >= len(s.t) || r.onlyVerb(from, k) {
		return 0
	}
	if r.verbBegins(k + i) {
		return i
	}
	return 0
}

// numbered returns how long the number of a list is that goes on in the same line:
// "1. Open the menu 2. Choose Copy".
func (r *reader) numbered(k int) int {
	s := r.all
	if k+2 >= len(s.t) || s.t[k].quoted || s.t[k].form != Number || !s.verbAt(k+2) {
		return 0
	}
	if next := s.t[k+1]; !next.mark || next.low != markEnd || next.from != s.t[k].to {
		return 0
	}
	return 2
}

// onlyVerb reports whether a clause has a verb yet and nothing it is about: the verb
// behind "and" then shares what follows.
func (r *reader) onlyVerb(from, k int) bool {
	if k-from > longestText {
		return false
	}
	look := r.all.sub(from, k)
	i := look.skip(0, len(look.t), Small, "courtesy", "then")
	p, ok := look.at(i, "verb")
	if !ok || i+len(p.words) != len(look.t) {
		return false
	}
	if _, ok := look.at(i, "shares"); ok {
		return true
	}
	for _, f := range r.g.frames[p.value] {
		if len(f) == 0 {
			return false // a verb that stands alone: submit
		}
	}
	return true
}

// verbBegins reports whether a clause begins at a token. A capital in a sentence is
// that of a name, unless what follows is no part of one.
func (r *reader) verbBegins(i int) bool {
	s := r.all
	if p, ok := s.at(i, "courtesy"); ok {
		i += len(p.words)
	}
	p, ok := s.at(i, "verb")
	if !ok {
		_, ok = s.at(i, "condition")
		_, article := s.at(i+1, "article")
		return i < len(s.t) && !s.t[i].capital && (ok || article && !s.t[i-1].mark && s.strangeVerb(i))
	}
	if !s.t[i].capital {
		return true
	}
	next := i + len(p.words)
	if next >= len(s.t) {
		return false
	}
	_, article := s.at(next, "article", "quantity")
	return s.t[next].quoted || article && !s.t[next].capital || len(p.words) > 1 && !s.t[next-1].capital
}

func (r *reader) clause(from, end int) {
	s := r.all.sub(from, end)
	var steps []Step
	if _, ok := s.at(0, "condition"); ok {
		r.when = s.condition(0, len(s.t))
		if end == len(r.all.t) || r.all.t[end].low == markEnd { // nothing it would be about
			steps = []Step{{When: r.when}}
		} else if s.unread() > 0 {
			steps = []Step{{When: r.when}}
		}
	} else if place, next := s.placed(); next > 0 {
		steps = []Step{{Act: Using, Target: place}}
		s.missing(next, len(s.t), NoTarget)
	} else {
		steps = s.clause(0)
		for i := range steps {
			if steps[i].When.Word == "" {
				steps[i].When = r.when
			}
		}
	}
	r.all.adopt(from, s)
	if len(steps) == 1 && steps[0].Act == Unknown && steps[0].When.Word == "" && s.unread() == 0 {
		return // courtesies
	}
	if len(steps) > 0 {
		last := &steps[len(steps)-1]
		last.Holes = s.holes()
		if last.How != nil { // its words are in this clause, and its holes are its own
			last.Holes = without(last.Holes, last.How.Holes)
		}
	}
	r.p.Steps = append(r.p.Steps, steps...)
}

func without(all, other []Hole) (out []Hole) {
	for _, h := range all {
		inside := false
		for _, o := range other {
			inside = inside || h.From >= o.From && h.To <= o.To
		}
		if !inside {
			out = append(out, h)
		}
	}
	return out
}

// placed reads a clause that only says where: "In the dialog, …".
func (s *span) placed() (Reference, int) {
	p, ok := s.at(0, "relation")
	if !ok {
		return Reference{}, 0
	}
	ref, next := s.reference(len(p.words), len(s.t), 0)
	if ref.IsZero() {
		return ref, 0
	}
	s.as(0, len(p.words), Joint)
	return Reference{Where: []Relation{{Is: p.value, To: ref}}}, next
}
