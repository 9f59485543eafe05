package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// Where what is looked for is not on the page, there may be more of the page.

const (
	// maxScrolls is how often in a row a list is scrolled to find one thing.
	maxScrolls = 10
	// longList is how many neighbours of a kind look like a list that may go on.
	longList = 8
)

// otherwise is another way to a part that led nowhere: what the user's reply says
// in its place, or more of the page.
func (v *view) otherwise(p part, m move) move {
	if r, ok := v.redirected(p, m); ok {
		return r
	}
	if f, ok := v.further(m); ok {
		return f
	}
	return v.asTold(m)
}

// further brings more of a list into view, as long as that shows anything new.
func (v *view) further(m move) (move, bool) {
	if m.seeks == "" {
		return m, false
	}
	if more, ok := v.moreButton(); ok {
		return clickOn(more, possible, "I do not see "+m.seeks+" yet; I'll have more shown.", "More is shown."), true
	}
	run := v.scrolls()
	if len(run) >= maxScrolls {
		return m, false
	}
	if len(run) > 0 && v.news {
		return v.scroll(m, run[len(run)-1]), true
	}
	for _, id := range v.page.Scrollable {
		if !slices.Contains(run, id) {
			return v.scroll(m, id), true
		}
	}
	if len(v.page.Scrollable) == 0 && len(run) == 0 && v.page.Mode == page.ModeFull && v.hasLongList() {
		return v.scroll(m, ""), true
	}
	return m, false
}

func (v *view) scroll(m move, id string) move {
	a := action.Action{Name: action.Scroll, Target: id}
	return act(a, page.Element{ID: id}, possible, "I do not see "+m.seeks+" yet; I'll look further down.", "More of the list is shown.")
}

// scrolls are the targets of the scrolls since anything else was done.
func (v *view) scrolls() (targets []string) {
	for _, d := range slices.Backward(v.past) {
		if d.action.Name != action.Scroll {
			break
		}
		targets = append([]string{d.action.Target}, targets...)
	}
	return targets
}

// hasLongList reports many neighbours of one kind.
func (v *view) hasLongList() bool {
	run, last := 0, ""
	for _, e := range v.page.Elements {
		kind := e.Role + " " + e.Tag
		switch {
		case e.State.Hidden || isField(e) || len(label(e)) < 3: // the days of a month are all there
			continue
		case kind != last:
			run, last = 0, kind
		}
		if run++; run >= longList {
			return true
		}
	}
	return v.hasRows()
}

// hasRows reports many rows with controls of the same name.
func (v *view) hasRows() bool {
	n := map[string]int{}
	for _, e := range v.page.Elements {
		if !e.State.Hidden && isClickable(e) && e.Row != "" {
			k := e.Role + " " + label(e)
			if n[k]++; n[k] >= longList/2 {
				return true
			}
		}
	}
	return false
}

// moreButton is the control that shows more of a list, as long as it does.
func (v *view) moreButton() (page.Element, bool) {
	n := 0
	for _, d := range slices.Backward(v.past) {
		if d.action.Name != action.Click || !v.showsMore(d.name) {
			break
		}
		n++
	}
	if n >= maxScrolls || n > 0 && !v.news {
		return page.Element{}, false
	}
	for _, e := range v.usableControls() {
		if v.showsMore(label(e)) && v.address(e) == "" && !v.failedClick(e) {
			return e, true
		}
	}
	return page.Element{}, false
}

var moreWords = set("show load view see more result item entry")

// showsMore reports a control that only adds to what is shown: "Load more".
func (v *view) showsMore(name string) bool {
	k := v.key(name)
	return len(k) > 1 && slices.Contains(k, "more") && (k[0] == "show" || k[0] == "load" || k[0] == "view" || k[0] == "see") && len(without(k, moreWords)) == 0
}
