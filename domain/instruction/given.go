package instruction

import (
	"slices"
	"strings"
)

// mostGroups is how many groups of values a clause gives, and mostTried how many words
// in it are looked at that could lead to one: more is no clause a person writes.
const (
	mostGroups = 3
	mostTried  = 4
)

// giving reads a clause that gives values with its verb: "with the reason "flu" and
// date 5/6/2026". They are cut out, and the rest is read by the frames of the verb; nil
// if there are none.
func (s *span) giving(i int, verb phrase, groups int) *reading {
	from := i + len(verb.words)
	if !s.g.gives[verb.value] || groups == mostGroups {
		return nil
	}
	end := s.ends(from)
	list, read, begin, next := s.given(from, end, verb.value)
	if len(list) == 0 {
		return nil
	}
	rest := s.without(i, begin, next, end)
	r := rest.giving(0, verb, groups+1)
	if r == nil || r.unread() > 0 {
		r = better(r, rest.framed(0, verb))
	}
	if r == nil {
		return nil
	}
	whole := &reading{span: s.sub(i, len(s.t)), steps: r.steps}
	whole.adopt(begin-i, read)
	whole.adopt(0, r.part(0, begin-i))
	whole.adopt(next-i, r.part(len(r.t)-(len(s.t)-next), len(r.t)))
	for k := range whole.steps {
		whole.steps[k].With = append(list[:len(list):len(list)], whole.steps[k].With...)
	}
	return whole
}

// without is the tokens from i on without those from begin to before next. A mark stands
// for them if there are more before the end, so that no name goes across.
func (s *span) without(i, begin, next, end int) *span {
	t := append([]token(nil), s.t[i:begin]...)
	if next < end {
		at := s.t[next].from
		t = append(t, token{from: at, to: at, low: markCut, mark: true})
	}
	t = append(t, s.t[next:]...)
	return (&span{g: s.g, query: s.query, t: t}).sub(0, len(t))
}

// part is what was read of the tokens from i to j.
func (s *span) part(i, j int) *span {
	return &span{g: s.g, query: s.query, t: s.t[i:j], use: s.use[i:j], of: s.of[i:j]}
}

// given finds the first group of values, and returns it, how its words are read, and
// where it stands.
func (s *span) given(from, end int, section string) (list []Value, read *span, begin, next int) {
	tried, quoted := 0, false
	for k := from; k < end && tried < mostTried; k++ {
		how, words := s.leads(k, end, section)
		quoted = quoted || s.t[k].quoted
		if how == "" || how == markComma && quoted { // "cards "A", "B"": a list of things
			continue
		}
		tried++
		group := s.sub(k, end)
		begin := 0
		switch how {
		case "relation":
			list, next = group.led()
		case "named":
			begin = 1
			if at := group.joint(1, end-k); at > 1 {
				list, next = group.items(at, section, true)
			}
		case markComma:
			if s.quotedIn(k, min(end, k+longestName)) {
				list, next = group.items(1, section, false)
			}
		case "gives":
			list, next = group.items(group.as(0, words, Joint), section, false)
		}
		if len(list) > 0 {
			return list, group.part(begin, next), k + begin, k + next
		}
	}
	return nil, nil, 0, 0
}

// quotedIn reports whether a quotation stands among some tokens.
func (s *span) quotedIn(i, j int) bool {
	return slices.ContainsFunc(s.t[i:j], func(t token) bool { return t.quoted })
}

// leads tells how the words at k lead to values: as a preposition with a colon, as the
// name of what there is more of, as a comma, as one of the words that give; "" if they
// do not.
func (s *span) leads(k, end int, section string) (how string, words int) {
	switch {
	case s.t[k].mark:
		if s.t[k].low == markComma && k+1 < end && !s.t[k+1].quoted && !s.small(k+1) {
			return markComma, 1
		}
		return "", 0
	case s.t[k].quoted:
		if s.namedBefore(k) {
			return "named", 1
		}
		return "", 0
	case s.t[k].capital:
		return "", 0
	}
	if p, ok := s.at(k, "relation"); ok && s.colon(k+len(p.words), end) {
		return "relation", len(p.words)
	}
	if _, ok := s.at(k, "named"); ok {
		return "", 0
	}
	if p, ok := s.at(k, "gives"); ok && p.value == section {
		return "gives", len(p.words)
	}
	return "", 0
}

