package dom

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/stepledger/stepledger/domain/page"
)

// namer works out names after the whole page has been walked, since a label may
// follow its field. budget is how many nodes it may still visit; when it is used up,
// the remaining elements get no name, so that a turn does not get slow. A namer is
// not safe for concurrent use.
type namer struct {
	doc    *document
	budget int
	// path are the nodes the current name has referred to: the element itself, its
	// labels, the targets of aria-labelledby and aria-owns. None is read twice for
	// one name.
	path []*html.Node
	text []byte // where the name is put together
	// spare is a second buffer; nested uses allocate their own.
	spare      []byte
	classWords map[string][]string // what the author's names say
	looks      map[string]*look    // by class
}

// visit takes one node off the budget and reports whether there was one.
func (nm *namer) visit() bool {
	nm.budget--
	return nm.budget >= 0
}

// name is the accessible name; for fields without one, the text a person would take
// for the label (spec §2.5.2, §9).
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
		if s := nm.nearbyLabel(f); s != "" {
			return page.Cut(s, maxName)
		}
	}
	if f.toggle != "" {
		if s := nm.besideLabel(f.node); s != "" {
			return page.Cut(s, maxName)
		}
	}
	if s := page.Cut(page.Clean(firstOf(a.dataLabel, a.name)), maxName); s != "" || !isField(f.role) || a.placeholder != "" {
		return s
	}
	f.guessed = nm.guessField(a)
	return f.guessed
}

// accessible is the accessible name of an element that is not hidden.
func (nm *namer) accessible(f *subject) string {
	nm.path = append(nm.path[:0], f.node)
	nm.text = nm.accname(nm.text[:0], f, nameContext{})
	text := bytes.Trim(nm.text, " ")
	for _, s := range [...]string{f.attrs.ariaLabel, onlyText(f.node)} {
		if string(text) == s {
			return s // most names are a text of the document as it stands
		}
	}
	return string(text)
}

// onlyText is the text inside n if there is nothing else.
func onlyText(n *html.Node) string {
	if c := n.FirstChild; c != nil && c == n.LastChild && c.Type == html.TextNode {
		return c.Data
	}
	return ""
}

// caption is the text of n without its controls.
func (nm *namer) caption(n *html.Node) string { return nm.readApart(n, nameContext{caption: true}) }

// contents is the text of n as a name would have it.
func (nm *namer) contents(n *html.Node) string { return nm.readApart(n, nameContext{}) }

// readApart reads a node's content independently of the current name.
func (nm *namer) readApart(n *html.Node, w nameContext) string {
	path := nm.path
	nm.path = append(path[len(path):], n)
	buf := nm.spare[:0]
	nm.spare = nil
	buf = nm.content(buf, n, w)
	nm.path, nm.spare = path, buf
	return page.Clean(string(buf))
}

// referenced is the text that aria-labelledby gives n.
func (nm *namer) referenced(n *html.Node, ids string) string {
	if ids == "" {
		return ""
	}
	nm.path = append(nm.path[:0], n)
	return page.Clean(string(nm.labelledBy(nil, n, ids, nameContext{caption: true})))
}

// appendText appends text of the document. White space becomes one space, but a
// no-break space is kept, since it is part of a name (page.Clean handles it). Text
// much longer than a name is cut.
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

// cutBytes returns at most n bytes of s without splitting a character.
func cutBytes(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// hasTextAfter reports whether anything but space was appended after the first n
// bytes.
func hasTextAfter(dst []byte, n int) bool {
	return len(dst) > n && len(bytes.TrimSpace(dst[n:])) > 0
}

// isVoidOfText reports tags whose content is no text for a person.
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

// isLabelled reports tags that can have label elements.
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
