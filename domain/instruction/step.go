package instruction

import (
	"slices"
	"strings"
)

// reading is a way to read a clause: its steps, and the words it leaves.
type reading struct {
	*span
	steps []Step
}

// better is the reading that leaves fewer words; the first of equals.
func better(a, b *reading) *reading {
	if a == nil || b != nil && b.unread() < a.unread() {
		return b
	}
	return a
}

// clause reads one imperative clause. How and when it is to be done stands at its end.
func (s *span) clause(depth int) []Step {
	var when Condition
	var how *Step
	end := len(s.t)
	tried := depth > 0
	for k := 1; k < end; k++ {
		if _, ok := s.at(k, "condition"); ok && !s.t[k].capital {
			when = s.condition(k, end)
			end = k
			break
		}
		if p, ok := s.at(k, "way"); ok && !tried && s.verbAt(k+len(p.words)) {
			tried = true
			way := s.sub(k+len(p.words), end)
			if steps := way.clause(depth + 1); len(steps) == 1 && steps[0].Act != Unknown {
				how = &steps[0]
				s.as(k, len(p.words), Joint)
				s.adopt(k+len(p.words), way)
				how.Holes = way.holes()
				end = k
				break
			}
		}
	}
	main := s.sub(0, end)
	steps := main.imperative()
	s.adopt(0, main)
	for i := range steps {
		steps[i].When, steps[i].How = when, how
	}
	if len(steps) == 0 {
		s.missing(0, end, NoAct)
		steps = []Step{{When: when, How: how}}
	}
	return steps
}

func (s *span) verbAt(i int) bool {
	_, ok := s.at(i, "verb")
	return ok
}

// imperative reads a verb and what it is about; nil if it is not understood.
func (s *span) imperative() []Step {
	begin := s.skip(0, len(s.t), Small, "courtesy", "then")
	begin = s.skip(begin, len(s.t), Small, "courtesy")
	var chain []Act // "find and click": the acts before the last
	var said []string
	i := begin
	for {
		var best *reading
		for _, p := range s.g.verbs(s.t[i:]) {
			best = better(best, s.behind(i, p))
		}
		if best != nil && (best.unread() == 0 || !s.chained(i)) {
			s.adopt(i, best.span)
			for k := len(chain) - 1; k >= 0; k-- {
				first := best.steps[0]
				step := Step{Act: chain[k], Verb: said[k], Target: first.Target}
				if step.Act == Command && first.Act == Command { // what is given is given at once
					step.Place, step.With, best.steps[0].With = first.Place, first.With, nil
				}
				best.steps = slices.Insert(best.steps, 0, step)
			}
			return best.steps
		}
		p, next := s.chain(i)
		if next == i || len(chain) == deepest {
			s.as(begin, i-begin, Unread)
			return s.strange(begin)
		}
		chain, said = append(chain, act(p.value)), append(said, strings.Join(p.words, " "))
		s.as(i, len(p.words), Verb)
		s.as(i+len(p.words), next-i-len(p.words), Joint)
		i = next
	}
}

func (s *span) chained(i int) bool {
	_, next := s.chain(i)
	return next != i
}

// chain reads a verb that shares what it is about with the verb behind it.
func (s *span) chain(i int) (phrase, int) {
	p, ok := s.at(i, "verb")
	if !ok {
		return p, i
	}
	end := i + len(p.words)
	q, ok := s.at(end, "joint")
	if !ok || !s.verbAt(end+len(q.words)) {
		return p, i
	}
	return p, end + len(q.words)
}

// verbs are the verbs a text may begin with: one for each act, its longest.
func (g *grammar) verbs(t []token) (out []phrase) {
	if len(t) == 0 || t[0].mark || t[0].quoted {
		return nil
	}
	for _, p := range g.phrases[t[0].low] {
		if p.class == "verb" && p.begins(t) && !slices.ContainsFunc(out, func(o phrase) bool { return o.value == p.value }) {
			out = append(out, p)
		}
	}
	return out
}

// behind reads what stands behind a verb: the values given with it, and the rest by the
// frames of its act.
func (s *span) behind(i int, verb phrase) *reading {
	best := s.giving(i, verb, 0)
	if best != nil && best.unread() == 0 {
		return best
	}
	return better(best, s.framed(i, verb))
}

