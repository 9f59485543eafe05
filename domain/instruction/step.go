package instruction

import (
	"slices"
	"strings"
)

// reading is a way to read a clause: its steps, and the words it leaves.
type reading struct {
	*span
	steps   []Step
	command bool // of a clause: "with the title" says what its target is called
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
