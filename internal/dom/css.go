package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// readSheets reads the style elements of a document with so many nodes. It returns
// nil if none of their rules affects names.
func readSheets(styles []*html.Node, nodes int) *sheet {
	if len(styles) == 0 {
		return nil
	}
	sh := &sheet{class: map[string][]rule{}, id: map[string][]rule{}, tag: map[string][]rule{}, budget: rulesPerNode*nodes + 10_000}
	left := maxStyle
	for _, n := range styles {
		if n.FirstChild == nil || left <= 0 {
			continue
		}
		text := n.FirstChild.Data
		text = text[:min(len(text), left)]
		left -= len(text)
		sh.read(text, attr(n, "media") == "" || attr(n, "media") == "all" || attr(n, "media") == "screen", 0)
	}
	if sh.rules == 0 {
		return nil
	}
	return sh
}

// read reads rules. sure: they apply whatever the screen.
func (sh *sheet) read(css string, sure bool, depth int) {
	for len(css) > 0 && sh.rules < maxRules {
		open := cssIndex(css, "{;")
		if open < 0 {
			return
		}
		if css[open] == ';' { // @import and the like
			css = css[open+1:]
			continue
		}
		prelude := css[:open]
		body, rest := cssBlock(css[open+1:])
		css = rest
		prelude = strings.TrimSpace(withoutComments(prelude))
		switch {
		case !strings.HasPrefix(prelude, "@"):
			sh.rule(prelude, body, sure)
		case depth < maxNesting && hasPrefix(prelude, "@media", "@supports", "@layer", "@container", "@scope"):
			sh.read(body, sure && hasPrefix(prelude, "@layer"), depth+1)
		}
	}
}

// rule keeps the declarations that affect names.
func (sh *sheet) rule(selectors, body string, sure bool) {
	lower := strings.ToLower(body) // the same string, mostly
	if !strings.Contains(lower, "content") && !strings.Contains(lower, "display") && !strings.Contains(lower, "visibility") {
		return
	}
	r := rule{}
	for prop, val := range cssDeclarations(body) {
		switch prop {
		case "display":
			r.display = strings.ToLower(val)
		case "visibility":
			r.visibility = strings.ToLower(val)
		case "content":
			r.content = val
		}
	}
	if r.display == "" && r.visibility == "" && r.content == "" {
		return
	}
	for text := range strings.SplitSeq(selectors, ",") {
		s, weight, ok := parseSelector(strings.TrimSpace(text))
		if !ok || sh.rules >= maxRules {
			continue
		}
		sh.rules++
		r.selector, r.weight = s, weight*maxRules+sh.rules
		r.sure = r.sure && sure
		sh.add(r)
	}
}

// add files a rule under the rarest condition of its last part.
func (sh *sheet) add(r rule) {
	switch last := r.parts[0]; {
	case last.id != "":
		sh.id[last.id] = append(sh.id[last.id], r)
	case last.class != "":
		sh.class[last.class] = append(sh.class[last.class], r)
		sh.lengths |= lengthBit(last.class)
	case last.tag != "":
		sh.tag[last.tag] = append(sh.tag[last.tag], r)
	default:
		sh.anything = append(sh.anything, r)
	}
}

// cssIndex returns the position of one of the bytes outside of strings and comments.
func cssIndex(css, bytes string) int {
	for i := 0; i < len(css); i++ {
		switch c := css[i]; {
		case strings.IndexByte(bytes, c) >= 0:
			return i
		case c == '\\':
			i++
		case c == '"' || c == '\'':
			i++
			for i < len(css) && css[i] != c && css[i] != '\n' {
				if css[i] == '\\' {
					i++
				}
				i++
			}
		case c == '/' && strings.HasPrefix(css[i:], "/*"):
			end := strings.Index(css[i+2:], "*/")
			if end < 0 {
				return -1
			}
			i += end + 3
		}
	}
	return -1
}

// cssBlock splits what follows an opening brace into the block and the rest.
func cssBlock(css string) (body, rest string) {
	depth := 1
	for i := 0; ; {
		n := cssIndex(css[i:], "{}")
		if n < 0 {
			return css, ""
		}
		i += n + 1
		if css[i-1] == '{' {
			depth++
		} else if depth--; depth == 0 {
			return css[:i-1], css[i:]
		}
	}
}

// cssDeclarations returns the properties and values of a block, without nested rules.
func cssDeclarations(body string) func(yield func(prop, val string) bool) {
	return func(yield func(prop, val string) bool) {
		for body != "" {
			end := cssIndex(body, ";{")
			if end < 0 {
				end = len(body)
			}
			decl := body[:end]
			if end < len(body) && body[end] == '{' {
				_, body = cssBlock(body[end+1:])
				continue
			}
			body = body[min(end+1, len(body)):]
			prop, val, ok := strings.Cut(withoutComments(decl), ":")
			val = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(val), "!important"))
			if ok && !yield(strings.ToLower(strings.TrimSpace(prop)), val) {
				return
			}
		}
	}
}

func withoutComments(css string) string {
	if !strings.Contains(css, "/*") {
		return css
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(css, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		b.WriteByte(' ')
		_, css, _ = strings.Cut(rest, "*/")
	}
}
