package dom

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// namer works out names once the whole page has been walked, since a label may
// stand after its field. Budget is how many nodes it may still look at; when it
// is used up the rest stays nameless rather than the turn slow.
type namer struct {
	doc    *document
	budget int
}

// visit pays for looking at one node.
func (nm *namer) visit() bool {
	nm.budget--
	return nm.budget >= 0
}

// name is the accessible name, for nameless fields the text a person would
// take for their label (spec §2.5.2, §9).
func (nm *namer) name(f *subject) string {
	a := &f.attrs
	if s := nm.referenced(a.labelledBy); s != "" {
		return s
	}
	if s := page.Clean(a.ariaLabel); s != "" {
		return s
	}
	if s := nm.native(f); s != "" {
		return s
	}
	if contentRoles[f.role] && f.node.DataAtom != atom.Input {
		if s := nm.contentOf(f.node, asContent); s != "" {
			return s
		}
	}
	for _, s := range [...]string{a.placeholder, a.title} {
		if s = page.Clean(s); s != "" {
			return s
		}
	}
	if isLabelled(f.node.DataAtom) || isField(f.role) {
		if s := nm.hunt(f); s != "" {
			return s
		}
	}
	return page.Clean(firstOf(a.dataLabel, a.name))
}

// native is the name the markup itself gives: labels, and the value or alt
// text of buttons.
func (nm *namer) native(f *subject) string {
	a := &f.attrs
	if isLabelled(f.node.DataAtom) {
		if s := nm.labels(f); s != "" {
			return s
		}
	}
	switch f.node.DataAtom {
	case atom.Area:
		return page.Clean(a.alt)
	case atom.Input:
		switch a.typ {
		case "submit":
			return page.Clean(firstOf(a.value, "Submit"))
		case "reset":
			return page.Clean(firstOf(a.value, "Reset"))
		case "button":
			return page.Clean(a.value)
		case "image":
			return page.Clean(firstOf(a.alt, a.value, a.title, "Submit"))
		}
	}
	return ""
}

// labels joins the label elements for the field and the one around it.
func (nm *namer) labels(f *subject) string {
	var b []byte
	if f.attrs.id != "" && nm.doc.byID[f.attrs.id] == f.node {
		for _, l := range nm.doc.labels[f.attrs.id] {
			if len(b) > 4*maxName {
				break
			}
			b = nm.content(page.AppendSpace(b), l, asLabel)
		}
	}
	if len(b) == 0 && f.label != nil {
		if a := readAttrs(f.label); a.forID == "" || a.forID == f.attrs.id {
			b = nm.content(b, f.label, asLabel)
		}
	}
	return strings.TrimSpace(string(b))
}

// referenced is the text of the elements an aria-labelledby names. They may be
// hidden: the author pointed at them.
func (nm *namer) referenced(ids string) string {
	if ids == "" {
		return ""
	}
	var b []byte
	for id := range strings.FieldsSeq(ids) {
		n := nm.doc.byID[id]
		if n == nil || len(b) > 4*maxName || !nm.visit() {
			continue
		}
		b = page.AppendSpace(b)
		a := readAttrs(n)
		switch {
		case a.ariaLabel != "":
			b = page.AppendClean(b, a.ariaLabel)
		case n.DataAtom == atom.Button || !isControl(n.DataAtom): // values are no names: they may be secret
			b = nm.content(b, n, asContent)
		}
	}
	return strings.TrimSpace(string(b))
}

// manner says for what content is read: a label leaves out the controls in it.
type manner int

const (
	asContent manner = iota
	asLabel
)

func (nm *namer) contentOf(n *html.Node, m manner) string {
	return strings.TrimSpace(string(nm.content(nil, n, m)))
}

// content appends the visible text inside n, with the names of images and
// labelled parts, up to a little more than a name can hold.
func (nm *namer) content(dst []byte, n *html.Node, m manner) []byte {
	for c := n.FirstChild; c != nil && len(dst) <= 4*maxName && nm.visit(); c = c.NextSibling {
		switch c.Type {
		case html.TextNode:
			dst = page.AppendClean(dst, c.Data)
		case html.ElementNode:
			dst = nm.part(dst, c, m)
		}
	}
	return dst
}

func (nm *namer) part(dst []byte, n *html.Node, m manner) []byte {
	if isVoidOfText(n.DataAtom) || isControl(n.DataAtom) && (m == asLabel || n.DataAtom != atom.Button) {
		return dst
	}
	if len(n.Attr) > 0 {
		a := readAttrs(n)
		if sightOf(n, &a) != seen {
			return dst
		}
		if a.ariaLabel != "" {
			return page.AppendSpace(page.AppendClean(page.AppendSpace(dst), a.ariaLabel))
		}
		if n.DataAtom == atom.Img {
			return page.AppendSpace(page.AppendClean(page.AppendSpace(dst), firstOf(a.alt, a.title)))
		}
	}
	if isInline(n.DataAtom) {
		return nm.content(dst, n, m)
	}
	return page.AppendSpace(nm.content(page.AppendSpace(dst), n, m))
}

// isVoidOfText reports tags whose content is not text for a person.
func isVoidOfText(t atom.Atom) bool {
	switch t {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Head:
		return true
	}
	return false
}

func isControl(t atom.Atom) bool {
	switch t {
	case atom.Input, atom.Select, atom.Textarea, atom.Button, atom.Datalist:
		return true
	}
	return false
}

// isLabelled reports the tags label elements can be for.
func isLabelled(t atom.Atom) bool {
	return t == atom.Input || t == atom.Select || t == atom.Textarea || t == atom.Button
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
