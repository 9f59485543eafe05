package extract

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"go.yaml.in/yaml/v3"
)

// markdownReader reads the tree that a Markdown text is.
type markdownReader struct {
	*document
	src []byte
}

func readMarkdown(d *document, in input) error {
	src := []byte(d.frontMatter(in.text))
	m := markdownReader{d, src}
	root := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList, extension.Footnote)).Parser().Parse(text.NewReader(src))
	m.blocks(root, "", "")
	if d.out.Title == "" {
		for _, b := range d.out.Blocks {
			if b.Level == 1 {
				d.out.Title = b.Text
				break
			}
		}
	}
	return nil
}

// frontMatter takes the title and the language of the values before a text, and returns
// the text.
func (d *document) frontMatter(s string) string {
	head, rest, ok := strings.Cut(strings.TrimPrefix(s, "---\n"), "\n---\n")
	if !ok || !strings.HasPrefix(s, "---\n") {
		return s
	}
	var values map[string]any
	if yaml.Unmarshal([]byte(head), &values) != nil {
		return s
	}
	d.out.Title, _ = values["title"].(string)
	d.out.Language, _ = values["lang"].(string)
	return rest
}

const quoted = "> "

// blocks adds what is in a node. before stands before the first paragraph (of an item, a
// note), of a quote before all; lists in it are set in by indent.
func (m markdownReader) blocks(parent ast.Node, before, indent string) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			m.heading(n.Level, m.inline(n, false))
		case *ast.Paragraph, *ast.TextBlock:
			m.paragraph(before + m.inline(n, true))
			if before != quoted {
				before = ""
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			m.code(m.raw(n))
		case *ast.HTMLBlock:
			m.html(m.raw(n) + closure(n, m.src))
		case *ast.List:
			m.list(n, indent)
		case *ast.Blockquote:
			m.blocks(n, quoted, indent)
		case *east.Table:
			m.markdownTable(n)
		case *east.FootnoteList:
			for f := n.FirstChild(); f != nil; f = f.NextSibling() {
				if note, ok := f.(*east.Footnote); ok {
					m.blocks(note, fmt.Sprintf("[^%d]: ", note.Index), "")
				}
			}
		default:
			m.blocks(n, before, indent)
		}
	}
}

func (m markdownReader) list(n *ast.List, indent string) {
	number := n.Start
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		mark := "- "
		if n.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		m.blocks(item, indent+mark, indent+"  ")
	}
}

func (m markdownReader) markdownTable(n *east.Table) {
	var rows [][]string
	for r := n.FirstChild(); r != nil; r = r.NextSibling() {
		var row []string
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, strings.ReplaceAll(m.inline(c, true), "\n", " "))
		}
		rows = append(rows, row)
	}
	m.table(rows, 0)
}

// raw returns the lines of a block as they are.
func (m markdownReader) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		b.Write(at.Value(m.src))
	}
	return b.String()
}

func closure(n *ast.HTMLBlock, src []byte) string {
	if !n.HasClosure() {
		return ""
	}
	return string(n.ClosureLine.Value(src))
}

// inline returns the text of a block; links keep their targets if asked.
func (m markdownReader) inline(parent ast.Node, links bool) string {
	var b strings.Builder
	m.write(&b, parent, links)
	return b.String()
}

func (m markdownReader) write(b *strings.Builder, parent ast.Node, links bool) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Segment.Value(m.src))
			if n.HardLineBreak() {
				b.WriteByte('\n')
			} else if n.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeSpan:
			b.WriteByte('`')
			m.write(b, n, false)
			b.WriteByte('`')
		case *ast.Link:
			target := m.target(string(n.Destination))
			if !links {
				target = ""
			}
			writeLink(b, m.inline(n, false), target)
		case *ast.AutoLink:
			b.Write(n.Label(m.src))
		case *ast.RawHTML:
			// Tags of text that stands beside them.
		case *east.FootnoteLink:
			fmt.Fprintf(b, "[^%d]", n.Index)
		default:
			m.write(b, n, links)
		}
	}
}
