package extract

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// pageWriter turns elements into blocks. Text gathers until an element ends it.
type pageWriter struct {
	*document
	text  strings.Builder
	mark  string // of the item that begins
	depth int    // of lists
	quote bool
	// linked counts the words in links to other pages of the text that has gathered;
	// links are those of each block.
	linked int
	links  map[int]int
}

// breaking elements end the text before them and begin anew.
var breaking = map[atom.Atom]bool{
	atom.Address: true, atom.Article: true, atom.Aside: true, atom.Blockquote: true, atom.Body: true, atom.Center: true, atom.Dd: true, atom.Details: true,
	atom.Dialog: true, atom.Dir: true, atom.Div: true, atom.Dl: true, atom.Dt: true, atom.Fieldset: true, atom.Figcaption: true, atom.Figure: true, atom.Footer: true,
	atom.Form: true, atom.H1: true, atom.H2: true, atom.H3: true, atom.H4: true, atom.H5: true, atom.H6: true, atom.Header: true, atom.Hgroup: true, atom.Hr: true,
	atom.Legend: true, atom.Li: true, atom.Main: true, atom.Menu: true, atom.Nav: true, atom.Ol: true, atom.P: true, atom.Pre: true, atom.Section: true,
	atom.Summary: true, atom.Table: true, atom.Ul: true, atom.Tr: true, atom.Td: true, atom.Th: true, atom.Caption: true, atom.Tbody: true, atom.Thead: true, atom.Tfoot: true,
	atom.Option: true, atom.Listing: true, atom.Xmp: true, atom.Search: true,
}

func (w *pageWriter) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		w.text.WriteString(spaces.Replace(n.Data))
		return
	case html.ElementNode:
		if w.element(n) {
			return
		}
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		w.walk(k)
	}
}

// spaces of HTML are alike; only br breaks a line.
var spaces = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ", "\f", " ")

// element writes an element that is not only what is in it.
func (w *pageWriter) element(n *html.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		w.flush()
		w.tell(linkedWords(n))
		w.heading(int(n.Data[1]-'0'), headingText(n))
	case atom.Pre, atom.Listing, atom.Xmp:
		w.flush()
		w.code(textOf(n))
	case atom.Table:
		w.flush()
		if !dataTable(n) {
			return w.within(n)
		}
		w.writeTable(n)
	case atom.Br:
		w.text.WriteByte('\n')
	case atom.A:
		if holdsBlocks(n) {
			w.linked += linkedWords(n)
			return false
		}
		text := inlineText(n)
		if href := attr(n, "href"); href != "" && href[0] != '#' {
			w.linked += len(strings.Fields(text))
		}
		writeLink(&w.text, text, w.target(attr(n, "href")))
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		if holdsBlocks(n) {
			return false
		}
		w.text.WriteString(codeSpan(inlineText(n)))
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		w.list(n)
	case atom.Blockquote:
		w.flush()
		was := w.quote
		w.quote = true
		w.within(n)
		w.quote = was
	case atom.Td, atom.Th, atom.Option, atom.Button, atom.Label:
		w.text.WriteByte(' ')
		return w.within(n)
	default:
		if breaking[n.DataAtom] {
			return w.within(n)
		}
		return false
	}
	return true
}

// within writes what is in an element, which begins and ends paragraphs if it breaks.
func (w *pageWriter) within(n *html.Node) bool {
	if breaking[n.DataAtom] {
		w.flush()
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		w.walk(k)
	}
	if breaking[n.DataAtom] {
		w.flush()
	}
	return true
}

// flush adds the text that has gathered as a paragraph.
func (w *pageWriter) flush() {
	text := lines(w.text.String())
	w.text.Reset()
	text = strings.TrimLeft(text, " ")
	linked := w.linked
	w.linked = 0
	if text == "" {
		return
	}
	w.tell(linked)
	if w.quote {
		text = "> " + strings.ReplaceAll(text, "\n", "\n> ")
	}
	w.paragraph(w.mark + text)
	w.mark = ""
}

