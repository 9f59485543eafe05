package ground

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Candidate is an element a reference can mean, how well it fits (0 to 1), and why.
type Candidate struct {
	Element page.Element
	Score   float64
	Why     []string
}

// Found is what a reference can mean on a page.
type Found struct {
	// All are the candidates, best first, of equals in the order of the page.
	All []Candidate
	// Meant are those that are meant: one, if the reference is to one thing and the
	// page has one clear winner; several if several fit equally well or several are
	// asked for; none if nothing fits.
	Meant []page.Element
	// Score is that of the worst of Meant.
	Score float64
}

// One is the only element that is meant.
func (f Found) One() (page.Element, bool) {
	if len(f.Meant) != 1 {
		return page.Element{}, false
	}
	return f.Meant[0], true
}

const (
	// margin is by how much a winner has to be better.
	margin = 0.02
	// alike is by how much things that are counted ("the 3rd result", "all boxes")
	// may fit worse than the best.
	alike = 0.05
	// enough is the least score of something that is meant.
	// One that is not where it was said to be has less.
	enough = 0.55
)

// Find finds what a reference means for what is to be done to it.
func (p *Page) Find(r instruction.Reference, need Need) Found {
	return p.FindAmong(r, need, func(page.Element) bool { return true })
}

// FindAmong is Find among the elements for which allowed is true.
func (p *Page) FindAmong(r instruction.Reference, need Need, allowed func(page.Element) bool) Found {
	var all []Candidate
	for _, e := range p.Elements {
		if !e.Usable() || !allowed(e) {
			continue
		}
		if c := p.rate(r, need, e); c.Score > 0 {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Candidate) int { return cmp.Compare(b.Score, a.Score) })
	f := Found{All: all}
	f.Meant, f.Score = p.choose(r, all)
	return f
}

// Rate is how well one element fits a reference, and why.
func (p *Page) rate(r instruction.Reference, need Need, e page.Element) Candidate {
	c := Candidate{Element: e, Score: needed(need, e)}
	if c.Score == 0 || isBare(r) && (need == ToClick || need == ToSee) && !p.shows(r.With, e) {
		return Candidate{}
	}
	for _, part := range p.parts(r, need, e) {
		got := part.rate()
		if c.Score *= got.score; c.Score == 0 {
			return Candidate{}
		}
		if got.why != "" {
			c.Why = append(c.Why, got.why)
		}
	}
	return c
}

// searchField is what is left of the score of a field that looks things up, for a value
// of which nobody said that it is looked up.
const searchField = 0.6

func (p *Page) forData(r instruction.Reference, need Need, e page.Element) fit {
	if need != ToFill && need != ToSet || r.Kind == "search" || r.Kind != "" && r.Kind != instruction.Thing || r.Name.Text == "" || !text.IsSearch(e) ||
		slices.ContainsFunc(text.Words(r.Name.Text), func(w string) bool { return text.SearchWords[w] }) {
		return fits
	}
	return fit{searchField, "looks things up"}
}

// isBare reports whether a reference says neither what a thing is nor what it is called
// nor which of all it is.
func isBare(r instruction.Reference) bool {
	return r.Kind == "" && r.Name.Text == "" && r.Position == 0 && r.Quantity == ""
}

// shows reports whether one of the attributes is seen on an element.
func (p *Page) shows(with []instruction.Attribute, e page.Element) bool {
	return slices.ContainsFunc(with, func(a instruction.Attribute) bool {
		is, known := p.has(a, e)
		return is && known
	})
}

// part is one part of what was said of an element: how well it fits, and what to say
// where it does not.
type part struct {
	of   string
	rate func() fit
	not  string
}

func (p *Page) parts(r instruction.Reference, need Need, e page.Element) []part {
	return []part{
		{"kind", func() fit { return ofKind(r, e) }, "a " + aRole(e.Role) + " is not called a " + r.Kind},
		{"name", func() fit { return ownName(p.nameOf(r, e), r, need, e) }, "it is called otherwise"},
		{"attributes", func() fit { return p.attributed(r.With, e) }, "an attribute that was said is not so"},
		{"place", func() fit { return p.placed(r.Where, e) }, "it stands elsewhere"},
		{"exceptions", func() fit { return p.excepted(r.Except, e) }, "it is one of the exceptions"},
		{"data", func() fit { return p.forData(r, need, e) }, "it takes no such value"},
	}
}

// ownName leaves out what is only in the row of an element, unless a row is meant: "Add
// to cart" in the row of a lamp is no lamp.
func ownName(f fit, r instruction.Reference, need Need, e page.Element) fit {
	if need == ToClick && e.IsField() && f.score < inCaption {
		return fit{} // a field is clicked by its full name only
	}
	if f.score == onlyInRow && need != ToSee && (!rowKinds[r.Kind] || e.Label() != "" && !e.NameGuessed) {
		return fit{}
	}
	return f
}

// nameOf rates an element by the name that was said, or by the noun nobody knows.
func (p *Page) nameOf(r instruction.Reference, e page.Element) fit {
	switch {
	case r.Name.Text != "":
		f := p.named(r.Name.Text, e)
		if f.score < hasWords && r.Noun != "" { // "Save draft button": the noun may be a part of the name
			if whole := p.named(r.Name.Text+" "+r.Noun, e); whole.score > f.score {
				f = whole
			}
		}
		return f
	case r.Kind == instruction.Thing && r.Noun != "":
		return p.named(r.Noun, e)
	}
	return fits
}

