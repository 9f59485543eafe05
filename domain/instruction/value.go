package instruction

import "strings"

// value reads what is put somewhere from all tokens from i to j. Strict values are
// bounded by nothing but the end of the clause: without quotes they are few words and
// no preposition.
func (s *span) value(i, j int, strict bool) (v Value) {
	for k := i + 1; k < j; k++ {
		if p, ok := s.at(k, "case"); ok && k+len(p.words) == j {
			v.Case = p.value
			s.as(k, len(p.words), Modifier)
			j = k
		}
	}
	from := i
	for from < j {
		p, ok := s.at(from, "article")
		if !ok || s.t[from].capital && from > i {
			break
		}
		from += len(p.words)
	}
	switch {
	case from >= j:
	case s.read(from, j, &v), s.labelled(from, j, &v), s.fitting(from, j, &v):
		s.as(i, from-i, Small)
	case from == i || s.oneLiteral(from, j):
		if s.bare(from, j, strict, &v) {
			s.as(i, from-i, Small)
		}
	}
	return v
}

// read reads a value that stands on the page: "the value of Last name", "the number
// beside Total", "the text below".
func (s *span) read(i, j int, v *Value) bool {
	p, ok := s.at(i, "read")
	if !ok {
		return false
	}
	end := i + len(p.words)
	if q, ok := s.at(end, "relation", "place"); p.value != "count" && (!ok || q.value == "with" || end+len(q.words) > j) {
		return false
	}
	from, next := s.reference(end, j, 0)
	if from.IsZero() || next == end {
		return false
	}
	if w := from.Where; len(w) == 1 && w[0].Is == "of" && from.Kind == "" && from.Name.Text == "" {
		from = w[0].To
	}
	s.as(i, len(p.words), Given)
	v.Read, v.From = p.value, &from
	return true
}

// fitting reads a value that is described: "an item that starts with An".
func (s *span) fitting(i, j int, v *Value) bool {
	described := false
	for k := i; k < j && !described; k++ {
		_, described = s.at(k, "attribute-with")
	}
	if !described {
		return false
	}
	try := s.sub(i, j)
	from, next := try.reference(0, j-i, 0)
	if next != j-i || len(from.With) == 0 || from.Name.Text != "" {
		return false
	}
	s.adopt(i, try)
	v.Read, v.From = "fitting", &from
	return true
}

// labelled reads a value and what the query calls it: the password "k9".
func (s *span) labelled(i, j int, v *Value) bool {
	at := j - 1
	if !s.t[at].literal() || !s.t[at].quoted && j-i > 3 { // then a label has to be one that is known, or end with a colon
		at = s.label(i, j)
		if at == i || at >= j || !s.bare(at, j, true, v) {
			return false
		}
	}
	if at == i || at-i > longestName || s.t[i].mark {
		return false
	}
	for k := i; k < at; k++ {
		if s.t[k].mark && s.t[k].low != markColon {
			return false
		}
		if _, ok := s.at(k, "joint", "stop", "or", "relation", "relation-list", "place"); ok || s.t[k].digits {
			return false
		}
		if _, ok := s.at(k, "kind"); ok { // "option 3" is an option, unless people call values so
			if _, ok = s.at(k, "field", "generic"); !ok {
				return false
			}
		}
	}
	v.Literal = s.literal(at, max(at+1, s.end(at, j)))
	s.as(at, s.end(at, j)-at, Given)
	last := at
	for s.t[last-1].mark {
		last--
	}
	if p, ok := s.at(i, "generic"); ok && len(p.words) == last-i {
		s.as(i, last-i, Small)
		return true
	}
	v.Label = s.verbatim(i, last)
	s.as(i, last-i, Noun)
	return true
}

// label returns where the value behind a label begins.
func (s *span) label(i, j int) int {
	for k := i; k < j && k-i < 5; k++ {
		if s.t[k].mark {
			if s.t[k].low == markColon && k > i {
				return k + 1
			}
			break
		}
		if _, ok := s.at(k, "relation", "relation-list", "joint", "or", "stop"); ok {
			break // it is more than a label
		}
	}
	if p, ok := s.at(i, "field", "generic"); ok {
		return i + len(p.words)
	}
	return i
}

// literal reports whether a token is a value by its looks.
func (t token) literal() bool {
	return !t.mark && (t.quoted || t.form != Text || strings.HasPrefix(t.low, "[") || strings.HasPrefix(t.low, "#"))
}

// end is where the value that begins at i ends: with its quotation, or with the part.
func (s *span) end(i, j int) int {
	if s.t[i].quoted {
		return i + 1
	}
	return j
}

func (s *span) oneLiteral(i, j int) bool { return j == i+1 && (s.t[i].quoted || s.t[i].form != Text) }

// bare reads a value that is all there is.
func (s *span) bare(i, j int, strict bool, v *Value) bool {
	most := longestText
	if strict {
		most = 5
	}
	if j <= i || j-i > most {
		return false
	}
	for k := i; k < j; k++ {
		t := s.t[k]
		if t.mark && (strict || t.low != markOf && t.low != markComma) || t.quoted && j > i+1 {
			return false
		}
		classes := []string{"stop"}
		if strict {
			classes = []string{"stop", "relation", "relation-list", "place", "joint", "or", "kind", "relative", "except", "quantity", "article"}
		}
		if _, ok := s.at(k, classes...); ok && !t.capital {
			return false
		}
		if p, ok := s.at(k, "kind"); ok && p.value == It && j == i+1 {
			return false
		}
	}
	v.Literal = s.literal(i, j)
	s.as(i, j-i, Given)
	return true
}

// key reads a key, or keys held together: "the Enter key", Ctrl+A.
func (s *span) key(i, j int) (v Value) {
	k := i
	if p, ok := s.at(k, "article"); ok {
		k += len(p.words)
	}
	p, known := s.at(k, "key")
	n := len(p.words)
	if !known && k < j && strings.Contains(s.t[k].low, "+") {
		known, n = true, 1
		for name := range strings.SplitSeq(s.t[k].low, "+") {
			known = known && (len(name) == 1 || s.g.is(name, "key") || s.g.is(name, "held"))
		}
	}
	word, behind := s.at(k+n, "key-word")
	switch {
	case behind && k+n+len(word.words) == j && (known || n == 0):
		if n == 0 && k+1 > j {
			return v
		}
	case !known || k+n != j || p.value == "only-named":
		return v
	}
	if n == 0 {
		return v
	}
	s.as(i, k-i, Small)
	s.as(k, n, Given)
	s.as(k+n, j-k-n, Small)
	v.Literal = Literal{Text: s.verbatim(k, k+n)}
	return v
}
