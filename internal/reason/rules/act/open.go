package act

import (
	"math"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// How well a control fits as the way to a form. Each level is another kind of control.
const (
	opensItem    = 5.0 // "New patient", "Add patient"
	opensItemIn  = 4.0 // "Add new patient to the registry"
	opensAny     = 3.0 // "New", "+", where the page is about patients
	opensSection = 2.0 // "Patients"
	opensMenu    = 1.0 // "Menu"
)

// openForm clicks the control that leads to the form for what is to be created.
func openForm(v *View, p part) Move {
	score := openScore(v, p)
	f := bestFitLeft(v, usableControls(v), func(e page.Element) float64 {
		if s := score(e); s > 0 && !sendsOpenForm(v, p, e) {
			return s - aside(e)
		}
		return 0
	}, v.triedClick)
	e, ok := equivalent(v, f.left)
	if !ok {
		if len(f.left) > 1 {
			return askWhich(v, "the way to "+purpose(p), f.all)
		}
		return nowhere(p)
	}
	confidence := map[float64]float64{opensItem: sure, opensItemIn: likely, opensAny: likely, opensSection: possible, opensMenu: possible}[math.Ceil(f.score)]
	return withSkill(v, clickOn(e, confidence, "I'll open "+purpose(p)+".", "The form, or the way to it, is shown."))
}

func purpose(p part) string {
	switch {
	case p.action == "login":
		return "the login form"
	case p.object != "":
		return "the new " + p.object + " form"
	}
	return "the form"
}

// sendsOpenForm reports whether a control belongs to a form or dialog with fields: it
// sends that form and does not lead to one.
func sendsOpenForm(v *View, p part, e page.Element) bool {
	if len(p.fields) == 0 || e.Layer <= 0 && e.Form <= 0 {
		return false
	}
	if v.index.writable == nil {
		v.index.writable = map[formID]bool{}
		for _, x := range fillable(v) {
			if x.IsField() && !isSearch(v, x) {
				v.index.writable[formID{x.Layer, x.Form}] = true
			}
		}
	}
	return v.index.writable[formID{e.Layer, e.Form}]
}

// rowPress reads "add Product 3 to the cart" as a press of "Add to cart" in the row of
// Product 3, or on the page about it.
func rowPress(v *View, p part) (part, bool) {
	said := part{verb: press, object: p.said}
	want := v.key(p.said)
	if p.action != "create" || len(p.fields) > 0 || p.said == "" {
		return said, false
	}
	wanted, each, inRow := text.SetOf(want), once(want), inRow(v, want)
	fits := func(name string) bool {
		have, ws := v.key(name), v.words(name)
		return len(ws) > 2 && createWords[ws[0]] && placing[ws[1]] && text.Within(have, wanted) &&
			slices.ContainsFunc(each, func(w string) bool { return !slices.Contains(have, w) })
	}
	pressed := slices.ContainsFunc(v.past[v.cursor:], func(step pastStep) bool { return step.action.Name == action.Click && !step.failed && fits(step.name) })
	return said, pressed || slices.ContainsFunc(v.page.Elements, func(e page.Element) bool {
		if !e.Usable() || !isClickable(e) || !fits(e.Label()) {
			return false
		}
		have := v.key(e.Label())
		_, in := inRow(have, e)
		return in || slices.ContainsFunc(headings(v), func(k []string) bool { return leftOver(each, have, k, nil) })
	})
}

// nowhere says that no way to the form was found.
func nowhere(p part) Move {
	return unseen(purpose(p), "find %s on this page", purpose(p))
}

// subjectOf are the words for what is created: "patient" of a patient record.
func subjectOf(v *View, p part) []string {
	k := v.key(p.object)
	if s := text.Without(k, holderWords); len(s) > 0 {
		return s
	}
	return k
}

var (
	createWords = words.Set("create")
	anotherWord = words.Set("another")
	// holderWords name what a new thing is kept in: a patient record.
	holderWords = words.Set("holder")
	// itemWords may replace the name of what is created: "New item".
	itemWords = words.Set("item")
	// sectionWords name the page where all of a kind are: "Patient list".
	sectionWords        = words.Set("section")
	loginWord, menuWord = words.Set("login"), words.Set("menu")
	// placing begins the part of a name that says where or for whom.
	placing = words.Set("placing")
)

// openScore rates how well a control fits as the way to the form of a part.
func openScore(v *View, p part) func(page.Element) float64 {
	if p.action == "login" {
		return func(e page.Element) float64 {
			if slices.ContainsFunc(v.key(e.Label()), func(w string) bool { return loginWord[w] }) {
				return opensItem
			}
			return 0
		}
	}
	about := subjectOf(v, p)
	named := text.SetOf(about)
	return func(e page.Element) float64 { return opensScore(v, about, named, e) }
}

func opensScore(v *View, about []string, named map[string]bool, e page.Element) float64 {
	k := v.key(e.Label())
	verb := slices.ContainsFunc(k, func(w string) bool { return createWords[w] }) || strings.HasPrefix(strings.TrimSpace(e.Label()), "+")
	names := len(about) > 0 && text.Subset(about, k)
	extra := text.Without(k, createWords, named, anotherWord)
	switch {
	case verb && names && len(extra) == 0:
		return opensItem
	case verb && names && headed(v, e.Label(), about):
		return opensItemIn
	case verb && len(text.Without(extra, itemWords)) == 0 && (len(about) == 0 || isAbout(v, about) || e.Role == "menuitem"):
		return opensAny
	case names && len(text.Without(extra, sectionWords)) == 0:
		return opensSection
	case len(k) == 1 && menuWord[k[0]]:
		return opensMenu
	}
	return 0
}

// headed reports whether a name is about the object and does not just mention it: "Add
// hospital patient", but not "Add patient note".
func headed(v *View, name string, about []string) bool {
	ws := v.words(name)
	for i, w := range ws {
		if placing[w] && i > 0 {
			ws = ws[:i]
			break
		}
	}
	return len(ws) > 0 && v.key(ws[len(ws)-1])[0] == about[len(about)-1]
}

// isAbout reports whether the page's title, headings or address have these words.
func isAbout(v *View, about []string) bool {
	return slices.ContainsFunc(headings(v), func(k []string) bool { return text.Subset(about, k) })
}

// headings are the words of the page's title, address and headings.
func headings(v *View) [][]string {
	if v.heads == nil {
		for _, s := range append([]string{v.page.Title, v.page.URL}, v.page.Headings...) {
			v.heads = append(v.heads, v.key(s))
		}
	}
	return v.heads
}

// equivalent picks one of several controls that mean the same, as "New patient" and
// "Add patient": a button before a link. It picks none if two have the same words and
// role: those may be for different things.
func equivalent(v *View, list []page.Element) (page.Element, bool) {
	if len(list) == 0 {
		return page.Element{}, false
	}
	meaning := func(e page.Element) []string {
		k := text.Without(v.key(e.Label()), createWords)
		slices.Sort(k)
		return k
	}
	first := meaning(list[0])
	for _, e := range list {
		if !slices.Equal(meaning(e), first) {
			return page.Element{}, false
		}
	}
	rank := func(e page.Element) int {
		if i := slices.Index([]string{"button", "link", "menuitem"}, e.Role); i >= 0 {
			return i
		}
		return 3
	}
	one := slices.MinFunc(list, func(a, b page.Element) int { return rank(a) - rank(b) })
	return one, !slices.ContainsFunc(list, func(e page.Element) bool { return twins(v, e, one) })
}
