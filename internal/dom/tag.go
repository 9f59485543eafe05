package dom

import (
	"iter"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// fields yields the fields of a document that hold a value, found as text: every
// start tag of an input, a textarea or an editable element, anywhere. Tags inside
// tags and inside the text of a textarea are not looked for. A tag is valid until the
// next.
func fields(src string) iter.Seq[tag] {
	editable := hasEditable(src)
	return func(yield func(tag) bool) {
		var attrs []span
		decoded := make([]html.Attribute, 0, maxPlain)
		for i := 0; i < len(src); {
			lt := strings.IndexByte(src[i:], '<')
			if lt < 0 {
				return
			}
			i += lt
			name := fieldTag(src[i:])
			if name == "" && editable {
				name = editableTag(src[i:])
			}
			if name == "" {
				i++
				continue
			}
			t := scanTag(src, i, name, attrs[:0])
			attrs, t.decoded = t.attrs, decoded
			i = t.end
			if len(t.values) > 0 && !yield(t) {
				return
			}
		}
	}
}

// hasUndecidedField reports whether a document has a field with a value that is not
// secret by its own attributes.
func hasUndecidedField(src string) bool {
	for t := range fields(src) {
		n := t.node()
		a := readAttrs(n)
		typed := n.DataAtom != atom.Input || typeRoles[a.typ] == "" || typeRoles[a.typ] == "spinbutton"
		if typed && a.typ != "hidden" && !isSecret(n, &a, "") {
			return true
		}
	}
	return false
}

// fieldTag is the name of the field whose start tag s begins with, "" if none.
func fieldTag(s string) string {
	if len(s) < 2 || s[1]|0x20 != 'i' && s[1]|0x20 != 't' { // as of most tags
		return ""
	}
	for _, name := range [...]string{"input", "textarea"} {
		if n := len(name) + 1; len(s) > n && strings.EqualFold(s[1:n], name) && isTagEnd(s[n]) {
			return name
		}
	}
	return ""
}

func isTagEnd(c byte) bool { return c == '>' || c == '/' || isSpace(c) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' }

// textareaEnd is the end of a textarea's text.
func textareaEnd(s string) int {
	const end = "</textarea"
	for i := 0; i < len(s); i++ {
		lt := strings.IndexByte(s[i:], '<')
		if lt < 0 {
			break
		}
		i += lt
		if len(s) >= i+len(end) && strings.EqualFold(s[i:i+len(end)], end) {
			return i
		}
	}
	return len(s)
}

// tag is the start tag of a field as text: src up to end. values are the parts of the
// source that hold the value, in order.
type tag struct {
	name   string
	text   string
	attrs  []span // all of them
	values []span
	end    int
	cut    bool // the source ends inside the tag
	// decoded is room for the attributes as the parser would have them.
	decoded []html.Attribute
}

// span is the value of an attribute: src[from:to]. bare: it has no quotes.
type span struct {
	key, val string
	from, to int
	bare     bool
}

// emptied replaces the value once it is cut. A bare value becomes an empty quoted
// one, or else what follows would be read as the value.
func (s span) emptied() string {
	if s.bare {
		return `""`
	}
	return ""
}

// scanTag reads the start tag at src[at:] as the HTML standard does (13.2.5.32 to
// 13.2.5.40) and keeps positions. Its attributes are appended to attrs.
func scanTag(src string, at int, name string, attrs []span) tag {
	unclosed := ""
	i := at + 1 + len(name)
	for {
		for i < len(src) && (isSpace(src[i]) || src[i] == '/') {
			i++
		}
		if i >= len(src) || src[i] == '>' {
			break
		}
		s := scanAttr(src, i)
		attrs = append(attrs, s)
		i = s.to
		switch {
		case s.bare:
		case i < len(src):
			i++
		default:
			unclosed = src[s.from-1 : s.from]
		}
	}
	end := min(i+1, len(src))
	t := tag{name: name, text: src[at:end], attrs: attrs, values: valuesOf(attrs), end: end, cut: i >= len(src)}
	if t.cut { // closed for the tokenizer, which drops it otherwise
		t.text += unclosed + ">"
	}
	switch {
	case name == "textarea":
		if n := textareaEnd(src[end:]); n > 0 {
			t.values = append(t.values, span{from: end, to: end + n})
			t.end += n
		}
	case name != "input" && !t.cut:
		if n := contentEnd(src[end:], name); n > 0 { // fields may be inside: it ends after its start tag
			t.values = append(t.values, span{from: end, to: end + n})
		}
	}
	return t
}

// valuesOf returns the parts to cut from a secret field: its value, and data
// attributes that repeat it.
func valuesOf(attrs []span) []span {
	secret := ""
	for _, s := range attrs {
		if s.key == "value" && secret == "" {
			secret = s.val
		}
	}
	var list []span
	for _, s := range attrs {
		repeats := s.val == secret && strings.HasPrefix(s.key, "data-")
		if s.from < s.to && (s.key == "value" || repeats) {
			list = append(list, s)
		}
	}
	return list
}

func scanAttr(src string, start int) span {
	i := start + 1 // an "=" at the start belongs to the name
	for i < len(src) && src[i] != '=' && !isTagEnd(src[i]) {
		i++
	}
	s := span{key: strings.ToLower(src[start:i]), from: i, to: i, bare: true}
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	if i >= len(src) || src[i] != '=' {
		return s
	}
	i++
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	s.from = i
	if i < len(src) && (src[i] == '"' || src[i] == '\'') {
		s.from, s.bare = i+1, false
		n := strings.IndexByte(src[s.from:], src[i])
		if n < 0 {
			n = len(src) - s.from
		}
		s.to = s.from + n
	} else {
		for i < len(src) && src[i] != '>' && !isSpace(src[i]) {
			i++
		}
		s.to = i
	}
	s.val = src[s.from:s.to]
	return s
}

// node returns the tag as the parser would have it.
func (t *tag) node() *html.Node {
	attr, ok := t.plain()
	if !ok { // entities, line ends and repeated attributes are the tokenizer's business
		attr = t.tokenized()
	}
	return &html.Node{Type: html.ElementNode, Data: t.name, DataAtom: atom.Lookup([]byte(t.name)), Attr: attr}
}

func (t *tag) tokenized() []html.Attribute {
	z := html.NewTokenizer(strings.NewReader(t.text))
	z.Next()
	return z.Token().Attr
}

// maxPlain bounds the attributes that are compared with each other.
const maxPlain = 32

// plain returns the attributes if they need no decoding. A tokenizer takes four
// kilobytes per field, more than the page.
func (t *tag) plain() ([]html.Attribute, bool) {
	if t.cut || len(t.attrs) > maxPlain {
		return nil, false
	}
	list := t.decoded[:0]
	for _, s := range t.attrs {
		repeated := slices.ContainsFunc(list, func(a html.Attribute) bool { return a.Key == s.key })
		if repeated || !isPlainKey(s.key) || strings.ContainsAny(s.val, "&\r\x00") {
			return nil, false
		}
		list = append(list, html.Attribute{Key: s.key, Val: s.val})
	}
	return list, true
}

// isPlainKey reports keys that every reader of tags reads alike.
func isPlainKey(key string) bool {
	for i := range len(key) {
		if c := key[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// isSecret judges the field by its own attributes and by what the reader found out
// about it or about its twin in another source: the document has the labels that the
// skeleton lacks.
func (t *tag) isSecret(known, ids map[string]bool) bool {
	n := t.node()
	a := readAttrs(n)
	if ids[a.handle()] {
		return true
	}
	if len(known) > 0 {
		var buf [512]byte
		if secret, judged := known[string(appendSignature(buf[:0], n))]; judged {
			return secret
		}
	}
	return isSecret(n, &a, "")
}
