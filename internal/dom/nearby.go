package dom

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// How far away a label may be: past three siblings or three levels the text belongs
// to something else.
const (
	nearbySiblings = 3
	nearbyLevels   = 3
	// wrapperLevels is the same for a field that begins every box around it: those are
	// only its wrappers.
	wrapperLevels = 6
	// nearbyLength is the longest text taken for a label (bytes); longer is prose.
	nearbyLength = 80
)

// nearbyLabel returns the text a person would read as the label of a field without
// one: after a check box or radio button, before any other field, or else before its
// surroundings, such as the cell to the left.
func (nm *namer) nearbyLabel(f *subject) string {
	if f.role == "checkbox" || f.role == "radio" || f.role == "switch" {
		if s := nm.shortTextBeside(f.node, func(n *html.Node) *html.Node { return n.NextSibling }); s != "" {
			return s
		}
	}
	return nm.labelBefore(f.node)
}

// labelBefore returns the nearest short text before a node, or before its ancestors.
func (nm *namer) labelBefore(n *html.Node) string {
	wrapped := true
	for level := 1; ; level++ {
		if s := nm.shortTextBeside(n, func(n *html.Node) *html.Node { return n.PrevSibling }); s != "" {
			return s
		}
		wrapped = wrapped && beginsBox(n)
		if n = n.Parent; n == nil || isBoundary(n.DataAtom) || level >= nearbyLevels && !wrapped || level == wrapperLevels {
			return ""
		}
	}
}

// beginsBox reports a node with nothing before it in its box.
func beginsBox(n *html.Node) bool {
	for s := n.PrevSibling; s != nil; s = s.PrevSibling {
		if s.Type == html.ElementNode || s.Type == html.TextNode && page.Clean(s.Data) != "" {
			return false
		}
	}
	return true
}

// isBoundary reports elements a label does not reach across.
func isBoundary(t atom.Atom) bool {
	switch t {
	case atom.Form, atom.Fieldset, atom.Table, atom.Tbody, atom.Tr, atom.Li, atom.Ul, atom.Ol, atom.Body, atom.Dialog,
		atom.Section, atom.Main:
		return true
	}
	return false
}

// shortTextBeside returns the first short text among the siblings on one side, up to
// the next control.
func (nm *namer) shortTextBeside(n *html.Node, next func(*html.Node) *html.Node) string {
	seen := 0
	for s := next(n); s != nil && seen < nearbySiblings && nm.visit(); s = next(s) {
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
	if len(s) > nearbyLength {
		return ""
	}
	return s
}
