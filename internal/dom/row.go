package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

const (
	// rowLevels is how far above a control its row is looked for; besideLevels the
	// same for a control of a name of its own, which is in no row that markup tells.
	rowLevels    = 24
	besideLevels = 3
	// maxRow is how much of a row is kept: what tells it apart stands at its start.
	maxRow = 200
)

// rows gives elements the text of the row they are in. A row is one by its markup
// (tr, li, article or their roles), or what belongs to one of several controls of
// the same name alone: the largest part of the document with none of the others.
func (b *builder) rows(es []page.Element, list []found) {
	texts := map[*html.Node]string{}
	read := func(n *html.Node) string {
		s, known := texts[n]
		if !known {
			s = b.rowText(n)
			texts[n] = s
		}
		return s
	}
	twins := map[[2]string][]int{}
	for i := range es {
		if !es[i].State.Hidden {
			k := [2]string{es[i].Role, es[i].Name}
			twins[k] = append(twins[k], i)
		}
	}
	shared := map[*html.Node]int{}
	for k, of := range twins {
		clear(shared)
		if len(of) > 1 {
			b.countAround(shared, list, of)
		}
		for _, i := range of {
			es[i].Row = b.rowOf(list[i].node, shared, len(of) > 1, isField(k[0]), read)
		}
	}
}

// countAround counts how many of the elements each node around them has.
func (b *builder) countAround(shared map[*html.Node]int, list []found, of []int) {
	for _, i := range of {
		n := list[i].node.Parent
		for range rowLevels {
			if n == nil || !b.visit() {
				break
			}
			shared[n]++
			n = n.Parent
		}
	}
}

// rowOf is the text of the row of an element. That of one of several of a name
// has none of the others in it.
func (b *builder) rowOf(n *html.Node, shared map[*html.Node]int, twin, field bool, read func(*html.Node) string) string {
	widest, level := "", 0
	for up := n.Parent; up != nil && up.DataAtom != atom.Body && level < rowLevels && b.visit(); up = up.Parent {
		if twin && shared[up] != 1 {
			break
		}
		level++
		near := level <= besideLevels && !field && !isBoundary(up.DataAtom)
		switch {
		case isRow(up):
			if s := read(up); s != "" {
				return s
			}
		case twin:
			widest = read(up)
		case near && widest == "":
			widest = read(up)
		}
	}
	return widest
}

func isRow(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Tr, atom.Li, atom.Article:
		return true
	}
	switch lower(attr(n, "role")) {
	case "row", "listitem", "article":
		return true
	}
	return false
}

// rowText is what is read in a part of the document, without what is written on
// its buttons and in its fields.
func (nm *namer) rowText(n *html.Node) string {
	return page.Cut(page.Clean(string(nm.appendRow(nil, n))), maxRow)
}

func (nm *namer) appendRow(dst []byte, n *html.Node) []byte {
	for c := n.FirstChild; c != nil && len(dst) < 4*maxRow && nm.visit(); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			dst = page.AppendClean(dst, c.Data)
		case html.ElementNode:
			if isVoidOfText(c.DataAtom) || isControl(c.DataAtom) {
				continue
			}
			if c.DataAtom == atom.Img {
				dst = page.AppendClean(page.AppendSpace(dst), attr(c, "alt"))
				continue
			}
			if a := readAttrs(c); sightOf(c, &a) != seen || strings.EqualFold(a.role, "button") {
				continue
			}
			dst = page.AppendSpace(nm.appendRow(page.AppendSpace(dst), c))
		}
	}
	return dst
}
