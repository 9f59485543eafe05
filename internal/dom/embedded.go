package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// embedded appends a control's value inside another name: "Flash the screen [3]
// times" (2C). ok is false if it is no control with a value. A secret field
// contributes nothing.
func (nm *namer) embedded(dst []byte, f *subject, w nameContext) (said []byte, ok bool) {
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
func (nm *namer) typed(dst []byte, f *subject, w nameContext) []byte {
	switch {
	case nm.mayBeSecret(f):
		return dst
	case f.node.DataAtom == atom.Input:
		return appendText(dst, f.attrs.value)
	}
	return nm.content(dst, f.node, w)
}

// mayBeSecret is isSecret for a field whose name is not yet known: it checks
// everything the name could come from, one by one and joined. If that cannot be
// known, the field may be secret.
func (nm *namer) mayBeSecret(f *subject) bool {
	a := &f.attrs
	if n := f.node; n.DataAtom != atom.Input && n.DataAtom != atom.Textarea && !takesText(a) {
		return false
	}
	is := func(name string) bool { return isSecret(f.node, a, name) }
	if is("") || is(nm.nearbyLabel(f)) {
		return true
	}
	var pointers, labels string
	for id := range strings.FieldsSeq(a.labelledBy) {
		s := nm.captionOf(nm.doc.byID[id])
		if pointers += " " + s; !nm.visit() || is(s) || len(pointers) > maxNameText {
			return true
		}
	}
	for _, l := range nm.doc.labelsOf(a.id) {
		s := nm.captionOf(l)
		if labels += " " + s; !nm.visit() || is(s) {
			return true
		}
	}
	around := nm.captionOf(f.label)
	return is(pointers) || is(around) || is(labels+" "+around) || is(around+" "+labels)
}

func (nm *namer) captionOf(n *html.Node) string {
	if n == nil {
		return ""
	}
	if label := attr(n, "aria-label"); label != "" {
		return label
	}
	return nm.caption(n)
}

// picked appends what is chosen in a select, a list box or a combo box.
func (nm *namer) picked(dst []byte, f *subject, w nameContext) []byte {
	n, start := f.node, len(dst)
	switch n.DataAtom {
	case atom.Select:
		return nm.chosenOptions(dst, f, w)
	case atom.Input, atom.Textarea:
		return nm.typed(dst, f, w)
	}
	if dst = nm.selected(dst, n, w); hasTextAfter(dst, start) {
		return dst
	}
	dst = dst[:start]
	for id := range strings.FieldsSeq(attr(n, "aria-owns")) {
		if owned := nm.doc.byID[id]; owned != nil && nm.visit() {
			dst = nm.selected(dst, owned, w)
		}
	}
	if f.role == "listbox" || hasTextAfter(dst, start) {
		return dst
	}
	return nm.content(dst[:start], n, w)
}

// selected appends the options in n that are aria-selected.
func (nm *namer) selected(dst []byte, n *html.Node, w nameContext) []byte {
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

// chosenOptions appends what a select shows (see chosen).
func (nm *namer) chosenOptions(dst []byte, f *subject, w nameContext) []byte {
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

// nextOption returns the option after o, the first if o is nil.
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

// after returns the node after n and its content, inside root.
func after(root, n *html.Node) *html.Node {
	for n != root {
		if n.NextSibling != nil {
			return n.NextSibling
		}
		n = n.Parent
	}
	return nil
}
