package markup

import (
	"slices"

	"golang.org/x/net/html/atom"
)

// bodyEnd takes an end tag and reports whether it was used up.
func (p *parser) bodyEnd() bool {
	tag := &p.tok.name
	switch tag.kind {
	case block, button, preformatted, selectTag:
		p.endBlock(tag.atom)
	case body:
		if p.inScope(anyScope, atom.Body) >= 0 {
			p.mode = afterBody
		}
	case root:
		if p.inScope(anyScope, atom.Body) >= 0 {
			p.mode = afterBody
			return false
		}
	case form:
		p.endForm()
	case paragraph:
		p.endParagraph()
	case listItem:
		p.popUntil(listScope, atom.Li)
	case description:
		p.popUntil(anyScope, tag.atom)
	case heading:
		p.popUntil(anyScope, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6)
	case anchor, formatting, noBreak:
		p.endFormatting()
	case embedding:
		if p.popUntil(anyScope, tag.atom) {
			p.clearFormatting()
		}
	case template: // of none that is open
	default:
		if tag.atom == atom.Br {
			p.giveUp()
			return true
		}
		p.endOther()
	}
	return true
}

// endParagraph ends a paragraph; one that was not begun is an empty one.
func (p *parser) endParagraph() {
	switch {
	case p.paragraphs > 0 && p.popUntil(buttonScope, atom.P):
	case p.top().svg:
		p.giveUp() // it ends the SVG
	default:
		p.addImplied(atom.P)
		p.pop()
	}
}

func (p *parser) endBlock(a atom.Atom) {
	if p.top().is(a) {
		p.pop()
		return
	}
	if p.inScope(anyScope, a) >= 0 {
		p.popImplied(0)
		p.popUntil(anyScope, a)
	}
}

func (p *parser) endForm() {
	n := p.form
	p.form = nil
	i := p.inScope(anyScope, atom.Form)
	if n == nil || i < 0 || p.open[i].node != n {
		return
	}
	p.popImplied(0)
	p.open = slices.Delete(p.open, i, i+1)
}

// endOther ends the innermost element of the name, unless a special one is in between.
func (p *parser) endOther() {
	for i := len(p.open) - 1; i >= 0; i-- {
		o := &p.open[i]
		if !o.svg && o.atom == p.tok.name.atom && (o.atom != 0 || o.node.Data == p.tok.name.data) {
			p.popTo(i)
			return
		}
		if o.isSpecial() {
			return
		}
	}
}

// endFormatting is the adoption agency of the standard where it moves no node.
func (p *parser) endFormatting() {
	a := p.tok.name.atom
	if o := p.top(); o.node.Data == p.tok.name.data && !slices.Contains(p.formatting, o.node) {
		p.pop()
		return
	}
	at := len(p.formatting) - 1
	for at >= 0 && p.formatting[at] != marker && p.formatting[at].DataAtom != a {
		at--
	}
	if at < 0 || p.formatting[at] == marker {
		p.endOther()
		return
	}
	i := p.index(p.formatting[at])
	if i < 0 {
		p.formatting = slices.Delete(p.formatting, at, at+1)
		return
	}
	if p.inScope(anyScope, a) < 0 {
		return
	}
	for j := i; j < len(p.open); j++ {
		if p.open[j].isSpecial() {
			p.giveUp()
			return
		}
	}
	p.popTo(i)
	p.formatting = slices.Delete(p.formatting, at, at+1)
}
