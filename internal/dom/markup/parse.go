package markup

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parser follows the tree construction of the HTML standard (13.2.6) as html.Parse
// does, scripting enabled, as far as it goes.
type parser struct {
	src    string
	pos    int
	tok    token
	tree   *Tree
	doc    *html.Node
	names  nameCache
	gaveUp bool

	mode       mode // nil before the doctype
	quirks     bool
	open       []open
	formatting []*html.Node // active formatting elements
	head, form *html.Node

	paragraphs, selects, buttons int // that are open

	joined map[*html.Node][]byte // texts made of several tokens
}

// mode is the insertion mode. It reports whether the token was used up; if not, the
// mode has changed.
type mode func(*parser) bool

// Parse returns the tree html.Parse makes of a page, or false if it would take more
// than the rules of this package to make it.
func Parse(src string) (*Tree, bool) {
	if strings.IndexByte(src, 0) >= 0 {
		return nil, false
	}
	p := parsers.Get().(*parser)
	p.src, p.tree = src, trees.Get().(*Tree)
	p.doc = p.tree.node()
	p.doc.Type = html.DocumentNode
	p.tree.Root = p.doc
	p.run()
	t, ok := p.tree, !p.gaveUp
	p.release()
	if !ok {
		t.Release()
		return nil, false
	}
	return t, true
}

var parsers = sync.Pool{New: func() any { return new(parser) }}

// release makes the parser reusable, with nothing of the page left in it.
func (p *parser) release() {
	open, formatting := p.open[:cap(p.open)], p.formatting[:cap(p.formatting)]
	clear(open)
	clear(formatting)
	*p = parser{open: open[:0], formatting: formatting[:0]}
	parsers.Put(p)
}

func (p *parser) giveUp() { p.gaveUp = true }

func (p *parser) run() {
	for p.next() {
		p.consume()
		if p.gaveUp {
			return
		}
	}
	if p.gaveUp {
		return
	}
	p.tok = token{kind: end}
	p.consume() // adds what every page has
	for n, b := range p.joined {
		n.Data = string(b)
	}
}

// consume gives the token to the modes until one has used it up.
func (p *parser) consume() {
	for !p.gaveUp && p.tok.kind != doctype {
		if p.mode == nil && p.initial() {
			return
		}
		if p.inForeign() {
			if p.foreign() {
				return
			}
			continue
		}
		if p.mode(p) {
			return
		}
	}
}

// element makes an element of the start tag.
func (p *parser) element() *html.Node {
	n := p.tree.node()
	n.Type, n.DataAtom, n.Data, n.Attr = html.ElementNode, p.tok.name.atom, p.tok.name.data, p.tok.attrs
	return n
}

// add adds the element of the start tag, which is open then.
func (p *parser) add() *html.Node {
	n := p.element()
	appendChild(p.current(), n)
	p.push(open{node: n, atom: n.DataAtom, flags: p.tok.name.flags})
	return n
}

// addVoid adds the element of the start tag, which has no content.
func (p *parser) addVoid() { appendChild(p.current(), p.element()) }

// addImplied adds an element whose start tag was left out.
func (p *parser) addImplied(a atom.Atom) *html.Node {
	n := p.tree.node()
	n.Type, n.DataAtom, n.Data = html.ElementNode, a, a.String()
	appendChild(p.current(), n)
	p.push(open{node: n, atom: a, flags: p.names.of(n.Data).flags})
	return n
}

func (p *parser) addComment(parent *html.Node) {
	n := p.tree.node()
	n.Type, n.Data = html.CommentNode, p.tok.data
	appendChild(parent, n)
}

// addText adds text, to the text before it if there is one.
func (p *parser) addText(s string) {
	if s == "" {
		return
	}
	parent := p.current()
	if last := parent.LastChild; last != nil && last.Type == html.TextNode {
		b, known := p.joined[last]
		if !known {
			b = []byte(last.Data)
			if p.joined == nil {
				p.joined = map[*html.Node][]byte{}
			}
		}
		p.joined[last] = append(b, s...)
		return
	}
	n := p.tree.node()
	n.Type, n.Data = html.TextNode, s
	appendChild(parent, n)
}

// reset finds the mode from what is open, where a table has ended.
func (p *parser) reset() {
	for _, o := range slices.Backward(p.open) {
		switch o.atom {
		case atom.Td, atom.Th:
			p.mode = inCell
		case atom.Tr:
			p.mode = inRow
		case atom.Tbody, atom.Thead, atom.Tfoot:
			p.mode = inTableBody
		case atom.Caption:
			p.mode = inCaption
		case atom.Colgroup:
			p.mode = inColumnGroup
		case atom.Table:
			p.mode = inTable
		case atom.Body:
			p.mode = inBody
		case atom.Html, atom.Head, atom.Template: // not around a table that ends
			p.giveUp()
		default:
			continue
		}
		return
	}
}
