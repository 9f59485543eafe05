package extract

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// wordReader reads the parts of a DOCX.
type wordReader struct {
	*document
	zip     *archive
	links   map[string]relation
	styles  map[string]*wordStyle
	formats map[string]string // of numbers, by list and level
	notes   map[string]*node  // by kind and id
	// fields are the fields that are open, from the outside: true once their result has
	// begun. What comes before is an instruction.
	fields []bool
	number int // of the last note
	// later are the notes and the boxes of the paragraph that is read.
	later   []func()
	initial string   // a letter set into the paragraph that follows
	lines   []string // of the code that is being read
}

// readDOCX reads the body of a document: what was deleted, comments, hidden text,
// headers and footers are left out. A note follows the paragraph that refers to it.
func readDOCX(d *document, in input) error {
	main, err := in.zip.mainPart()
	if err != nil {
		return err
	}
	w := &wordReader{document: d, zip: in.zip, notes: map[string]*node{}}
	if w.links, err = in.zip.relations(main); err != nil {
		return err
	}
	root, err := w.part(main)
	if err != nil {
		return err
	}
	body := root.child("document").child("body")
	if body == nil {
		return refuse(Damaged, "the document has no body")
	}
	if err := w.prepare(path.Dir(main)); err != nil {
		return err
	}
	w.blocks(body)
	w.flushCode()
	return nil
}

// part parses a part; one that is not there is empty.
func (w *wordReader) part(name string) (*node, error) {
	body, err := w.zip.read(name)
	if err != nil || body == nil {
		return &node{}, err
	}
	text, _ := decode(body, declared(body, ""))
	return parseXML([]byte(text), false)
}

// prepare reads what the body refers to.
func (w *wordReader) prepare(dir string) error {
	byKind := map[string]string{"styles": dir + "/styles.xml", "numbering": dir + "/numbering.xml", "footnotes": dir + "/footnotes.xml", "endnotes": dir + "/endnotes.xml"}
	for _, r := range w.links {
		kind := r.kind[strings.LastIndexByte(r.kind, '/')+1:]
		if _, ok := byKind[kind]; ok && !r.external {
			byKind[kind] = r.target
		}
	}
	parts := map[string]*node{}
	for kind, name := range byKind {
		root, err := w.part(name)
		if err != nil {
			return err
		}
		parts[kind] = root.child(kind)
	}
	w.readStyles(parts["styles"])
	w.readNumbering(parts["numbering"])
	for kind, name := range map[string]string{"footnotes": "footnote", "endnotes": "endnote"} {
		if parts[kind] == nil {
			continue
		}
		for _, n := range parts[kind].kids {
			if n.name == name && (n.attr("type") == "" || n.attr("type") == "normal") {
				w.notes[name+n.attr("id")] = n
			}
		}
	}
	core, err := w.part("docProps/core.xml")
	if err != nil {
		return err
	}
	if p := core.child("coreProperties"); p != nil {
		if t := p.child("title"); t != nil {
			w.out.Title = t.all()
		}
		if l := p.child("language"); l != nil && w.out.Language == "" {
			w.out.Language = l.all()
		}
	}
	return nil
}

// blocks adds what is in the body, a cell, a box or a note.
func (w *wordReader) blocks(parent *node) {
	for _, n := range parent.kids {
		switch n.name {
		case "p":
			w.wordParagraph(n, "")
		case "tbl":
			w.flushCode()
			w.wordTable(n)
		case "del", "moveFrom", "sectPr", "":
		case "AlternateContent":
			if one := alternative(n); one != nil {
				w.blocks(one)
			}
		default:
			w.blocks(n) // sdt, customXml, ins
		}
	}
}

// alternative returns the one of several ways to say the same that is read.
func alternative(n *node) *node {
	if one := n.child("Choice"); one != nil {
		return one
	}
	return n.child("Fallback")
}

