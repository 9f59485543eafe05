package ground

import (
	"slices"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// elsewhere is what is left of the score of an element of which nothing says that it
// is where it should be: the page may be about that place without saying so.
const elsewhere = 0.5

// placed rates an element by all that was said of where it is.
func (p *Page) placed(where []instruction.Relation, e page.Element) fit {
	out := fits
	for _, w := range where {
		f := p.related(w, e)
		if f.score == 0 {
			return f
		}
		out.score *= f.score
		if f.why != "" {
			out.why = join(out.why, f.why)
		}
	}
	return out
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + ", " + b
}

// general are kinds of places that say nothing without a name: the whole page is one.
var general = text.Set("page form table list section tree menu item it thing text picker editor")

func (p *Page) related(w instruction.Relation, e page.Element) fit {
	to := w.To
	ws := p.wordsOf(to)
	switch {
	case to.Kind == "dialog":
		if e.Layer == 0 && len(p.Layers) > 0 {
			return fit{}
		}
		if len(ws) == 0 {
			return fits
		}
	case len(ws) == 0 && (to.Kind == "" || general[to.Kind]), w.Is == "at":
		return fits
	}
	if len(ws) == 0 {
		return fits
	}
	return p.near(ws, e)
}

// near rates an element by words that should be where it is: in its row, group,
// caption or name, in the heading above it, or else in what the page is about.
func (p *Page) near(ws []string, e page.Element) fit {
	own := slices.Concat(p.key(e.Row), p.key(e.Group), p.key(e.Caption), p.key(e.Label()), p.key(e.Column))
	head := p.under(e)
	layer := page.Layer{}
	if e.Layer > 0 && e.Layer <= len(p.Layers) {
		layer = p.Layers[e.Layer-1]
	}
	switch {
	case text.Subset(ws, own):
		return fit{1, "is where it says " + text.Quoted(page.Cut(whereabouts(e), 60))}
	case text.Subset(ws, head):
		return fit{0.98, "is below the heading"}
	case text.Subset(ws, slices.Concat(own, head)):
		return fit{0.97, "is where it says so, below the heading"}
	case e.Layer > 0 && text.Subset(ws, slices.Concat(own, head, p.key(layer.Name), p.key(layer.Text))):
		return fit{0.97, "is in the dialog that says so"}
	case p.IsAbout(text.Apart(ws, own)):
		return fit{0.9, "the page is about it"}
	}
	return fit{elsewhere, "nothing says that it is there"}
}

// wordsOf are the words a place is known by: its name and those of what it is in turn
// in the row of.
func (p *Page) wordsOf(r instruction.Reference) []string {
	ws := slices.Clone(p.key(r.Name.Text))
	if r.Kind == instruction.Thing && r.Name.Text == "" {
		ws = append(ws, p.key(r.Noun)...)
	}
	for _, w := range r.Where {
		ws = append(ws, p.wordsOf(w.To)...)
	}
	return ws
}
