package dom

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// group is a part of the page that distinguishes elements of the same name: which
// row's "Delete", which form's "Save". Its name is worked out when it is first
// needed.
type group struct {
	node  *html.Node
	outer *group
	name  string
	named bool
}

// isGroup reports tags and roles that form groups.
func isGroup(n *html.Node, a *attrs, role string) bool {
	switch role {
	case "form", "dialog", "alertdialog", "group", "radiogroup", "row", "listitem", "article", "region", "search",
		"toolbar", "tabpanel", "menu", "navigation":
		return true
	}
	switch n.DataAtom {
	case atom.Form, atom.Dialog, atom.Fieldset, atom.Tr, atom.Li, atom.Article, atom.Section:
		return true
	case atom.Nav, atom.Aside, atom.Div:
		return a.ariaLabel != "" || a.labelledBy != ""
	}
	return false
}

// groupName is the name of the nearest group that has one.
func (nm *namer) groupName(g *group) string {
	if g == nil {
		return ""
	}
	if !g.named {
		g.named = true
		if g.name = page.Cut(nm.ownGroupName(g), maxGroup); g.name == "" {
			g.name = nm.groupName(g.outer)
		}
	}
	return g.name
}

func (nm *namer) ownGroupName(g *group) string {
	a := readAttrs(g.node)
	if s := nm.referenced(g.node, a.labelledBy); s != "" {
		return s
	}
	if s := page.Clean(a.ariaLabel); s != "" {
		return s
	}
	role := roleOf(g.node, &a)
	if g.node.DataAtom == atom.Fieldset {
		if legend := nm.firstWhere(g.node, isLegend); legend != nil {
			return nm.caption(legend)
		}
		return ""
	}
	if role == "" && (g.node.DataAtom == atom.Nav || g.node.DataAtom == atom.Aside || g.node.DataAtom == atom.Div) {
		return "" // they form a group by their label alone
	}
	if h := nm.firstWhere(g.node, isHeading); h != nil {
		return nm.caption(h)
	}
	if g.node.DataAtom == atom.Tr || g.node.DataAtom == atom.Li || role == "row" || role == "listitem" {
		return nm.firstText(g.node)
	}
	return ""
}

func isLegend(n *html.Node) bool { return n.DataAtom == atom.Legend }

func isHeading(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return true
	}
	return false
}

// firstWhere returns the first descendant that passes, in document order. It skips
// what is no part of the text.
func (nm *namer) firstWhere(n *html.Node, pass func(*html.Node) bool) *html.Node {
	for c := n.FirstChild; c != nil && nm.visit(); c = c.NextSibling {
		if c.Type != html.ElementNode || isVoidOfText(c.DataAtom) {
			continue
		}
		if pass(c) {
			return c
		}
		if hit := nm.firstWhere(c, pass); hit != nil {
			return hit
		}
	}
	return nil
}

// firstText is the first text of a row outside its controls.
func (nm *namer) firstText(n *html.Node) string {
	for c := n.FirstChild; c != nil && nm.visit(); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			if s := page.Clean(c.Data); hasWord(s) {
				return s
			}
		case html.ElementNode:
			if isVoidOfText(c.DataAtom) || isControl(c.DataAtom) || c.DataAtom == atom.A {
				continue
			}
			if a := readAttrs(c); visibilityOf(c, &a) != visible || interactiveRoles[lower(a.role)] {
				continue
			}
			if s := nm.firstText(c); s != "" {
				return s
			}
		}
	}
	return ""
}
