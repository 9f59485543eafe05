package markup

import (
	"strings"

	"golang.org/x/net/html/atom"
)

const whitespace = " \t\r\n\f"

// initial is the mode before the doctype. It reports whether the token was used up.
func (p *parser) initial() bool {
	switch p.tok.kind {
	case textToken:
		if p.tok.data = strings.TrimLeft(p.tok.data, whitespace); p.tok.data == "" {
			return true
		}
	case comment:
		p.addComment(p.doc)
		return true
	}
	p.quirks = true
	p.mode = beforeHTML
	return false
}

func beforeHTML(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.tok.data = strings.TrimLeft(p.tok.data, whitespace); p.tok.data == "" {
			return true
		}
	case startTag:
		if p.tok.name.kind == root {
			p.add()
			p.mode = beforeHead
			return true
		}
	case endTag:
		p.giveUp()
		return true
	case comment:
		p.addComment(p.doc)
		return true
	}
	p.addImplied(atom.Html)
	p.mode = beforeHead
	return false
}

func beforeHead(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.tok.data = strings.TrimLeft(p.tok.data, whitespace); p.tok.data == "" {
			return true
		}
	case startTag:
		switch p.tok.name.atom {
		case atom.Head:
			p.head = p.add()
			p.mode = inHead
			return true
		case atom.Html:
			return p.again()
		}
	case endTag:
		p.giveUp()
		return true
	case comment:
		p.addComment(p.current())
		return true
	}
	p.addHead()
	return false
}

func (p *parser) addHead() {
	p.head = p.addImplied(atom.Head)
	p.mode = inHead
}

// again ignores a second html or body tag, if it brings no attributes.
func (p *parser) again() bool {
	if len(p.tok.attrs) > 0 {
		p.giveUp()
	}
	return true
}

// leadingSpace adds the white space that text begins with, and reports whether that
// was all of it.
func (p *parser) leadingSpace() bool {
	rest := strings.TrimLeft(p.tok.data, whitespace)
	p.addText(p.tok.data[:len(p.tok.data)-len(rest)])
	p.tok.data = rest
	return rest == ""
}

func inHead(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.leadingSpace() {
			return true
		}
	case startTag:
		switch p.tok.name.atom {
		case atom.Html:
			return p.again()
		case atom.Head:
			return true
		case atom.Noscript:
			return p.raw(p.current())
		}
		if p.tok.name.kind == metadata || p.tok.name.kind == template {
			return p.metadata()
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Head, atom.Body, atom.Html, atom.Br:
			p.pop()
			p.mode = afterHead
			return p.tok.name.atom == atom.Head
		}
		return true
	case comment:
		p.addComment(p.current())
		return true
	}
	p.pop()
	p.mode = afterHead
	return false
}

// metadata adds an element of those that belong in the head, where it stands.
func (p *parser) metadata() bool {
	switch {
	case p.tok.name.kind == template:
		p.giveUp()
	case p.tok.name.flags&rawContent != 0:
		return p.raw(p.current())
	default:
		p.addVoid()
	}
	return true
}

func afterHead(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.leadingSpace() {
			return true
		}
	case startTag:
		switch {
		case p.tok.name.atom == atom.Html:
			return p.again()
		case p.tok.name.kind == body:
			p.add()
			p.mode = inBody
			return true
		case p.tok.name.kind == frameset || p.tok.name.kind == template:
			p.giveUp()
			return true
		case p.tok.name.atom == atom.Head:
			return true
		case p.tok.name.kind == metadata:
			if p.tok.name.flags&rawContent != 0 {
				return p.raw(p.head)
			}
			appendChild(p.head, p.element())
			return true
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Body, atom.Html, atom.Br:
		default:
			return true
		}
	case comment:
		p.addComment(p.current())
		return true
	}
	p.addImplied(atom.Body)
	p.mode = inBody
	return false
}

func afterBody(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if strings.TrimLeft(p.tok.data, whitespace) == "" {
			return inBody(p)
		}
	case startTag:
		if p.tok.name.kind == root {
			return inBody(p)
		}
	case endTag:
		if p.tok.name.kind == root {
			p.mode = afterAfterBody
			return true
		}
	case comment:
		p.addComment(p.open[0].node)
		return true
	}
	p.mode = inBody
	return false
}

func afterAfterBody(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if strings.TrimLeft(p.tok.data, whitespace) == "" {
			return inBody(p)
		}
	case startTag:
		if p.tok.name.kind == root {
			return inBody(p)
		}
	case comment:
		p.addComment(p.doc)
		return true
	}
	p.mode = inBody
	return false
}