func (s *span) colon(i, j int) bool { return i < j && s.t[i].mark && s.t[i].low == markColon }

// namedBefore reports whether "named" or the like stands right before a token.
func (s *span) namedBefore(i int) bool {
	for k := i - 1; k >= max(0, i-deepest); k-- {
		if p, ok := s.at(k, "named"); ok && k+len(p.words) == i {
			return true
		}
	}
	return false
}

// led reads values to each of which a preposition with a colon leads: "from: Oslo to:
// Bergen", and a date or the like behind one without: "on May 4".
func (s *span) led() (list []Value, next int) {
	n := len(s.t)
	for next < n {
		p, ok := s.at(next, "relation")
		begin := next + len(p.words)
		colon := ok && s.colon(begin, n)
		if colon {
			begin++
		}
		if !ok || begin >= n || s.t[begin].mark || !colon && s.t[begin].form == Text {
			break
		}
		end := begin + 1
		for colon && end < n && end-begin < longestName && !s.ledBehind(end) {
			end++
		}
		for s.t[end-1].mark {
			end--
		}
		s.as(next, len(p.words), Noun)
		s.as(begin, end-begin, Given)
		list = append(list, Value{Label: strings.Join(p.words, " "), Literal: s.literal(begin, end)})
		next = end
	}
	return list, next
}

// ledBehind reports whether a preposition stands at a token that leads to a value, or
// that no name goes on behind.
func (s *span) ledBehind(i int) bool {
	p, ok := s.at(i, "relation")
	if !ok || s.t[i].capital {
		return false
	}
	next := i + len(p.words)
	return s.colon(next, len(s.t)) || next < len(s.t) && !s.t[next].mark && s.t[next].form != Text
}

// items reads values with labels from i on, with commas and "and" between them. Of
// those that only a capital shows to be values, or whose label says nothing, there have
// to be several, or others before them.
func (s *span) items(i int, section string, others bool) (list []Value, next int) {
	doubtful := 0
	for next = i; i < len(s.t); {
		v, end, sure := s.item(i)
		if end == i && len(list) > 0 && s.t[i].quoted && s.bounded(i+1) { // "options "A" and "B""
			v, sure = Value{Label: list[len(list)-1].Label, Literal: s.literal(i, i+1)}, true
			end = s.as(i, 1, Given)
		}
		if end == i {
			break
		}
		if list = append(list, v); !sure {
			doubtful++
		}
		next = end
		if i = s.joint(end, len(s.t)); i == end {
			break
		}
		if p, ok := s.at(i, "gives"); ok && p.value == section {
			i = s.as(i, len(p.words), Joint)
		}
	}
	s.as(next, i-next, Unread)
	if doubtful > 0 && len(list) == 1 && !others {
		return nil, 0
	}
	return list, next
}

// item reads a value and its label: "lot number "A-1"", "the site set to Left", "weight
// 58 kg", ""Simple" format", ""Sound" enabled"; next is i if there is none. It is sure
// if more than a capital shows where the value begins.
func (s *span) item(i int) (v Value, next int, sure bool) {
	begin := s.skip(i, len(s.t), Small, "article")
	at := s.labelEnd(begin)
	switch {
	case begin < len(s.t) && (s.t[begin].quoted || s.t[begin].form == Number):
		v, next = s.reversed(begin)
		sure = s.t[begin].quoted
	case at > begin:
		v, next, sure = s.forward(begin, at)
	}
	if next == 0 || !s.bounded(next) {
		s.as(i, max(next, at)-i, Unread)
		return Value{}, i, false
	}
	return v, next, sure
}

// labelEnd is where the words of a label end that begins at i.
func (s *span) labelEnd(i int) int {
	k := i
	for k < len(s.t) && k-i < longestName && !s.t[k].mark && !s.t[k].literal() && !s.t[k].digits {
		if p, ok := s.at(k, "field", "kind"); ok && !s.t[k].capital {
			k += len(p.words)
			continue
		}
		if _, ok := s.at(k, "given-as", "stop", "joint", "or", "relation", "relation-list", "place", "gives", "named"); ok && !s.t[k].capital {
			break
		}
		if s.state(k) && k > i {
			break
		}
		k++
	}
	return min(k, len(s.t))
}

