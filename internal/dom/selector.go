package dom

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// pseudo is the pseudo-element a selector ends in.
type pseudo int

const (
	none pseudo = iota
	pseudoBefore
	pseudoAfter
)

// selector is a CSS selector, as far as it is supported: tags, classes, ids,
// attributes, :dir(), children and descendants. Parts are in reverse order. Anything
// else makes it unsure: it may apply if its last part does.
type selector struct {
	parts  []compound
	pseudo pseudo
	sure   bool
}

// compound is the conditions on one element. child: the next part is about its
// parent, not about any ancestor.
type compound struct {
	tag, id, class string
	more           []condition
	child          bool
}

// condition requires an attribute, with a value if exact. The class attribute is
// matched by word, dir as it is inherited.
type condition struct {
	key, val string
	exact    bool
}

func (s *selector) matches(sh *sheet, n *html.Node) bool {
	if !s.parts[0].matches(sh, n) {
		return false
	}
	return !s.sure || matchAbove(sh, n, s.parts)
}

// matchAbove reports whether the parts after the first match the ancestors of n.
func matchAbove(sh *sheet, n *html.Node, parts []compound) bool {
	if len(parts) == 1 {
		return true
	}
	for up := n.Parent; up != nil && up.Type == html.ElementNode && sh.visit(); up = up.Parent {
		if parts[1].matches(sh, up) && matchAbove(sh, up, parts[1:]) {
			return true
		}
		if parts[0].child {
			return false
		}
	}
	return false
}

func (c *compound) matches(sh *sheet, n *html.Node) bool {
	if c.tag != "" && c.tag != n.Data || c.id != "" && attr(n, "id") != c.id || c.class != "" && !hasClass(n, c.class) {
		return false
	}
	for _, m := range c.more {
		if !m.holds(sh, n) {
			return false
		}
	}
	return true
}

func (m condition) holds(sh *sheet, n *html.Node) bool {
	switch m.key {
	case "class":
		return hasClass(n, m.val)
	case ":dir":
		return direction(sh, n) == m.val
	}
	for i := range n.Attr {
		if n.Attr[i].Key == m.key {
			return !m.exact || n.Attr[i].Val == m.val
		}
	}
	return false
}

// direction is the text direction of an element.
func direction(sh *sheet, n *html.Node) string {
	for ; n != nil && sh.visit(); n = n.Parent {
		if d := strings.ToLower(attr(n, "dir")); d == "rtl" || d == "ltr" {
			return d
		}
	}
	return "ltr"
}

func hasClass(n *html.Node, class string) bool {
	for c := range strings.FieldsSeq(attr(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}

// parseSelector parses a selector and returns its specificity. ok is false if it can
// match no element.
func parseSelector(text string) (s selector, weight int, ok bool) {
	s.sure = true
	child := false
	for text = strings.TrimSpace(text); text != ""; {
		end := compoundEnd(text)
		part := compound{child: child}
		for rest := text[:end]; rest != ""; {
			n := part.read(&s, rest, &weight)
			if n == 0 {
				return s, 0, false
			}
			rest = rest[n:]
		}
		s.parts = append(s.parts, part)
		rest := strings.TrimLeft(text[end:], " \t\n\r\f>+~")
		combinator := strings.TrimSpace(text[end : len(text)-len(rest)])
		if end == 0 || combinator != "" && rest == "" {
			return s, 0, false
		}
		child = combinator == ">"
		s.sure = s.sure && (child || combinator == "")
		text = rest
	}
	slices.Reverse(s.parts) // written left to right, used right to left
	return s, weight, len(s.parts) > 0
}

// compoundEnd is the position of the first combinator.
func compoundEnd(text string) int {
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case depth <= 0 && (isSpace(c) || c == '>' || c == '+' || c == '~'):
			return i
		}
	}
	return len(text)
}

// read reads one simple selector off the start of text and returns its length, 0 if
// it cannot be read.
func (c *compound) read(s *selector, text string, weight *int) int {
	switch text[0] {
	case '*':
		return 1
	case '.', '#':
		return c.readName(text, weight)
	case '[':
		return c.readAttribute(s, text, weight)
	case ':':
		return c.readPseudo(s, text, weight)
	}
	n := nameEnd(text, 0)
	c.tag = strings.ToLower(text[:n])
	*weight++
	return n
}

func (c *compound) readName(text string, weight *int) int {
	n := nameEnd(text, 1)
	*weight += 10
	switch name := text[1:n]; {
	case name == "":
		return 0
	case text[0] == '#':
		c.id = name
		*weight += 90
	case c.class == "":
		c.class = name
	default:
		c.more = append(c.more, condition{key: "class", val: name})
	}
	return n
}

func (c *compound) readAttribute(s *selector, text string, weight *int) int {
	end := strings.IndexByte(text, ']')
	if end < 0 {
		return 0
	}
	*weight += 10
	key, val, exact := strings.Cut(text[1:end], "=")
	if key = strings.ToLower(strings.TrimSpace(key)); key == "" || strings.ContainsAny(key, "~|^$*") {
		s.sure = false
		return end + 1
	}
	c.more = append(c.more, condition{key: key, val: strings.Trim(strings.TrimSpace(val), `"'`), exact: exact})
	return end + 1
}

func (c *compound) readPseudo(s *selector, text string, weight *int) int {
	start := len(text) - len(strings.TrimLeft(text, ":"))
	n := nameEnd(text, start)
	if n == start || start > 2 {
		return 0
	}
	name := strings.ToLower(text[start:n])
	arg := ""
	if n < len(text) && text[n] == '(' {
		end := strings.IndexByte(text[n:], ')')
		if end < 0 {
			return 0
		}
		arg = strings.TrimSpace(text[n+1 : n+end])
		n += end + 1
	}
	switch name {
	case "before":
		s.pseudo = pseudoBefore
	case "after":
		s.pseudo = pseudoAfter
	case "dir":
		c.more = append(c.more, condition{key: ":dir", val: strings.ToLower(arg)})
		*weight += 10
	default:
		s.sure = false
	}
	return n
}

// nameEnd is the end of the name that begins at text[i:].
func nameEnd(text string, i int) int {
	for i < len(text) && (text[i] == '-' || text[i] == '_' || text[i] >= 0x80 || text[i] >= '0' && text[i] <= '9' ||
		text[i] >= 'a' && text[i] <= 'z' || text[i] >= 'A' && text[i] <= 'Z') {
		i++
	}
	return i
}
