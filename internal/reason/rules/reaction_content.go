package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/lexicon"
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
	if !c.clicks() || !there || len(c.errors) > 0 || c.lost() || renamed+len(c.appeared)+len(c.gone) < 4 || opensList(c.q.Target) || c.lex.In(lexicon.Close, label(c.q.Target)) {
		return silent()
	}
	dated := func(o page.Observation) bool { return hasYear(o.To) }
	onlyGone := renamed+len(c.appeared) == 0 && len(c.texts) == 0 && (!c.narrowing() || c.isClick())
	if onlyGone || slices.ContainsFunc(c.texts, dated) || slices.ContainsFunc(c.numbers, dated) {
		return silent() // a calendar may show the wrong month
	}
	if renamed+len(c.appeared) == 0 && c.q.Action.Name == action.Click && !c.narrowing() && slices.ContainsFunc(c.texts, func(o page.Observation) bool { return isSentence(o.To) }) {
		return unsure("Much of the content is gone, and the page says something in its place.")
	}
	if fresh(c.appeared, c.gone)+renamed == 0 && len(c.appeared) > 0 && !c.moves(label(c.q.Target)) {
		return unsure("Something was put elsewhere, but not what was asked for: %s.", c.appeared[0].Text)
	}
	return found(0.8, "Much of the content is another now: %s.", slices.Concat(c.changed, c.appeared, c.gone)[0].Text)
}

// fieldsChanged: a button that fills, swaps or empties fields.
func (c *evidenceCase) fieldsChanged() (finding, bool) {
	if c.q.Action.Name != action.Click || c.q.Target.Role != "button" || c.sends() && !c.lex.In(lexicon.Clear, label(c.q.Target)) {
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
	case emptied > 0 && c.lex.In(lexicon.Clear, label(c.q.Target)) && c.searchOnly() && len(c.appeared)+len(c.gone)+len(c.texts) == 0 && !c.net:
		return unsure("What was looked for is gone from its field, but what it narrowed is the same.")
	case emptied > 0 && c.lex.In(lexicon.Clear, label(c.q.Target)):
		return found(0.9, "The form is empty.")
	case set > 0 && !c.mentionsItem():
		return unsure("A field was changed, but not by what %s says.", quoted(label(c.q.Target)))
	case set > 0 && emptied == 0 && (c.stepsOrSwaps() || filled > 1 && filled == set):
		return found(0.85, "A field was changed by it: %s.", c.changed[0].Text)
	}
	return silent()
}

// searchOnly reports that all fields that changed are there to look something up.
func (c *evidenceCase) searchOnly() bool {
	return !slices.ContainsFunc(c.changed, func(o page.Observation) bool {
		e, ok, _ := c.again(o.Key)
		return o.Attr == page.AttrValue && (!ok || !isSearch(e))
	})
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
	case came > 0 && c.refusesIn():
		return unsure("Something was opened which may say why it is not to be: %s.", c.appeared[0].Text)
	case came >= 3 && (len(c.gone) == 0 || len(c.gone) == 1 && !c.present), came >= 2 && len(c.texts) >= 2 && len(c.gone) == 0:
		if c.oneOfMany() && !c.mentionsItem() && !c.grew() {
			return unsure("Something was opened, but it does not say that it is %s.", quoted(label(c.q.Target)))
		}
		return found(0.85, "New elements appeared: %s.", c.appeared[0].Text)
	case c.net && came+len(c.texts) >= 3 && (came > 0 || c.q.Action.Name == action.Press || c.narrowing()) && (c.present || c.q.Action.Name == action.Press):
		if !c.mentionsItem() {
			return unsure("New content came from the server, but it does not say that it is that of %s.", quoted(label(c.q.Target)))
		}
		return found(0.85, "New content came from the server.")
	}
	return silent()
}

// refusesIn reports that two buttons at most came, with a sentence that asks nothing: a
// dialog that asks whether to go on asks.
func (c *evidenceCase) refusesIn() bool {
	other := func(o page.Observation) bool { role, _, _ := strings.Cut(o.Key, "|"); return role != "button" }
	asks := func(o page.Observation) bool { return strings.ContainsAny(o.To, "?？؟;") }
	return len(c.appeared) <= 2 && !slices.ContainsFunc(c.appeared, other) && !slices.ContainsFunc(c.texts, asks) &&
		slices.ContainsFunc(c.texts, func(o page.Observation) bool { return isSentence(o.To) })
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