// framed reads what stands behind a verb by the frames of its act.
func (s *span) framed(i int, verb phrase) *reading {
	var best *reading
	from := i + len(verb.words)
	base := Step{Act: act(verb.value), Verb: strings.Join(verb.words, " ")}
	end := s.ends(from)
	if each := s.each(i, from, end, verb.value, base); each != nil {
		return each
	}
	for _, f := range s.g.frames[verb.value] {
		best = better(best, s.frame(i, from, end, f, base))
		if best != nil && best.unread() == 0 {
			return best
		}
	}
	return best
}

// ends is where what a clause says ends: before its last marks and courtesies.
func (s *span) ends(from int) int {
	end := len(s.t)
	for end > from && s.t[end-1].mark {
		end--
	}
	return end - s.g.trailing(s.t[from:end])
}

// trailing is how many of the last tokens are courtesies: "please", "when done".
func (g *grammar) trailing(t []token) int {
	for k := max(0, len(t)-5); k < len(t); k++ {
		if p, ok := g.at(t[k:], "courtesy"); ok && k+len(p.words) == len(t) {
			return len(p.words)
		}
	}
	return 0
}

// frame reads what stands behind a verb, up to end, by one frame; nil if it does not
// fit. The reading begins with the verb, and ends with the clause.
func (s *span) frame(verb, from, end int, f frame, base Step) *reading {
	var best *reading
	for _, last := range []bool{false, true} {
		r := &reading{span: s.sub(verb, len(s.t))}
		r.as(0, from-verb, Verb)
		r.skip(end-verb, len(r.t), Small, "courtesy")
		slots, ok := r.slots(f, from-verb, end-verb, last)
		if ok && r.fill(slots, base) {
			best = better(best, r)
		}
		if ok = len(f) > 2; !ok {
			break // no words in it that may stand twice
		}
	}
	return best
}

// slot is a part of a clause that a slot of the frame takes.
type slot struct {
	part
	from, to int
	led      string // the words of the frame before it
}

// slots finds the frame's own words, their first or last place, and what stands
// between them.
func (r *reading) slots(f frame, i, j int, last bool) (out []slot, ok bool) {
	led := ""
	for k, p := range f {
		if p.slot == "" {
			n := r.own(p, i)
			if n == 0 {
				return nil, false
			}
			led = r.verbatim(i, i+n)
			i = r.as(i, n, Joint)
			continue
		}
		stop := j
		if k+1 < len(f) {
			if stop = r.find(f[k+1:], i+1, j, last); stop <= i {
				return nil, false
			}
		}
		if stop == i {
			return nil, false
		}
		out = append(out, slot{p, i, stop, led})
		i = stop
	}
	return out, len(f) > 0 || i == j || r.skip(i, j, Small, "courtesy") == j
}

// own returns how many tokens are the words of a part.
func (r *reading) own(p part, i int) int {
	for _, w := range p.words {
		if w == "(:)" && i < len(r.t) && r.t[i].mark && r.t[i].low == markColon {
			return 1
		}
		n := 0
		for word := range strings.SplitSeq(w, "_") {
			if i+n >= len(r.t) || r.t[i+n].mark || r.t[i+n].quoted || r.t[i+n].low != word {
				n = -1
				break
			}
			n++
		}
		if n > 0 {
			return n
		}
	}
	return 0
}

// find returns where the first part of what is left of a frame begins, or last does.
func (r *reading) find(f frame, i, j int, last bool) int {
	p, found := f[0], -1
	for k := i; k < j; k++ {
		if p.slot == slotWhere {
			if r.where(p, k) {
				if found = k; !last {
					break
				}
			}
		} else if p.slot != "" {
			if q, ok := r.at(k, strings.ToLower(p.slot)); ok && (k+len(q.words) == j || len(f) > 1 && r.own(f[1], k+len(q.words)) > 0) {
				return k
			}
		} else if n := r.closed(k); n > 0 {
			k += n - 1
		} else if r.own(p, k) > 0 {
			if found = k; !last {
				break
			}
		}
	}
	return found
}

