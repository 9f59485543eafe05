package extract

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// silent elements have no text that is read.
var silent = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Frame: true, atom.Frameset: true, atom.Noframes: true,
	atom.Object: true, atom.Embed: true, atom.Applet: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Svg: true,
	atom.Input: true, atom.Textarea: true, atom.Select: true, atom.Datalist: true, atom.Progress: true, atom.Meter: true,
	atom.Link: true, atom.Meta: true, atom.Rp: true, atom.Rt: true, atom.Map: true, atom.Dialog: false,
}

// strip takes out what is not read of a page: comments, what has no text, what is
// hidden from readers and, unless it is kept, what is hidden from the eye.
func strip(root *html.Node, keepHidden bool) {
	var sheet map[string]bool
	if !keepHidden {
		sheet = hiddenBySheet(root)
	}
	stripBelow(root, func(n *html.Node) bool {
		if n.Type == html.CommentNode {
			return true
		}
		if n.Type != html.ElementNode || n.DataAtom == atom.Html || n.DataAtom == atom.Body || n.DataAtom == atom.Head {
			return false
		}
		return silent[n.DataAtom] || attr(n, "aria-hidden") == "true" || !keepHidden && hidden(n, sheet)
	})
}

func stripBelow(n *html.Node, drop func(*html.Node) bool) {
	for k := n.FirstChild; k != nil; {
		next := k.NextSibling
		if drop(k) {
			n.RemoveChild(k)
		} else {
			stripBelow(k, drop)
		}
		k = next
	}
}

// hidden reports an element that the eye does not see, by its attributes or by a rule
// of the page for one of its classes or its id.
func hidden(n *html.Node, sheet map[string]bool) bool {
	if has(n, "hidden") || n.DataAtom == atom.Dialog && !has(n, "open") {
		return true
	}
	if style := attr(n, "style"); style != "" && hides(style) {
		return true
	}
	if len(sheet) == 0 {
		return false
	}
	for _, class := range strings.Fields(attr(n, "class")) {
		if sheet["."+class] {
			return true
		}
	}
	id := attr(n, "id")
	return id != "" && sheet["#"+id]
}

// hides reports declarations of CSS that leave nothing to see.
func hides(style string) bool {
	out := false
	for _, declaration := range strings.Split(strings.ToLower(style), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		name = strings.TrimSpace(name)
		value = strings.TrimSpace(strings.ReplaceAll(value, "!important", ""))
		switch name {
		case "display":
			if value == "none" {
				return true
			}
		case "visibility":
			if value == "hidden" || value == "collapse" {
				return true
			}
		case "font-size", "opacity":
			if value != "" && strings.Trim(value, "0.pxemrt% ") == "" && strings.Contains(value, "0") && !strings.ContainsAny(value, "123456789") {
				return true
			}
		case "position":
			out = out || value == "absolute" || value == "fixed"
		}
	}
	return out && offScreen(style) || strings.Contains(strings.ReplaceAll(style, " ", ""), "text-indent:-9999")
}

// offScreen reports a place far out of the page.
func offScreen(style string) bool {
	squeezed := strings.ReplaceAll(strings.ToLower(style), " ", "")
	for _, side := range []string{"left:-", "top:-", "right:-"} {
		if _, value, ok := strings.Cut(squeezed, side); ok {
			digits := 0
			for digits < len(value) && value[digits] >= '0' && value[digits] <= '9' {
				digits++
			}
			if digits >= 4 {
				return true
			}
		}
	}
	return false
}

// hiddenBySheet returns the classes (".x") and ids ("#x") that a style element of the
// page hides without a condition. Selectors of more than one part are not read.
func hiddenBySheet(root *html.Node) map[string]bool {
	found := map[string]bool{}
	each(root, func(n *html.Node) bool {
		if n.DataAtom == atom.Style && n.FirstChild != nil && (attr(n, "media") == "" || attr(n, "media") == "all" || attr(n, "media") == "screen") {
			readSheet(n.FirstChild.Data, found)
		}
		return true
	})
	return found
}

func readSheet(css string, found map[string]bool) {
	depth, start := 0, 0
	selector := ""
	for i := range len(css) {
		switch css[i] {
		case '{':
			if depth == 0 {
				selector = strings.TrimSpace(css[start:i])
			}
			depth++
			start = i + 1
		case '}':
			if depth == 1 && !strings.HasPrefix(selector, "@") && hides(css[start:i]) {
				for _, s := range strings.Split(selector, ",") {
					if s = strings.TrimSpace(s); len(s) > 1 && (s[0] == '.' || s[0] == '#') && !strings.ContainsAny(s[1:], " .#>+~:[*") {
						found[s] = true
					}
				}
			}
			depth = max(depth-1, 0)
			start = i + 1
		case ';':
			if depth == 0 {
				start = i + 1 // an @import
			}
		}
	}
}