// state reports whether a value ends at a token that says how something is: enabled.
func (s *span) state(i int) bool {
	p, ok := s.at(i, "attribute")
	return ok && strings.HasPrefix(p.value, "state ") && s.bounded(i+len(p.words))
}

// bounded reports whether what is given may end before a token.
func (s *span) bounded(i int) bool {
	if i >= len(s.t) || s.t[i].mark {
		return true
	}
	_, ok := s.at(i, "joint", "relation", "relation-list", "place", "gives", "named", "relative", "courtesy")
	return ok
}

// reversed reads a value before its label, or the quoted name of what is so.
func (s *span) reversed(i int) (v Value, next int) {
	if s.t[i].quoted && s.state(i+1) {
		p, _ := s.at(i+1, "attribute")
		s.as(i, 1, Noun)
		return Value{Label: s.t[i].text, Literal: Literal{Text: s.verbatim(i+1, i+1+len(p.words))}}, s.as(i+1, len(p.words), Given)
	}
	end := s.labelEnd(i + 1)
	if end == i+1 {
		return v, 0
	}
	v = Value{Label: s.verbatim(i+1, end), Literal: s.literal(i, i+1)}
	s.as(i, 1, Given)
	return v, s.as(i+1, end-i-1, Noun)
}

// forward reads a value behind the label from i to before at.
func (s *span) forward(i, at int) (v Value, next int, sure bool) {
	label := at
	if s.state(at) {
		p, _ := s.at(at, "attribute")
		v.Literal = Literal{Text: s.verbatim(at, at+len(p.words))}
		next, sure = s.as(at, len(p.words), Given), true
	} else {
		from := at
		if p, ok := s.at(at, "given-as"); ok {
			from += len(p.words)
		} else if s.colon(at, len(s.t)) {
			from++
		} else if at == len(s.t) || !s.t[at].literal() && !s.t[at].digits {
			from = s.shown(i, at)
			label = from
		}
		sure = from > at || label == at || s.isField(i, label)
		s.as(at, max(from-at, 0), Joint)
		if next = s.literalEnd(from); from >= len(s.t) || next == from || label == i {
			return v, 0, false
		}
		v.Literal = s.literal(from, next)
		s.as(from, next-from, Given)
		if p, ok := s.at(next, "unit"); ok && s.t[next-1].digits {
			v.Unit = p.value
			next = s.as(next, len(p.words), Modifier)
		}
	}
	if _, ok := s.at(i, "generic"); ok && label == i+1 {
		sure = false // "the text": which field it is for is not said, but beside others it is one
	}
	v.Label = s.verbatim(i, s.withoutKind(i, label))
	s.as(i, label-i, Noun)
	return v, next, sure
}

// withoutKind is where a label ends without the kind of its control: "the City field".
func (s *span) withoutKind(i, j int) int {
	for k := j - 1; k > i && k >= j-3; k-- {
		if p, ok := s.at(k, "kind"); ok && k+len(p.words) == j && (p.value == "field" || strings.HasSuffix(p.value, "-field")) {
			return k
		}
	}
	return j
}

func (s *span) isField(i, j int) bool {
	p, ok := s.at(i, "field")
	return ok && i+len(p.words) == j
}

// shown is where a value begins that its looks show: behind a known field, or at the
// first capital behind a word without.
func (s *span) shown(i, at int) int {
	if p, ok := s.at(i, "field"); ok && i+len(p.words) < at {
		return i + len(p.words)
	}
	for k := i + 1; k < at; k++ {
		if s.t[k].capital && !s.t[k-1].capital {
			return k
		}
	}
	return i
}

// literalEnd is where a value ends that begins at i: a literal, or a few words.
func (s *span) literalEnd(i int) int {
	if i >= len(s.t) || s.t[i].mark {
		return i
	}
	if s.t[i].literal() || s.t[i].digits {
		return i + 1
	}
	k := i
	for k < len(s.t) && k-i < longestName {
		if _, ok := s.at(k, "stop", "article"); ok && !s.t[k].capital {
			return i
		}
		if s.bounded(k) && !s.t[k].capital {
			break
		}
		k++
	}
	return k
}
