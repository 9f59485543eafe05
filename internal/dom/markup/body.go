package markup

import (
	"golang.org/x/net/html/atom"
)

func inBody(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		p.bodyText()
	case startTag:
		return p.bodyStart()
	case endTag:
		return p.bodyEnd()
	case comment:
		p.addComment(p.current())
	}
	return true
}

func (p *parser) bodyText() {
	s := p.tok.data
	if o := p.top(); (o.atom == atom.Pre || o.atom == atom.Listing) && o.node.FirstChild == nil {
		if s = withoutLineEnd(s); s == "" {
			return
		}
	}
	if len(p.formatting) > 0 {
		p.reopen()
	}
	p.addText(s)
}

// bodyStart takes a start tag and reports whether it was used up.
func (p *parser) bodyStart() bool {
	switch p.tok.name.kind {
	case ordinary, svg, void, formatting, anchor, noBreak, embedding, button, image, raw, math:
		return p.inline()
	case block, paragraph, preformatted, plaintext:
		p.closeParagraph()
		if p.tok.name.kind == plaintext {
			p.giveUp()
			return true
		}
		p.add()
	case heading:
		p.closeParagraph()
		switch p.top().atom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
			p.pop()
		}
		p.add()
	case form:
		if p.form == nil {
			p.closeParagraph()
			p.form = p.add()
		}
	case listItem:
		p.closeItem(atom.Li, atom.Li)
	case description:
		p.closeItem(atom.Dd, atom.Dt)
	case table:
		if !p.quirks {
			p.closeParagraph()
		}
		p.add()
		p.mode = inTable
	case voidApart:
		p.addVoid()
	case textarea:
		return p.raw(p.current())
	case rawBlock:
		p.closeParagraph()
		p.reopen()
		return p.raw(p.current())
	case input, rule, selectTag, option, optionGroup:
		p.control()
	case rubyBase, rubyText:
		p.ruby()
	case metadata, template:
		return p.metadata()
	case root, body:
		return p.again()
	case frameset:
		p.giveUp()
	case part:
	}
	return true
}

// inline takes the start tag of an element inside of lines.
func (p *parser) inline() bool {
	switch p.tok.name.kind {
	case button:
		if p.buttons > 0 && p.inScope(anyScope, atom.Button) >= 0 {
			p.popImplied(0)
			p.popUntil(anyScope, atom.Button)
		}
	case anchor:
		if p.hasFormatting(atom.A) {
			p.giveUp() // it ends the other, wherever that is
			return true
		}
	case raw:
		return p.raw(p.current())
	case math, image:
		p.giveUp()
		return true
	}
	if len(p.formatting) > 0 {
		p.reopen()
	}
	switch p.tok.name.kind {
	case void:
		p.addVoid()
	case anchor, formatting:
		p.addFormatting()
	case noBreak:
		if p.inScope(anyScope, atom.Nobr) >= 0 {
			p.giveUp()
			return true
		}
		p.addFormatting()
	case embedding:
		p.add()
		p.formatting = append(p.formatting, marker)
	case svg:
		p.addForeign()
	default:
		p.add()
	}
	return true
}

// hasFormatting reports a formatting element since the last marker.
func (p *parser) hasFormatting(a atom.Atom) bool {
	for i := len(p.formatting) - 1; i >= 0 && p.formatting[i] != marker; i-- {
		if p.formatting[i].DataAtom == a {
			return true
		}
	}
	return false
}

// closeItem ends the item of a list that is open, and begins one.
func (p *parser) closeItem(a, b atom.Atom) {
	for i := len(p.open) - 1; i >= 0; i-- {
		o := &p.open[i]
		if o.atom == a || o.atom == b {
			p.popTo(i)
			break
		}
		if o.isSpecial() && o.atom != atom.Address && o.atom != atom.Div && o.atom != atom.P {
			break
		}
	}
	p.closeParagraph()
	p.add()
}

// control takes the start tag of what is in a form.
func (p *parser) control() {
	selecting := p.selects > 0 && p.inScope(anyScope, atom.Select) >= 0
	switch p.tok.name.kind {
	case input:
		if selecting {
			p.popUntil(anyScope, atom.Select)
		}
		p.reopen()
		p.addVoid()
	case rule:
		if p.paragraphs > 0 && p.inScope(buttonScope, atom.P) >= 0 {
			p.popImplied(atom.P)
			p.popUntil(anyScope, atom.P)
		}
		if selecting && p.inScope(anyScope, atom.Select) >= 0 {
			p.popImplied(0)
		}
		p.addVoid()
	case selectTag:
		if selecting {
			p.popUntil(anyScope, atom.Select)
			return
		}
		p.reopen()
		p.add()
	default:
		except := atom.Atom(0)
		if p.tok.name.kind == option {
			except = atom.Optgroup
		}
		if selecting {
			p.popImplied(except)
		} else if p.top().atom == atom.Option {
			p.pop()
		}
		p.reopen()
		p.add()
	}
}

func (p *parser) ruby() {
	if p.inScope(anyScope, atom.Ruby) >= 0 {
		except := atom.Atom(0)
		if p.tok.name.kind == rubyText {
			except = atom.Rtc
		}
		p.popImplied(except)
	}
	p.add()
}
