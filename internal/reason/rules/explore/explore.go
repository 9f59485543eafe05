// Package explore looks for what was named and is not on the page, where people look:
// in the place that was named with it, behind controls whose names share words with it,
// in collapsed sections, further pages, further down, other tabs, menus, and among the
// settings where something is to be set.
//
// It promises that
//   - it is bounded: at most MaxLooks for one step of a task, and nothing twice;
//   - it clicks nothing that may submit, delete, log out, download or lead to another
//     site;
//   - what says most is tried first, and the reason for each look is told.
//
// It does not go back by itself, and does not open the details of every row.
package explore

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/reasoning"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// MaxLooks bounds how often one step of a task looks further.
const MaxLooks = 12

// maxScrolls bounds how often lists are scrolled, maxOneList how often one is.
const (
	maxScrolls = 10
	maxOneList = 3
)

func count(list []string, s string) (n int) {
	for _, x := range list {
		if x == s {
			n++
		}
	}
	return n
}

// Next is the next look for what a reference means: the action, the element it is on,
// and why. past are the actions done for this step, which is of an act; news says that
// something new appeared after the last action; about are the words of the step. It
// returns false if there is nowhere left to look.
func Next(p *ground.Page, past []reasoning.Step, news bool, r instruction.Reference, act instruction.Act, about []string) (a action.Action, on page.Element, why string, ok bool) {
	l := looking{Page: p, past: past, news: news, r: r, act: act, about: text.SetOf(about), named: map[string]int{}}
	for _, e := range p.Elements {
		l.named[nameOf(e)]++
	}
	for _, to := range places(r) {
		l.where = append(l.where, text.Key(to.Name.Text)...)
	}
	if l.looks() >= MaxLooks {
		return a, on, "", false
	}
	for _, way := range []func() (page.Element, string){
		l.place, l.related, l.collapsed, l.further,
	} {
		if e, why := way(); e.ID != "" {
			return action.Action{Name: action.Click, Target: e.ID}, e, why, true
		}
	}
	if a, on, ok := l.scroll(); ok {
		return a, on, "I'll look further down.", true
	}
	for _, way := range []func() (page.Element, string){l.tab, l.menu, l.section} {
		if e, why := way(); e.ID != "" {
			return action.Action{Name: action.Click, Target: e.ID}, e, why, true
		}
	}
	return a, on, "", false
}

// looking is the search for one thing.
type looking struct {
	*ground.Page
	past  []reasoning.Step
	news  bool
	r     instruction.Reference
	act   instruction.Act
	about map[string]bool
	named map[string]int // how many elements have a name
	where []string       // the words of the places that were named
}

func (l looking) looks() (n int) {
	for _, s := range l.past {
		if !s.For.Completes {
			n++
		}
	}
	return n
}

// open reports whether an element may be clicked to look behind it, and was not yet.
func (l looking) open(e page.Element) bool {
	return isHarmless(e) && !l.changes(e) && !l.elsewhere(e) && l.clicked(e) < 0 && (l.named[nameOf(e)] < 2 || l.isThere(e))
}

// nameOf is what a person can tell an element by.
func nameOf(e page.Element) string { return e.Role + " " + strings.Join(text.Words(e.Label()), " ") }

// isThere reports whether an element is in the row or section that was named: of several
// of one name that one is meant.
func (l looking) isThere(e page.Element) bool {
	return len(l.where) > 0 && text.Subset(l.where, text.Key(e.Row+" "+e.Group))
}

// isHarmless reports whether an element can be clicked and a click sends and fills in
// nothing.
func isHarmless(e page.Element) bool {
	return e.Usable() && ground.IsClickable(e) && !e.IsField() && !e.IsTick() && !page.ClickMaySubmit(e) && !e.OtherMonth
}

