package rules

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
)

// How well a control fits as the way to a form. Each step down is another
// kind of control, not a shade of the same one.
const (
	opensItem    = 5.0 // "New patient", "Add patient"
	opensItemIn  = 4.0 // "Add new patient to the registry"
	opensAny     = 3.0 // "New", "+", where the page is about patients
	opensSection = 2.0 // "Patients"
	opensMenu    = 1.0 // "Menu"
)

// open clicks the control that leads to the form for what is to be created.
func (v *view) open(p part) move {
	f := v.bestLeft(v.usableControls(), func(e page.Element) float64 { return v.openScore(p, e) }, v.triedClick)
	e, ok := equivalent(f.left)
	if !ok {
		if len(f.left) > 1 {
			return which("the way to "+purpose(p), f.all)
		}
		return v.nowhere(p)
	}
	confidence := map[float64]float64{opensItem: sure, opensItemIn: likely, opensAny: likely, opensSection: possible, opensMenu: possible}[f.score]
	return v.withSkill(clickOn(e, confidence, "I'll open "+purpose(p)+".", "The form, or the way to it, is shown."))
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

// nowhere explains why there is no way to the form from here.
func (v *view) nowhere(p part) move {
	for _, e := range v.page.Elements {
		if isControl(e) && e.State.Occluded && !e.State.Hidden && v.openScore(p, e) >= opensAny {
			if m, ok := v.uncover(); ok {
				return m
			}
		}
	}
	return unseen(purpose(p), "find %s on this page", purpose(p))
}

// subject are the words for what is created: "patient" of a patient record.
func subject(p part) []string {
	k := key(p.object)
	if s := without(k, holderWords); len(s) > 0 {
		return s
	}
	return k
}

var (
	createWords = set("add new create register insert signup")
	anotherWord = set("another")
	// holderWords name what a new thing is kept in: a patient record.
	holderWords = set("record entry item profile form file")
	// itemWords may stand in for the name of what is created: "New item".
	itemWords = set("item entry record search other")
	// sectionWords name the place where all of a kind are: "Patient list".
	sectionWords = set("list all manage management record overview directory database registry home menu")
	// placing begins the part of a name that says where or for whom.
	placing = set("to in for from at on with")
)

func (v *view) openScore(p part, e page.Element) float64 {
	k := v.key(label(e))
	if p.action == "login" {
		if slices.Contains(k, "login") {
			return opensItem
		}
		return 0
	}
	about := subject(p)
	verb := slices.ContainsFunc(k, func(w string) bool { return createWords[w] }) || strings.HasPrefix(strings.TrimSpace(label(e)), "+")
	names := len(about) > 0 && subset(about, k)
	extra := without(k, createWords, asSet(about), anotherWord)
	switch {
	case verb && names && len(extra) == 0:
		return opensItem
	case verb && names && headed(label(e), about):
		return opensItemIn
	case verb && len(without(extra, itemWords)) == 0 && (len(about) == 0 || v.isAbout(about) || e.Role == "menuitem"):
		return opensAny
	case names && len(without(extra, sectionWords)) == 0:
		return opensSection
	case len(k) == 1 && k[0] == "menu":
		return opensMenu
	}
	return 0
}

// headed reports whether the object is what the name is about, not what it
// merely mentions: "Add hospital patient", but not "Add patient note".
func headed(name string, about []string) bool {
	ws := words(name)
	for i, w := range ws {
		if placing[w] && i > 0 {
			ws = ws[:i]
			break
		}
	}
	return len(ws) > 0 && singular(ws[len(ws)-1]) == about[len(about)-1]
}

// isAbout reports whether the page's title, headings or address are about it.
func (v *view) isAbout(about []string) bool {
	if v.heads == nil {
		for _, s := range append([]string{v.page.Title, v.page.URL}, v.page.Headings...) {
			v.heads = append(v.heads, v.key(s))
		}
	}
	return slices.ContainsFunc(v.heads, func(k []string) bool { return subset(about, k) })
}

// equivalent picks one of several controls that mean the same. "New patient"
// and "Add patient" do, a button before a link; one that is there twice in the
// same words and role does not: those may be controls of different things.
func equivalent(list []page.Element) (page.Element, bool) {
	if len(list) == 0 {
		return page.Element{}, false
	}
	meaning := func(e page.Element) []string {
		k := without(key(label(e)), createWords)
		slices.Sort(k)
		return k
	}
	for _, e := range list {
		if !slices.Equal(meaning(e), meaning(list[0])) {
			return page.Element{}, false
		}
	}
	rank := func(e page.Element) int {
		if i := slices.Index([]string{"button", "link", "menuitem"}, e.Role); i >= 0 {
			return i
		}
		return 3
	}
	first := slices.MinFunc(list, func(a, b page.Element) int { return rank(a) - rank(b) })
	return first, !slices.ContainsFunc(list, func(e page.Element) bool { return twins(e, first) })
}

var dismissWords = set("close dismiss ok okay x skip later")

// dismisses reports whether a control of that name takes a message or dialog
// away and does nothing else.
func dismisses(name string) bool {
	ws := words(name)
	return len(ws) > 0 && dismissWords[ws[0]] || strings.TrimSpace(name) == "×" ||
		slices.Equal(ws, []string{"no", "thanks"}) || slices.Equal(ws, []string{"got", "it"}) || slices.Equal(ws, []string{"not", "now"})
}

// uncover is the move that takes away what lies over the page, or asks which
// control does that.
func (v *view) uncover() (move, bool) {
	f := v.best(v.usableControls(), func(e page.Element) float64 {
		if !dismisses(label(e)) {
			return 0
		}
		return 1
	}, v.failedClick)
	if len(f.left) > 1 {
		return which("the button that closes what covers the page", f.all), true
	}
	e, ok := f.one()
	return clickOn(e, possible, "Something covers the page; I'll close it first.", "What covered the page is gone."), ok
}
