package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Which one of those alike a click was for, and which one the page speaks of: what
// every row of a list has, or every place of a plan, may do it to another.

// anotherChosen reports that one of those alike got the mark, and the target did
// not.
func (c *evidenceCase) anotherChosen() bool {
	mark := func(o page.Observation) bool {
		return (o.Attr == page.AttrChecked || o.Attr == page.AttrSelected || o.Attr == page.AttrExpanded) && o.To == "true"
	}
	if slices.ContainsFunc(c.own, mark) {
		return false
	}
	mine := ends(c.key(label(c.q.Target)))
	return slices.ContainsFunc(c.changed, func(o page.Observation) bool {
		e, ok, _ := c.again(o.Key)
		if ok && o.Attr == page.AttrExpanded && o.To == "true" && e.Role == c.q.Target.Role && c.target.State.Expanded == "false" {
			return true // what opens is another than the one that could
		}
		return ok && mark(o) && e.Role == c.q.Target.Role && slices.ContainsFunc(ends(c.key(label(e))), func(w string) bool { return slices.Contains(mine, w) })
	})
}

// chosenElse reports a list to choose from that holds another choice than before,
// where a click was on something else.
func (c *evidenceCase) chosenElse() bool {
	return c.q.Target.Role != "combobox" && !picks[c.q.Target.Role] && slices.ContainsFunc(c.changed, func(o page.Observation) bool {
		e, ok, _ := c.again(o.Key)
		return ok && o.Attr == page.AttrValue && len(e.Options) > 0 && o.From != "" && o.To != ""
	})
}

// elsewhere reports that the control stands with fields of its own, in a row or a
// group, and that none of these has changed.
func (c *evidenceCase) elsewhere() bool {
	group, of := c.q.Target.Group, map[string]string{}
	own := false
	for _, d := range c.q.Before.Skeleton.Elements {
		of[d.Key] = d.Group
		own = own || d.Group == group && valued[d.Role]
	}
	return group != "" && own && !slices.ContainsFunc(c.changed, func(o page.Observation) bool { return o.Attr == page.AttrValue && of[o.Key] == group })
}

// anotherOne: what came has the name of another one of those alike, and nothing of
// the target's; or another one got the mark.
func (c *evidenceCase) anotherOne() (finding, bool) {
	if c.q.Action.Name != action.Click || c.moved || len(c.own) > 0 || c.present && isTick(c.target) {
		return silent()
	}
	if c.anotherChosen() {
		return found(0.2, "Another one was chosen than %s.", quoted(label(c.q.Target)))
	}
	if c.present && len(c.appeared) == 0 && c.anotherGone() {
		return found(0.2, "Another one is gone than that of %s.", quoted(label(c.q.Target)))
	}
	if name := c.namesAnother(); name != "" && c.present {
		return found(0.2, "It is about %s and not about %s.", quoted(name), quoted(label(c.q.Target)))
	}
	return silent()
}

// anotherGone reports that of the controls that do the same to other things one is
// gone. Where they are numbered those behind it move up.
func (c *evidenceCase) anotherGone() bool {
	if !slices.ContainsFunc(c.itemWords(), func(w string) bool { return digits(w) != w }) {
		return false
	}
	there := map[string]bool{}
	for _, e := range c.q.Page.Elements {
		there[label(e)] = true
	}
	n := 0
	for _, name := range c.sameDeed() {
		n += count(!there[name])
	}
	return n == 1
}

// namesAnother is the name of a control that does the same to another thing, and
// whose own words all came while none of the target's did. Numbers come for other
// reasons.
func (c *evidenceCase) namesAnother() string {
	mine, said := c.key(label(c.q.Target)), c.newWords()
	came := func(w string) bool { return said[w] }
	for _, name := range c.sameDeed() {
		theirs := c.key(name)
		own, other := apartWords(mine, theirs), apartWords(theirs, mine)
		if len(own) > 0 && len(other) > 0 && !slices.ContainsFunc(own, came) && !slices.ContainsFunc(other, func(w string) bool { return !said[w] || digits(w) == w }) {
			return name
		}
	}
	return ""
}

// fitsBetter is the name of a control that does the same to another thing, whose own
// words are in a text while none of the target's is.
func (c *evidenceCase) fitsBetter(text string) string {
	mine, said := c.key(label(c.q.Target)), c.key(text)
	in := func(w string) bool { return slices.Contains(said, w) }
	for _, name := range c.sameDeed() {
		own, other := apartWords(mine, c.key(name)), apartWords(c.key(name), mine)
		if len(own) > 0 && subset(other, said) && !slices.ContainsFunc(own, in) {
			return name
		}
	}
	return ""
}

