package extract

import (
	"regexp"
	"strings"
)

// wordStyle is what matters of a style of paragraphs.
type wordStyle struct {
	level       int // of a heading, 0 of others
	code, title bool
	list, depth string // of an item
}

var (
	headingName = regexp.MustCompile(`(?i)^heading ([1-9])$`)
	codeName    = regexp.MustCompile(`(?i)^(source ?code|verbatim|code|code block|html preformatted|macro text|plain text)$`)
)

// maxChain is how many styles one is based on.
const maxChain = 20

// readStyles works out every style with those it is based on.
func (w *wordReader) readStyles(root *node) {
	w.styles = map[string]*wordStyle{}
	if root == nil {
		return
	}
	if lang := root.child("docDefaults").child("rPrDefault").child("rPr").child("lang"); lang != nil {
		w.out.Language = lang.attr("val")
	}
	byID := map[string]*node{}
	for _, n := range root.kids {
		if n.name == "style" && (n.attr("type") == "paragraph" || n.attr("type") == "") {
			byID[n.attr("styleId")] = n
		}
	}
	for id := range byID {
		w.styles[id] = resolve(byID, id)
	}
}

// resolve follows a style to those it is based on; what is nearer counts.
func resolve(byID map[string]*node, id string) *wordStyle {
	s := &wordStyle{}
	said := false // whether the level is known
	for range maxChain {
		n := byID[id]
		if n == nil {
			break
		}
		name := ""
		if v := n.child("name"); v != nil {
			name = v.attr("val")
		}
		props := n.child("pPr")
		if outline := props.child("outlineLvl"); outline != nil && !said {
			said = true
			s.level = outlineLevel(outline)
		}
		if m := headingName.FindStringSubmatch(name); m != nil && !said {
			said = true
			s.level = number(m[1])
		}
		if strings.EqualFold(name, "title") && !said {
			said, s.level, s.title = true, 1, true
		}
		s.code = s.code || codeName.MatchString(name)
		if num := props.child("numPr"); num != nil {
			s.number(num)
		}
		based := n.child("basedOn")
		if based == nil {
			break
		}
		id = based.attr("val")
	}
	return s
}

// outlineLevel counts from 1; 9 is the level of what is no heading.
func outlineLevel(n *node) int {
	if level := number(n.attr("val")); level < 9 {
		return level + 1
	}
	return 0
}

func (s *wordStyle) number(num *node) {
	if id := num.child("numId"); id != nil && s.list == "" {
		s.list = id.attr("val")
	}
	if level := num.child("ilvl"); level != nil && s.depth == "" {
		s.depth = level.attr("val")
	}
}

// style returns what the properties of a paragraph say together with its style.
func (w *wordReader) style(props *node) wordStyle {
	var s wordStyle
	if num := props.child("numPr"); num != nil {
		s.number(num)
	}
	if named := props.child("pStyle"); named != nil {
		if of := w.styles[named.attr("val")]; of != nil {
			list, depth := s.list, s.depth
			s = *of
			if list != "" {
				s.list = list
			}
			if depth != "" {
				s.depth = depth
			}
		}
	}
	if outline := props.child("outlineLvl"); outline != nil {
		s.level = outlineLevel(outline)
	}
	return s
}

// readNumbering reads how the items of lists are numbered.
func (w *wordReader) readNumbering(root *node) {
	w.formats = map[string]string{}
	if root == nil {
		return
	}
	abstract := map[string]map[string]string{}
	for _, n := range root.kids {
		if n.name != "abstractNum" {
			continue
		}
		levels := map[string]string{}
		for _, lvl := range n.kids {
			if f := lvl.child("numFmt"); lvl.name == "lvl" && f != nil {
				levels[lvl.attr("ilvl")] = f.attr("val")
			}
		}
		abstract[n.attr("abstractNumId")] = levels
	}
	for _, n := range root.kids {
		if of := n.child("abstractNumId"); n.name == "num" && of != nil {
			for level, format := range abstract[of.attr("val")] {
				w.formats[n.attr("numId")+" "+level] = format
			}
		}
	}
}

// mark returns what stands before an item of a list. Items are not counted: where lists
// begin anew is a matter of layout, and Markdown numbers by itself.
func (w *wordReader) mark(s wordStyle) string {
	if s.list == "" || s.list == "0" {
		return ""
	}
	depth := s.depth
	if depth == "" {
		depth = "0"
	}
	indent := strings.Repeat("  ", min(number(depth), 6))
	switch w.formats[s.list+" "+depth] {
	case "", "none":
		return ""
	case "bullet":
		return indent + "- "
	}
	return indent + "1. "
}

// on reports a property that is set; a property is set by being there.
func on(n *node) bool {
	if n == nil {
		return false
	}
	v := n.attr("val")
	return v != "0" && v != "false" && v != "off"
}

// formula writes a formula on one line.
func formula(n *node) string {
	var b strings.Builder
	writeFormula(&b, n)
	return strings.Join(strings.Fields(b.String()), " ")
}

func writeFormula(b *strings.Builder, n *node) {
	between := map[string]string{"den": "/", "sup": "^", "sub": "_"}
	for _, k := range n.kids {
		switch k.name {
		case "t":
			b.WriteString(k.all())
		case "rPr", "ctrlPr", "":
		default:
			b.WriteString(between[k.name])
			writeFormula(b, k)
		}
	}
}
