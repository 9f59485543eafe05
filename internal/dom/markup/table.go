package markup

import (
	"strings"

	"golang.org/x/net/html/atom"
)

// Elements that a part of a table ends up in: everything inside of them is closed.
var (
	tableContext = []atom.Atom{atom.Html, atom.Table, atom.Template}
	bodyContext  = []atom.Atom{atom.Html, atom.Tbody, atom.Tfoot, atom.Thead, atom.Template}
	rowContext   = []atom.Atom{atom.Html, atom.Tr, atom.Template}
)

// inTable gives up on everything a browser would move in front of the table.
func inTable(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.top().flags&mayFoster == 0 || strings.Trim(p.tok.data, whitespace) != "" {
			p.giveUp()
			return true
		}
		p.addText(p.tok.data)
	case startTag:
		return p.tableStart()
	case endTag:
		switch p.tok.name.atom {
		case atom.Table:
			if p.popUntil(tableScope, atom.Table) {
				p.reset()
			}
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr, atom.Template:
		case atom.P: // makes a paragraph
			p.giveUp()
		default: // ends nothing outside of the table
			return p.bodyEnd()
		}
	case comment:
		p.addComment(p.current())
	}
	return true
}

func (p *parser) tableStart() bool {
	switch p.tok.name.atom {
	case atom.Caption:
		p.clearTo(tableContext...)
		p.formatting = append(p.formatting, marker)
		p.add()
		p.mode = inCaption
	case atom.Colgroup:
		p.clearTo(tableContext...)
		p.add()
		p.mode = inColumnGroup
	case atom.Col:
		p.clearTo(tableContext...)
		p.addImplied(atom.Colgroup)
		p.mode = inColumnGroup
		return false
	case atom.Tbody, atom.Tfoot, atom.Thead:
		p.clearTo(tableContext...)
		p.add()
		p.mode = inTableBody
	case atom.Td, atom.Th, atom.Tr:
		p.clearTo(tableContext...)
		p.addImplied(atom.Tbody)
		p.mode = inTableBody
		return false
	case atom.Table:
		if p.popUntil(tableScope, atom.Table) {
			p.reset()
			return false
		}
	case atom.Style, atom.Script:
		return p.raw(p.current())
	case atom.Input:
		if !isHiddenInput(&p.tok) {
			p.giveUp()
			return true
		}
		p.addVoid()
	case atom.Form:
		if p.form == nil {
			p.form = p.element()
			appendChild(p.current(), p.form)
		}
	default:
		p.giveUp()
	}
	return true
}

func isHiddenInput(t *token) bool {
	for i := range t.attrs {
		if t.attrs[i].Key == "type" {
			return strings.EqualFold(t.attrs[i].Val, "hidden")
		}
	}
	return false
}

func inCaption(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.name.atom {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Thead, atom.Tr:
			return !p.endCaption()
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Caption:
			p.endCaption()
			return true
		case atom.Table:
			return !p.endCaption()
		case atom.Body, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			return true
		}
	}
	return inBody(p)
}

func (p *parser) endCaption() bool {
	if !p.popUntil(tableScope, atom.Caption) {
		return false
	}
	p.clearFormatting()
	p.mode = inTable
	return true
}

func inColumnGroup(p *parser) bool {
	switch p.tok.kind {
	case textToken:
		if p.leadingSpace() {
			return true
		}
	case comment:
		p.addComment(p.current())
		return true
	case startTag:
		switch p.tok.name.atom {
		case atom.Html:
			return p.again()
		case atom.Col:
			p.addVoid()
			return true
		case atom.Template:
			p.giveUp()
			return true
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Colgroup:
			if p.top().atom == atom.Colgroup {
				p.pop()
				p.mode = inTable
			}
			return true
		case atom.Col, atom.Template:
			return true
		}
	}
	if p.top().atom != atom.Colgroup {
		return true
	}
	p.pop()
	p.mode = inTable
	return false
}

func inTableBody(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.name.atom {
		case atom.Tr:
			p.clearTo(bodyContext...)
			p.add()
			p.mode = inRow
			return true
		case atom.Td, atom.Th:
			p.clearTo(bodyContext...)
			p.addImplied(atom.Tr)
			p.mode = inRow
			return false
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
			return !p.endTableBody()
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Tbody, atom.Tfoot, atom.Thead:
			if p.inScope(tableScope, p.tok.name.atom) >= 0 {
				p.clearTo(bodyContext...)
				p.pop()
				p.mode = inTable
			}
			return true
		case atom.Table:
			return !p.endTableBody()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th, atom.Tr:
			return true
		}
	}
	return inTable(p)
}

func (p *parser) endTableBody() bool {
	if !p.popUntil(tableScope, atom.Tbody, atom.Thead, atom.Tfoot) {
		return false
	}
	p.mode = inTable
	return true
}

func inRow(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.name.atom {
		case atom.Td, atom.Th:
			p.clearTo(rowContext...)
			p.add()
			p.formatting = append(p.formatting, marker)
			p.mode = inCell
			return true
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			return !p.endRow()
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Tr:
			p.endRow()
			return true
		case atom.Table:
			return !p.endRow()
		case atom.Tbody, atom.Tfoot, atom.Thead:
			return p.inScope(tableScope, p.tok.name.atom) < 0 || !p.endRow()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th:
			return true
		}
	}
	return inTable(p)
}

// endRow reports whether there was one.
func (p *parser) endRow() bool {
	if p.inScope(tableScope, atom.Tr) < 0 {
		return false
	}
	p.clearTo(rowContext...)
	p.pop()
	p.mode = inTableBody
	return true
}

func inCell(p *parser) bool {
	switch p.tok.kind {
	case startTag:
		switch p.tok.name.atom {
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			if !p.popUntil(tableScope, atom.Td, atom.Th) {
				return true
			}
			p.clearFormatting()
			p.mode = inRow
			return false
		}
	case endTag:
		switch p.tok.name.atom {
		case atom.Td, atom.Th:
			if p.popUntil(tableScope, p.tok.name.atom) {
				p.clearFormatting()
				p.mode = inRow
			}
			return true
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html:
			return true
		case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			if p.inScope(tableScope, p.tok.name.atom) < 0 {
				return true
			}
			if p.popUntil(tableScope, atom.Td, atom.Th) {
				p.clearFormatting()
			}
			p.mode = inRow
			return false
		}
	}
	return inBody(p)
}
