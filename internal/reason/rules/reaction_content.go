package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Rules that judge a click by what came up or went on the page it stayed on.

// contentReplaced: a list was searched, paged or filtered: much of it is another
// now, and the control that asked for it is still there.
func (c *evidenceCase) contentReplaced() (finding, bool) {
	renamed := 0
	for _, o := range c.changed {
		if o.Attr == page.AttrText || o.Attr == page.AttrHref {
			renamed++
		}
	}
	there := c.present || c.q.Action.Name == action.Press
	if !c.clicks() || !there || len(c.errors) > 0 || c.lost() || renamed+len(c.appeared)+len(c.gone) < 4 || opensList(c.q.Target) || closeWords.In(label(c.q.Target)) {
		return silent()
	}
	dated := func(o page.Observation) bool { return hasYear(o.To) }
	onlyGone := renamed+len(c.appeared) == 0 && len(c.texts) == 0 && !c.narrowing()
	if onlyGone || slices.ContainsFunc(c.texts, dated) || slices.ContainsFunc(c.numbers, dated) {
		return silent() // a calendar may show the wrong month
	}
	if fresh(c.appeared, c.gone)+renamed == 0 && len(c.appeared) > 0 && !c.moves(label(c.q.Target)) {
		return unsure("Something was put elsewhere, but not what was asked for: %s.", c.appeared[0].Text)
	}
	return found(0.8, "Much of the content is another now: %s.", slices.Concat(c.changed, c.appeared, c.gone)[0].Text)
}

// fieldsChanged: a button that fills, swaps or empties fields.
func (c *evidenceCase) fieldsChanged() (finding, bool) {
	if c.q.Action.Name != action.Click || c.q.Target.Role != "button" || c.sends() && !clearWords.In(label(c.q.Target)) {
		return silent()
	}
	emptied, set, filled := 0, 0, 0
	for _, o := range c.changed {
		switch role, _, _ := strings.Cut(o.Key, "|"); {
		case o.Attr != page.AttrValue:
		case role == "combobox" || role == "listbox": // drawn anew, or filled in with the rest
		case o.To == "":
			emptied++
		case o.From == "":
			filled++
			set++
		default:
			set++
		}
	}
	switch {
	case emptied+set > 0 && c.elsewhere():
		return unsure("A field was changed, but not one that stands with %s.", quoted(label(c.q.Target)))
	case emptied > 0 && clearWords.In(label(c.q.Target)):
		return found(0.9, "The form is empty.")
	case set > 0 && !c.mentionsItem():
		return unsure("A field was changed, but not by what %s says.", quoted(label(c.q.Target)))
	case set > 0 && emptied == 0 && (c.stepsOrSwaps() || filled > 1 && filled == set):
		return found(0.85, "A field was changed by it: %s.", c.changed[0].Text)
	}
	return silent()
}