// excepted leaves out what fits one of the exceptions. Positions are left out when
// all are known.
func (p *Page) excepted(except []instruction.Reference, e page.Element) fit {
	for _, x := range except {
		if x.Position != 0 || x.IsZero() {
			continue
		}
		if f := p.nameOf(x, e); f.score > 0 && (x.Name.Text != "" || x.Kind == instruction.Thing) {
			return fit{}
		}
	}
	return fits
}

// choose picks the elements that are meant.
func (p *Page) choose(r instruction.Reference, all []Candidate) ([]page.Element, float64) {
	if len(all) == 0 || all[0].Score < enough {
		return nil, 0
	}
	counted := r.Position != 0 || many(r)
	within := margin
	if counted {
		within = alike
	}
	top := slices.Clone(all[:sortedUntil(all, all[0].Score-within)])
	top = p.nounIn(superlative(top, r.With), r)
	if counted {
		slices.SortStableFunc(top, func(a, b Candidate) int { return cmp.Compare(p.at(a.Element), p.at(b.Element)) })
		top = without(oneARow(r, top), r.Except)
	}
	list := elements(top)
	switch {
	case r.Position != 0:
		list = nth(list, r.Position, r.Number)
	case r.Number > 0 && len(list) >= r.Number && r.Quantity == "":
		if len(list) > r.Number && r.Name.Text != "" {
			break
		}
		list = list[:r.Number]
	}
	if len(list) == 0 {
		return nil, 0
	}
	meant, least := map[string]bool{}, 1.0
	for _, e := range list {
		meant[e.ID] = true
	}
	for _, c := range top {
		if meant[c.Element.ID] {
			least = min(least, c.Score)
		}
	}
	return list, least
}

// nounIn keeps of several that fit those whose name has the noun that was said, if
// there are any: "the section" is rather "Section 2" than "Submit".
func (p *Page) nounIn(list []Candidate, r instruction.Reference) []Candidate {
	if len(list) < 2 || r.Noun == "" || r.Name.Text != "" {
		return list
	}
	noun := p.key(r.Noun)
	named := slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool { return !text.Subset(noun, p.key(c.Element.Label())) })
	if len(named) == 0 {
		return list
	}
	return named
}

func sortedUntil(all []Candidate, least float64) int {
	n := 0
	for n < len(all) && all[n].Score >= least {
		n++
	}
	return n
}

// many reports whether a reference is to several things.
func many(r instruction.Reference) bool {
	switch r.Quantity {
	case instruction.All, instruction.Both:
		return true
	case instruction.Any:
		return false
	}
	return r.Plural || r.Number > 1
}

// Many reports whether a reference is to several things.
func Many(r instruction.Reference) bool { return many(r) }

func elements(list []Candidate) []page.Element {
	out := make([]page.Element, len(list))
	for i, c := range list {
		out[i] = c.Element
	}
	return out
}

// rowKinds are kinds of which each row, card or item of a list is one.
var rowKinds = text.Set("row result item message card file folder")

// IsRow reports a kind of thing of which a list has many.
func IsRow(kind string) bool { return rowKinds[kind] && kind != "folder" }

// oneARow keeps the first element of each row where rows are counted.
func oneARow(r instruction.Reference, list []Candidate) []Candidate {
	if !rowKinds[r.Kind] {
		return list
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(c Candidate) bool {
		if len(text.Words(c.Element.Label())) == 0 || isNumber(c.Element.Label()) {
			return true // the pages of a list are none of its rows
		}
		row := c.Element.Row
		if row == "" {
			return false
		}
		again := seen[row]
		seen[row] = true
		return again
	})
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(strings.TrimSpace(s))
	return err == nil
}

// without leaves out exceptions by position.
func without(list []Candidate, except []instruction.Reference) []Candidate {
	for _, x := range except {
		if x.Position == 0 {
			continue
		}
		out := nth(elements(list), x.Position, x.Number)
		list = slices.DeleteFunc(list, func(c Candidate) bool {
			return slices.ContainsFunc(out, func(e page.Element) bool { return e.ID == c.Element.ID })
		})
	}
	return list
}

// nth is the element at a position, from 1 or from the end with negative ones, or so
// many of them from there.
func nth(list []page.Element, position, number int) []page.Element {
	at := position - 1
	if position < 0 {
		at = len(list) + position
	}
	if at < 0 || at >= len(list) {
		return nil
	}
	n := max(number, 1)
	if position < 0 {
		return list[max(0, at-n+1) : at+1]
	}
	return list[at:min(len(list), at+n)]
}

// Fits reports whether a reference means an element of which no more is known than its
// role, name and row: not where it says which of several by its place among them.
func Fits(r instruction.Reference, e page.Element) bool {
	if r.IsZero() || r.Position != 0 || many(r) || slices.ContainsFunc(r.With, func(a instruction.Attribute) bool { return a.Property == "most" }) {
		return false
	}
	p := On(page.Page{Elements: []page.Element{e}})
	r.Where, r.With = nil, nil
	return p.rate(r, ToSee, e).Score >= hasWords
}
