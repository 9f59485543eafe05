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
	// maxRow bounds a row's text: what distinguishes it is at its start.
	maxRow = 200
)

// rows gives elements the text of their row. A row is one by its markup (tr, li,
// article or their roles); for several controls of the same name it is the largest
// part of the document that contains only one of them. A link with a unique name
// needs none.
func (b *builder) rows(es []page.Element, list []found) {
	r := rowReader{builder: b, texts: map[*html.Node]string{}, shared: map[*html.Node]int{}}
	type sign struct{ role, name string }
	last := make(map[sign]int, len(es)) // the last element of a role and name
	before := make([]int, len(es))      // the one before of the same
	for i := range es {
		if es[i].State.Hidden {
			continue
		}
		s := sign{es[i].Role, es[i].Name}
		before[i] = last[s] - 1
		last[s] = i + 1
	}
	for at := range es {
		s := sign{es[at].Role, es[at].Name}
		if last[s] != at+1 {
			continue
		}
		if before[at] < 0 {
			if s.role != "link" {
				es[at].Row = r.rowOf(list[at].node, false, isField(s.role))
			}
			continue
		}
		r.forget()
		for i := at; i >= 0; i = before[i] {
			r.countAround(list[i].node)
		}
		for i := at; i >= 0; i = before[i] {
			es[i].Row = r.rowOf(list[i].node, true, isField(s.role))
		}
	}
}

// rowReader reads the rows of a document, each once.
type rowReader struct {
	*builder
	texts  map[*html.Node]string
	shared map[*html.Node]int // how many of the elements looked at each node around them has
	buf    []byte
}

// forget clears the counts. Clearing a map takes time for its largest size ever, so a
// large one is replaced.
func (r *rowReader) forget() {
	if len(r.shared) > 10*rowLevels {
		r.shared = map[*html.Node]int{}
		return
	}
	clear(r.shared)
}

func (r *rowReader) countAround(n *html.Node) {
	for range rowLevels {
		if n = n.Parent; n == nil || !r.visit() {
			return
		}
		r.shared[n]++
	}
}

func (r *rowReader) read(n *html.Node) string {
	s, known := r.texts[n]
	if !known {
		r.buf = r.appendRow(r.buf[:0], n)
		s = page.Cut(strings.TrimSpace(string(r.buf)), maxRow)
		r.texts[n] = s
	}
	return s
}

// rowOf is the text of an element's row. For an element with twins it contains none
// of them.
func (r *rowReader) rowOf(n *html.Node, twin, field bool) string {
	var widest *html.Node
	beside, level := "", 0
	for up := n.Parent; up != nil && up.DataAtom != atom.Body && level < rowLevels && r.visit(); up = up.Parent {
		if twin && r.shared[up] != 1 {
			break
		}
		level++
		near := level <= besideLevels && !field && !isBoundary(up.DataAtom)
		switch {
		case isRow(up):
			if s := r.read(up); s != "" {
				return s
			}
		case twin:
			widest = up
		case near && beside == "":
			beside = r.read(up)
		}
	}
	if widest != nil {
		return r.read(widest)
	}
	return beside
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

// rowText is the text of a part of the document without its buttons and fields.
func (nm *namer) rowText(n *html.Node) string {
	return page.Cut(strings.TrimSpace(string(nm.appendRow(nil, n))), maxRow)
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
			if a := readAttrs(c); visibilityOf(c, &a) != visible || strings.EqualFold(a.role, "button") {
				continue
			}
			dst = page.AppendSpace(nm.appendRow(page.AppendSpace(dst), c))
		}
	}
	return dst
}
