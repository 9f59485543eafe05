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
	score := v.openScore(p)
	f := v.bestLeft(v.usableControls(), func(e page.Element) float64 {
		if s := score(e); s > 0 && !v.sendsOpenForm(p, e) {
			return s - aside(e)
		}
		return 0
	}, v.triedClick)
	e, ok := v.equivalent(f.left)
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
	if len(p.fields) == 0 || e.Layer <= 0 && e.Form <= 0 {
		return false
	}
	if v.index.writable == nil {
		v.index.writable = map[formID]bool{}
		for _, x := range v.fillable() {
			if isField(x) && !v.isSearch(x) {
				v.index.writable[formID{x.Layer, x.Form}] = true
			}
		}
	}
	return v.index.writable[formID{e.Layer, e.Form}]
}

// rowPress reads "add Product 3 to the cart" as a press of what the row of Product
// 3 has for it: a control that says where something goes, "Add to cart", and is
// said in the task around what is in its row, or what the page is about.
func (v *view) rowPress(p part) (part, bool) {
	said := part{verb: press, object: p.said}
	want := v.key(p.said)
	if p.action != "create" || len(p.fields) > 0 || p.said == "" {
		return said, false
	}
	wanted, each, inRow := asSet(want), once(want), v.inRow(want)
	fits := func(name string) bool {
		have, ws := v.key(name), v.words(name)
		return len(ws) > 2 && createWords[ws[0]] && placing[ws[1]] && within(have, wanted) &&
			slices.ContainsFunc(each, func(w string) bool { return !slices.Contains(have, w) })
	}
	pressed := slices.ContainsFunc(v.past[v.cursor:], func(d deed) bool { return d.action.Name == action.Click && !d.failed && fits(d.name) })
	return said, pressed || slices.ContainsFunc(v.page.Elements, func(e page.Element) bool {
		if !usable(e) || !isClickable(e) || !fits(label(e)) {
			return false
		}
		have := v.key(label(e))
		_, in := inRow(have, e)
		return in || slices.ContainsFunc(v.headings(), func(k []string) bool { return leftOver(each, have, k, nil) })
	})
}

// nowhere explains why there is no way to the form from here.
func (v *view) nowhere(p part) move {
	return unseen(purpose(p), "find %s on this page", purpose(p))
}

// subject are the words for what is created: "patient" of a patient record.
func (v *view) subject(p part) []string {
	k := v.key(p.object)
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

// openScore gives how well a control fits as the way to the form of a part.
func (v *view) openScore(p part) func(page.Element) float64 {
	if p.action == "login" {
		return func(e page.Element) float64 {
			if slices.Contains(v.key(label(e)), "login") {
				return opensItem
			}
			return 0
		}
	}
	about := v.subject(p)
	named := asSet(about)
	return func(e page.Element) float64 { return v.opensScore(about, named, e) }
}

func (v *view) opensScore(about []string, named map[string]bool, e page.Element) float64 {
	k := v.key(label(e))
	verb := slices.ContainsFunc(k, func(w string) bool { return createWords[w] }) || strings.HasPrefix(strings.TrimSpace(label(e)), "+")
	names := len(about) > 0 && subset(about, k)
	extra := without(k, createWords, named, anotherWord)
	switch {
	case verb && names && len(extra) == 0:
		return opensItem
	case verb && names && v.headed(label(e), about):
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
func (v *view) headed(name string, about []string) bool {
	ws := v.words(name)
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
	return slices.ContainsFunc(v.headings(), func(k []string) bool { return subset(about, k) })
}

// headings are the words of the page's title, address and headings.
func (v *view) headings() [][]string {
	if v.heads == nil {
		for _, s := range append([]string{v.page.Title, v.page.URL}, v.page.Headings...) {
			v.heads = append(v.heads, v.key(s))
		}
	}
	return v.heads
}

// equivalent picks one of several controls that mean the same. "New patient"
// and "Add patient" do, a button before a link; one that is there twice in the
// same words and role does not: those may be controls of different things.
func (v *view) equivalent(list []page.Element) (page.Element, bool) {
	if len(list) == 0 {
		return page.Element{}, false
	}
	meaning := func(e page.Element) []string {
		k := without(v.key(label(e)), createWords)
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
	return one, !slices.ContainsFunc(list, func(e page.Element) bool { return v.twins(e, one) })
}
