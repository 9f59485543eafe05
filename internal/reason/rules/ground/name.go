package ground

import (
	"slices"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
	"github.com/stepledger/stepledger/internal/reason/rules/words"
)

// fit is how well an element fits a part of what was said, from 0 to 1, and why.
type fit struct {
	score float64
	why   string
}

// fits says nothing against an element.
var fits = fit{score: 1}

// Named is the score from which an element is called as was said.
const Named = 0.9

// How well a name fits.
const (
	sameText   = 1.0
	sameWords  = 0.97
	inCaption  = 0.95
	restInRow  = 0.9  // the words the label lacks are in its row
	restAbove  = 0.88 // or in the heading above
	hasWords   = 0.7  // and up to hasWords+perWord, by the share of words that fit
	perWord    = 0.2  //
	inHint     = 0.65 // hints are rarely seen
	onlyInRow  = 0.6  // the row is what was named
	guessedLow = 0.97 // a name that was guessed
)

// named rates how well an element is called by a text.
func (p *Page) named(said string, e page.Element) fit {
	want := p.key(said)
	if len(want) == 0 {
		return p.signed(said, e)
	}
	f := p.called(said, want, e)
	if e.NameGuessed && f.score > 0 {
		f.score *= guessedLow
	}
	return f
}

// signed compares names without words: "x", ">", "+".
func (p *Page) signed(said string, e page.Element) fit {
	if text.Same(said, e.Label()) || sameSign(said, e.Label()) {
		return fit{sameText, "is called " + text.Quoted(e.Label())}
	}
	return fit{}
}

func (p *Page) called(said string, want []string, e page.Element) fit {
	label, have := e.Label(), p.key(e.Label())
	switch {
	case text.Same(said, label), sameSign(said, label):
		return fit{sameText, "is called " + text.Quoted(label)}
	case len(have) > 0 && slices.Equal(want, have):
		return fit{sameWords, "is called " + text.Quoted(label)}
	case e.Placeholder != "" && slices.Equal(want, p.key(e.Placeholder)), e.Value != "" && !e.IsField() && slices.Equal(want, p.key(e.Value)):
		return fit{sameWords, "shows " + text.Quoted(said)}
	case e.Caption != "" && (text.Same(said, e.Caption) || slices.Equal(want, p.key(e.Caption))):
		return fit{inCaption, "stands beside " + text.Quoted(e.Caption)}
	}
	return p.partly(want, have, e)
}

// partly rates an element that has the words among others, or together with its row.
func (p *Page) partly(want, have []string, e page.Element) fit {
	group, row := p.key(e.Group), p.key(e.Row)
	rest := text.Apart(want, have)
	switch {
	case text.Subset(want, have):
		return fit{hasWords + perWord*float64(len(want))/float64(len(have)), "its name has the words: " + text.Quoted(e.Label())}
	case e.Caption != "" && text.Subset(want, p.key(e.Caption)):
		return fit{hasWords, "stands beside " + text.Quoted(e.Caption)}
	case len(have) > 0 && text.Subset(have, want) && (text.Subset(rest, p.under(e)) || e.Layer == 0 && p.IsAbout(rest)):
		return fit{restAbove, "is called " + text.Quoted(e.Label()) + " below a heading with the other words"}
	case len(have) > 0 && text.Subset(have, want) && text.Subset(rest, slices.Concat(group, row)):
		return fit{restInRow, "is called " + text.Quoted(e.Label()) + " in " + text.Quoted(page.Cut(whereabouts(e), 60))}
	case len(p.key(e.Hint)) > 0 && text.Subset(want, slices.Concat(have, p.key(e.Hint))):
		return fit{inHint, "its author calls it " + text.Quoted(e.Hint)}
	case text.Subset(want, row) || text.Subset(want, group):
		return fit{onlyInRow, "is in " + text.Quoted(page.Cut(whereabouts(e), 60))}
	}
	return fit{}
}

// whereabouts is the row or group an element is in.
func whereabouts(e page.Element) string {
	if e.Row != "" {
		return e.Row
	}
	return e.Group
}

// signs are what is drawn or written for the same thing, by what that is.
var signs = words.Under("sign")

// sameSign reports whether two names are drawn signs for the same thing.
func sameSign(a, b string) bool {
	for _, set := range signs {
		if slices.ContainsFunc(set, func(s string) bool { return text.Same(s, a) }) &&
			slices.ContainsFunc(set, func(s string) bool { return text.Same(s, b) }) {
			return true
		}
	}
	return false
}