// tell notes how many words of the next block are in links.
func (w *pageWriter) tell(linked int) {
	if w.links == nil {
		w.links = map[int]int{}
	}
	w.links[len(w.out.Blocks)] = linked
}

func (w *pageWriter) list(n *html.Node) {
	w.flush()
	count := 1
	if start, err := strconv.Atoi(attr(n, "start")); err == nil {
		count = start
	}
	w.depth++
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if k.DataAtom != atom.Li {
			w.walk(k)
			continue
		}
		w.flush()
		w.mark = strings.Repeat("  ", min(w.depth-1, 6)) + "- "
		if n.DataAtom == atom.Ol {
			w.mark = fmt.Sprintf("%s%d. ", strings.Repeat("  ", min(w.depth-1, 6)), count)
			count++
		}
		for in := k.FirstChild; in != nil; in = in.NextSibling {
			w.walk(in)
		}
		w.flush()
		w.mark = ""
	}
	w.depth--
}

// headingText is the text of a heading without the sign that links to it.
func headingText(n *html.Node) string {
	text := inline(inlineText(n))
	for _, sign := range []string{"#", "¶", "§", "🔗", "[edit]"} {
		text = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(text, sign+" "), sign))
	}
	return text
}

// inlineText is the text of an element with spaces between its blocks.
func inlineText(n *html.Node) string {
	var b strings.Builder
	writeInline(&b, n)
	return b.String()
}

func writeInline(b *strings.Builder, n *html.Node) {
	if n.Type == html.TextNode {
		b.WriteString(spaces.Replace(n.Data))
	}
	apart := n.DataAtom == atom.Br || breaking[n.DataAtom]
	if apart {
		b.WriteByte(' ')
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		writeInline(b, k)
	}
	if apart {
		b.WriteByte(' ')
	}
}

func codeSpan(text string) string {
	if strings.TrimSpace(text) == "" || strings.Contains(text, "`") {
		return text
	}
	return "`" + text + "`"
}

func holdsBlocks(n *html.Node) bool {
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if breaking[k.DataAtom] || holdsBlocks(k) {
			return true
		}
	}
	return false
}

// dataTable reports a table of data: without another in it, with two rows or columns and
// with cells that are not pages of their own.
func dataTable(n *html.Node) bool {
	if role := attr(n, "role"); role == "presentation" || role == "none" {
		return false
	}
	rows, cells, most, nested, heads, long := 0, 0, 0, false, 0, 0
	each(n, func(k *html.Node) bool {
		switch k.DataAtom {
		case atom.Table:
			nested = nested || k != n
		case atom.Tr:
			rows++
			cells = 0
		case atom.Th:
			heads++
			fallthrough
		case atom.Td:
			cells++
			most = max(most, cells)
			if len(textOf(k)) > 1500 {
				long++
			}
		}
		return !nested
	})
	return !nested && most >= 2 && (rows >= 2 || heads > 0) && (heads > 0 || long == 0)
}

// writeTable adds a table, a cell over several columns once and empty cells after it.
func (w *pageWriter) writeTable(n *html.Node) {
	var rows [][]string
	each(n, func(k *html.Node) bool {
		switch k.DataAtom {
		case atom.Caption:
			w.paragraph(inlineText(k))
			return false
		case atom.Tr:
			rows = append(rows, nil)
		case atom.Td, atom.Th:
			if len(rows) == 0 {
				return false
			}
			row := &rows[len(rows)-1]
			*row = append(*row, w.cell(k))
			span, _ := strconv.Atoi(attr(k, "colspan"))
			for range min(span, 100) - 1 {
				*row = append(*row, "")
			}
			return false
		}
		return true
	})
	w.table(rows, 0)
}

// cell returns the text of a cell with its links.
func (w *pageWriter) cell(n *html.Node) string {
	inner := pageWriter{document: &document{ctx: w.ctx, hint: w.hint}}
	inner.within(n)
	texts := make([]string, 0, len(inner.out.Blocks))
	inner.flush()
	for _, b := range inner.out.Blocks {
		texts = append(texts, b.Text)
	}
	return strings.Join(texts, " ")
}
