package markup

import (
	"strings"

	"golang.org/x/net/html"
)

// tokenKind is what a token is.
type tokenKind uint8

const (
	textToken tokenKind = iota
	startTag
	endTag
	comment
	doctype // already taken
	end     // of the page
)

// token is the current piece of the page.
type token struct {
	kind        tokenKind
	name        name             // of a tag
	attrs       []html.Attribute // of a start tag
	selfClosing bool
	data        string // of a text or comment, decoded
}

// next reads a token and reports whether there was one. A token the parser is not
// certain of makes it give up.
func (p *parser) next() bool {
	src := p.src
	if p.pos >= len(src) {
		return false
	}
	if src[p.pos] != '<' || !p.beginsMarkup(p.pos) {
		p.readText()
		return true
	}
	switch src[p.pos+1] {
	case '/':
		p.readEndTag()
	case '!':
		p.readDeclaration()
	case '?':
		p.giveUp()
	default:
		p.tok.kind = startTag
		p.readStartTag()
	}
	return !p.gaveUp
}

// beginsMarkup reports whether the "<" at i is more than text.
func (p *parser) beginsMarkup(i int) bool {
	if i+1 >= len(p.src) {
		return false
	}
	c := p.src[i+1]
	return isLetter(c) || c == '/' || c == '!' || c == '?'
}

func (p *parser) readText() {
	i := p.pos
	for {
		n := strings.IndexByte(p.src[i:], '<')
		if n < 0 {
			i = len(p.src)
			break
		}
		if i += n; p.beginsMarkup(i) {
			break
		}
		i++
	}
	p.tok.kind, p.tok.data = textToken, text(p.src[p.pos:i])
	p.pos = i
}

// readName reads the name of the tag at i and returns where it ends.
func (p *parser) readName(i int) int {
	from, upper := i, false
	for i < len(p.src) && !endsName[p.src[i]] {
		upper = upper || p.src[i] >= 'A' && p.src[i] <= 'Z'
		i++
	}
	tag := p.src[from:i]
	if upper {
		tag = lower(tag)
	}
	p.tok.name = *p.names.of(tag)
	return i
}

func (p *parser) readStartTag() {
	i := p.readName(p.pos + 1)
	if i < len(p.src) && p.src[i] == '>' { // most have no attributes, or few
		p.tok.attrs, p.tok.selfClosing = nil, false
		p.pos = i + 1
		return
	}
	p.readAttrs(i, true)
}

func (p *parser) readEndTag() {
	i := p.pos + 2
	if i >= len(p.src) || !isLetter(p.src[i]) { // "</>" and the like
		p.giveUp()
		return
	}
	p.tok.kind = endTag
	i = p.readName(i)
	if i < len(p.src) && p.src[i] == '>' {
		p.pos = i + 1
		return
	}
	p.readAttrs(i, false)
}

// readAttrs reads the attributes that begin at i, up to the end of the tag. Of an end
// tag none are kept.
func (p *parser) readAttrs(i int, keep bool) {
	src := p.src
	list := p.tree.room(minRoom)[:0]
	var seen map[string]bool // of the keys, if there are many
	last := -1               // where the value of the last attribute ends
	for i = skipSpace(src, i); ; i = skipSpace(src, i) {
		if i >= len(src) { // the page ends inside the tag
			p.giveUp()
			return
		}
		if src[i] == '>' {
			break
		}
		a, key, end, next := scanAttr(src, i)
		i = next
		if !keep || key == "" || has(list, seen, key) {
			continue
		}
		if len(list) == cap(list) {
			list = append(p.tree.room(2 * len(list))[:0], list...)
		}
		list = append(list, html.Attribute{Key: key, Val: a})
		last = end
		if seen = remember(seen, list); seen != nil {
			seen[key] = true
		}
	}
	p.pos = i + 1
	if !keep {
		return
	}
	p.tok.selfClosing = src[i-1] == '/' && (len(list) == 0 || i-1 != last-1)
	p.tok.attrs = nil
	if len(list) > 0 {
		p.tree.take(len(list))
		p.tok.attrs = list[:len(list):len(list)]
	}
}

// minRoom is more attributes than most tags have, and maxCompared how many are
// compared with each other.
const (
	minRoom     = 16
	maxCompared = 16
)

func has(list []html.Attribute, seen map[string]bool, key string) bool {
	if seen != nil {
		return seen[key]
	}
	for i := range list {
		if list[i].Key == key {
			return true
		}
	}
	return false
}

// remember returns the keys of a list that has become too long to be searched.
func remember(seen map[string]bool, list []html.Attribute) map[string]bool {
	if seen != nil || len(list) <= maxCompared {
		return seen
	}
	seen = make(map[string]bool, 2*len(list))
	for i := range list {
		seen[list[i].Key] = true
	}
	return seen
}

// scanAttr reads the attribute at i as html.Tokenizer does: its decoded value and its
// key in lower case, where the value ends, and where to continue.
func scanAttr(src string, i int) (val, key string, end, next int) {
	from, upper := i, false
	if src[i] == '=' { // belongs to the key
		i++
	}
	for i < len(src) && !endsKey[src[i]] {
		upper = upper || src[i] >= 'A' && src[i] <= 'Z'
		i++
	}
	if key = src[from:i]; upper {
		key = lower(key)
	}
	end = i
	i = skipSpace(src, i)
	switch {
	case i < len(src) && src[i] == '/':
		return "", key, end, i + 1
	case i >= len(src) || src[i] != '=':
		return "", key, end, i
	}
	i = skipSpace(src, i+1)
	if i >= len(src) || src[i] == '>' {
		return "", key, end, i
	}
	if c := src[i]; c == '"' || c == '\'' {
		n := strings.IndexByte(src[i+1:], c)
		if n < 0 {
			return "", key, len(src), len(src)
		}
		return attribute(src[i+1 : i+1+n]), key, i + 1 + n, i + 2 + n
	}
	from = i
	for i++; i < len(src) && src[i] != '>' && !isSpace(src[i]); i++ {
	}
	return attribute(src[from:i]), key, i, i
}

// Where the name of a tag and the key of an attribute end.
var endsName, endsKey = ends(" \n\r\t\f/>"), ends(" \n\r\t\f/>=")

func ends(chars string) (set [256]bool) {
	for i := range len(chars) {
		set[chars[i]] = true
	}
	return set
}

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == '\f' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// lower turns ASCII letters into small ones.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
