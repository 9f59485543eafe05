package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
)

// press is the next move of a part that clicks one control.
func (v *view) press(p part) move {
	want := v.wanted(p.object)
	if i := v.pressedAt(p, want); i >= 0 {
		v.cursor = i + 1
		return done("%s was clicked", quoted(p.object))
	}
	// What fits less well than something that failed is another thing: not bestLeft.
	score := v.pressScore(p.object, want)
	f := v.best(v.pressable(), func(e page.Element) float64 {
		if p.key != "" && !sameText(p.object, label(e)) && !sameText(p.key, label(e)) {
			return 0 // a key, unless a control has exactly its name
		}
		return score(e)
	}, v.failedClick)
	if f.score >= sure-0.05 && len(f.all) == 1 && v.isHere(f.all[0]) {
		return done("%s is open", quoted(p.object))
	}
	if e, ok := f.one(); ok {
		return v.withSkill(clickOn(e, f.score, "I'll click "+quoted(label(e))+".", "The page reacts to "+quoted(label(e))+"."))
	}
	if len(f.left) > 1 {
		return v.which(quoted(p.object), f.all)
	}
	if p.key != "" {
		return act(action.Action{Name: action.Press, Text: p.key}, page.Element{}, likely, "I'll press "+p.key+".", "The page reacts to the key.")
	}
	return v.unpressable(p, want)
}

// isHere reports whether a link leads to the page that is open.
func (v *view) isHere(e page.Element) bool {
	base, err := weburl.Parse(v.page.URL)
	if err != nil || e.Href == "" || strings.HasPrefix(e.Href, "#") {
		return false
	}
	to, err := weburl.Resolve(base, e.Href)
	return err == nil && to.String() == base.String()
}

// wanted are the words that tell the control from others: without the kind of
// control, unless that is all there is.
func (v *view) wanted(object string) []string {
	k := v.key(object)
	if w := without(k, controlWords); len(w) > 0 {
		return w
	}
	return k
}

func (v *view) pressable() []page.Element {
	var out []page.Element
	for _, e := range v.page.Elements {
		if usable(e) && label(e) != "" && !e.OtherMonth && !containerRoles[e.Role] {
			out = append(out, e)
		}
	}
	return out
}

// pressScore gives how well a control fits the name the task has for it.
func (v *view) pressScore(object string, want []string) func(page.Element) float64 {
	telling, inRow := v.telling(want), v.inRow(want)
	return func(e page.Element) float64 {
		have := v.key(label(e))
		less := aside(e) // a button before the field it is named after
		switch {
		case sameText(object, label(e)):
			return sure + 0.04 - less
		case slices.Equal(want, have), slices.Equal(want, without(have, controlWords)):
			return sure - less
		case isField(e):
			return 0 // a field is clicked by its full name only
		case subset(want, have):
			return possible - less
		case e.Caption != "" && slices.Equal(want, v.key(e.Caption)):
			return likely - less
		}
		if bonus, in := inRow(have, e); in {
			return likely + bonus - less
		}
		if slices.Equal(telling, have) { // "patient Jas" where the page lists patients
			return likely - less
		}
		if hinted := v.key(e.Hint); len(hinted) > 0 && subset(want, slices.Concat(have, hinted)) {
			return possible - 0.1 - less // nobody reads that
		}
		return 0
	}
}

// within reports whether every word is in the set.
func within(ws []string, set map[string]bool) bool {
	return len(ws) > 0 && !slices.ContainsFunc(ws, func(w string) bool { return !set[w] })
}

// rowWords say that something is a row, and not which.
var rowWords = set("row line item entry record card column button link icon")

// inRow fits "delete patient Jas" to the Delete of the row that says Jas: what
// the name leaves over is in the row or group, apart from what the whole page is
// about. The bonus is for a row that has all of it, and is called by nothing else.
func (v *view) inRow(want []string) func(have []string, e page.Element) (bonus float64, in bool) {
	wanted, rest := asSet(want), once(without(want, rowWords))
	telling := v.telling(rest)
	return func(have []string, e page.Element) (bonus float64, in bool) {
		if e.Group == "" && e.Row == "" || !within(have, wanted) {
			return 0, false
		}
		group, row := v.key(e.Group), v.key(e.Row)
		switch {
		case leftOver(rest, have, group, nil) && slices.Equal(apartWords(rest, have), group):
			return 0.03, true
		case leftOver(rest, have, group, row):
			return 0.02, true
		}
		return 0, leftOver(telling, have, group, row)
	}
}

// leftOver reports whether the words that a control has not, of which there are some,
// are in its group or row. It looks no further than they are.
func leftOver(ws, have, group, row []string) bool {
	left := 0
	for _, w := range ws {
		switch {
		case slices.Contains(have, w):
		case slices.Contains(group, w) || slices.Contains(row, w):
			left++
		default:
			return false
		}
	}
	return left > 0
}

// telling are the words that do not go for the whole page.
func (v *view) telling(ws []string) []string {
	return slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return v.isAbout([]string{w}) })
}

// pressedAt is the index of the deed that did it, -1 if none did. A correction
// that worked did what the click it replaced was for, unless it only cleared the way.
func (v *view) pressedAt(p part, want []string) int {
	for i := v.cursor; i < len(v.past); i++ {
		d := v.past[i]
		if p.key != "" && d.action.Name == action.Press && !d.failed && d.action.Text == p.key {
			return i
		}
		if d.action.Name != action.Click || !fitsName(p.object, want, d) {
			continue
		}
		if !d.failed {
			return i
		}
		for j := i + 1; j < len(v.past) && v.past[j].index == d.index; j++ {
			if r := v.past[j]; r.replaces(d) && !r.failed && (r.action.Name == action.Click || r.action.Name == action.Press) {
				return j
			}
		}
	}
	return -1
}

func fitsName(object string, want []string, d deed) bool {
	have := key(d.name)
	return sameText(object, d.name) || subset(want, have) || len(have) > 0 && len(want) > len(have) && subset(have, want)
}

// unpressable explains why the control cannot be clicked.
func (v *view) unpressable(p part, want []string) move {
	score := v.pressScore(p.object, want)
	for _, e := range v.page.Elements {
		if e.State.Hidden || score(e) == 0 {
			continue
		}
		switch {
		case usable(e) && v.failedAt(action.Click, e):
			return unknown("go on: clicking %s did not work", quoted(label(e)))
		case e.State.Disabled:
			return unknown("go on: %s is there but cannot be clicked now", quoted(label(e)))
		case e.State.Occluded:
			return unseen(quoted(label(e)), "go on: something covers %s, and I do not see how to close it", quoted(label(e)))
		}
	}
	what := quoted(strings.TrimSpace(p.object))
	return unseen(what, "find %s on this page", what)
}

// visit is the next move of a part that goes to an address.
func (v *view) visit(p part) move {
	here := strings.TrimSuffix(v.page.URL, "/") == strings.TrimSuffix(p.value, "/")
	for i := v.cursor; i < len(v.past); i++ {
		if d := v.past[i]; d.action.Name == action.Navigate && d.action.Text == p.value {
			if d.failed {
				return unknown("open %s: it did not load", quoted(p.value))
			}
			here, v.cursor = true, i+1
			break
		}
	}
	if here {
		m := done("%s is open", p.value)
		m.quote = v.page.URL
		return m
	}
	a := action.Action{Name: action.Navigate, Text: p.value}
	return act(a, page.Element{}, sure, "I'll go to "+p.value+".", "The page "+p.value+" is open.")
}
