package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// content appends the text inside n, with the names of its elements, up to a little
// more than a name can hold (2F).
func (nm *namer) content(dst []byte, n *html.Node, w nameContext) []byte {
	style := nm.doc.sheet.of(n)
	dst = appendGenerated(dst, n, style.before)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Template && isShadowRoot(c) {
			dst = nm.children(dst, c, w) // the host's own children are where its slots are
			break
		}
		if len(dst) > maxNameText || !nm.visit() {
			break
		}
		dst = nm.child(dst, c, w)
	}
	if owned := attr(n, "aria-owns"); owned != "" {
		dst = nm.owned(dst, owned, w)
	}
	return appendGenerated(dst, n, style.after)
}

func (nm *namer) children(dst []byte, n *html.Node, w nameContext) []byte {
	for c := n.FirstChild; c != nil && len(dst) <= maxNameText && nm.visit(); c = c.NextSibling {
		dst = nm.child(dst, c, w)
	}
	return dst
}

func (nm *namer) child(dst []byte, c *html.Node, w nameContext) []byte {
	switch c.Type {
	case html.TextNode:
		if !w.invisible {
			return appendText(dst, c.Data)
		}
	case html.ElementNode:
		return nm.part(dst, c, w)
	}
	return dst
}

// part appends an element inside a name.
func (nm *namer) part(dst []byte, n *html.Node, w nameContext) []byte {
	if isVoidOfText(n.DataAtom) {
		return dst
	}
	w.nested = true
	if len(n.Attr) == 0 && nm.doc.sheet == nil && !isControl(n.DataAtom) && n.DataAtom != atom.Slot {
		if isInline(n.DataAtom) {
			return nm.content(dst, n, w)
		}
		return page.AppendSpace(nm.content(page.AppendSpace(dst), n, w))
	}
	return nm.special(dst, n, w, slices.Contains(nm.path, n))
}

// special appends an element that may be more than the text in it. An element that is
// already part of the name only leaves a space.
func (nm *namer) special(dst []byte, n *html.Node, w nameContext, isEntered bool) []byte {
	f := subject{found: found{node: n}, attrs: readAttrs(n)}
	f.role = roleOf(n, &f.attrs)
	a, style := &f.attrs, nm.doc.sheet.of(n)
	if !w.hidden && !w.sees(n, a, style) {
		return dst
	}
	apart := isControl(n.DataAtom) || n.DataAtom == atom.Img || a.ariaLabel != "" || isValued(f.role) ||
		isBlock(n.DataAtom, a, style)
	if apart {
		dst = page.AppendSpace(dst)
	}
	if !isEntered {
		dst = nm.embed(dst, &f, w)
	}
	if apart {
		dst = page.AppendSpace(dst)
	}
	return dst
}

// sees reports whether an element is displayed, and records whether its text is
// visible.
func (w *nameContext) sees(n *html.Node, a *attrs, s style) bool {
	shown, visibility := visibilityOfParts(n, a)
	switch firstOf(visibility, s.visibility) {
	case "hidden", "collapse":
		w.invisible = true
	case "visible":
		w.invisible = false
	}
	return shown == visible && !s.hides(a)
}

// embed appends an element's contribution to another name.
func (nm *namer) embed(dst []byte, f *subject, w nameContext) []byte {
	n := f.node
	switch slotted := nm.doc.slotted[n]; {
	case len(slotted) > 0:
		for _, c := range slotted {
			dst = nm.child(dst, c, w)
		}
		return dst
	case !w.invisible:
		return nm.accname(dst, f, w)
	case isControl(n.DataAtom) || n.DataAtom == atom.Img:
		return dst
	}
	return nm.content(dst, n, w)
}

// owned appends the elements that aria-owns adds to this one.
func (nm *namer) owned(dst []byte, ids string, w nameContext) []byte {
	for id := range strings.FieldsSeq(ids) {
		if len(dst) > maxNameText || !nm.visit() {
			break
		}
		n := nm.doc.byID[id]
		if n == nil || slices.Contains(nm.path, n) {
			continue
		}
		nm.path = append(nm.path, n)
		w.nested = true
		dst = page.AppendSpace(nm.special(page.AppendSpace(dst), n, w, false))
	}
	return dst
}

// isValued reports roles whose value is read inside another name.
func isValued(role string) bool {
	switch role {
	case "textbox", "searchbox", "combobox", "listbox", "slider", "spinbutton":
		return true
	}
	return false
}

// isBlock reports elements that break the line of text they are in.
func isBlock(tag atom.Atom, a *attrs, s style) bool {
	display := s.display
	if strings.Contains(a.style, "display") {
		for prop, val := range declarations(a.style) {
			if prop == "display" {
				display = val
			}
		}
	}
	switch display {
	case "":
		return !isInline(tag)
	case "inline", "contents":
		return false
	}
	return true
}
