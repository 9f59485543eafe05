package dom

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/stepledger/stepledger/domain/page"
)

// appendGenerated appends the content of a pseudo-element: its strings and
// attributes, or the alternative text after the slash. Characters of icon fonts are
// dropped.
func appendGenerated(dst []byte, n *html.Node, g generated) []byte {
	content := g.content
	if content == "" || content == "none" || content == "normal" {
		return dst
	}
	if slash := cssIndex(content, "/"); slash >= 0 {
		content = content[slash+1:]
	}
	if g.block {
		dst = page.AppendSpace(dst)
	}
	for content != "" {
		switch c := content[0]; {
		case c == '"' || c == '\'':
			end := 1
			for end < len(content) && content[end] != c {
				if content[end] == '\\' {
					end++
				}
				end++
			}
			dst = appendText(dst, unescaped(content[1:min(end, len(content))]))
			content = content[min(end+1, len(content)):]
		case strings.HasPrefix(content, "attr("):
			name, rest, _ := strings.Cut(content[len("attr("):], ")")
			dst = appendText(dst, attr(n, strings.ToLower(strings.TrimSpace(name))))
			content = rest
		default:
			content = content[1:]
		}
	}
	if g.block {
		dst = page.AppendSpace(dst)
	}
	return dst
}

// unescaped decodes a CSS string.
func unescaped(s string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return strings.Map(dropPrivateUse, s)
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		code, digits := rune(0), 0
		for digits < 6 && i+1 < len(s) && isHex(s[i+1]) {
			code = code<<4 | rune(hexValue(s[i+1]))
			digits++
			i++
		}
		switch {
		case digits > 0:
			b.WriteRune(code)
			if i+1 < len(s) && isSpace(s[i+1]) {
				i++
			}
		case i+1 < len(s) && s[i+1] != '\n':
			i++
			b.WriteByte(s[i])
		}
	}
	return strings.Map(dropPrivateUse, b.String())
}

// dropPrivateUse drops private-use characters, which icon fonts use.
func dropPrivateUse(r rune) rune {
	if r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000 {
		return -1
	}
	return r
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func hexValue(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

func isBlockDisplay(display string) bool {
	return display != "" && display != "inline" && display != "contents" && display != "none"
}