func (w *wordReader) wordParagraph(n *node, before string) {
	props := n.child("pPr")
	style := w.style(props)
	var b strings.Builder
	b.WriteString(w.initial)
	w.initial = ""
	w.runs(&b, n, style.level == 0 && !style.code)
	text := b.String()
	if frame := props.child("framePr"); frame != nil && frame.attr("dropCap") != "" && frame.attr("dropCap") != "none" {
		w.initial = strings.TrimSpace(text) // of the paragraph that follows
		return
	}
	later := w.later
	w.later = nil
	switch {
	case style.code && before == "":
		w.lines = append(w.lines, text)
	case style.level > 0:
		w.flushCode()
		w.heading(style.level, text)
		if style.title && w.out.Title == "" {
			w.out.Title = text
		}
	default:
		w.flushCode()
		if strings.TrimSpace(text) != "" {
			w.paragraph(before + w.mark(style) + strings.TrimLeft(text, " \n"))
		}
	}
	for _, add := range later {
		add()
	}
}

// flushCode adds the lines of code that follow each other.
func (w *wordReader) flushCode() {
	if len(w.lines) > 0 {
		lines := w.lines
		w.lines = nil
		w.code(strings.Join(lines, "\n"))
	}
}

// runs writes the text of a paragraph, or of a part of it.
func (w *wordReader) runs(b *strings.Builder, parent *node, links bool) {
	for _, n := range parent.kids {
		switch n.name {
		case "r":
			if !on(n.child("rPr").child("vanish")) {
				w.run(b, n)
			}
		case "hyperlink":
			w.link(b, n, links)
		case "del", "moveFrom", "pPr", "rPr", "sdtPr", "":
		case "oMath":
			b.WriteString(" " + formula(n) + " ")
		case "AlternateContent":
			if one := alternative(n); one != nil {
				w.runs(b, one, links)
			}
		default:
			w.runs(b, n, links) // ins, moveTo, sdt, smartTag, fldSimple, oMathPara
		}
	}
}

func (w *wordReader) link(b *strings.Builder, n *node, links bool) {
	var text strings.Builder
	w.runs(&text, n, false)
	target := ""
	if r, ok := w.links[n.attr("id")]; ok && r.external && links {
		target = w.target(r.target)
	}
	writeLink(b, text.String(), target)
}

// run writes what a run shows. What is not text, and boxes, come after the paragraph.
func (w *wordReader) run(b *strings.Builder, parent *node) {
	for _, n := range parent.kids {
		if n.name == "fldChar" {
			w.field(n.attr("fldCharType"))
			continue
		}
		if w.instructs() {
			continue
		}
		switch n.name {
		case "t":
			b.WriteString(n.all())
		case "tab", "ptab":
			b.WriteByte('\t')
		case "br", "cr":
			b.WriteByte('\n')
		case "noBreakHyphen":
			b.WriteByte('-')
		case "sym":
			b.WriteString(symbol(n))
		case "footnoteReference":
			w.note(b, "footnote"+n.attr("id"))
		case "endnoteReference":
			w.note(b, "endnote"+n.attr("id"))
		case "AlternateContent":
			if one := alternative(n); one != nil {
				w.run(b, one)
			}
		case "drawing", "pict", "object":
			w.boxes(b, n)
		case "ruby":
			if base := n.child("rubyBase"); base != nil {
				w.runs(b, base, false)
			}
		}
	}
}

func (w *wordReader) field(kind string) {
	switch last := len(w.fields) - 1; {
	case kind == "begin" && len(w.fields) < maxDepth:
		w.fields = append(w.fields, false)
	case kind == "separate" && last >= 0:
		w.fields[last] = true
	case kind == "end" && last >= 0:
		w.fields = w.fields[:last]
	}
}

// instructs reports whether what is read is the instruction of a field.
func (w *wordReader) instructs() bool {
	for _, result := range w.fields {
		if !result {
			return true
		}
	}
	return false
}

