package markup

import (
	"strings"

	"golang.org/x/net/html"
)

// readDeclaration reads a comment or a doctype.
func (p *parser) readDeclaration() {
	rest := p.src[p.pos:]
	switch {
	case strings.HasPrefix(rest, "<!--"):
		p.readComment(rest[len("<!--"):])
	case p.mode == nil && len(rest) > 9 && strings.EqualFold(rest[:9], "<!doctype"):
		p.readDoctype(rest)
	default:
		p.giveUp()
	}
}

// readComment reads the comment whose text begins s.
func (p *parser) readComment(s string) {
	p.tok.kind, p.tok.data = comment, ""
	p.pos += len("<!--")
	for _, abrupt := range [...]string{">", "->"} {
		if strings.HasPrefix(s, abrupt) {
			p.pos += len(abrupt)
			return
		}
	}
	end := strings.Index(s, "-->")
	if end < 0 {
		p.giveUp()
		return
	}
	size := len("-->")
	if bang := strings.Index(s[:end], "--!>"); bang >= 0 {
		end, size = bang, len("--!>")
	}
	p.tok.data = text(s[:end])
	p.pos += end + size
}

// readDoctype makes the node of a doctype. Which names mean the quirks of old browsers
// is html.Parse's to know: it shows in whether a table may be in a paragraph.
func (p *parser) readDoctype(s string) {
	end := strings.IndexByte(s, '>')
	if end < 0 {
		p.giveUp()
		return
	}
	s = s[:end+1]
	p.pos += len(s)
	n := p.tree.node()
	n.Type, n.Data = html.DoctypeNode, "html"
	if !strings.EqualFold(s[:len(s)-5], "<!doctype ") || s[len(s)-5:] != "html>" {
		probe, err := html.Parse(strings.NewReader(s + "<p><table>"))
		if err != nil || probe.FirstChild == nil || probe.FirstChild.Type != html.DoctypeNode {
			p.giveUp()
			return
		}
		n.Data, n.Attr = probe.FirstChild.Data, probe.FirstChild.Attr
		for d := range probe.Descendants() {
			p.quirks = p.quirks || d.Data == "table" && d.Parent.Data == "p"
		}
	}
	appendChild(p.doc, n)
	p.mode = beforeHTML
	p.tok.kind = doctype
}

// raw adds the element of the start tag to parent, with the text up to its end tag.
func (p *parser) raw(parent *html.Node) bool {
	tag := p.tok.name
	n := p.element()
	appendChild(parent, n)
	end, ok := rawEnd(p.src[p.pos:], tag.data)
	if !ok {
		p.giveUp()
		return true
	}
	data := p.src[p.pos : p.pos+end]
	if tag.data == "script" && isHidden(data) {
		p.giveUp()
		return true
	}
	if tag.flags&decoded != 0 {
		data = text(data)
	} else {
		data = lines(data)
	}
	if tag.kind == textarea {
		data = withoutLineEnd(data)
	}
	if data != "" {
		t := p.tree.node()
		t.Type, t.Data = html.TextNode, data
		appendChild(n, t)
	}
	p.pos += end
	p.readEndTag()
	return true
}

// rawEnd finds the end tag of the text that begins s.
func rawEnd(s, tag string) (int, bool) {
	for i := 0; ; {
		n := strings.Index(s[i:], "</")
		if n < 0 {
			return 0, false
		}
		i += n
		after := i + len("</") + len(tag)
		if after >= len(s) {
			return 0, false
		}
		if endsName[s[after]] && isName(s[i+len("</"):after], tag) {
			return i, true
		}
		i += len("</")
	}
}

// isName compares a name with one in lower case.
func isName(s, tag string) bool {
	for i := range len(tag) {
		if c := s[i]; c != tag[i] && (c < 'A' || c > 'Z' || c+'a'-'A' != tag[i]) {
			return false
		}
	}
	return true
}

// isHidden reports a script that begins another inside a comment, whose end tag then
// is not the script's.
func isHidden(script string) bool {
	i := strings.Index(script, "<!--")
	return i >= 0 && strings.Contains(lower(script[i:]), "<script")
}

// withoutLineEnd drops the line end that a block of text may begin with.
func withoutLineEnd(s string) string { return strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n") }
