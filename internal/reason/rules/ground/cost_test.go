package ground_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/instruction"
	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/costtest"
	"github.com/stepledger/stepledger/internal/reason/rules/ground"
	"github.com/stepledger/stepledger/internal/reason/rules/rulestest"
)

// large are pages that grow with a number: rows in which much is the same, sections,
// many elements that fit alike.
var large = map[string]func(n int) page.Page{
	"rows": func(n int) page.Page {
		p := page.Page{URL: rulestest.Home}
		for i := range n {
			p.Elements = append(p.Elements, rulestest.Element("button", "Edit", rulestest.Group("People"), func(e *page.Element) { e.Row = fmt.Sprintf("person number %d $%d", i, i) }))
		}
		return rulestest.Finish(p)
	},
	"one row of all": func(n int) page.Page {
		row := strings.Repeat("word ", 40)
		p := page.Page{URL: rulestest.Home}
		for range n {
			p.Elements = append(p.Elements, rulestest.Element("button", "Edit", func(e *page.Element) { e.Row = row }))
		}
		return rulestest.Finish(p)
	},
	"sections": func(n int) page.Page {
		p := page.Page{URL: rulestest.Home}
		var b strings.Builder
		for i := range 60 {
			h := fmt.Sprintf("Section %d", i)
			p.Headings = append(p.Headings, h)
			b.WriteString(h + "\n")
			for range n / 60 {
				from := b.Len()
				b.WriteString("Edit\n")
				p.Elements = append(p.Elements, rulestest.Element("button", "Edit", func(e *page.Element) { e.TextFrom, e.TextTo = from, from+4 }))
			}
		}
		p.Text = b.String()
		return rulestest.Finish(p)
	},
	"headings that are not in the text": func(n int) page.Page {
		p := page.Page{URL: rulestest.Home, Text: strings.Repeat("some words\n", 50*n)}
		for i := range 60 { // more the reader does not give
			p.Headings = append(p.Headings, fmt.Sprintf("Section %d", i))
		}
		for range n {
			p.Elements = append(p.Elements, rulestest.Element("button", "Edit", func(e *page.Element) { e.TextFrom, e.TextTo = 1, 5 }))
		}
		return rulestest.Finish(p)
	},
}

func TestFind_Cost(t *testing.T) {
	t.Parallel()
	for shape, with := range large {
		for what, r := range map[string]instruction.Reference{
			"a name":            ref("button", "edit"),
			"a place":           ref("", "edit", where("in", "row", "person number 3")),
			"a heading":         ref("", "edit", where("under", "heading", "Section 3")),
			"words elsewhere":   ref("", "edit person 3 section"),
			"a position":        ref("", "edit", at(-1, 0)),
			"all but one":       ref("", "edit", of(instruction.All), except(ref("", "person number 7"))),
			"all but the first": ref("", "edit", of(instruction.All), except(ref("", "", at(1, 3)))),
			"rows":              ref("row", "", at(2, 0)),
			"the cheapest":      ref("", "edit", has("most", "cheap")),
		} {
			t.Run(shape+", "+what, func(t *testing.T) {
				costtest.Grows(t, 1_000, func(n int) func() {
					p := with(n)
					return func() { ground.On(p).Find(r, ground.ToClick) }
				})
			})
		}
	}
}