// sameDeed are the names of the controls that do to other things what the target does
// to its own: what is done stands where more of them have the same word, first as in
// "Remove Anna" or last.
func (c *evidenceCase) sameDeed() []string {
	mine := c.key(label(c.q.Target))
	if len(mine) < 2 {
		return nil
	}
	var first, last []string
	sameFirst, sameLast, sameTail, sameHead := 0, 0, 0, 0
	names := c.namesOfRole()
	for _, name := range names {
		theirs := c.key(name)
		sameFirst += count(theirs[0] == mine[0])
		sameLast += count(theirs[len(theirs)-1] == mine[len(mine)-1])
		sameTail += count(slices.Equal(theirs[1:], mine[1:]))
		sameHead += count(slices.Equal(theirs[:len(theirs)-1], mine[:len(mine)-1]))
	}
	for _, name := range names {
		theirs := c.key(name)
		switch {
		case slices.Equal(theirs[1:], mine[1:]) && sameFirst >= sameTail, slices.Equal(theirs[:len(theirs)-1], mine[:len(mine)-1]) && sameLast >= sameHead:
			// something else is done to the same thing
		case theirs[0] == mine[0]:
			first = append(first, name)
		case theirs[len(theirs)-1] == mine[len(mine)-1]:
			last = append(last, name)
		}
	}
	if len(last) > len(first) {
		return last
	}
	return first
}

// namesOfRole are the other names, of two words and more, of the controls of the
// target's kind. What many are called is no name of one of them.
func (c *evidenceCase) namesOfRole() []string {
	var names []string
	of := map[string]int{}
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role == c.q.Target.Role && d.Name != c.q.Target.Name && len(c.key(d.Name)) > 1 {
			names = append(names, d.Name)
			of[d.Name]++
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return of[name] > 1 })
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// apartWords are the words of a that are not among those of b.
func apartWords(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

// grew reports that more of what the control stands among came, and that it is
// still there itself: a list was continued.
func (c *evidenceCase) grew() bool {
	n := 0
	for _, o := range c.appeared {
		if e, ok := c.arrived(o); ok && e.Role == c.q.Target.Role && e.Group == c.q.Target.Group {
			n++
		}
	}
	return c.present && n >= 2
}

// standsAtAnother reports that the text that came stands behind other controls that
// open something, and not behind the target.
func (c *evidenceCase) standsAtAnother() bool {
	if c.lineOfTarget() < 0 || !c.opensList() {
		return false
	}
	lines, openers := c.pageLines(), map[string]bool{}
	for _, e := range c.q.Page.Elements {
		if opensList(e) && e.Role == c.q.Target.Role {
			openers[label(e)] = true
		}
	}
	elsewhere := false
	for _, o := range c.texts {
		at := o.Line - 1
		for at >= 0 && at < len(lines) && !openers[lines[at]] {
			at--
		}
		if at == c.lineOfTarget() {
			return false
		}
		elsewhere = elsewhere || at >= 0
	}
	return elsewhere
}

// arrived is an element that appeared.
func (c *evidenceCase) arrived(o page.Observation) (page.Element, bool) {
	at := slices.IndexFunc(c.q.Page.Elements, func(e page.Element) bool { return e.Key == o.Key })
	if at < 0 {
		return page.Element{}, false
	}
	return c.q.Page.Elements[at], true
}

// oneOfMany reports a control that stands among others of its kind: what it opens
// may be another one's.
func (c *evidenceCase) oneOfMany() bool {
	elements := c.q.Before.Skeleton.Elements
	at := slices.IndexFunc(elements, func(d page.Descriptor) bool { return d.Key == c.q.Target.Key })
	like := func(i int) bool {
		return i >= 0 && i < len(elements) && c.sibling(elements[i]) && len(words(elements[i].Name)) > 0
	}
	return at >= 0 && (like(at-1) && like(at+1) || like(at+1) && like(at+2) || like(at-1) && like(at-2))
}

// sibling reports an element of the target's kind and group.
func (c *evidenceCase) sibling(d page.Descriptor) bool {
	return d.Role == c.q.Target.Role && d.Group == c.q.Target.Group
}

// mentionsItem: of a control that every row of a list has, or every place of a plan,
// what came has to say which one it was: no other fits better what is said.
func (c *evidenceCase) mentionsItem() bool {
	ours, best := c.fits()
	return best < 0 || ours > 0 && best <= ours
}

// speaksOfAnother reports that what came fits another one better.
func (c *evidenceCase) speaksOfAnother() bool {
	ours, best := c.fits()
	return best > ours
}

// fits is how much of the target's name is among the words that came or changed, from
// 0 to 1, and how much of that of the best of those alike, -1 where there is none.
// Words that all of them have do not count.
func (c *evidenceCase) fits() (ours, best float64) {
	alike := c.namedAlike()
	if len(alike) == 0 {
		return 0, -1
	}
	mine, said := c.key(label(c.q.Target)), c.newWords()
	shared := slices.DeleteFunc(slices.Clone(mine), func(w string) bool {
		return slices.ContainsFunc(alike, func(theirs []string) bool { return !slices.Contains(theirs, w) })
	})
	share := func(name []string) float64 {
		hits, of := 0, 0
		for _, w := range name {
			if slices.Contains(shared, w) {
				continue
			}
			if of++; said[w] {
				hits++
			}
		}
		return float64(hits) / float64(max(of, 1))
	}
	for _, theirs := range alike {
		best = max(best, share(theirs))
	}
	return share(mine), best
}

// namedAlike are the names, in words, of the controls that do the same to other
// things; of places on a map, days, pages, which are called by numbers alone, all.
func (c *evidenceCase) namedAlike() (alike [][]string) {
	for _, name := range c.sameDeed() {
		alike = append(alike, c.key(name))
	}
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role == c.q.Target.Role && d.Name != c.q.Target.Name && isNumber(d.Name) && isNumber(c.q.Target.Name) {
			alike = append(alike, c.key(d.Name))
		}
	}
	return alike
}

