package ground

import (
	"slices"
	"strings"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/reason/rules/text"
)

// Page is a page with what is asked of it many times. It is not safe for concurrent
// use.
type Page struct {
	page.Page
	keys     map[string][]string
	sections []section
	divided  bool            // sections are known
	spoken   map[string]bool // the words of title, address and headings
	places   map[string]int  // where elements are among those of the page, by id
}

// On prepares a page.
func On(p page.Page) *Page { return &Page{Page: p, keys: map[string][]string{}} }

// key is text.Key with a memory.
func (p *Page) key(s string) []string {
	k, ok := p.keys[s]
	if !ok {
		k = slices.Clip(text.Key(s))
		p.keys[s] = k
	}
	return k
}

// section is a stretch of the page's text below a heading.
type section struct {
	heading  []string
	from, to int
}

// sectionsOf are the stretches below each heading, in the order of the page.
func (p *Page) sectionsOf() []section {
	if p.divided {
		return p.sections
	}
	p.divided = true
	at := 0
	for _, h := range p.Headings {
		i := strings.Index(p.Text[at:], h)
		if i < 0 {
			continue
		}
		at += i
		if n := len(p.sections); n > 0 {
			p.sections[n-1].to = at
		}
		p.sections = append(p.sections, section{heading: p.key(h), from: at, to: len(p.Text)})
		at += len(h)
	}
	return p.sections
}

// under are the words of the nearest heading above an element.
func (p *Page) under(e page.Element) []string {
	if e.TextTo == 0 {
		return nil
	}
	for _, s := range p.sectionsOf() {
		if s.from <= e.TextFrom && e.TextFrom < s.to {
			return s.heading
		}
	}
	return nil
}

// IsAbout reports whether title, address or a heading of the page, or the dialog an
// element is in, has these words.
func (p *Page) IsAbout(ws []string) bool {
	if p.spoken == nil {
		p.spoken = map[string]bool{}
		for _, s := range slices.Concat([]string{p.Title, p.URL}, p.Headings) {
			for _, w := range p.key(s) {
				p.spoken[w] = true
			}
		}
	}
	return text.Within(ws, p.spoken)
}

// at is the place of an element among those of the page.
func (p *Page) at(e page.Element) int {
	if p.places == nil {
		p.places = make(map[string]int, len(p.Elements))
		for i, x := range slices.Backward(p.Elements) {
			p.places[x.ID] = i
		}
	}
	return p.places[e.ID]
}