// closed is how long a phrase is whose words are no words of a frame: the "in" of "in
// upper case" is its own, and the "with" of "with the title".
func (r *reading) closed(i int) int {
	if q, ok := r.at(i, "case"); ok {
		return len(q.words)
	}
	if q, ok := r.at(i, "named"); ok && len(q.words) > 1 && !r.g.is(q.words[len(q.words)-1], "generic") {
		return len(q.words)
	}
	return 0
}

// where reports whether a relation begins at a token that a slot takes.
func (r *reading) where(p part, i int) bool {
	q, ok := r.at(i, "relation", "place")
	return ok && !r.t[i].capital && (p.kinds == nil || slices.Contains(p.kinds, q.value))
}

// fill reads the slots, and makes a step of every value for every target.
func (r *reading) fill(slots []slot, base Step) bool {
	values, targets := []Value{{}}, []Reference{{}}
	for _, p := range slots {
		before := r.words(p.from, p.to)
		switch p.slot {
		case slotTarget, slotTargets, slotField:
			r.fields = p.slot == slotField
			list, end := r.references(p.from, p.to, 0, p.slot == slotTargets)
			r.fields = false
			if len(list) == 0 || !p.fits(list) {
				return false
			}
			r.missing(end, p.to, NoTarget)
			targets = list
			if len(list) > 1 && !list[0].Plural && list[0].Quantity == Both {
				targets[0].Quantity = "" // both of what is named
			}
		case slotWhere:
			where, end := r.reference(p.from, p.to, 0)
			if len(where.Where) == 0 || where.Kind != "" || where.Name.Text != "" {
				return false
			}
			r.missing(end, p.to, NoTarget)
			for k := range targets {
				targets[k].Where = append(slices.Clip(targets[k].Where), where.Where...)
			}
		case slotGiven:
			if p.to > p.from+1 || r.t[p.from].mark {
				return false
			}
			base.With = append(slices.Clip(base.With), Value{Label: p.led, Literal: r.literal(p.from, p.to)})
			r.as(p.from, 1, Given)
		case slotPlace:
			place, end := r.reference(p.from, p.to, 0)
			if place.IsZero() {
				return false
			}
			r.missing(end, p.to, NoPlace)
			base.Place = place
		default:
			if values = r.values(p); len(values) == 0 {
				return false
			}
			r.missing(p.from, p.to, NoValue)
		}
		if r.unreadIn(p.from, p.to) == before {
			return false
		}
	}
	if len(values) > 1 && len(targets) > 1 {
		return false // which goes where was not said
	}
	if base.Act == Command && values[0].Label != "" {
		if targets[0].IsZero() { // "log in with username joe": its form is there before it is done
			for _, v := range values {
				r.steps = append(r.steps, Step{Act: Enter, Verb: base.Verb, Value: v})
			}
		} else {
			base.With = values
		}
		values = []Value{{}}
	}
	for _, v := range values {
		for _, t := range targets {
			step := base
			step.Value, step.Target = v, t
			r.steps = append(r.steps, step)
		}
	}
	return true
}

func (r *reading) words(i, j int) int {
	n := 0
	for _, t := range r.t[i:j] {
		if !t.mark {
			n++
		}
	}
	return n
}

func (r *reading) unreadIn(i, j int) int {
	n := 0
	for k := i; k < j; k++ {
		if !r.t[k].mark && r.use[k] == Unread {
			n++
		}
	}
	return n
}

// fits reports whether the targets are of the kinds a frame asks for, or sure names.
func (p part) fits(list []Reference) bool {
	return p.kinds == nil || !slices.ContainsFunc(list, func(r Reference) bool {
		return !slices.Contains(p.kinds, r.Kind) && !r.Name.Quoted && (r.Kind != "" || !sure(r.Name))
	})
}

// sure reports whether a name without quotes is written like one.
func sure(n Literal) bool {
	return n.Text != "" && (n.Form != Text || n.Text != strings.ToLower(n.Text))
}