// anotherChosen reports that one of those alike got the mark, and the target did
// not.
func (c *evidenceCase) anotherChosen() bool {
	mark := func(o page.Observation) bool {
		return (o.Attr == page.AttrChecked || o.Attr == page.AttrSelected || o.Attr == page.AttrExpanded) && o.To == "true"
	}
	if slices.ContainsFunc(c.own, mark) {
		return false
	}
	mine := ends(key(label(c.q.Target)))
	return slices.ContainsFunc(c.changed, func(o page.Observation) bool {
		e, ok, _ := c.again(o.Key)
		return ok && mark(o) && e.Role == c.q.Target.Role && slices.ContainsFunc(ends(key(label(e))), func(w string) bool { return slices.Contains(mine, w) })
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

var valued = set("textbox searchbox spinbutton combobox slider listbox")

// stepsOrSwaps reports fields whose numbers went up or down, or that have each
// other's values now. A form that was drawn anew changes in other ways.
func (c *evidenceCase) stepsOrSwaps() bool {
	var was, is []string
	steps := true
	for _, o := range c.changed {
		if o.Attr != page.AttrValue {
			continue
		}
		steps = steps && (o.From == "" || isCount(o.From)) && isCount(o.To)
		was, is = append(was, o.From), append(is, o.To)
	}
	slices.Sort(was)
	slices.Sort(is)
	return steps || len(is) > 1 && slices.Equal(was, is)
}

// contentAppeared: so much came at once that it is not the page's own doing.
func (c *evidenceCase) contentAppeared() (finding, bool) {
	if !c.clicks() || len(c.errors) > 0 || c.lost() {
		return silent()
	}
	if c.askedToLogIn() {
		return found(0.15, "The page asks to log in first.")
	}
	came := fresh(c.appeared, c.gone)
	switch {
	case came > 0 && c.brought(fieldRoles) && !c.mentionsItem():
		return unsure("Something was opened, but it does not say that it is that of %s.", quoted(label(c.q.Target)))
	case came > 0 && !c.brought(fieldRoles) && !c.mentionsItem():
		return silent()
	case came >= 3 && (len(c.gone) == 0 || len(c.gone) == 1 && !c.present), came >= 2 && len(c.texts) >= 2 && len(c.gone) == 0:
		if c.oneOfMany() && !c.namesTarget() && !c.grew() {
			return unsure("Something was opened, but it does not say that it is %s.", quoted(label(c.q.Target)))
		}
		return found(0.85, "New elements appeared: %s.", c.appeared[0].Text)
	case c.net && came+len(c.texts) >= 3 && (c.present || c.q.Action.Name == action.Press):
		if !c.mentionsItem() {
			return unsure("New content came from the server, but it does not say that it is that of %s.", quoted(label(c.q.Target)))
		}
		return found(0.85, "New content came from the server.")
	}
	return silent()
}

// lost reports a field that is gone with what was entered, which the page shows
// nowhere.
func (c *evidenceCase) lost() bool {
	for _, d := range c.filled() {
		if _, ok, twins := c.again(d.Key); ok || twins {
			continue
		}
		shown := func(e page.Element) bool { return strings.Contains(e.Name+e.Value, d.Value) }
		if !strings.Contains(c.q.Page.Text, d.Value) && !slices.ContainsFunc(c.q.Page.Elements, shown) {
			return true
		}
	}
	return false
}

// brought reports whether an element of one of the roles appeared.
func (c *evidenceCase) brought(roles map[string]bool) bool {
	return slices.ContainsFunc(c.appeared, func(o page.Observation) bool {
		role, _, _ := strings.Cut(o.Key, "|")
		return roles[role]
	})
}

// grew reports that more of what the control stands among came, and that it is
// still there itself: a list was continued.
func (c *evidenceCase) grew() bool {
	n := 0
	for _, o := range c.appeared {
		if e, ok, _ := c.again(o.Key); ok && e.Role == c.q.Target.Role && e.Group == c.q.Target.Group {
			n++
		}
	}
	return c.present && n >= 2
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

// namesTarget reports whether what is new has a word of the target's name that
// none of its siblings has.
func (c *evidenceCase) namesTarget() bool {
	mine := key(label(c.q.Target))
	own := slices.Clone(mine)
	for _, d := range c.q.Before.Skeleton.Elements {
		if d.Key != c.q.Target.Key && c.sibling(d) {
			theirs := key(d.Name)
			own = slices.DeleteFunc(own, func(w string) bool { return slices.Contains(theirs, w) })
		}
	}
	if len(own) == 0 {
		own = mine
	}
	says := func(o page.Observation) bool { return mentions(o.Text, own) }
	return slices.ContainsFunc(slices.Concat(c.appeared, c.texts, c.changed, c.alerts), says)
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
	mine, said := key(label(c.q.Target)), c.newWords()
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
// things: what is the same stands first or last.
func (c *evidenceCase) namedAlike() (alike [][]string) {
	mine := ends(key(label(c.q.Target)))
	for _, d := range c.q.Before.Skeleton.Elements {
		theirs := key(d.Name)
		if d.Role != c.q.Target.Role || d.Key == c.q.Target.Key || d.Name == c.q.Target.Name || len(theirs) < 2 {
			continue
		}
		if slices.ContainsFunc(ends(theirs), func(w string) bool { return slices.Contains(mine, w) }) {
			alike = append(alike, theirs)
		}
	}
	return alike
}

// newWords are the words of all that came or changed.
func (c *evidenceCase) newWords() map[string]bool {
	said := map[string]bool{}
	for _, o := range slices.Concat(c.appeared, c.texts, c.changed, c.alerts) {
		if o.Attr == page.AttrDisabled {
			continue
		}
		texts := []string{o.To}
		if e, ok, _ := c.again(o.Key); ok {
			texts = append(texts, e.Name, e.Value, e.Group)
		} else {
			texts = append(texts, o.Text)
		}
		for _, s := range texts {
			for _, w := range key(s) {
				said[w] = true
			}
		}
	}
	return said
}

// itemWords are the words of the target's name that tell it from what does the
// same to other things: "Remove Anna" from "Remove Ben", not from "Edit Anna". None
// if there is no other. What is the same stands first or last.
func (c *evidenceCase) itemWords() []string {
	mine := key(label(c.q.Target))
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
		theirs := key(d.Name)
		if len(theirs) == 0 || len(theirs) > len(mine)+2 || !alike(theirs) {
			continue
		}
		siblings++
		own = slices.DeleteFunc(own, func(w string) bool { return slices.Contains(theirs, w) })
	}
	return own, siblings
}

// fresh counts what appeared and did not only come back in another place.
func fresh(appeared, gone []page.Observation) int {
	left := map[string]int{}
	for _, o := range gone {
		_, what, _ := strings.Cut(o.Text, ": ")
		left[what]++
	}
	n := 0
	for _, o := range appeared {
		_, what, _ := strings.Cut(o.Text, ": ")
		if left[what]--; left[what] < 0 {
			n++
		}
	}
	return n
}

// moves reports whether the control itself went elsewhere, with what it stands at.
func (c *evidenceCase) moves(name string) bool {
	return name != "" && slices.ContainsFunc(c.appeared, func(o page.Observation) bool { return strings.Contains(o.Text, `"`+name+`"`) })
}

// textBeside: a text changed beside the control: a caption, a count, what a
// heading hides.
func (c *evidenceCase) textBeside() (finding, bool) {
	if c.q.Action.Name != action.Click || c.sends() { // beside what sends a form stands what is wrong with it
		return silent()
	}
	for _, o := range slices.Concat(c.texts, c.numbers) {
		told := o.Attr != page.AttrNumber && !c.hasFields() // beside a form it may be what is wrong with it
		if c.beside(o) && !hasYear(o.To) && !wordless(label(c.target)) && (told || isCount(o.To)) {
			return found(0.8, "Beside %s now stands %s.", quoted(label(c.target)), quoted(o.To))
		}
	}
	return silent()
}

// hasFields reports whether the page has anything to fill in or to choose.
func (c *evidenceCase) hasFields() bool {
	return slices.ContainsFunc(c.q.Page.Elements, func(e page.Element) bool { return (isField(e) || isTick(e)) && !e.State.Hidden && !isSearch(e) })
}

// hasYear: which month a calendar shows is not known to be the one after.
func hasYear(s string) bool { return year.MatchString(s) }

var year = regexp.MustCompile(`(^|[^\pL\pN])(19|20)\d\d($|\PN)`)
