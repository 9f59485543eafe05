package page

import "strings"

// compound is a compound CSS selector, as far as a Page can match it:
// button[type="submit"]:has-text("Save").
type compound struct {
	tag   string
	attrs []attribute
	texts []string
	// opaque: the selector needs something a Page does not have (a class, an
	// ancestor, a position).
	opaque bool
}

// attribute is [name op value]; with op "" the attribute has to be present.
type attribute struct{ name, op, value string }

// maxSelector bounds a selector or text.
const maxSelector = 500

// parseSelector parses a list of selectors. ok is false if s does not look like one:
// "Save" and "Thank you" are texts, "button", "#save" and "a[href]" are selectors.
func parseSelector(s string) (list []compound, ok bool) {
	p := selectorParser{rest: Cut(strings.TrimSpace(s), maxSelector)}
	if p.rest == "" {
		return nil, false
	}
	for {
		c, ok := p.complex()
		if !ok {
			return nil, false
		}
		list = append(list, c)
		if p.rest == "" {
			return list, true
		}
		if !p.skip(",") {
			return nil, false
		}
		p.space()
	}
}

type selectorParser struct{ rest string }

func (p *selectorParser) skip(prefix string) (ok bool) {
	p.rest, ok = strings.CutPrefix(p.rest, prefix)
	return ok
}

func (p *selectorParser) space() (any bool) {
	rest := strings.TrimLeft(p.rest, " \t\n")
	any, p.rest = len(rest) < len(p.rest), rest
	return any
}

// complex reads up to the next comma and returns the last compound, which is the
// element meant.
func (p *selectorParser) complex() (c compound, ok bool) {
	for chained := false; ; chained = true {
		if c, ok = p.compound(); !ok {
			return c, false
		}
		c.opaque = c.opaque || chained
		gap := p.space()
		if p.rest == "" || p.rest[0] == ',' {
			return c, true
		}
		combinator := p.skip(">") || p.skip("+") || p.skip("~")
		p.space()
		if !gap && !combinator {
			return c, false
		}
	}
}

func (p *selectorParser) compound() (c compound, ok bool) {
	start := p.rest
	if p.skip("*") {
		c.opaque = true
	} else if c.tag = strings.ToLower(p.name()); c.tag != "" && !htmlTags[c.tag] && !strings.Contains(c.tag, "-") {
		return c, false
	}
	for p.rest != "" {
		switch p.rest[0] {
		case '#':
			p.rest = p.rest[1:]
			id := p.name()
			if id == "" {
				return c, false
			}
			c.attrs = append(c.attrs, attribute{"id", "=", id})
		case '.':
			p.rest = p.rest[1:]
			if p.name() == "" {
				return c, false
			}
			c.opaque = true
		case '[':
			if !p.attribute(&c) {
				return c, false
			}
		case ':':
			if !p.pseudo(&c) {
				return c, false
			}
		default:
			return c, p.rest != start
		}
	}
	return c, p.rest != start
}

func (p *selectorParser) name() string {
	n := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '-' && r != '_' && r < 0x80 && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if n < 0 {
		n = len(p.rest)
	}
	name := p.rest[:n]
	p.rest = p.rest[n:]
	return name
}

func (p *selectorParser) attribute(c *compound) bool {
	p.rest = p.rest[1:]
	p.space()
	a := attribute{name: strings.ToLower(p.name())}
	if a.name == "" {
		return false
	}
	p.space()
	for _, op := range [...]string{"=", "^=", "$=", "*=", "~=", "|="} {
		if p.skip(op) {
			a.op = op
			p.space()
			if a.value = p.quoted(); a.value == "" {
				a.value = p.name()
			}
			p.space()
			if p.skip("i]") || p.skip("s]") {
				p.rest = "]" + p.rest
			}
			break
		}
	}
	c.attrs = append(c.attrs, a)
	return p.skip("]")
}

func (p *selectorParser) quoted() string {
	if p.rest == "" || p.rest[0] != '"' && p.rest[0] != '\'' {
		return ""
	}
	text, rest, ok := strings.Cut(p.rest[1:], p.rest[:1])
	if !ok {
		return ""
	}
	p.rest = rest
	return text
}

// pseudo reads :name and :name(…). Three of them, from test tools, are about text.
func (p *selectorParser) pseudo(c *compound) bool {
	p.rest = strings.TrimLeft(p.rest, ":")
	name := p.name()
	if name == "" {
		return false
	}
	if !p.skip("(") {
		c.opaque = true
		return true
	}
	if name == "has-text" || name == "contains" || name == "text" {
		p.space()
		text := p.quoted()
		if text == "" {
			text = p.name()
		}
		p.space()
		c.texts = append(c.texts, text)
		return p.skip(")")
	}
	c.opaque = true
	depth := 1
	for i := range len(p.rest) {
		switch p.rest[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				p.rest = p.rest[i+1:]
				return true
			}
		}
	}
	return false
}

// htmlTags are the tags a selector may begin with; any other first word makes it a
// text.
var htmlTags = setOf("a", "article", "aside", "body", "button", "dialog", "div", "fieldset", "footer", "form", "h1", "h2", "h3", "h4",
	"h5", "h6", "header", "iframe", "img", "input", "label", "li", "main", "nav", "ol", "option", "p", "section", "select", "span",
	"summary", "svg", "table", "tbody", "td", "textarea", "th", "thead", "tr", "ul", "video")

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}
