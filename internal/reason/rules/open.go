package rules

import (
	"math"
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/action"
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
	if i, ok := v.rowPress(p); ok {
		return v.press(i)
	}
	f := v.bestLeft(v.usableControls(), func(e page.Element) float64 {
		if s := v.openScore(p, e); s > 0 && !v.sendsOpenForm(p, e) {
			return s - aside(e)
		}
		return 0
	}, v.triedClick)
	e, ok := equivalent(f.left)
	if !ok {
		if len(f.left) > 1 {
			return v.which("the way to "+purpose(p), f.all)
		}
		return v.nowhere(p)
	}
	confidence := map[float64]float64{opensItem: sure, opensItemIn: likely, opensAny: likely, opensSection: possible, opensMenu: possible}[math.Ceil(f.score)]
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

// sendsOpenForm reports a control of a form or dialog in which something can be
// entered: it does not lead to the form, it sends it, and what the user gave is not
// in yet.
func (v *view) sendsOpenForm(p part, e page.Element) bool {
	return len(p.fields) > 0 && slices.ContainsFunc(v.page.Elements, func(x page.Element) bool {
		return together(x, e) && isField(x) && usable(x) && !isSearch(x)
	})
}

// together reports whether two elements are in one form, or in one dialog.
func together(a, b page.Element) bool {
	return a.Layer == b.Layer && a.Form == b.Form && (a.Layer > 0 || a.Form > 0)
}

// rowPress reads "add Product 3 to the cart" as a press of what the row of Product
// 3 has for it: a control that says where something goes, "Add to cart", and is
// said in the task around what is in its row.
func (v *view) rowPress(p part) (part, bool) {
	said := part{verb: press, object: p.said}
	want := key(p.said)
	if p.action != "create" || len(p.fields) > 0 || p.said == "" {
		return said, false
	}
	fits := func(name string) bool {
		have, ws := key(name), words(name)
		return subset(have, want) && len(ws) > 2 && createWords[ws[0]] && placing[ws[1]] && len(without(want, asSet(have))) > 0
	}
	pressed := slices.ContainsFunc(v.past[v.cursor:], func(d deed) bool { return d.action.Name == action.Click && !d.failed && fits(d.name) })
	return said, pressed || slices.ContainsFunc(v.page.Elements, func(e page.Element) bool {
		_, in := v.inRow(want, key(label(e)), e)
		return usable(e) && isClickable(e) && fits(label(e)) && in
	})
}

// nowhere explains why there is no way to the form from here.
func (v *view) nowhere(p part) move {
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
	k := key(label(e))
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
			v.heads = append(v.heads, key(s))
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
