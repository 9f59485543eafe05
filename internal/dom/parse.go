package dom

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// reading is the result of reading an HTML document.
type reading struct {
	title     string
	language  string // as the document declares it
	busy      bool
	elements  []page.Element
	alerts    []page.Alert
	headings  []string
	text      string
	notes     []string
	layers    []page.Layer
	scrollers []string        // ids of boxes that may have more to show
	secrets   map[string]bool // signatures of its secret fields
}

// Parse reads a document, or a part of one. Markup that is nested too deeply for a
// parser is flattened.
func Parse(src string) (*html.Node, error) {
	tree, err := html.Parse(strings.NewReader(src))
	if err == nil {
		return tree, nil
	}
	if tree, err = html.Parse(bytes.NewReader(flatten(src))); err != nil {
		return nil, fmt.Errorf("parse html: %w", err)
	}
	return tree, nil
}

// Find returns the element that actions name by an id, nil if there is none: of several
// the one whose id the client gave, and the first of those.
func Find(root *html.Node, id string) (found *html.Node) {
	best := 0
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || id == "" {
			continue
		}
		var a attrs
		a.read(n)
		if rank := a.handleRank(); rank > best && a.handle() == id {
			found, best = n, rank
		}
	}
	return found
}

// titleElement finds the document's title and stops there.
var titleElement = goquery.Single("head > title")

// readHTML reads a document: one parse, one walk, then the names.
func readHTML(src string) (reading, error) {
	var r reading
	tree, err := goquery.NewDocumentFromReader(strings.NewReader(src))
	if err != nil {
		r.notes = append(r.notes, "the markup is nested too deeply: its innermost part was flattened")
		tree, err = goquery.NewDocumentFromReader(bytes.NewReader(flatten(src)))
		if err != nil {
			return r, fmt.Errorf("parse html: %w", err)
		}
	}
	doc := walk(tree.Nodes[0])
	b := newBuilder(doc)
	b.replaceByLabels()
	r.elements = make([]page.Element, len(doc.found))
	var s subject
	for i, f := range doc.found {
		s.found, s.attrs = f, attrs{}
		s.attrs.read(f.node)
		b.element(&r.elements[i], &s)
	}
	for _, l := range doc.layers {
		r.layers = append(r.layers, b.layer(l))
	}
	r.scrollers, r.busy = doc.scrollers, doc.busy
	for _, h := range doc.headings {
		if s := page.Cut(b.caption(h), maxName); s != "" {
			r.headings = append(r.headings, s)
		}
	}
	r.title = page.Cut(page.Clean(tree.FindMatcher(titleElement).Text()), maxTitle)
	r.language = declaredLanguage(tree.Nodes[0])
	r.alerts, r.secrets = doc.alerts, b.secrets
	r.text = strings.TrimSpace(page.Cut(string(doc.text), maxText))
	for i := range r.elements {
		e := &r.elements[i]
		e.TextFrom, e.TextTo = min(doc.found[i].from, len(r.text)), min(doc.found[i].to, len(r.text))
	}
	for i := range r.layers {
		l := &r.layers[i]
		l.TextFrom, l.TextTo = min(doc.layers[i].from, len(r.text)), min(doc.layers[i].to, len(r.text))
	}
	if doc.cut {
		r.notes = append(r.notes, fmt.Sprintf("only the first %d elements were read", maxElements))
	}
	b.columns(r.elements, doc.found)
	b.rows(r.elements, doc.found) // last: on a page that takes long, names come first
	doc.release()
	return r, nil
}
