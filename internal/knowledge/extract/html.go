package extract

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// least is how much text the main content of a page has, in bytes; with less the whole
// page is taken.
const least = 250

// readHTML reads a page: what is hidden goes, then the main content is looked for. A page
// that is no article is read as a whole.
func readHTML(d *document, in input) error {
	root, err := html.Parse(strings.NewReader(in.text))
	if err != nil {
		return refuse(TooComplex, "the page cannot be parsed: %v", err)
	}
	d.pageHead(root)
	article := saysArticle(root)
	strip(root, d.hint.KeepHidden)
	body := find(root, atom.Body)
	if body == nil {
		return nil
	}
	d.base(root)
	d.pageTitle(body)
	content := body
	if !d.hint.KeepHidden {
		content = mainContent(root, body, d.hint.BaseURL)
	}
	w := pageWriter{document: d}
	w.walk(content)
	w.flush()
	if article && content != body {
		w.trimArticle()
	}
	if len(d.out.Blocks) == 0 {
		d.reason = "the page has no text; it may be drawn by scripts only"
	}
	return nil
}

// html adds a piece of a page that stands in another document.
func (d *document) html(fragment string) {
	nodes, err := html.ParseFragment(strings.NewReader(fragment), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return
	}
	w := pageWriter{document: d}
	for _, n := range nodes {
		holder := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
		holder.AppendChild(n)
		strip(holder, false)
		w.walk(holder)
	}
	w.flush()
}

// base takes the address that relative links start from.
func (d *document) base(root *html.Node) {
	n := find(root, atom.Base)
	if n == nil || d.hint.BaseURL == "" {
		return
	}
	page, err := url.Parse(d.hint.BaseURL)
	if err != nil {
		return
	}
	if u, err := page.Parse(attr(n, "href")); err == nil {
		d.hint.BaseURL = u.String()
	}
}

// pageHead takes the language and the title that the page declares.
func (d *document) pageHead(root *html.Node) {
	if n := find(root, atom.Html); n != nil {
		d.out.Language = attr(n, "lang")
		if d.out.Language == "" {
			d.out.Language = attr(n, "xml:lang")
		}
	}
	var og string
	each(root, func(n *html.Node) bool {
		switch {
		case n.DataAtom == atom.Meta && (attr(n, "property") == "og:title" || attr(n, "name") == "og:title") && og == "":
			og = attr(n, "content")
		case n.DataAtom == atom.Meta && strings.EqualFold(attr(n, "http-equiv"), "content-language") && d.out.Language == "":
			d.out.Language, _, _ = strings.Cut(attr(n, "content"), ",")
		case n.DataAtom == atom.Title && d.out.Title == "" && n.Parent != nil && n.Parent.DataAtom == atom.Head:
			d.out.Title = textOf(n)
		}
		return n.DataAtom != atom.Body
	})
	if inline(og) != "" {
		d.out.Title = og
	}
}

// pageTitle prefers the one heading of the first level if the title is about it: titles
// have the name of the site too.
func (d *document) pageTitle(body *html.Node) {
	var h1 []string
	each(body, func(n *html.Node) bool {
		if n.DataAtom == atom.H1 {
			if text := inline(textOf(n)); text != "" {
				h1 = append(h1, text)
			}
		}
		return true
	})
	title := inline(d.out.Title)
	for _, h := range h1 {
		if title == "" && len(h1) == 1 || len(h) >= 4 && strings.Contains(strings.ToLower(title), strings.ToLower(h)) {
			d.out.Title = h
			return
		}
	}
}

// each visits the elements from the top; those below one are left out if visit says no.
func each(n *html.Node, visit func(*html.Node) bool) {
	if n.Type == html.ElementNode && !visit(n) {
		return
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		each(k, visit)
	}
}

// find returns the first element of a kind.
func find(root *html.Node, kind atom.Atom) *html.Node {
	var found *html.Node
	each(root, func(n *html.Node) bool {
		if found == nil && n.DataAtom == kind && n.Namespace == "" {
			found = n
		}
		return found == nil
	})
	return found
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

// textOf returns all text in an element.
func textOf(n *html.Node) string {
	var b strings.Builder
	writeText(&b, n)
	return b.String()
}

func writeText(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		b.WriteString(n.Data)
	}
	if n.DataAtom == atom.Br {
		b.WriteByte('\n')
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		writeText(b, k)
	}
}
