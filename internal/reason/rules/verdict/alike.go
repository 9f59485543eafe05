package verdict

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Which one of those alike an action was for, and which one the page speaks of: what
// every row of a list has, or every place of a plan, may do it to another.

// siblings are the controls that do to other things what the target does to its own.
type siblings struct {
	ofRole []string   // names of two words and more of controls of the target's kind
	names  []string   // those of them that do the same: "Remove Anna" and "Remove Ben"
	words  [][]string // their words; of places, days and pages, which are called by numbers alone, all
}

var (
	// namesItem: of those alike none fits better what came than the target.
	namesItem = fact{"what came names the target's item", func(e *evidence) bool {
		ours, best := fits(e)
		return best < 0 || ours > 0 && best <= ours
	}}
	namesOther   = fact{"what came names another item", func(e *evidence) bool { ours, best := fits(e); return best > ours }}
	severalAlike = fact{"several do the same", func(e *evidence) bool { return len(e.alike().names) > 1 }}
	otherMarked  = fact{"another one was chosen", markedOther}
	otherGone    = whole(fact{"another one is gone", func(e *evidence) bool { return e.present && len(e.appeared) == 0 && goneOther(e) }})
	otherNamed   = fact{"another one is named", func(e *evidence) bool { return e.present && namedOther(e) != "" }}
	itemWent     = fact{"the target's row is gone", rowGone}
)

// mistakenRules: it was done to another one of those alike.
var mistakenRules = []rule{
	{id: "another-chosen", when: []fact{click, not(moved), not(ownChange), not(tick), otherMarked}, chance: 0.2, says: "Another one was chosen, not {target}.", example: "train/sound-studio/pin-other"},
	{id: "another-gone", when: []fact{click, not(moved), not(ownChange), not(tick), otherGone}, chance: 0.2, says: "Another one is gone, not the one of {target}.", example: "train/dns-zone/delete-next"},
	{id: "another-named", when: []fact{click, not(moved), not(ownChange), not(tick), otherNamed}, chance: 0.2, says: "The page speaks of {other}, not of {target}.", example: "train/museum-till/add-other"},
}

// siblings finds what is done where more controls have the same word, first as in
// "Remove Anna" or last.
func (e *evidence) siblings() siblings {
	s := siblings{ofRole: namesOfRole(e)}
	mine := e.key(e.name)
	if len(mine) >= 2 {
		s.names = sameAction(e, mine, s.ofRole)
	}
	for _, name := range s.names {
		s.words = append(s.words, e.key(name))
	}
	for _, d := range e.q.Before.Skeleton.Elements {
		if d.Role == e.q.Target.Role && d.Name != e.q.Target.Name && isNumber(d.Name) && isNumber(e.q.Target.Name) {
			s.words = append(s.words, e.key(d.Name))
		}
	}
	return s
}

