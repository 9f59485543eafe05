// Package extract reads documents: bytes of PDF, DOCX, XLSX, CSV, JSON, YAML, XML,
// Markdown, HTML and plain text become the blocks of knowledge.Extracted.
//
// What a document is, its content says; its name and what a server called it only
// decide between formats that look alike. What cannot be read is a *Refused with a
// code, what has no text an *Empty; any other error is of the surroundings and may pass (a
// context that ended). Read works in this process; Sandbox runs the same in a process of its
// own with bounds on memory and time, which is where documents of strangers belong.
//
// It fetches nothing, runs no scripts and opens no files: pictures have no text here.
package extract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// Hint is what is known of a document beside its bytes.
type Hint struct {
	// MediaType is the Content-Type a server sent, with its charset.
	MediaType string `json:"mediaType,omitempty"`
	// Name is the file's name or the path of the address.
	Name string `json:"name,omitempty"`
	// BaseURL is what relative links of a page start from; without it they are left out.
	BaseURL string `json:"baseURL,omitempty"`
	// KeepHidden reads the whole of a page with what it hides from the eye, but not what
	// it hides from readers (aria-hidden): pages of applications show it later.
	KeepHidden bool `json:"keepHidden,omitempty"`
	// CacheDir is a folder where what the PDF engine compiles is kept; without it every
	// PDF takes seconds more. The folder is made if it does not exist and can be.
	CacheDir string `json:"cacheDir,omitempty"`
	// Progress, if set, is told each page of a PDF and each sheet of a workbook.
	Progress func(page, of int) `json:"-"`
}

// The codes of Refused.
const (
	// TooLarge: more bytes or text than is read of a document.
	TooLarge = "too_large"
	// Encrypted: a password is needed.
	Encrypted = "encrypted"
	// Damaged: it begins like its type and is not.
	Damaged = "damaged"
	// UnsupportedType: no format that is read.
	UnsupportedType = "unsupported_type"
	// TooComplex: reading it took more time or memory than a document may.
	TooComplex = "too_complex"
	// ArchiveBomb: it unpacks to far more than it is.
	ArchiveBomb = "archive_bomb"
	// Entities: it defines entities of XML.
	Entities = "entities"
	// Crashed: the process that read it died, or could not work.
	Crashed = "crashed"
)

// Bounds of what is read. The text of a document is what its blocks say; a longer title is
// cut.
const (
	maxText   = 16 << 20
	maxBlocks = 200_000
	maxTitle  = 300 // characters
)

// Refused is a document that cannot be read.
type Refused struct {
	Code   string `json:"code"`
	Reason string `json:"reason"` // a sentence for a person, in English
	// Type is the format, "" if it was not found out.
	Type knowledge.Type `json:"type,omitempty"`
}

// Error implements error.
func (r *Refused) Error() string { return r.Code + ": " + r.Reason }

func refuse(code, format string, args ...any) *Refused {
	return &Refused{Code: code, Reason: fmt.Sprintf(format, args...)}
}

// Empty is a document that was read and has no text.
type Empty struct {
	Reason string         `json:"reason"`         // as of Refused
	Type   knowledge.Type `json:"type,omitempty"` // as of Refused
	// Pages and ImagePages are as of knowledge.Extracted.
	Pages      int `json:"pages,omitempty"`
	ImagePages int `json:"imagePages,omitempty"`
}

// Error implements error.
func (e *Empty) Error() string { return e.Reason }