func isNumber(s string) bool { return s != "" && digits(s) == s }

// newWords are the words of all that came or changed. They are not to be written to.
func (c *evidenceCase) newWords() map[string]bool {
	if c.said != nil {
		return c.said
	}
	said := map[string]bool{}
	say := func(texts ...string) {
		for _, s := range texts {
			for _, w := range c.key(s) {
				said[w] = true
			}
		}
	}
	for _, o := range slices.Concat(c.texts, c.alerts) {
		say(o.To)
	}
	for _, o := range c.appeared {
		if e, ok := c.arrived(o); ok {
			say(e.Name, e.Value, e.Group)
		}
	}
	for _, o := range c.changed {
		if o.Attr == page.AttrDisabled {
			continue
		}
		say(o.To)
		if e, ok, _ := c.again(o.Key); ok {
			say(e.Name, e.Value, e.Group)
		}
	}
	say(c.inOneBreath()...)
	c.said = said
	return said
}

// inOneBreath are the events that brought something new to see together with more: the
// row it stands in, the title above it. What several of them brought tells of none.
func (c *evidenceCase) inOneBreath() []string {
	var came, out []string
	for _, o := range c.texts {
		came = append(came, o.To)
	}
	for _, o := range c.appeared {
		if e, ok := c.arrived(o); ok {
			came = append(came, label(e))
		}
	}
	heard := events(c.q.Witness.RecentEvents)
	for _, s := range came {
		with := slices.DeleteFunc(slices.Clone(heard), func(e string) bool { return !strings.Contains(e, s) })
		if len(with) == 1 && len([]rune(s)) > 2 {
			out = append(out, with...)
		}
	}
	return out
}

// itemWords are the words of the target's name that tell it from what does the
// same to other things: "Remove Anna" from "Remove Ben", not from "Edit Anna". None
// if there is no other. What is the same stands first or last.
func (c *evidenceCase) itemWords() []string {
	mine := c.key(label(c.q.Target))
	if len(mine) == 0 {
		return nil
	}
	first, firsts := c.apartFrom(mine, func(theirs []string) bool { return theirs[0] == mine[0] })
	last, lasts := c.apartFrom(mine, func(theirs []string) bool { return theirs[len(theirs)-1] == mine[len(mine)-1] })
	switch {
	case firsts+lasts == 0:
		return nil
	case lasts > firsts:
		return last
	}
	return first
}

// apartFrom are the words that none of the controls alike has, and how many there
// are of those.
func (c *evidenceCase) apartFrom(mine []string, alike func([]string) bool) (own []string, siblings int) {
	own = slices.Clone(mine)
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Role != c.q.Target.Role || d.Key == c.q.Target.Key || d.Name == c.q.Target.Name {
			continue
		}
		theirs := c.key(d.Name)
		if len(theirs) == 0 || len(theirs) > len(mine)+2 || !alike(theirs) {
			continue
		}
		siblings++
		own = slices.DeleteFunc(own, func(w string) bool { return slices.Contains(theirs, w) })
	}
	return own, siblings
}
