package dom

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// namer works out names once the whole page has been walked, since a label may
// stand after its field. Budget is how many nodes it may still look at; when it
// is used up the rest stays nameless rather than the turn slow. A namer serves
// one goroutine.
type namer struct {
	doc    *document
	budget int
	// path are the nodes the name being worked out has been led to by reference:
	// the element itself, its labels, what aria-labelledby and aria-owns point at.
	// For one name none of them is read twice.
	path []*html.Node
	text []byte // where the name is put together
	// spare is the same for other texts; one that needs another meanwhile makes
	// its own.
	spare []byte
	told  map[string][]string // what the author's names say
}

// visit pays for looking at one node.
func (nm *namer) visit() bool {
	nm.budget--
	return nm.budget >= 0
}

// name is the accessible name as a page has it; for nameless fields the text a
// person would take for their label (spec §2.5.2, §9).
func (nm *namer) name(f *subject) string {
	if s := page.Clean(nm.accessible(f)); s != "" {
		return page.Cut(s, maxName)
	}
	a := &f.attrs
	if f.node.DataAtom == atom.Button { // what stands beside an icon is seldom its name
		if f.guessed = nm.guessName(f.node, a); f.guessed != "" {
			return f.guessed
		}
	}
	if isLabelled(f.node.DataAtom) || isField(f.role) {
		if s := nm.hunt(f); s != "" {
			return page.Cut(s, maxName)
		}
	}
	if f.toggle != "" {
		if s := nm.besideLabel(f.node); s != "" {
			return page.Cut(s, maxName)
		}
	}
	return page.Cut(page.Clean(firstOf(a.dataLabel, a.name)), maxName)
}

// accessible is the accessible name of an element that is not hidden.
func (nm *namer) accessible(f *subject) string {
	nm.path = append(nm.path[:0], f.node)
	nm.text = nm.accname(nm.text[:0], f, way{})
	text := bytes.Trim(nm.text, " ")
	for _, s := range [...]string{f.attrs.ariaLabel, onlyText(f.node)} {
		if string(text) == s {
			return s // most names are a text of the document as it stands
		}
	}
	return string(text)
}

// onlyText is the text inside n where that is all there is.
func onlyText(n *html.Node) string {
	if c := n.FirstChild; c != nil && c == n.LastChild && c.Type == html.TextNode {
		return c.Data
	}
	return ""
}

// caption is what a person reads in n, controls left out.
func (nm *namer) caption(n *html.Node) string { return nm.aside(n, way{caption: true}) }

// contents is the text inside n, as a name would have it.
func (nm *namer) contents(n *html.Node) string { return nm.aside(n, way{}) }

// aside reads the content of a node for itself: what the name in the making
// has been led to does not matter.
func (nm *namer) aside(n *html.Node, w way) string {
	path := nm.path
	nm.path = append(path[len(path):], n)
	buf := nm.spare[:0]
	nm.spare = nil
	buf = nm.content(buf, n, w)
	nm.path, nm.spare = path, buf
	return page.Clean(string(buf))
}

// referenced is the text an aria-labelledby of n gives.
func (nm *namer) referenced(n *html.Node, ids string) string {
	if ids == "" {
		return ""
	}
	nm.path = append(nm.path[:0], n)
	return page.Clean(string(nm.labelledBy(nil, n, ids, way{caption: true})))
}

// appendText appends text of the document. White space is one space, but a
// no-break space stays one, since it is part of a name (page.Clean has its own
// mind about it). What is far longer than a name is cut.
func appendText(dst []byte, s string) []byte {
	if len(s) > maxNameText {
		s = cutBytes(s, maxNameText)
	}
	for {
		part, rest, found := strings.Cut(s, "\u00a0")
		dst = page.AppendClean(dst, part)
		if !found {
			return dst
		}
		dst, s = append(dst, "\u00a0"...), rest
	}
}

// cutBytes is at most n bytes of s, no character halved.
func cutBytes(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// says reports whether anything but space was appended after the first n bytes.
func says(dst []byte, n int) bool {
	return len(dst) > n && len(bytes.TrimSpace(dst[n:])) > 0
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
	switch t {
	case atom.Input, atom.Select, atom.Textarea, atom.Button, atom.Meter, atom.Output, atom.Progress:
		return true
	}
	return false
}

func firstOf(list ...string) string {
	for _, s := range list {
		if s != "" {
			return s
		}
	}
	return ""
}