// symbol returns a sign given by its number; those of fonts of symbols have none.
func symbol(n *node) string {
	code, err := strconv.ParseUint(n.attr("char"), 16, 32)
	if err != nil || code >= 0xe000 && code <= 0xf8ff {
		return ""
	}
	return string(rune(code))
}

// note refers to a note that follows.
func (w *wordReader) note(b *strings.Builder, id string) {
	n := w.notes[id]
	if n == nil {
		return
	}
	delete(w.notes, id) // told once, and a note cannot refer to itself
	w.number++
	number := w.number
	fmt.Fprintf(b, "[^%d]", number)
	w.later = append(w.later, func() {
		before := fmt.Sprintf("[^%d]: ", number)
		for _, k := range n.kids {
			if k.name == "p" {
				w.wordParagraph(k, before)
				before = ""
			} else {
				w.blocks(&node{kids: []*node{k}})
			}
		}
	})
}

// boxes finds the boxes of text in a drawing, and writes what is said of a picture.
func (w *wordReader) boxes(b *strings.Builder, n *node) {
	for _, k := range n.kids {
		switch k.name {
		case "txbxContent":
			w.later = append(w.later, func() { w.blocks(k) })
		case "docPr":
			if text := k.attr("descr"); text != "" {
				b.WriteString(" " + text + " ")
			}
		case "AlternateContent":
			if one := alternative(k); one != nil {
				w.boxes(b, one)
			}
		default:
			w.boxes(b, k)
		}
	}
}

// wordTable adds a table. One that has a single cell only puts a frame around things.
func (w *wordReader) wordTable(n *node) {
	var rows [][]string
	trs := descend(n, "tr")
	if len(trs) == 1 {
		if cells := descend(trs[0], "tc"); len(cells) == 1 {
			w.blocks(cells[0])
			return
		}
	}
	for _, tr := range trs {
		var row []string
		for _, tc := range descend(tr, "tc") {
			props := tc.child("tcPr")
			text := ""
			if merge := props.child("vMerge"); merge == nil || merge.attr("val") == "restart" {
				text = w.cell(tc)
			}
			row = append(row, text)
			if span := props.child("gridSpan"); span != nil {
				for range min(number(span.attr("val")), 100) - 1 {
					row = append(row, "")
				}
			}
		}
		rows = append(rows, row)
	}
	w.table(rows, 0)
}

func number(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// descend returns the elements of a name below others that only wrap them.
func descend(parent *node, name string) []*node {
	var found []*node
	for _, n := range parent.kids {
		switch n.name {
		case name:
			if !deleted(n) {
				found = append(found, n)
			}
		case "sdt", "sdtContent", "customXml", "ins":
			found = append(found, descend(n, name)...)
		}
	}
	return found
}

// deleted reports a row that is deleted.
func deleted(n *node) bool { return n.child("trPr").child("del") != nil }

// cell returns the text of a cell: paragraphs and the rows of tables in it follow each other.
func (w *wordReader) cell(tc *node) string {
	inner := &wordReader{
		document: &document{ctx: w.ctx, hint: w.hint}, zip: w.zip, links: w.links, styles: w.styles, formats: w.formats, notes: w.notes, number: w.number,
	}
	inner.blocks(tc)
	inner.flushCode()
	w.number = inner.number
	if inner.refused != nil {
		w.refused = inner.refused
	}
	texts := make([]string, 0, len(inner.out.Blocks))
	for _, b := range inner.out.Blocks {
		text := b.Text
		if b.Kind == knowledge.Table {
			text = unframed(text)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// unframed returns the rows of a table in a cell without the marks of Markdown.
func unframed(table string) string {
	var rows []string
	for i, row := range strings.Split(table, "\n") {
		if i == 1 {
			continue // the rule under the header
		}
		row = strings.ReplaceAll(strings.Trim(row, "| "), `\|`, "¦")
		rows = append(rows, strings.ReplaceAll(strings.ReplaceAll(row, " | ", ", "), "¦", "|"))
	}
	return strings.Join(rows, "; ")
}