// Read reads a document. Its error is a *Refused, an *Empty or that of the context, which
// is looked at between pages; parsers are not interrupted.
func Read(ctx context.Context, body []byte, hint Hint) (knowledge.Extracted, error) {
	if len(body) > knowledge.MaxBytes {
		return knowledge.Extracted{}, refuse(TooLarge, "the document has %d bytes; at most %d are read", len(body), knowledge.MaxBytes)
	}
	if len(body) == 0 {
		return knowledge.Extracted{}, &Empty{Reason: "the document has no bytes"}
	}
	in, err := detect(body, hint)
	if err != nil {
		return knowledge.Extracted{}, err
	}
	d := &document{ctx: ctx, hint: hint}
	d.out.Type = in.kind
	if err := readers[in.kind](d, in); err != nil {
		return knowledge.Extracted{}, d.typed(err)
	}
	if d.refused != nil {
		return knowledge.Extracted{}, d.typed(d.refused)
	}
	d.out.Title = cut(inline(d.out.Title), maxTitle)
	d.out.Language = tag(d.out.Language)
	if len(d.out.Blocks) == 0 {
		return knowledge.Extracted{}, d.empty()
	}
	return d.out, nil
}

// readers read each type. Their errors are *Refused, *Empty or of the context.
var readers = map[knowledge.Type]func(*document, input) error{
	knowledge.PDF: readPDF, knowledge.DOCX: readDOCX, knowledge.XLSX: readXLSX, knowledge.CSV: readCSV,
	knowledge.JSON: readJSON, knowledge.XML: readXML, knowledge.YAML: readYAML,
	knowledge.Markdown: readMarkdown, knowledge.Text: readText, knowledge.HTML: readHTML,
}

// input is a document whose type is known.
type input struct {
	kind knowledge.Type
	body []byte
	text string   // of formats that are text: decoded, line breaks as \n
	zip  *archive // of formats that are archives
}

// document is what is being read.
type document struct {
	ctx  context.Context
	hint Hint
	out  knowledge.Extracted
	// size counts the text so far; refused is set when there is too much, and then
	// nothing is added any more.
	size    int
	refused error
	reason  string // why there is no text, if a reader knows
}

// add appends a block. Text that shows nothing adds none.
func (d *document) add(b knowledge.Block) {
	if d.refused != nil {
		return
	}
	switch b.Kind {
	case knowledge.Heading:
		b.Text = inline(b.Text)
		b.Level = max(b.Level, 1)
	case knowledge.Paragraph:
		b.Text = lines(b.Text)
	default:
		b.Text = strings.Trim(visible(b.Text), "\n")
	}
	if strings.TrimSpace(b.Text) == "" {
		return
	}
	d.size += len(b.Text)
	if d.size > maxText || len(d.out.Blocks) >= maxBlocks {
		d.refused = refuse(TooLarge, "the document has more than %d million characters of text or more than %d pieces", maxText>>20, maxBlocks)
		return
	}
	d.out.Blocks = append(d.out.Blocks, b)
}

func (d *document) heading(level int, text string) {
	d.add(knowledge.Block{Kind: knowledge.Heading, Level: level, Text: text})
}

func (d *document) paragraph(text string) {
	d.add(knowledge.Block{Kind: knowledge.Paragraph, Text: text})
}

func (d *document) code(text string) {
	d.add(knowledge.Block{Kind: knowledge.Code, Text: text})
}

// table appends a table whose first row is its header. One cell is a paragraph.
func (d *document) table(rows [][]string, page int) {
	rows = shown(rows)
	if len(rows) == 1 && len(rows[0]) == 1 {
		d.add(knowledge.Block{Kind: knowledge.Paragraph, Text: rows[0][0], Page: page})
		return
	}
	if len(rows) > 0 {
		d.add(knowledge.Block{Kind: knowledge.Table, Text: markdownTable(rows), Page: page})
	}
}

// progress tells a page, and returns the error of a context that ended.
func (d *document) progress(page, of int) error {
	if err := d.ctx.Err(); err != nil {
		return err
	}
	if d.hint.Progress != nil {
		d.hint.Progress(page, of)
	}
	return nil
}

func (d *document) empty() error {
	return &Empty{
		Reason: cmp.Or(d.reason, "the document has no text"), Type: d.out.Type, Pages: d.out.Pages, ImagePages: d.out.ImagePages,
	}
}

// typed says of a refusal what the document is.
func (d *document) typed(err error) error {
	var refused *Refused
	if errors.As(err, &refused) {
		refused.Type = d.out.Type
	}
	return err
}
