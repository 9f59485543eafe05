package prompt_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/domain/prompt"
	"github.com/stepledger/stepledger/internal/costtest"
)

// tasks are as long as one may be, and say what pages say.
var tasks = []string{
	strings.Repeat("a; ", 3_300), strings.Repeat("a b ", 2_500), strings.Repeat("save save-", 990), strings.Repeat("商品を", 3_300),
	strings.Repeat("×", 9_900), "",
}

var elements = map[string]func(i int) page.Element{
	"fields": func(i int) page.Element {
		return page.Element{Role: "textbox", Name: fmt.Sprint("a b ", i), Value: strings.Repeat("a ", 200)}
	},
	"buttons": func(int) page.Element { return page.Element{Role: "button", Name: strings.Repeat("save ", 20)} },
	"signs":   func(int) page.Element { return page.Element{Role: "button", Name: "× ×"} },
	"links": func(i int) page.Element {
		return page.Element{Role: "link", Name: "a", Group: fmt.Sprint("a", i), Href: fmt.Sprint("/a?", i)}
	},
	"selects": func(i int) page.Element {
		return page.Element{Role: "combobox", Name: "a", Options: []page.Option{{Label: "a"}, {Label: fmt.Sprint("b", i)}}}
	},
}

// TestPage_Cost: what it costs to choose what a model is shown grows no faster than
// the page.
func TestPage_Cost(t *testing.T) {
	t.Parallel()
	for name, element := range elements {
		for n, task := range tasks {
			t.Run(fmt.Sprint(name, n), func(t *testing.T) {
				t.Parallel()
				costtest.Grows(t, 1_000, func(size int) func() {
					p := page.Page{URL: "https://a.test/", Text: strings.Repeat("a b\n", size)}
					for i := range size {
						e := element(i)
						e.ID = strconv.Itoa(i)
						p.Elements = append(p.Elements, e)
						p.Headings = append(p.Headings, "a")
					}
					placed(&p)
					v := prompt.View{Task: task, Before: p.Skeleton()}
					return func() {
						if n == 0 {
							prompt.Find(p, v, page.Cut(task, 200))
							prompt.More(p, v, 2)
							return
						}
						prompt.Page(p, v)
					}
				})
			})
		}
	}
}

// FuzzPage_Cost looks for tasks and names that cost far more to compare than to read.
func FuzzPage_Cost(f *testing.F) {
	for _, task := range []string{"a; ", "save-", "商品", "×"} {
		f.Add(task, "save it")
	}
	f.Fuzz(func(t *testing.T, piece, name string) {
		task, text := costtest.Repeated(piece, 10_000), costtest.Repeated(name, 16_000)
		p := page.Page{URL: "https://a.test/", Text: text}
		for i := range 500 {
			p.Elements = append(p.Elements, page.Element{ID: strconv.Itoa(i), Role: "button", Name: page.Cut(text, 100), Group: page.Cut(task, 60)})
		}
		costtest.Within(t, 500, func() { page.Clean(strings.ToLower(task + text)) }, func() { prompt.Page(p, prompt.View{Task: task, Tokens: prompt.MaxTokens}) })
	})
}

// placed gives the elements places in the text: each is in two others, and between
// them is some text.
func placed(p *page.Page) {
	for i := range p.Elements {
		e := &p.Elements[i]
		e.TextFrom = min(i*4, len(p.Text))
		e.TextTo = min(e.TextFrom+10, len(p.Text))
	}
	page.AssignKeys(p.Elements)
}
