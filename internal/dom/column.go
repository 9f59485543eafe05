package dom

import (
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// Bounds of the search for a column's heading.
const (
	maxColumns   = 60
	columnLevels = 4  // from a control up to its cell
	tableLevels  = 4  // from a row up to its table
	maxColumn    = 40 // characters of a heading
)

// columns gives elements in the cells of a table the heading of their column.
func (b *builder) columns(es []page.Element, list []found) {
	headings := map[*html.Node][]string{} // of each table
	for i := range es {
		cell := climb(list[i].node, columnLevels, isCell)
		if cell == nil || es[i].State.Hidden || cell.Parent == nil {
			continue
		}
		table := climb(cell.Parent, tableLevels, isTable)
		if table == nil || isHeaderCell(cell) {
			continue
		}
		names, known := headings[table]
		if !known {
			names = b.headingsOf(table)
			headings[table] = names
		}
		if at := b.columnOf(cell); len(names) > 0 && at < len(names) {
			es[i].Column = names[at]
		}
	}
}

// climb returns the nearest node that passes, from n up.
func climb(n *html.Node, levels int, pass func(*html.Node) bool) *html.Node {
	for ; n != nil && levels >= 0; n, levels = n.Parent, levels-1 {
		if pass(n) {
			return n
		}
	}
	return nil
}

func isTable(n *html.Node) bool {
	switch lower(attr(n, "role")) {
	case "table", "grid", "treegrid":
		return true
	}
	return n.DataAtom == atom.Table
}

func isCell(n *html.Node) bool {
	switch lower(attr(n, "role")) {
	case "cell", "gridcell", "columnheader", "rowheader":
		return true
	}
	return n.DataAtom == atom.Td || n.DataAtom == atom.Th
}

func isHeaderCell(n *html.Node) bool {
	return n.DataAtom == atom.Th && attr(n, "scope") != "row" || lower(attr(n, "role")) == "columnheader"
}

// headingsOf returns the headings of the first row of a table that has at least two.
func (b *builder) headingsOf(table *html.Node) []string {
	row := b.firstWhere(table, func(n *html.Node) bool {
		headers := 0
		for c := n.FirstChild; c != nil && headers < 2; c = c.NextSibling {
			if c.Type == html.ElementNode && isHeaderCell(c) {
				headers++
			}
		}
		return headers >= 2
	})
	if row == nil {
		return nil
	}
	var names []string
	for c := row.FirstChild; c != nil && len(names) < maxColumns && b.visit(); c = c.NextSibling {
		if c.Type != html.ElementNode || !isCell(c) {
			continue
		}
		name := page.Cut(b.caption(c), maxColumn)
		for range columnSpan(c) {
			names = append(names, name)
		}
	}
	return names
}

// columnOf is the number of a cell in its row, from 0.
func (b *builder) columnOf(cell *html.Node) (at int) {
	for c := cell.PrevSibling; c != nil && at < maxColumns && b.visit(); c = c.PrevSibling {
		if c.Type == html.ElementNode && isCell(c) {
			at += columnSpan(c)
		}
	}
	return at
}

func columnSpan(cell *html.Node) int {
	n, err := strconv.Atoi(attr(cell, "colspan"))
	if err != nil {
		return 1
	}
	return max(1, min(n, maxColumns))
}
