package dom

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// native appends the name the markup gives: labels, button texts, alternative texts,
// captions (2E).
func (nm *namer) native(dst []byte, f *subject, w nameContext) []byte {
	a, start := &f.attrs, len(dst)
	if !w.nested && isLabelled(f.node.DataAtom) {
		if dst = nm.labels(dst, f); hasTextAfter(dst, start) {
			return dst
		}
		dst = dst[:start]
	}
	switch f.node.DataAtom {
	case atom.Input:
		return appendText(dst, buttonText(a))
	case atom.Img, atom.Area:
		return appendText(dst, a.alt)
	case atom.Svg:
		return nm.ownChild(dst, f.node, atom.Title)
	case atom.Optgroup, atom.Option:
		return appendText(dst, readOption(f.node).label)
	}
	if w.nested {
		return dst // inside of a name a container says all that is in it
	}
	switch f.node.DataAtom {
	case atom.Fieldset:
		return nm.ownChild(dst, f.node, atom.Legend)
	case atom.Table:
		return nm.ownChild(dst, f.node, atom.Caption)
	case atom.Figure:
		return nm.ownChild(dst, f.node, atom.Figcaption)
	}
	return dst
}

// buttonText is the browser's text on an input that is a button.
func buttonText(a *attrs) string {
	switch a.typ {
	case "submit":
		return firstOf(a.value, "Submit")
	case "reset":
		return firstOf(a.value, "Reset")
	case "button":
		return a.value
	case "image":
		return firstOf(a.alt, a.title, "Submit")
	}
	return ""
}

// ownChild appends the content of the first child with that tag. The caption of a
// nested table does not name the outer one.
func (nm *namer) ownChild(dst []byte, n *html.Node, tag atom.Atom) []byte {
	for c := n.FirstChild; c != nil && nm.visit(); c = c.NextSibling {
		if c.DataAtom == tag {
			return nm.content(dst, c, nameContext{nested: true})
		}
	}
	return dst
}

// labels joins the field's label elements and the one around it, in document order.
// In HTML a label around several fields is for the first only; people read it for all
// of them.
func (nm *namer) labels(dst []byte, f *subject) []byte {
	around := f.label
	if around != nil && attr(around, "for") != "" {
		around = nil // listed by its for, or another field's
	}
	if f.attrs.id != "" && nm.doc.byID[f.attrs.id] == f.node {
		for _, l := range nm.doc.labelsOf(f.attrs.id) {
			if len(dst) > maxNameText {
				break
			}
			if around != nil && nm.precedes(around, l) {
				dst, around = nm.label(dst, around), nil
			}
			dst = nm.label(dst, l)
		}
	}
	if around != nil {
		dst = nm.label(dst, around)
	}
	return dst
}

// labelsOf returns the first labels for an id; more than a few are an attack.
func (d *document) labelsOf(id string) []*html.Node {
	list := d.labels[id]
	return list[:min(len(list), maxLabels)]
}

func (nm *namer) label(dst []byte, n *html.Node) []byte {
	if slices.Contains(nm.path, n) || !nm.visit() {
		return dst
	}
	return page.AppendSpace(nm.reference(page.AppendSpace(dst), n, nameContext{nested: true}))
}

// precedes reports whether a starts before b in the document.
func (nm *namer) precedes(a, b *html.Node) bool {
	above, below := depth(a), depth(b)
	for ; above > below; above-- {
		a = a.Parent
	}
	for ; below > above; below-- {
		b = b.Parent
	}
	for a.Parent != b.Parent {
		a, b = a.Parent, b.Parent
	}
	for ; a != nil && nm.visit(); a = a.NextSibling {
		if a == b {
			return true
		}
	}
	return false
}

func depth(n *html.Node) (d int) {
	for ; n.Parent != nil; n = n.Parent {
		d++
	}
	return d
}

// attr returns an attribute, "" if it is missing.
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}
