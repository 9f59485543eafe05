package rules

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// startWords name, beside the word search itself, what starts a search.
var startWords = set("go submit start now")

// search is the next move of a part that looks something up.
func (v *view) search(p part) move {
	if i := v.searchedAt(p); i >= 0 {
		v.cursor = i + 1
		return done("the results for %s are shown", quoted(p.value))
	}
	box, several := v.searchBox()
	switch {
	case len(several) > 0:
		return v.which("the search box", several)
	case box.ID == "":
		return v.openSearch()
	}
	s := slot{field: field{value: p.value}, on: box, confidence: sure}
	if !v.holds(s) {
		m := v.fill(s)
		if m.kind == isAction {
			m.thought = "I'll enter " + quoted(p.value) + " into the search box."
		}
		return v.withSkill(m)
	}
	top, _ := best(v.usableControls(), func(e page.Element) float64 {
		k := v.key(label(e))
		if e.Role != "button" || e.Group != box.Group || v.failedAt(action.Click, e) || len(without(k, searchWords, startWords)) > 0 {
			return 0
		}
		return 1
	})
	if len(top) == 1 {
		return v.withSkill(clickOn(top[0], sure, "I'll start the search.", "The results for "+quoted(p.value)+" are shown."))
	}
	enter := action.Action{Name: action.Press, Text: "Enter"}
	return v.withSkill(act(enter, page.Element{}, likely, "I'll start the search.", "The results for "+quoted(p.value)+" are shown."))
}

// searchedAt is the deed that started the search after the text was entered.
func (v *view) searchedAt(p part) int {
	entered := false
	for i := v.cursor; i < len(v.past); i++ {
		d := v.past[i]
		switch {
		case d.failed:
		case d.action.Name == action.SetValue:
			entered = d.action.Text == p.value
		case !entered:
		case d.action.Name == action.Press && d.action.Text == "Enter",
			d.action.Name == action.Click && (d.retry || len(without(v.key(d.name), searchWords, startWords)) == 0):
			return i
		}
	}
	return -1
}

func (v *view) searchBox() (box page.Element, several []page.Element) {
	f := v.best(v.page.Elements, func(e page.Element) float64 {
		switch k := v.words(label(e)); {
		case !isField(e) || !usable(e) || e.State.Readonly || e.Tag == "select":
			return 0
		case e.Role == "searchbox" || e.Type == "search":
			return 3
		case len(k) > 0 && k[0] == "search":
			return 2
		case v.isSearch(e) && slices.ContainsFunc(k, func(w string) bool { return w != "filter" && searchWords[w] }):
			return 1
		}
		return 0
	}, never)
	if e, ok := f.one(); ok {
		return e, nil
	}
	return page.Element{}, f.all
}

// openSearch clicks the control that brings the search box up.
func (v *view) openSearch() move {
	f := v.best(v.usableControls(), func(e page.Element) float64 {
		if !slices.Equal(v.key(label(e)), []string{"search"}) {
			return 0
		}
		return 1
	}, v.triedClick)
	if len(f.left) > 1 {
		return v.which("the control that opens the search", f.all)
	}
	if e, ok := f.one(); ok {
		return v.withSkill(clickOn(e, likely, "I'll open the search.", "A search box is shown."))
	}
	return unseen("a search box", "search here: I see no search box on this page")
}