// clicked is the index of the last click on an element for this step, -1 if none.
func (l looking) clicked(e page.Element) int {
	for i, s := range slices.Backward(l.past) {
		if s.Action.Name == action.Click && s.Target == page.Describe(e) && (s.Key == "" || e.Key == "" || s.Key == e.Key) {
			return i
		}
	}
	return -1
}

// changes reports whether a click may change something: the control is called by what it
// does ("Archive", "Duplicate"), or by a sign alone. What opens, shows or edits changes
// nothing yet.
func (l looking) changes(e page.Element) bool {
	ws := text.Words(e.Label())
	if len(ws) == 0 {
		return !e.OpensList()
	}
	acts := instruction.ActsOf(strings.Join(ws, " "))
	harmless := len(acts) == 0 || slices.ContainsFunc(acts, func(a instruction.Act) bool { return looks[a] })
	return !harmless || slices.ContainsFunc(ws, func(w string) bool { return leaves[w] })
}

// looks are what can be done to a page without changing anything but what is shown.
var looks = map[instruction.Act]bool{
	instruction.Open: true, instruction.Find: true, instruction.Navigate: true, instruction.Expand: true, instruction.Set: true, instruction.Search: true,
	instruction.Tell: true,
}

// leaves are words of controls after which the page is no longer the user's.
var leaves = words.Set("leaves")

// elsewhere reports whether a link leads to another site or to a file.
func (l looking) elsewhere(e page.Element) bool {
	if e.Href == "" || strings.HasPrefix(e.Href, "#") || strings.HasPrefix(e.Href, "javascript:") {
		return false
	}
	base, err := weburl.Parse(l.URL)
	if err != nil {
		return true
	}
	to, err := weburl.Resolve(base, e.Href)
	return err != nil || to.Host != base.Host
}

// place goes where the thing was said to be, or to the thing itself where it is a part
// of what is looked for: "in Settings", "for patient Ada".
func (l looking) place() (page.Element, string) {
	for _, to := range places(l.r) {
		named := instruction.Reference{Name: to.Name}
		f := l.FindAmong(named, ground.ToClick, l.open)
		if e, ok := f.One(); ok && f.Score >= 0.6 {
			return e, "I'll open " + text.Quoted(e.Label()) + "."
		}
	}
	return page.Element{}, ""
}

// places are the named places of a reference, the outermost first. Who wrote a message is
// no place.
func places(r instruction.Reference) (out []instruction.Reference) {
	for _, w := range r.Where {
		if r.Kind == "message" && (w.Is == "from" || w.Is == "by") {
			continue
		}
		out = append(out, places(w.To)...)
		if w.To.Name.Text != "" {
			out = append(out, w.To)
		}
	}
	return out
}

// related clicks the control whose name has most words of what is looked for, and no
// others of its own.
func (l looking) related() (best page.Element, why string) {
	high := 0.0
	for _, e := range l.Elements {
		ws := text.Key(e.Label())
		if len(ws) == 0 || len(ws) > 5 || !l.open(e) || !e.IsControl() && e.Row != "" {
			continue
		}
		shared := 0
		for _, w := range ws {
			if l.about[w] || l.act == instruction.Set && slices.Contains(instruction.ActsOf(w), l.act) {
				shared++
			}
		}
		score := float64(shared) / float64(len(ws))
		if l.isThere(e) {
			score += 0.5
		}
		if score > high && shared > 0 && score >= 0.5 {
			best, high = e, score
		}
	}
	if high == 0 {
		return best, ""
	}
	return best, "I'll look behind " + text.Quoted(best.Label()) + "."
}

// collapsed opens a section or branch that is closed.
func (l looking) collapsed() (page.Element, string) {
	for _, e := range l.Elements {
		if e.State.Expanded == "false" && !e.State.HasPopup && e.Role != "combobox" && l.open(e) {
			return e, "I'll open " + text.Quoted(e.Label()) + "."
		}
	}
	return page.Element{}, ""
}

