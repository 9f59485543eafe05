package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

const (
	// maxScrolls is how often in a row a list is scrolled to find one thing.
	maxScrolls = 10
	// longList is from how many neighbours of one kind a list may have more.
	longList = 8
)

// otherwise tries another way when m found nothing: what the user named in a reply, or
// more of the page.
func otherwise(v *View, p part, m Move) Move {
	if r, ok := redirected(v, p, m); ok {
		return r
	}
	if f, ok := further(v, m); ok {
		return f
	}
	return asTold(v, m)
}

// further brings more of a list into view, as long as something new appears.
func further(v *View, m Move) (Move, bool) {
	if m.Seeks == "" || v.page.Partial() { // there it may have been left out of what was sent
		return m, false
	}
	if more, ok := moreButton(v); ok {
		return clickOn(more, possible, "I do not see "+m.Seeks+" yet; I'll have more shown.", "More is shown."), true
	}
	run := scrolls(v)
	if len(run) >= maxScrolls {
		return m, false
	}
	if len(run) > 0 && v.news {
		return scrollTo(m, run[len(run)-1]), true
	}
	for _, id := range v.page.Scrollable {
		if !slices.Contains(run, id) {
			return scrollTo(m, id), true
		}
	}
	if len(v.page.Scrollable) == 0 && len(run) == 0 && v.page.Mode == page.ModeFull && hasLongList(v) {
		return scrollTo(m, ""), true
	}
	return m, false
}

func scrollTo(m Move, id string) Move {
	a := action.Action{Name: action.Scroll, Target: id}
	return act(a, page.Element{ID: id}, possible, "I do not see "+m.Seeks+" yet; I'll look further down.", "More of the list is shown.")
}

// scrolls are the targets of the scrolls at the end of the past steps.
func scrolls(v *View) (targets []string) {
	for _, step := range slices.Backward(v.past) {
		if step.action.Name != action.Scroll {
			break
		}
		targets = append([]string{step.action.Target}, targets...)
	}
	return targets
}

// hasLongList reports whether the page has many neighbouring elements of one kind.
func hasLongList(v *View) bool {
	run, last := 0, ""
	for _, e := range v.page.Elements {
		kind := e.Role + " " + e.Tag
		switch {
		case e.State.Hidden || e.IsField() || len(e.Label()) < 3: // the days of a month are no list with more
			continue
		case kind != last:
			run, last = 0, kind
		}
		if run++; run >= longList {
			return true
		}
	}
	return hasRows(v)
}

// hasRows reports whether the page has many rows with a control of the same name.
func hasRows(v *View) bool {
	n := map[string]int{}
	for _, e := range v.page.Elements {
		if !e.State.Hidden && isClickable(e) && e.Row != "" {
			k := e.Role + " " + e.Label()
			if n[k]++; n[k] >= longList/2 {
				return true
			}
		}
	}
	return false
}

// moreButton finds the control that loads more of a list, as long as it does.
func moreButton(v *View) (page.Element, bool) {
	n := 0
	for _, step := range slices.Backward(v.past) {
		if step.action.Name != action.Click || !showsMore(v, step.name) {
			break
		}
		n++
	}
	if n >= maxScrolls || n > 0 && !v.news {
		return page.Element{}, false
	}
	for _, e := range usableControls(v) {
		if showsMore(v, e.Label()) && address(v, e) == "" && !v.failedClick(e) {
			return e, true
		}
	}
	return page.Element{}, false
}

var (
	moreWords = words.Set("more-of")
	moreWord  = words.Set("more")
	moreVerbs = words.Set("more-verb")
)

// showsMore reports whether a control of that name loads more of a list, as "Load
// more".
func showsMore(v *View, name string) bool {
	k := v.key(name)
	return len(k) > 1 && slices.ContainsFunc(k, func(w string) bool { return moreWord[w] }) && moreVerbs[k[0]] && len(text.Without(k, moreWords)) == 0
}
