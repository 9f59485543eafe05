package dom

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// The steps in this file are those of the W3C's "Accessible Name and
// Description Computation", 2A to 2I, with the texts HTML gives (HTML-AAM).
// Where the two leave it open, a name is what browsers make of it.

// nameContext is how the computation of a name came to a node.
type nameContext struct {
	nested     bool // from the content of another element
	referenced bool // by aria-labelledby, which is then not followed again
	hidden     bool // what was pointed at is hidden: so may be what is inside it
	invisible  bool // inside visibility: hidden, which an element can end for itself
	caption    bool // for what a person reads: controls are left out
}

// accname appends the name of an element by the first step that has one.
func (nm *namer) accname(dst []byte, f *subject, w nameContext) []byte {
	a, start := &f.attrs, len(dst)
	if !w.referenced && a.labelledBy != "" { // 2B
		if dst = nm.labelledBy(dst, f.node, a.labelledBy, w); hasTextAfter(dst, start) {
			return dst
		}
		dst = dst[:start]
	}
	if f.node != nm.path[0] && (w.nested || w.referenced) { // 2C
		if embedded, ok := nm.embedded(dst, f, w); ok {
			return embedded
		}
	}
	if s := strings.Trim(a.ariaLabel, " \t\n\r\f"); s != "" { // 2D
		return appendText(dst, s)
	}
	if !w.nested || !isPresentation(a.role) { // 2E
		if dst = nm.native(dst, f, w); hasTextAfter(dst, start) {
			return dst
		}
		dst = dst[:start]
	}
	if nm.isFromContent(f, w) { // 2F to 2H
		dst = nm.content(dst, f.node, w)
		switch {
		case hasTextAfter(dst, start) && w.nested:
			return dst
		case hasTextAfter(dst, start): // here no-break spaces are margins
			return append(dst[:start], bytes.TrimSpace(dst[start:])...)
		case w.nested && a.title == "":
			return dst // a space between two words
		}
		dst = dst[:start]
	}
	if isPresentation(a.role) {
		return dst
	}
	if dst = appendText(dst, a.title); hasTextAfter(dst, start) { // 2I
		return dst
	}
	return appendText(dst[:start], a.placeholder)
}

// isPresentation reports an element whose role removes its semantics.
func isPresentation(role string) bool { return role == "presentation" || role == "none" }

// labelledBy joins the names of the elements that aria-labelledby refers to. They may
// be hidden with everything in them; one may be the element itself.
func (nm *namer) labelledBy(dst []byte, self *html.Node, ids string, w nameContext) []byte {
	for id := range strings.FieldsSeq(ids) {
		if len(dst) > maxNameText || !nm.visit() {
			break
		}
		n := nm.doc.byID[id]
		if n == nil || n != self && slices.Contains(nm.path, n) {
			continue
		}
		dst = nm.reference(page.AppendSpace(dst), n, nameContext{referenced: true, caption: w.caption})
	}
	return dst
}

// reference appends the name of a node that was referred to.
func (nm *namer) reference(dst []byte, n *html.Node, w nameContext) []byte {
	nm.path = append(nm.path, n)
	f := nm.subjectOf(n)
	w.hidden = w.hidden || nm.conceals(n, &f.attrs) || nm.isInsideConcealed(n.Parent)
	return nm.accname(dst, &f, w)
}

// subjectOf returns any element as the subject of a name.
func (nm *namer) subjectOf(n *html.Node) subject {
	f := subject{found: found{node: n}, attrs: readAttrs(n)}
	f.role = roleOf(n, &f.attrs)
	if isLabelled(n.DataAtom) {
		for up := n.Parent; up != nil && nm.visit(); up = up.Parent {
			if up.DataAtom == atom.Label {
				f.label = up
				break
			}
		}
	}
	return f
}

// isConcealed reports whether the element or an ancestor is hidden.
func (nm *namer) isConcealed(n *html.Node) bool {
	if n.Type == html.ElementNode && (len(n.Attr) > 0 || nm.doc.sheet != nil) {
		if a := readAttrs(n); nm.conceals(n, &a) {
			return true
		}
	}
	return nm.isInsideConcealed(n.Parent)
}

// isInsideConcealed is isConcealed with a cache, for ancestors that many names ask
// about, such as a form's labels.
func (nm *namer) isInsideConcealed(n *html.Node) bool {
	if n == nil || !nm.visit() {
		return false
	}
	concealed, known := nm.doc.concealed[n]
	if !known {
		concealed = nm.isConcealed(n)
		nm.doc.concealed[n] = concealed
	}
	return concealed
}

func (nm *namer) conceals(n *html.Node, a *attrs) bool {
	return visibilityOf(n, a) == notRendered || nm.doc.sheet.of(n).isHidden()
}

// isFromContent reports whether the element may be named by its content: its role
// allows that, or it is read as part of another name.
func (nm *namer) isFromContent(f *subject, w nameContext) bool {
	switch {
	case f.node.DataAtom == atom.Input || f.node.DataAtom == atom.Select || f.node.DataAtom == atom.Textarea:
		return false
	case w.nested:
		return !closedRoles[f.role]
	}
	return w.referenced || contentRoles[f.role]
}

// closedRoles are read by their label only, even inside another name.
var closedRoles = set("menu", "menubar", "tree", "treegrid", "grid", "tablist", "img", "progressbar", "meter",
	"scrollbar", "separator")