// values reads the values of a slot: several if each is quoted, or has a label.
func (r *reading) values(p slot) (out []Value) {
	switch p.slot {
	case slotKey:
		if v := r.key(p.from, p.to); !v.IsZero() {
			out = append(out, v)
		}
		return out
	case slotDirection, slotOrder:
		if q, ok := r.at(p.from, strings.ToLower(p.slot)); ok && p.from+len(q.words) == p.to && (p.kinds == nil || slices.Contains(p.kinds, q.value)) {
			out = append(out, Value{Literal: Literal{Text: q.value}})
			r.as(p.from, len(q.words), Given)
		}
		return out
	case slotQuoted:
		if !slices.ContainsFunc(r.t[p.from:p.to], func(t token) bool { return t.quoted }) {
			return nil
		}
	case slotOne, slotLiteral:
		if p.to == p.from+1 && !r.t[p.from].mark && (p.slot == slotOne || r.t[p.from].literal() || r.t[p.from].digits) {
			out = append(out, Value{Literal: r.literal(p.from, p.to)})
			r.as(p.from, 1, Given)
		}
		return out
	}
	if list := r.valueList(p); len(list) > 1 {
		return list
	}
	if v := r.value(p.from, p.to, p.slot == slotWords); v.Literal.Text != "" || v.From != nil || v.Literal.Quoted {
		return []Value{v}
	}
	return nil
}

// valueList reads several values, of which each is quoted, has a label, or is a number
// or the like; it leaves the words unread if they are no such list.
func (r *reading) valueList(p slot) (out []Value) {
	for i := p.from; i < p.to; {
		end := i
		for end < p.to && r.joint(end, p.to) == end {
			end++
		}
		v := r.value(i, end, true)
		if v.Literal.Text == "" || !v.Literal.Quoted && v.Label == "" && v.Literal.Form == Text {
			r.as(p.from, p.to-p.from, Unread)
			return nil
		}
		out = append(out, v)
		i = r.joint(end, p.to)
	}
	if len(out) == 1 {
		r.as(p.from, p.to-p.from, Unread)
	}
	return out
}

// each reads "A as the name and B as the city": one frame after another.
func (s *span) each(verb, from, end int, section string, base Step) *reading {
	var parts [][2]int
	begin, look := from, s.sub(0, len(s.t))
	for k := from; k < end; {
		next := look.joint(k, end)
		if next == k {
			k++
			continue
		}
		parts = append(parts, [2]int{begin, k})
		begin, k = next, next
	}
	parts = append(parts, [2]int{begin, end})
	if len(parts) < 2 || len(parts) > 2*longestText || begin == end {
		return nil
	}
	all := &reading{span: s.sub(verb, len(s.t))}
	all.as(0, from-verb, Verb)
	all.skip(end-verb, len(all.t), Small, "courtesy")
	for _, p := range parts {
		one := s.one(p[0], p[1], section, base)
		if one == nil {
			return nil
		}
		all.adopt(p[0]-verb, one.span)
		all.joint(p[1]-verb, end-verb)
		all.steps = append(all.steps, one.steps...)
	}
	return all
}

// one reads one of several parts by a frame that has words of its own and leaves none.
func (s *span) one(i, j int, section string, base Step) *reading {
	for _, f := range s.g.frames[section] {
		if !slices.ContainsFunc(f, func(p part) bool { return p.slot == "" }) {
			continue
		}
		r := &reading{span: s.sub(i, j)}
		if slots, ok := r.slots(f, 0, j-i, false); ok && r.fill(slots, base) && r.unread() == 0 {
			return r
		}
	}
	return nil
}

// condition reads "if there is a popup", "until the bar is gone".
func (s *span) condition(i, j int) Condition {
	s.missing(i, j, NoCondition)
	p, _ := s.at(i, "condition")
	c := Condition{Word: p.value}
	k := s.as(i, len(p.words), Joint)
	if q, ok := s.at(k, "there"); ok {
		c.Is = q.value
		k = s.as(k, len(q.words), Joint)
	}
	about, end := s.reference(k, j, 0)
	if about.IsZero() {
		c.Is = ""
		return c
	}
	c.About = about
	if c.Is != "" {
		return c
	}
	if q, ok := s.at(end, "becomes"); ok && end+len(q.words) <= j {
		c.Is = q.value
		s.as(end, len(q.words), Joint)
	} else if q, ok = s.at(end, "is"); ok {
		if a, ok := s.at(end+len(q.words), "attribute"); ok {
			property, value, _ := strings.Cut(a.value, " ")
			c.Is = "state"
			c.About.With = append(c.About.With, Attribute{property, value})
			s.as(s.as(end, len(q.words), Joint), len(a.words), Modifier)
		}
	}
	return c
}
