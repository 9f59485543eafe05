package dom

import (
	"bytes"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom/markup"
)

// reading is the result of reading an HTML document.
type reading struct {
	title     string
	language  string // as the document declares it
	busy      bool
	elements  []page.Element
	alerts    []page.Alert
	headings  []string
	text      string
	notes     []string
	layers    []page.Layer
	scrollers []string        // ids of boxes that may have more to show
	secrets   map[string]bool // signatures of its secret fields
}

// Parse reads a document, or a part of one. Markup that is nested too deeply for a
// parser is flattened.
func Parse(src string) (*html.Node, error) {
	d, err := parse(src)
	return d.root, err
}

// parsed is a document's tree.
type parsed struct {
	root *html.Node
	flat bool         // it was nested too deeply
	tree *markup.Tree // to be released, if there is one
}

// parse makes the tree of a document, by the short way if it is written as most are.
func parse(src string) (parsed, error) {
	if tree, ok := markup.Parse(src); ok {
		return parsed{root: tree.Root, tree: tree}, nil
	}
	root, err := html.Parse(strings.NewReader(src))
	if err == nil {
		return parsed{root: root}, nil
	}
	if root, err = html.Parse(bytes.NewReader(flatten(src))); err != nil {
		return parsed{flat: true}, fmt.Errorf("parse html: %w", err)
	}
	return parsed{root: root, flat: true}, nil
}

// release makes the memory of the tree reusable. No node may be used afterwards.
func (d parsed) release() {
	if d.tree != nil {
		d.tree.Release()
	}
}

// Find returns the element that actions name by an id, nil if there is none: of several
// the one whose id the client gave, and the first of those.
func Find(root *html.Node, id string) (found *html.Node) {
	best := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || id == "" {
			continue
		}
		var a attrs
		a.read(n)
		if rank := a.handleRank(); rank > best && a.handle() == id {
			found, best = n, rank
		}
	}
	return found
}

// titleOf is the text of the first title in the head.
func titleOf(root *html.Node) string {
	title := childOf(childOf(childOf(root, atom.Html), atom.Head), atom.Title)
	if title == nil {
		return ""
	}
	var b strings.Builder
	for c := range title.ChildNodes() {
		b.WriteString(c.Data)
	}
	return b.String()
}

// childOf is the first child of a name, nil if there is none.
func childOf(n *html.Node, tag atom.Atom) *html.Node {
	if n == nil {
		return nil
	}
	c := n.FirstChild
	for c != nil && c.DataAtom != tag {
		c = c.NextSibling
	}
	return c
}

// readHTML reads a document: one parse, one walk, then the names.
func readHTML(src string) (reading, error) {
	var r reading
	d, err := parse(src)
	if d.flat {
		r.notes = append(r.notes, "the markup is nested too deeply: its innermost part was flattened")
	}
	if err != nil {
		return r, err
	}
	defer d.release()
	doc := walk(d.root)
	b := newBuilder(doc)
	b.replaceByLabels()
	r.elements = make([]page.Element, len(doc.found))
	var s subject
	for i, f := range doc.found {
		s.found, s.attrs = f, attrs{}
		s.attrs.read(f.node)
		b.element(&r.elements[i], &s)
	}
	for _, l := range doc.layers {
		r.layers = append(r.layers, b.layer(l))
	}
	r.scrollers, r.busy = doc.scrollers, doc.busy
	for _, h := range doc.headings {
		if s := page.Cut(b.caption(h), maxName); s != "" {
			r.headings = append(r.headings, s)
		}
	}
	r.title = page.Cut(page.Clean(titleOf(d.root)), maxTitle)
	r.language = declaredLanguage(d.root)
	r.alerts, r.secrets = doc.alerts, b.secrets
	r.text = strings.TrimSpace(page.Cut(string(doc.text), maxText))
	for i := range r.elements {
		e := &r.elements[i]
		e.TextFrom, e.TextTo = min(doc.found[i].from, len(r.text)), min(doc.found[i].to, len(r.text))
	}
	for i := range r.layers {
		l := &r.layers[i]
		l.TextFrom, l.TextTo = min(doc.layers[i].from, len(r.text)), min(doc.layers[i].to, len(r.text))
	}
	if doc.cut {
		r.notes = append(r.notes, fmt.Sprintf("only the first %d elements were read", maxElements))
	}
	b.columns(r.elements, doc.found)
	b.rows(r.elements, doc.found) // last: on a page that takes long, names come first
	doc.release()
	r.detach()
	return r, nil
}
