package instruction

import (
	"slices"
	"strings"
)

// frame reads what stands behind a verb, up to end, by one frame; nil if it does not
// fit. The reading begins with the verb, and ends with the clause.
func (s *span) frame(verb, from, end int, f frame, base Step) *reading {
	var best *reading
	for _, last := range []bool{false, true} {
		r := &reading{span: s.sub(verb, len(s.t)), command: base.Act == Command}
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
	if q, ok := r.at(i, "named"); ok && r.command && len(q.words) > 1 && !r.g.is(q.words[len(q.words)-1], "generic") {
		return len(q.words)
	}
	return 0
}

// where reports whether a relation begins at a token that a slot takes.
func (r *reading) where(p part, i int) bool {
	q, ok := r.at(i, "relation", "place")
	return ok && !r.t[i].capital && (p.kinds == nil || slices.Contains(p.kinds, q.value))
}

// placeBehind reports whether the relation at a token is no part of the value before it:
// that is a literal, or the place is described ("in the settings").
func (r *reading) placeBehind(i int) bool {
	if r.t[i-1].literal() || r.t[i-1].digits {
		return true
	}
	q, _ := r.at(i, "relation", "place")
	article, ok := r.at(i+len(q.words), "article")
	next := i + len(q.words) + len(article.words)
	return ok && next < len(r.t) && !r.t[next].capital && !r.t[next].mark
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
			if !values[0].IsZero() && !r.placeBehind(p.from) || len(where.Where) == 0 || where.Kind != "" || where.Name.Text != "" {
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
