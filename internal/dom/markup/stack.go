package markup

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// open is an element that has not ended.
type open struct {
	node  *html.Node
	atom  atom.Atom
	flags flags // none of those of HTML for an element of SVG
	svg   bool
}

// integrates reports an element of SVG in which there may be HTML.
func (o *open) integrates() bool {
	if !o.svg {
		return false
	}
	switch o.node.Data {
	case "desc", "foreignObject", "title":
		return true
	}
	return false
}

// isSpecial reports what the standard calls a special element.
func (o *open) isSpecial() bool { return o.flags&special != 0 || o.integrates() }

// endsScope reports an element outside of which an end tag reaches nothing.
func (o *open) endsScope() bool {
	if o.svg {
		return o.atom == atom.Desc || o.atom == atom.ForeignObject || o.atom == atom.Title
	}
	return o.flags&scopeEnd != 0
}

// is reports an HTML element of a name.
func (o *open) is(a atom.Atom) bool { return o.atom == a && !o.svg }

func (p *parser) top() *open { return &p.open[len(p.open)-1] }

// current is the node that children are added to.
func (p *parser) current() *html.Node {
	if len(p.open) == 0 {
		return p.doc
	}
	return p.top().node
}

// maxOpen is how many elements html.Parse allows to be open.
const maxOpen = 512

func (p *parser) push(o open) {
	p.open = append(p.open, o)
	if len(p.open) > maxOpen {
		p.giveUp()
		return
	}
	if !o.svg {
		p.count(o.atom, 1)
	}
}

// count keeps how many elements are open that are asked for often.
func (p *parser) count(a atom.Atom, n int) {
	switch a {
	case atom.P:
		p.paragraphs += n
	case atom.Select:
		p.selects += n
	case atom.Button:
		p.buttons += n
	}
}

// popTo leaves n elements open.
func (p *parser) popTo(n int) {
	for i := n; i < len(p.open); i++ {
		if o := &p.open[i]; !o.svg {
			p.count(o.atom, -1)
		}
	}
	p.open = p.open[:n]
}

func (p *parser) pop() { p.popTo(len(p.open) - 1) }

// index returns where a node is among the open elements, -1 if it is not.
func (p *parser) index(n *html.Node) int {
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].node == n {
			return i
		}
	}
	return -1
}

// scope bounds the search for an open element.
type scope func(o *open) bool

func anyScope(o *open) bool { return o.endsScope() }

func listScope(o *open) bool { return o.is(atom.Ol) || o.is(atom.Ul) || o.endsScope() }

func buttonScope(o *open) bool { return o.is(atom.Button) || o.endsScope() }

func tableScope(o *open) bool { return o.is(atom.Html) || o.is(atom.Table) }

// inScope returns the innermost open element of one of the names, -1 if there is none
// in the scope.
func (p *parser) inScope(ends scope, tags ...atom.Atom) int {
	for i := len(p.open) - 1; i >= 0; i-- {
		o := &p.open[i]
		if !o.svg && slices.Contains(tags, o.atom) {
			return i
		}
		if ends(o) {
			return -1
		}
	}
	return -1
}

// popUntil closes the innermost element of one of the names, if there is one in scope.
func (p *parser) popUntil(ends scope, tags ...atom.Atom) bool {
	i := p.inScope(ends, tags...)
	if i >= 0 {
		p.popTo(i)
	}
	return i >= 0
}

// closeParagraph ends an open paragraph.
func (p *parser) closeParagraph() {
	if p.paragraphs > 0 {
		p.popUntil(buttonScope, atom.P)
	}
}

// popImplied ends the elements whose end tag may be left out, except one of a name.
func (p *parser) popImplied(except atom.Atom) {
	n := len(p.open)
	for n > 0 {
		// As in html.Parse, an element of SVG counts by its name.
		if o := &p.open[n-1]; o.flags&impliedEnd == 0 && !isImplied(o) || o.atom == except && except != 0 {
			break
		}
		n--
	}
	if n < len(p.open) {
		p.popTo(n)
	}
}

func isImplied(o *open) bool {
	if !o.svg {
		return false
	}
	known := names[o.node.Data]
	return known != nil && known.flags&impliedEnd != 0
}

// clearTo ends everything inside the innermost of the elements.
func (p *parser) clearTo(tags ...atom.Atom) {
	for i := len(p.open) - 1; i >= 0; i-- {
		if slices.Contains(tags, p.open[i].atom) {
			p.popTo(i + 1)
			return
		}
	}
}

// marker stands in the list of formatting elements where a cell or an object begins:
// what is open outside of it is not opened again inside.
var marker = &html.Node{}

// clearFormatting forgets the formatting elements since the last marker.
func (p *parser) clearFormatting() {
	for len(p.formatting) > 0 {
		n := p.formatting[len(p.formatting)-1]
		p.formatting = p.formatting[:len(p.formatting)-1]
		if n == marker {
			return
		}
	}
}

// reopen opens again the formatting elements that ended with what they were in.
func (p *parser) reopen() {
	last := len(p.formatting) - 1
	if last < 0 || p.isOpenOrMarker(p.formatting[last]) {
		return
	}
	first := last
	for first > 0 && !p.isOpenOrMarker(p.formatting[first-1]) {
		first--
	}
	for i := first; i <= last; i++ {
		old := p.formatting[i]
		n := p.tree.node()
		n.Type, n.DataAtom, n.Data, n.Attr = old.Type, old.DataAtom, old.Data, slices.Clone(old.Attr)
		appendChild(p.current(), n)
		p.push(open{node: n, atom: n.DataAtom, flags: p.names.of(n.Data).flags})
		p.formatting[i] = n
	}
}

func (p *parser) isOpenOrMarker(n *html.Node) bool { return n == marker || p.index(n) >= 0 }

// maxAlike is how many equal formatting elements are remembered: of more, the oldest is
// forgotten.
const maxAlike = 3

// addFormatting adds the element of the start tag as one that formats.
func (p *parser) addFormatting() {
	n := p.add()
	// html.Parse leaves the attributes of these in the order of their names.
	slices.SortFunc(n.Attr, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) })
	alike := 0
	for i := len(p.formatting) - 1; i >= 0; i-- {
		f := p.formatting[i]
		if f == marker {
			break
		}
		if f.DataAtom != n.DataAtom || !slices.Equal(f.Attr, n.Attr) {
			continue
		}
		if alike++; alike >= maxAlike {
			p.formatting = slices.Delete(p.formatting, i, i+1)
		}
	}
	p.formatting = append(p.formatting, n)
}
