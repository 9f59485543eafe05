package dom

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// How far a label is hunted for: past three siblings or three levels the text
// belongs to something else.
const (
	huntSiblings = 3
	huntLevels   = 3
	// huntLength is the longest text taken for a label (bytes); longer is prose.
	huntLength = 80
)

// hunt finds the text a person would read as the label of a field that has
// none: pseudoAfter a check box or radio button, before any other field, else
// before what surrounds it, such as the cell to the left.
func (nm *namer) hunt(f *subject) string {
	if f.role == "checkbox" || f.role == "radio" || f.role == "switch" {
		if s := nm.neighbour(f.node, func(n *html.Node) *html.Node { return n.NextSibling }); s != "" {
			return s
		}
	}
	return nm.before(f.node)
}

// before is the nearest short text before a node, or before what surrounds it.
func (nm *namer) before(n *html.Node) string {
	for range huntLevels {
		if s := nm.neighbour(n, func(n *html.Node) *html.Node { return n.PrevSibling }); s != "" {
			return s
		}
		n = n.Parent
		if n == nil || isBoundary(n.DataAtom) {
			return ""
		}
	}
	return ""
}

// isBoundary reports what a label does not reach across.
func isBoundary(t atom.Atom) bool {
	switch t {
	case atom.Form, atom.Fieldset, atom.Table, atom.Tbody, atom.Tr, atom.Li, atom.Ul, atom.Ol, atom.Body, atom.Dialog,
		atom.Section, atom.Main:
		return true
	}
	return false
}

// neighbour is the first short text among the siblings on one side, up to the
// next control.
func (nm *namer) neighbour(n *html.Node, next func(*html.Node) *html.Node) string {
	seen := 0
	for s := next(n); s != nil && seen < huntSiblings && nm.visit(); s = next(s) {
		switch s.Type {
		case html.TextNode:
			if text := page.Clean(s.Data); hasWord(text) {
				return labelText(text)
			}
		case html.ElementNode:
			seen++
			if isControl(s.DataAtom) || nm.firstWhere(s, func(n *html.Node) bool { return isControl(n.DataAtom) }) != nil {
				return ""
			}
			if isVoidOfText(s.DataAtom) || isHeading(s) || s.DataAtom == atom.A {
				continue
			}
			if text := nm.caption(s); hasWord(text) {
				return labelText(text)
			}
		}
	}
	return ""
}

func labelText(s string) string {
	if len(s) > huntLength {
		return ""
	}
	return s
}
