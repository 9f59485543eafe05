package knowledge

import "strings"

// Type is the format of a document, found by its content.
type Type string

// The formats.
const (
	PDF      Type = "pdf"
	DOCX     Type = "docx"
	XLSX     Type = "xlsx"
	CSV      Type = "csv"
	JSON     Type = "json"
	XML      Type = "xml"
	YAML     Type = "yaml"
	Markdown Type = "markdown"
	Text     Type = "text"
	HTML     Type = "html"
)

// Types are all of them.
var Types = []Type{PDF, DOCX, XLSX, CSV, JSON, XML, YAML, Markdown, Text, HTML}

// BlockKind is what a block of a document is.
type BlockKind string

// The kinds.
const (
	// Heading has a Level; the blocks after it, up to the next heading of its level or
	// above, are under it.
	Heading BlockKind = "heading"
	// Paragraph is running text, also an item of a list with its mark.
	Paragraph BlockKind = "paragraph"
	// Table is a Markdown table, a line a row; the first line is its header.
	Table BlockKind = "table"
	// Code is kept as it was, without fences.
	Code BlockKind = "code"
)

// Block is a piece of a document in reading order.
type Block struct {
	Kind  BlockKind `json:"kind"`
	Level int       `json:"level,omitempty"` // of a heading, from 1
	// Text is Markdown, of code the code itself. It has no characters that cannot be seen.
	Text string `json:"text"`
	// Page is the page of a PDF, from 1, or the sheet of a workbook; 0 in formats without.
	Page int `json:"page,omitempty"`
}

// Extracted is a document as it was read.
type Extracted struct {
	Type  Type   `json:"type"`
	Title string `json:"title,omitempty"`
	// Language is a BCP 47 tag as the document declares it, "" if it does not.
	Language string `json:"language,omitempty"`
	// Pages counts pages of a PDF and sheets of a workbook, 0 in formats without;
	// ImagePages those without any text.
	Pages      int     `json:"pages,omitempty"`
	ImagePages int     `json:"imagePages,omitempty"`
	Blocks     []Block `json:"blocks"`
}

// Chunk is a piece of a document of a size that is found and shown.
type Chunk struct {
	// Ord is its place in the document, from 0.
	Ord int `json:"ord"`
	// Path are the title of the document and the headings it is under.
	Path []string `json:"path,omitempty"`
	// Page is where it begins, as in Block.
	Page int `json:"page,omitempty"`
	// From and To are its place in the document's text: the blocks' texts, two line
	// breaks between them, counted in bytes.
	From int `json:"from"`
	To   int `json:"to"`
	// Text is what it says, without the path. The rows of a table have its header before them.
	Text string `json:"text"`
}

// Heading is the path as people read it.
func (c Chunk) Heading() string { return strings.Join(c.Path, " › ") }