func sameAction(e *evidence, mine []string, names []string) []string {
	sameFirst, sameLast, sameTail, sameHead := 0, 0, 0, 0
	for _, name := range names {
		theirs := e.key(name)
		sameFirst += count(theirs[0] == mine[0])
		sameLast += count(theirs[len(theirs)-1] == mine[len(mine)-1])
		sameTail += count(slices.Equal(theirs[1:], mine[1:]))
		sameHead += count(slices.Equal(theirs[:len(theirs)-1], mine[:len(mine)-1]))
	}
	var first, last []string
	for _, name := range names {
		theirs := e.key(name)
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

// namesOfRole are the other names of the controls of the target's kind. What many are
// called is no name of one of them.
func namesOfRole(e *evidence) []string {
	var names []string
	of := map[string]int{}
	for _, d := range e.q.Before.Skeleton.Elements {
		if d.Role == e.q.Target.Role && d.Name != e.q.Target.Name && len(e.key(d.Name)) > 1 {
			names = append(names, d.Name)
			of[d.Name]++
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return of[name] > 1 })
}

// fits is how much of the target's name is among the words that came or changed, from
// 0 to 1, and how much of that of the best of those alike, -1 where there is none.
// Words that all of them have do not count.
func fits(e *evidence) (ours, best float64) {
	alike := e.alike().words
	if len(alike) == 0 {
		return 0, -1
	}
	mine, said := e.key(e.name), e.said()
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

// markedOther reports that one of those alike got the mark, and the target did not.
func markedOther(e *evidence) bool {
	mark := func(o page.Observation) bool {
		return (o.Attr == page.AttrChecked || o.Attr == page.AttrSelected || o.Attr == page.AttrExpanded) && o.To == "true"
	}
	if slices.ContainsFunc(e.own, mark) {
		return false
	}
	mine := ends(e.key(e.name))
	return slices.ContainsFunc(e.changed, func(o page.Observation) bool {
		el, ok, _ := e.find(o.Key)
		if !ok || !mark(o) || el.Role != e.q.Target.Role {
			return false
		}
		opensInstead := o.Attr == page.AttrExpanded && e.target.State.Expanded == "false" // what opens is another than the one that could
		return opensInstead || slices.ContainsFunc(ends(e.key(el.Label())), func(w string) bool { return slices.Contains(mine, w) })
	})
}

// goneOther reports that of the controls that do the same to other things one is
// gone. Where they are numbered those behind it move up.
func goneOther(e *evidence) bool {
	if !slices.ContainsFunc(itemWords(e), func(w string) bool { return !isNumber(w) }) {
		return false
	}
	there := map[string]bool{}
	for _, el := range e.q.Page.Elements {
		there[el.Label()] = true
	}
	n := 0
	for _, name := range e.alike().names {
		n += count(!there[name])
	}
	return n == 1
}

// namedOther is the name of a control that does the same to another thing, and whose
// own words all came while none of the target's did. Numbers come for other reasons.
func namedOther(e *evidence) string {
	mine, said := e.key(e.name), e.said()
	came := func(w string) bool { return said[w] }
	for _, name := range e.alike().names {
		theirs := e.key(name)
		own, other := text.Apart(mine, theirs), text.Apart(theirs, mine)
		if len(own) > 0 && len(other) > 0 && !slices.ContainsFunc(own, came) && !slices.ContainsFunc(other, func(w string) bool { return !said[w] || isNumber(w) }) {
			return name
		}
	}
	return ""
}

// itemWords are the words of the target's name that tell it from what does the
// same to other things: "Remove Anna" from "Remove Ben", not from "Edit Anna". None
// if there is no other. What is the same stands first or last.
func itemWords(e *evidence) []string {
	mine := e.key(e.name)
	if len(mine) == 0 {
		return nil
	}
	first, firsts := apartFrom(e, mine, func(theirs []string) bool { return theirs[0] == mine[0] })
	last, lasts := apartFrom(e, mine, func(theirs []string) bool { return theirs[len(theirs)-1] == mine[len(mine)-1] })
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
func apartFrom(e *evidence, mine []string, alike func([]string) bool) (own []string, siblings int) {
	own = slices.Clone(mine)
	for _, d := range e.q.Before.Skeleton.Elements {
		if d.Role != e.q.Target.Role || d.Key == e.q.Target.Key || d.Name == e.q.Target.Name {
			continue
		}
		theirs := e.key(d.Name)
		if len(theirs) == 0 || len(theirs) > len(mine)+2 || !alike(theirs) {
			continue
		}
		siblings++
		own = text.Apart(own, theirs)
	}
	return own, siblings
}

// rowGone reports that all that went stood in the row of the control.
func rowGone(e *evidence) bool {
	own := itemWords(e)
	inRow := func(o page.Observation) bool { return text.Subset(own, e.key(o.Text)) }
	return len(own) > 0 && len(e.errors) == 0 && !slices.ContainsFunc(e.gone, func(o page.Observation) bool { return !inRow(o) }) &&
		!slices.ContainsFunc(e.appeared, inRow)
}

// sharesEnd reports two names that begin or end with the same word, as those of rows
// do.
func sharesEnd(a, b []string) bool {
	return min(len(a), len(b)) > 1 && (a[0] == b[0] || a[len(a)-1] == b[len(b)-1])
}

func isNumber(s string) bool { return s != "" && text.Digits(s) == s }

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// direction is where a control moves what it belongs to: 1 to the end of the list, -1
// to its beginning, 0 if it does not say.
func direction(e *evidence, name string) int {
	up, down := e.lex.In(lexicon.Up, name) || strings.ContainsAny(name, "▲↑"), e.lex.In(lexicon.Down, name) || strings.ContainsAny(name, "▼↓")
	switch {
	case up && !down:
		return -1
	case down && !up:
		return 1
	}
	return 0
}

var (
	movesItem = fact{"moves an item of a list", func(e *evidence) bool {
		before, _ := order(e)
		return direction(e, e.name) != 0 && len(before) > 1 && slices.Contains(before, e.name)
	}}
	orderSame = fact{"order as before", func(e *evidence) bool {
		before, after := order(e)
		return slices.Equal(before, after)
	}}
	movedRight = fact{"moved the way asked", func(e *evidence) bool {
		before, after := order(e)
		return (slices.Index(after, e.name)-slices.Index(before, e.name))*direction(e, e.name) > 0
	}}
)

// orderRules judge a click that was to move one of several things alike: by where its
// control stands among theirs now.
var orderRules = []rule{
	{id: "order-unchanged", when: []fact{click, present, not(moved), either(network, reactedAtOnce), movesItem, orderSame, not(stirred)}, chance: 0.2, says: "{target} moved nothing.", example: "train/kanban/up-not-kept"},
	{id: "moved-in-list", when: []fact{click, present, not(moved), either(network, reactedAtOnce), movesItem, movedRight}, chance: 0.88, says: "What {target} belongs to stands elsewhere now, as asked.", example: "train/survey/rank"},
	{
		id: "moved-otherwise", when: []fact{click, present, not(moved), either(network, reactedAtOnce), movesItem, not(orderSame)}, chance: 0.2,
		says:    "Something was moved, but not what {target} belongs to, or not that way.",
		example: "train/survey/rank-reversed",
	},
}

// order is that of the target and of the controls that do the same to other things,
// before and now, as far as they are there on both pages and nobody can mistake them.
func order(e *evidence) (before, after []string) {
	alike := slices.DeleteFunc(append(slices.Clone(e.alike().names), e.name), func(name string) bool { return direction(e, name) != direction(e, e.name) })
	was, is := map[string]int{}, map[string]int{}
	for _, d := range e.q.Before.Skeleton.Elements {
		if d.Role == e.q.Target.Role && slices.Contains(alike, d.Name) {
			before = append(before, d.Name)
			was[d.Name]++
		}
	}
	for _, el := range e.q.Page.Elements {
		if name := el.Label(); el.Role == e.q.Target.Role && slices.Contains(alike, name) {
			after = append(after, name)
			is[name]++
		}
	}
	other := func(name string) bool { return was[name] != 1 || is[name] != 1 }
	return slices.DeleteFunc(before, other), slices.DeleteFunc(after, other)
}
