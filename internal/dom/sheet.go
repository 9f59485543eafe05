package dom

import (
	"strings"

	"golang.org/x/net/html"
)

// sheet is what the style elements of a document say about names: generated content
// before and after an element, whether it is displayed, and whether it breaks a line.
// It is only used for names, and a rule only counts if the document alone decides it,
// since other sheets and scripts are unknown. So an element is hidden by a rule that
// surely applies only if no rule that may apply (in a media query, for a state) shows
// it.
type sheet struct {
	rules          int
	class, id, tag map[string][]rule
	anything       []rule
	lengths        uint64 // of the classes with a rule: most of a page's have none
	budget         int    // of rules and ancestors looked at; then the sheet is silent
}

// rule is a selector with its declarations.
type rule struct {
	selector
	weight                       int // of the selector, then of its place in the document
	display, visibility, content string
}

// style is what the sheets say about one element.
type style struct {
	display, visibility string
	before, after       generated
}

// generated is the content of a pseudo-element as it is written in the sheet.
type generated struct {
	content string
	block   bool
}

// hides reports whether the sheets hide the element. Its own style attribute takes
// precedence.
func (s style) hides(a *attrs) bool {
	return s.display == "none" && !strings.Contains(a.style, "display")
}

func (s style) isHidden() bool {
	return s.display == "none" || s.visibility == "hidden" || s.visibility == "collapse"
}

func (sh *sheet) visit() bool {
	sh.budget--
	return sh.budget >= 0
}

// of returns what the sheets say about an element.
func (sh *sheet) of(n *html.Node) style {
	if sh == nil || sh.budget < 0 {
		return style{}
	}
	var c cascade
	c.apply(sh, n, sh.tag[n.Data])
	for i := range n.Attr {
		switch n.Attr[i].Key {
		case "class":
			for class := range strings.FieldsSeq(n.Attr[i].Val) {
				if sh.lengths&lengthBit(class) != 0 {
					c.apply(sh, n, sh.class[class])
				}
			}
		case "id":
			c.apply(sh, n, sh.id[n.Attr[i].Val])
		}
	}
	c.apply(sh, n, sh.anything)
	if c.shown && c.display.value == "none" {
		c.display.value = ""
	}
	return style{
		display: c.display.value, visibility: c.visibility.value,
		before: generated{c.content[pseudoBefore].value, isBlockDisplay(c.box[pseudoBefore].value)},
		after:  generated{c.content[pseudoAfter].value, isBlockDisplay(c.box[pseudoAfter].value)},
	}
}

func lengthBit(s string) uint64 { return 1 << min(len(s), 63) }

// cascade keeps the declaration of highest weight for each property.
type cascade struct {
	display, visibility declared
	content, box        [3]declared // by pseudo-element
	shown               bool        // a rule that may apply displays the element
}

type declared struct {
	value  string
	weight int
}

func (d *declared) set(value string, weight int) {
	if value != "" && weight >= d.weight {
		d.value, d.weight = value, weight
	}
}

func (c *cascade) apply(sh *sheet, n *html.Node, rules []rule) {
	for i := range rules {
		r := &rules[i]
		if !sh.visit() {
			break
		}
		switch {
		case !r.matches(sh, n):
		case r.pseudo != none:
			if r.sure {
				c.content[r.pseudo].set(r.content, r.weight)
				c.box[r.pseudo].set(r.display, r.weight)
			}
		case !r.sure:
			c.shown = c.shown || r.display != "" && r.display != "none"
		default:
			c.display.set(r.display, r.weight)
			c.visibility.set(r.visibility, r.weight)
		}
	}
}
