package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// native appends the name the markup itself gives: labels, the text of
// buttons, alternatives of images, captions (2E).
func (nm *namer) native(dst []byte, f *subject, w way) []byte {
	a, start := &f.attrs, len(dst)
	if !w.nested && isLabelled(f.node.DataAtom) {
		if dst = nm.labels(dst, f); says(dst, start) {
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

// buttonText is what the browser writes on an input that is a button.
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

// ownChild appends the content of the first child with that tag: a table is
// not named by the caption of a table in it.
func (nm *namer) ownChild(dst []byte, n *html.Node, tag atom.Atom) []byte {
	for c := n.FirstChild; c != nil && nm.visit(); c = c.NextSibling {
		if c.DataAtom == tag {
			return nm.content(dst, c, way{nested: true})
		}
	}
	return dst
}

// labels joins the label elements for the field and the one around it, in the
// order of the document. HTML has the one around count for the first field in
// it only; a person reads it for all of them.
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

// labelsOf are the first labels for an id: more than a few are an attack.
func (d *document) labelsOf(id string) []*html.Node {
	list := d.labels[id]
	return list[:min(len(list), maxLabels)]
}

func (nm *namer) label(dst []byte, n *html.Node) []byte {
	if slices.Contains(nm.path, n) || !nm.visit() {
		return dst
	}
	return page.AppendSpace(nm.reference(page.AppendSpace(dst), n, way{nested: true}))
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

// attr is an attribute by name, "" if it is not there.
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}

// embedded appends what a control says inside the name of something else: its
// value, in "Flash the screen [3] times" (2C). Ok is false for what is no
// control with a value. A secret says nothing.
func (nm *namer) embedded(dst []byte, f *subject, w way) (said []byte, ok bool) {
	n, a := f.node, &f.attrs
	if w.caption && isControl(n.DataAtom) {
		return dst, true
	}
	switch f.role {
	case "textbox", "searchbox":
		return nm.typed(dst, f, w), true
	case "combobox", "listbox":
		return nm.picked(dst, f, w), true
	case "slider", "spinbutton":
		switch {
		case a.valueText != "":
			return appendText(dst, a.valueText), true
		case a.valueNow != "":
			return appendText(dst, a.valueNow), true
		}
		return nm.typed(dst, f, w), true
	}
	return dst, false
}

// typed appends what was typed into a field.
func (nm *namer) typed(dst []byte, f *subject, w way) []byte {
	switch f.node.DataAtom {
	case atom.Input, atom.Textarea:
		if nm.mayBeSecret(f) {
			return dst
		}
		if f.node.DataAtom == atom.Input {
			return appendText(dst, f.attrs.value)
		}
	}
	return nm.content(dst, f.node, w)
}

// mayBeSecret is isSecret for a field whose name is not worked out yet: by
// whatever the name could come from. When it cannot be known, it may be.
func (nm *namer) mayBeSecret(f *subject) bool {
	a := &f.attrs
	for _, s := range [...]string{"", a.title, a.dataLabel} {
		if isSecret(f.node, a, s) {
			return true
		}
	}
	if f.label != nil && isSecret(f.node, a, nm.caption(f.label)) {
		return true
	}
	for _, l := range nm.doc.labelsOf(a.id) {
		if !nm.visit() || isSecret(f.node, a, nm.caption(l)) {
			return true
		}
	}
	for id := range strings.FieldsSeq(a.labelledBy) {
		if n := nm.doc.byID[id]; !nm.visit() || n != nil && isSecret(f.node, a, nm.caption(n)) {
			return true
		}
	}
	return isSecret(f.node, a, nm.hunt(f))
}

// picked appends what is chosen in a select, a list box or a combo box.
func (nm *namer) picked(dst []byte, f *subject, w way) []byte {
	n, start := f.node, len(dst)
	switch n.DataAtom {
	case atom.Select:
		return nm.chosenOptions(dst, f, w)
	case atom.Input, atom.Textarea:
		return nm.typed(dst, f, w)
	}
	if dst = nm.selected(dst, n, w); says(dst, start) {
		return dst
	}
	dst = dst[:start]
	for id := range strings.FieldsSeq(attr(n, "aria-owns")) {
		if owned := nm.doc.byID[id]; owned != nil && nm.visit() {
			dst = nm.selected(dst, owned, w)
		}
	}
	if f.role == "listbox" || says(dst, start) {
		return dst
	}
	return nm.content(dst[:start], n, w)
}

// selected appends the options in n that ARIA calls selected.
func (nm *namer) selected(dst []byte, n *html.Node, w way) []byte {
	for c := n.FirstChild; c != nil && len(dst) <= maxNameText && nm.visit(); c = c.NextSibling {
		switch {
		case c.Type != html.ElementNode:
		case attr(c, "aria-selected") == "true":
			dst = page.AppendSpace(nm.content(page.AppendSpace(dst), c, w))
		default:
			dst = nm.selected(dst, c, w)
		}
	}
	return dst
}

// chosenOptions appends what a select shows, as chosen does.
func (nm *namer) chosenOptions(dst []byte, f *subject, w way) []byte {
	var first, last *html.Node
	for o := nm.nextOption(f.node, nil); o != nil; o = nm.nextOption(f.node, o) {
		if first == nil {
			first = o
		}
		if !readOption(o).selected {
			continue
		}
		if last = o; f.attrs.multiple && len(dst) <= maxNameText {
			dst = page.AppendSpace(nm.content(dst, o, w))
		}
	}
	switch {
	case f.attrs.multiple:
		return dst
	case last != nil:
		return nm.content(dst, last, w)
	case first != nil && f.role == "combobox":
		return nm.content(dst, first, w)
	}
	return dst
}

// nextOption is the option after the given one, the first for nil.
func (nm *namer) nextOption(sel, o *html.Node) *html.Node {
	n := sel.FirstChild
	if o != nil {
		n = after(sel, o)
	}
	for n != nil && nm.visit() {
		switch {
		case n.DataAtom == atom.Option:
			return n
		case n.DataAtom == atom.Optgroup && n.FirstChild != nil:
			n = n.FirstChild
		default:
			n = after(sel, n)
		}
	}
	return nil
}

// after is what follows n and all that is in it, inside of root.
func after(root, n *html.Node) *html.Node {
	for n != root {
		if n.NextSibling != nil {
			return n.NextSibling
		}
		n = n.Parent
	}
	return nil
}
