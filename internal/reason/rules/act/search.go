package act

import (
	"slices"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/do"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// startWords name, besides the word search itself, controls that start a search.
var startWords = words.Set("starts-search")

var (
	searchWord = words.Set("search")
	filterWord = words.Set("filter")
)

// nextOfSearch is the next move of a part that looks something up.
func nextOfSearch(v *View, p part) Move {
	if i := searchedAt(v, p); i >= 0 {
		v.cursor = i + 1
		return done("the results for %s are shown", text.Quoted(p.value))
	}
	box, several := searchBox(v)
	switch {
	case len(several) > 0:
		return askWhich(v, "the search box", several)
	case box.ID == "":
		return openSearch(v)
	}
	s := slot{field: field{value: p.value}, on: box, confidence: sure}
	if !holdsValue(v, s) {
		m := fillSlot(v, s)
		if m.Kind == do.IsAction {
			m.Thought = "I'll enter " + text.Quoted(p.value) + " into the search box."
		}
		return withSkill(v, m)
	}
	top, _ := best(usableControls(v), func(e page.Element) float64 {
		k := v.key(e.Label())
		if e.Role != "button" || e.Group != box.Group || failedAt(v, action.Click, e) || len(text.Without(k, text.SearchWords, startWords)) > 0 {
			return 0
		}
		return 1
	})
	if len(top) == 1 {
		return withSkill(v, clickOn(top[0], sure, "I'll start the search.", "The results for "+text.Quoted(p.value)+" are shown."))
	}
	enter := action.Action{Name: action.Press, Text: "Enter"}
	return withSkill(v, act(enter, page.Element{}, likely, "I'll start the search.", "The results for "+text.Quoted(p.value)+" are shown."))
}

// searchedAt is the index of the step that started the search after the text was
// entered, -1 if none did.
func searchedAt(v *View, p part) int {
	entered := false
	for i := v.cursor; i < len(v.past); i++ {
		step := v.past[i]
		switch {
		case step.failed:
		case step.action.Name == action.SetValue:
			entered = step.action.Text == p.value
		case !entered:
		case step.action.Name == action.Press && step.action.Text == "Enter",
			step.action.Name == action.Click && (step.retry || len(text.Without(v.key(step.name), text.SearchWords, startWords)) == 0):
			return i
		}
	}
	return -1
}

func searchBox(v *View) (box page.Element, several []page.Element) {
	f := bestFit(v, v.page.Elements, func(e page.Element) float64 {
		switch k := v.words(e.Label()); {
		case !e.IsField() || !e.Usable() || e.State.Readonly || e.Tag == "select":
			return 0
		case e.Role == "searchbox" || e.Type == "search":
			return 3
		case len(k) > 0 && searchWord[k[0]]:
			return 2
		case isSearch(v, e) && slices.ContainsFunc(k, func(w string) bool { return !filterWord[w] && text.SearchWords[w] }):
			return 1
		}
		return 0
	}, never)
	if e, ok := f.one(); ok {
		return e, nil
	}
	return page.Element{}, f.all
}

// openSearch clicks the control that opens the search box.
func openSearch(v *View) Move {
	f := bestFit(v, usableControls(v), func(e page.Element) float64 {
		if k := v.key(e.Label()); len(k) != 1 || !searchWord[k[0]] {
			return 0
		}
		return 1
	}, v.triedClick)
	if len(f.left) > 1 {
		return askWhich(v, "the control that opens the search", f.all)
	}
	if e, ok := f.one(); ok {
		return withSkill(v, clickOn(e, likely, "I'll open the search.", "A search box is shown."))
	}
	return unseen("a search box", "search here: I see no search box on this page")
}