// tab opens a tab that is not selected.
func (l looking) tab() (page.Element, string) {
	for _, e := range l.Elements {
		if e.Role == "tab" && !e.State.Selected && l.open(e) {
			return e, "I'll look in the tab " + text.Quoted(e.Label()) + "."
		}
	}
	return page.Element{}, ""
}

var (
	moreWords = words.Set("list more")
	moreWord  = words.Set("more")
	nextNames = words.List("next page")
)

// further loads more of a list, or turns to its next page: as often as that brings
// something new.
func (l looking) further() (page.Element, string) {
	for _, e := range l.Elements {
		if !isHarmless(e) || l.elsewhere(e) || !l.mayRepeat(e) {
			continue
		}
		k := text.Key(e.Label())
		more := len(k) > 1 && slices.ContainsFunc(k, func(w string) bool { return moreWord[w] }) && len(text.Without(k, moreWords)) == 0
		if more || TurnsPage(e.Label()) {
			return e, "I'll have more shown."
		}
	}
	return page.Element{}, ""
}

// TurnsPage reports whether a control of that name shows the next page of a list.
func TurnsPage(name string) bool {
	return slices.ContainsFunc(nextNames, func(s string) bool { return text.Same(s, name) })
}

// mayRepeat reports whether a control that shows more may be clicked: it was not yet, or
// the click on it was the last action and brought something.
func (l looking) mayRepeat(e page.Element) bool {
	for i, s := range slices.Backward(l.past) {
		if s.Action.Name == action.Click && s.Target == page.Describe(e) {
			return i == len(l.past)-1 && l.news
		}
	}
	return true
}

// scroll moves on in a list, as long as that brings something.
func (l looking) scroll() (action.Action, page.Element, bool) {
	var all []string // what was scrolled, the last first
	for _, s := range slices.Backward(l.past) {
		if s.Action.Name == action.Scroll {
			all = append(all, s.Action.Target)
		}
	}
	to := func(id string) (action.Action, page.Element, bool) {
		return action.Action{Name: action.Scroll, Target: id}, page.Element{ID: id}, true
	}
	if len(all) >= maxScrolls {
		return action.Action{}, page.Element{}, false
	}
	last := len(l.past) > 0 && l.past[len(l.past)-1].Action.Name == action.Scroll
	if last && l.news && count(all, all[0]) < maxOneList {
		return to(all[0])
	}
	for _, id := range l.Scrollable {
		if !slices.Contains(all, id) {
			return to(id)
		}
	}
	return action.Action{}, page.Element{}, false
}

// menu opens a menu: one that belongs to what is looked for before others.
func (l looking) menu() (best page.Element, why string) {
	rank := 0
	for _, e := range l.Elements {
		if !e.State.HasPopup || e.Role == "combobox" || !l.open(e) {
			continue
		}
		n := 1
		if l.r.Name.Text != "" && text.Shows(e.Row+" "+e.Group, l.r.Name.Text) {
			n = 2
		}
		if n > rank {
			best, rank = e, n
		}
	}
	if rank == 0 {
		return best, ""
	}
	return best, "I'll open the menu " + text.Quoted(best.Label()) + "."
}

// section goes to where a site has what can be set.
func (l looking) section() (page.Element, string) {
	if l.act != instruction.Set && l.act != instruction.Check && l.act != instruction.Uncheck && l.act != instruction.Choose {
		return page.Element{}, ""
	}
	for _, e := range l.Elements {
		ws := text.Key(e.Label())
		if len(ws) == 0 {
			ws = text.Key(e.Hint)
		}
		if len(ws) > 0 && len(ws) <= 3 && slices.ContainsFunc(ws, func(w string) bool { return settingWords[w] }) && e.IsControl() && l.open(e) {
			return e, "I'll look in " + text.Quoted(e.Label()) + "."
		}
	}
	return page.Element{}, ""
}

var settingWords = words.Set("settings")
