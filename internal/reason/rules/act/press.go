package act

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/weburl"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// nextOfPress is the next move of a part that clicks one control.
func nextOfPress(v *View, p part) Move {
	want := wantedWords(v, p.object)
	if i := pressedAt(v, p, want); i >= 0 {
		v.cursor = i + 1
		return done("%s was clicked", text.Quoted(p.object))
	}
	// Not bestFitLeft: what fits less well than something that failed is another thing.
	score := pressScore(v, p.object, want)
	f := bestFit(v, pressable(v), func(e page.Element) float64 {
		if p.key != "" && !text.Same(p.object, e.Label()) && !text.Same(p.key, e.Label()) {
			return 0 // it is a key, unless a control has exactly that name
		}
		return score(e)
	}, v.failedClick)
	if f.score >= sure-0.05 && len(f.all) == 1 && isHere(v, f.all[0]) {
		return done("%s is open", text.Quoted(p.object))
	}
	if e, ok := f.one(); ok {
		return withSkill(v, clickOn(e, f.score, "I'll click "+text.Quoted(e.Label())+".", "The page reacts to "+text.Quoted(e.Label())+"."))
	}
	if len(f.left) > 1 {
		return askWhich(v, text.Quoted(p.object), f.all)
	}
	if p.key != "" {
		return act(action.Action{Name: action.Press, Text: p.key}, page.Element{}, likely, "I'll press "+p.key+".", "The page reacts to the key.")
	}
	return unpressable(v, p, want)
}

// isHere reports whether a link leads to the page that is open.
func isHere(v *View, e page.Element) bool {
	base, err := weburl.Parse(v.page.URL)
	if err != nil || e.Href == "" || strings.HasPrefix(e.Href, "#") {
		return false
	}
	to, err := weburl.Resolve(base, e.Href)
	return err == nil && to.String() == base.String()
}

// wantedWords are the words that identify the control: without its kind ("button"),
// unless that is all there is.
func wantedWords(v *View, object string) []string {
	k := v.key(object)
	if w := text.Without(k, controlWords); len(w) > 0 {
		return w
	}
	return k
}

func pressable(v *View) []page.Element {
	var out []page.Element
	for _, e := range v.page.Elements {
		if e.Usable() && e.Label() != "" && !e.OtherMonth && !containerRoles[e.Role] {
			out = append(out, e)
		}
	}
	return out
}

// pressScore rates how well a control fits the name the task has for it.
func pressScore(v *View, object string, want []string) func(page.Element) float64 {
	telling, inRow := tellingWords(v, want), inRow(v, want)
	return func(e page.Element) float64 {
		have := v.key(e.Label())
		less := aside(e) // a button before the field it is named after
		switch {
		case text.Same(object, e.Label()):
			return sure + 0.04 - less
		case slices.Equal(want, have), slices.Equal(want, text.Without(have, controlWords)):
			return sure - less
		case e.IsField():
			return 0 // a field is clicked by its full name only
		case text.Subset(want, have):
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
		if hinted := v.key(e.Hint); len(hinted) > 0 && text.Subset(want, slices.Concat(have, hinted)) {
			return possible - 0.1 - less // hints are rarely seen
		}
		return 0
	}
}

// rowWords say that something is a row, and not which one.
var rowWords = words.Set("row")

// inRow matches "delete patient Jas" with the Delete button of the row that says Jas:
// the words the label lacks are in the row or group, except those the whole page is
// about. The bonus is for a row with all of them.
func inRow(v *View, want []string) func(have []string, e page.Element) (bonus float64, in bool) {
	wanted, rest := text.SetOf(want), once(text.Without(want, rowWords))
	telling := tellingWords(v, rest)
	return func(have []string, e page.Element) (bonus float64, in bool) {
		if e.Group == "" && e.Row == "" || !text.Within(have, wanted) {
			return 0, false
		}
		group, row := v.key(e.Group), v.key(e.Row)
		switch {
		case leftOver(rest, have, group, nil) && slices.Equal(text.Apart(rest, have), group):
			return 0.03, true
		case leftOver(rest, have, group, row):
			return 0.02, true
		}
		return 0, leftOver(telling, have, group, row)
	}
}

// leftOver reports whether the words the control lacks are all in its group or row,
// and there are any.
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

// tellingWords are the words that the whole page is not about.
func tellingWords(v *View, ws []string) []string {
	return slices.DeleteFunc(slices.Clone(ws), func(w string) bool { return isAbout(v, []string{w}) })
}

// pressedAt is the index of the step that pressed the control, -1 if none did. A
// correction that worked counts for the click it replaced, unless it only removed an
// obstacle.
func pressedAt(v *View, p part, want []string) int {
	for i := v.cursor; i < len(v.past); i++ {
		step := v.past[i]
		if p.key != "" && step.action.Name == action.Press && !step.failed && step.action.Text == p.key {
			return i
		}
		if step.action.Name != action.Click || !fitsName(p.object, want, step) {
			continue
		}
		if !step.failed {
			return i
		}
		for j := i + 1; j < len(v.past) && v.past[j].index == step.index; j++ {
			if r := v.past[j]; r.replaces(step) && !r.failed && (r.action.Name == action.Click || r.action.Name == action.Press) {
				return j
			}
		}
	}
	return -1
}

func fitsName(object string, want []string, step pastStep) bool {
	have := text.Key(step.name)
	return text.Same(object, step.name) || text.Subset(want, have) || len(have) > 0 && len(want) > len(have) && text.Subset(have, want)
}

// unpressable says why the control cannot be clicked.
func unpressable(v *View, p part, want []string) Move {
	score := pressScore(v, p.object, want)
	for _, e := range v.page.Elements {
		if e.State.Hidden || score(e) == 0 {
			continue
		}
		switch {
		case e.Usable() && failedAt(v, action.Click, e):
			return unknown("go on: clicking %s did not work", text.Quoted(e.Label()))
		case e.State.Disabled:
			return unknown("go on: %s is there but cannot be clicked now", text.Quoted(e.Label()))
		case e.State.Occluded:
			return unseen(text.Quoted(e.Label()), "go on: something covers %s, and I do not see how to close it", text.Quoted(e.Label()))
		}
	}
	what := text.Quoted(strings.TrimSpace(p.object))
	return unseen(what, "find %s on this page", what)
}

// nextOfVisit is the next move of a part that goes to an address.
func nextOfVisit(v *View, p part) Move {
	here := strings.TrimSuffix(v.page.URL, "/") == strings.TrimSuffix(p.value, "/")
	for i := v.cursor; i < len(v.past); i++ {
		if step := v.past[i]; step.action.Name == action.Navigate && step.action.Text == p.value {
			if step.failed {
				return unknown("open %s: it did not load", text.Quoted(p.value))
			}
			here, v.cursor = true, i+1
			break
		}
	}
	if here {
		m := done("%s is open", p.value)
		m.Quote = v.page.URL
		return m
	}
	a := action.Action{Name: action.Navigate, Text: p.value}
	return act(a, page.Element{}, sure, "I'll go to "+p.value+".", "The page "+p.value+" is open.")
}
