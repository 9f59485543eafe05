package snapshot

import (
	"fmt"
	"strings"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
	"github.com/stepledger/stepledger/internal/dom"
)

// Bounds of a snapshot.
const (
	maxElements = 50_000
	maxShapes   = 5_000 // of all drawings
	maxDepth    = 300
	maxLength   = 12 << 20
	maxStyles   = 2 << 20
	maxImage    = 2 << 20
	maxValue    = 20_000 // of an attribute
	maxSize     = 10_000 // in pixels, of what has a width or height
)

// targetMark is on the element an action was about. No page can set it: its attributes
// are not among those kept.
const targetMark = "data-acted-on"

// Fragment leads to the outlined element, whose own id it takes the place of.
const Fragment = "acted-on"

const marked = ` id="` + Fragment + `" ` + targetMark + `=""`

const ownStyles = "[" + targetMark + "]{outline:3px solid #d6336c!important;outline-offset:2px!important;scroll-margin:40vh}" +
	".snapshot-left-out{border:1px dashed #888;color:#666;padding:4px;font:12px sans-serif}" +
	".snapshot-tree td,.snapshot-tree th{border:1px solid #ccc;padding:2px 6px;text-align:left;font:13px sans-serif}"

// Render returns a capture as a document that does nothing. Target is the id of the
// element to outline, as actions name it, "" for none.
func Render(c page.Capture, target string) []byte {
	w := &writer{target: target}
	src := c.DOM
	if src == "" {
		src = c.SkeletonDOM
	}
	var body strings.Builder
	w.out = &body
	var page, pageBody string // attributes
	if src == "" {
		w.tree(c)
	} else if root, err := dom.Parse(src); err != nil {
		w.leftOut("a page that cannot be read")
	} else {
		page, pageBody = w.attributesOf(root, "html"), w.attributesOf(root, "body")
		w.acted = dom.Find(root, target)
		if c.Title == "" {
			c.Title = titleOf(root)
		}
		w.styles(root)
		w.children(root, 0)
	}
	if w.cut {
		w.leftOut("the rest of a page that is too large")
	}
	var out strings.Builder
	fmt.Fprintf(&out, `<!doctype html><html%s><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>%s</title><style>%s</style></head><body%s inert>`,
		page, html.EscapeString(c.Title), w.css.String(), pageBody)
	out.WriteString(body.String())
	fmt.Fprintf(&out, `<style>%s</style></body></html>`, ownStyles)
	return []byte(out.String())
}

// attributesOf are those of the document's only element of a name, as they are written.
func (w *writer) attributesOf(root *html.Node, name string) string {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != name {
			continue
		}
		var out strings.Builder
		inner := writer{out: &out}
		for _, a := range n.Attr {
			inner.attribute(name, a)
		}
		return out.String()
	}
	return ""
}

func titleOf(root *html.Node) string {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == "title" && n.Namespace == "" && n.FirstChild != nil {
			return n.FirstChild.Data
		}
	}
	return ""
}

type writer struct {
	target   string
	out      *strings.Builder
	css      strings.Builder
	elements int
	shapes   int
	marked   bool
	// acted is the element an action was about.
	acted *html.Node
	cut   bool
}

// styles collects the style sheets that are in the document, wherever they are.
func (w *writer) styles(root *html.Node) {
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "style" || n.Namespace != "" || inTemplate(n) {
			continue
		}
		for text := n.FirstChild; text != nil; text = text.NextSibling {
			clean := css(text.Data)
			if w.css.Len()+len(clean) > maxStyles {
				w.cut = true
				return
			}
			w.css.WriteString(clean + "\n")
		}
	}
}

// inTemplate: a sheet of a template is not in effect, and one of a shadow tree only
// there.
func inTemplate(n *html.Node) bool {
	for a := range n.Ancestors() {
		if a.Type == html.ElementNode && (a.Data == "template" || a.Data == "noscript") {
			return true
		}
	}
	return false
}

func (w *writer) children(n *html.Node, depth int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, depth)
	}
}

func (w *writer) node(n *html.Node, depth int) {
	if w.out.Len() > maxLength || depth > maxDepth {
		w.cut = true
		return
	}
	switch n.Type {
	case html.TextNode:
		w.out.WriteString(html.EscapeString(n.Data))
	case html.ElementNode:
		w.element(n, depth)
	case html.DocumentNode:
		w.children(n, depth)
	}
}

