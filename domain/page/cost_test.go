package page_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/costtest"
)

// ticking are pieces of lines that change by themselves, or seem to.
var ticking = []string{
	"5% ", "5 m ", "in 5 ", "12:03 of ", "12:03:59 ", "3 people ", "a few ", "just now ", "vor 5 ", "1h2m ", "il y a 5 m ",
	"updated 5:00 ", "刚刚 ", "5 views ", "ends in ", "uploading 5% ", "5s ago ", "5 ", "a ", "( ", "5m:", "~ ", "5\n",
}

// TestBefore_Cost: what is kept of a page to compare it with a later one costs no more
// than its text.
func TestBefore_Cost(t *testing.T) {
	t.Parallel()
	for _, piece := range ticking {
		t.Run(piece, func(t *testing.T) {
			t.Parallel()
			costtest.Grows(t, 16_000, func(size int) func() {
				p := page.Page{URL: "https://a.test/", Text: strings.Repeat(piece, size/len(piece))}
				return func() { p.Before() }
			})
		})
	}
}

// elements of a page that are hard to tell apart, or to find again.
var elements = map[string]func(i int) page.Element{
	"one of each": func(i int) page.Element { return page.Element{Name: fmt.Sprint("Save ", i), ID: strconv.Itoa(i)} },
	"twins":       func(i int) page.Element { return page.Element{Name: "Save", ID: strconv.Itoa(i)} },
	"one id":      func(int) page.Element { return page.Element{Name: "Save", ID: "x"} },
	"no name":     func(i int) page.Element { return page.Element{ID: strconv.Itoa(i)} },
	"numbered":    func(i int) page.Element { return page.Element{Name: fmt.Sprintf("Save##%d", i%7), ID: strconv.Itoa(i)} },
	"groups": func(i int) page.Element {
		return page.Element{Name: "Save", Group: fmt.Sprint("Row ", i/2), ID: strconv.Itoa(i)}
	},
	"ticking": func(i int) page.Element {
		return page.Element{Name: strings.Repeat("5 m 5% ", 14), ID: strconv.Itoa(i)}
	},
}

func pageOf(n int, element func(i int) page.Element) page.Page {
	p := page.Page{URL: "https://a.test/"}
	for i := range n {
		e := element(i)
		e.Role = "button"
		p.Elements = append(p.Elements, e)
		p.Alerts = append(p.Alerts, page.Alert{Kind: page.AlertOther, Text: fmt.Sprint("message ", i%9)})
	}
	p.Text = strings.Repeat("line of text\n", n)
	page.AssignKeys(p.Elements)
	p.MeaningHash, p.DOMHash = page.MeaningHash(p), strconv.Itoa(n)
	return p
}

// TestObserve_Cost: reading keys, comparing two pages and finding elements again cost
// no more than the pages, also where half of all is another.
func TestObserve_Cost(t *testing.T) {
	t.Parallel()
	for name, element := range elements {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			costtest.Grows(t, 5_000, func(n int) func() {
				was := pageOf(n, element)
				is := pageOf(n, func(i int) page.Element {
					e := element(i + i%2*n)
					e.Value = strconv.Itoa(i % 3)
					return e
				})
				before := was.Before()
				return func() {
					page.AssignKeys(is.Elements)
					page.Observe(before, is, page.Witness{RecentEvents: []string{"a"}})
					page.Similarity(before.Skeleton, is.Skeleton())
					page.Compare(before.Skeleton, is).Find(was.Elements[n/2].Key)
				}
			})
		})
	}
}

// FuzzObserve_Cost looks for texts that cost far more to compare than to look at.
func FuzzObserve_Cost(f *testing.F) {
	for _, piece := range ticking {
		f.Add(piece, "line")
	}
	f.Fuzz(func(t *testing.T, piece, name string) {
		text := costtest.Repeated(piece, 16_000)
		was := page.Page{URL: "https://a.test/", Text: text}
		for i := range 300 {
			was.Elements = append(was.Elements, page.Element{ID: strconv.Itoa(i), Role: "button", Name: page.Cut(name, 100), Group: page.Cut(piece, 60)})
		}
		is := was
		is.Text, is.Elements = name+text, was.Elements[1:]
		costtest.Within(t, 500, func() { page.Clean(strings.ToLower(text)) }, func() {
			page.AssignKeys(was.Elements)
			was.MeaningHash, is.MeaningHash = page.MeaningHash(was), page.MeaningHash(is)
			page.Observe(was.Before(), is, page.Witness{RecentEvents: []string{piece}})
			page.Compare(was.Skeleton(), is).Find("button|a|")
		})
	})
}