func (w *writer) element(n *html.Node, depth int) {
	if w.elements++; w.elements > maxElements {
		w.cut = true
		return
	}
	switch {
	case n.Namespace == "svg":
		if n.Data == "svg" {
			w.shape(n, depth)
		}
	case n.Namespace != "":
	case n.Data == "html" || n.Data == "body":
		w.children(n, depth)
	case n.Data == "template" && has(n, "shadowrootmode"):
		w.box("div", n, depth) // what a person saw in place of the element's own content
	case dropped[n.Data]:
		if placeholders[n.Data] {
			w.leftOut(n.Data)
		}
	case n.Data == "form":
		w.box("div", n, depth)
	case elements[n.Data]:
		w.box(n.Data, n, depth)
	default:
		w.box("span", n, depth)
	}
}

// box writes an element under a name.
func (w *writer) box(name string, n *html.Node, depth int) {
	w.out.WriteString("<" + name)
	for _, a := range n.Attr {
		if n != w.acted || !strings.EqualFold(a.Key, "id") {
			w.attribute(name, a)
		}
	}
	w.mark(n)
	w.out.WriteByte('>')
	if void[name] {
		return
	}
	if name == "pre" || name == "textarea" {
		w.out.WriteByte('\n') // the first line break of these is not read
	}
	w.children(n, depth+1)
	w.out.WriteString("</" + name + ">")
}

func (w *writer) attribute(element string, a html.Attribute) {
	name := strings.ToLower(a.Key)
	switch {
	case a.Namespace != "" || len(a.Val) > maxValue && name != "src":
	case name == "style":
		w.set(name, css(a.Val))
	case element == "img" && name == "src":
		if isImage(a.Val) {
			w.set(name, a.Val)
		}
	case name == "width" || name == "height":
		w.set(name, size(a.Val))
	case attributes[name] || strings.HasPrefix(name, "aria-") && isWord(name):
		w.set(name, a.Val)
	}
}

func (w *writer) set(name, value string) {
	w.out.WriteString(" " + name + `="` + html.EscapeString(value) + `"`)
}

// mark marks the element an action was about. Its id is the fragment to go to it.
func (w *writer) mark(n *html.Node) {
	if n == w.acted {
		w.out.WriteString(marked)
	}
}

// shape writes a drawing, and of what is in it only shapes.
func (w *writer) shape(n *html.Node, depth int) {
	if w.shapes++; w.shapes > maxShapes || depth > maxDepth {
		w.cut = true
		return
	}
	w.out.WriteString("<" + n.Data)
	for _, a := range n.Attr {
		name := strings.ToLower(a.Key)
		switch {
		case a.Namespace != "" || len(a.Val) > maxValue || n == w.acted && name == "id":
		case name == "style":
			w.set(name, css(a.Val))
		case name == "width" || name == "height":
			w.set(name, size(a.Val))
		case name == "id" || name == "class":
			w.set(name, a.Val)
		case shapeAttributes[name] && !strings.ContainsAny(a.Val, `:\`) && !strings.Contains(strings.ToLower(a.Val), "url"):
			if right, ok := spelling[name]; ok {
				name = right
			}
			w.set(name, a.Val)
		}
	}
	w.mark(n)
	w.out.WriteByte('>')
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			w.out.WriteString(html.EscapeString(c.Data))
		case c.Type == html.ElementNode && c.Namespace == "svg" && shapes[c.Data]:
			w.shape(c, depth+1)
		}
	}
	w.out.WriteString("</" + n.Data + ">")
}

func (w *writer) leftOut(what string) {
	w.out.WriteString(`<div class="snapshot-left-out">left out: ` + html.EscapeString(what) + `</div>`)
}

// tree writes the elements of a capture without a document.
func (w *writer) tree(c page.Capture) {
	w.out.WriteString(`<table class="snapshot-tree"><tr><th>id</th><th>role</th><th>name</th><th>value</th><th>state</th></tr>`)
	row := func(id page.Scalar, cells ...string) {
		if w.elements++; w.elements > maxElements || w.out.Len() > maxLength {
			w.cut = true
			return
		}
		w.out.WriteString(`<tr`)
		if w.target != "" && string(id) == w.target && !w.marked {
			w.marked = true
			w.out.WriteString(marked)
		} else {
			w.set("id", string(id))
		}
		w.out.WriteString("><td>" + html.EscapeString(string(id)) + "</td>")
		for _, cell := range cells {
			w.out.WriteString("<td>" + html.EscapeString(cell) + "</td>")
		}
		w.out.WriteString("</tr>")
	}
	for _, n := range c.Tree {
		row(n.ID, n.Role, string(n.Name), string(n.Value), string(n.State))
	}
	for _, n := range c.Nodes {
		row(n.ID, n.Role, string(n.Name), string(n.Value), string(n.State))
	}
	w.out.WriteString("</table>")
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}
