package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	maxPages = 10_000
	// enginePages is the memory of the engine, in pages of 64 kB.
	enginePages = 512 << 20 >> 16
)

// engine starts the PDF engine. What is kept may be broken (a disk that was full): then it is
// compiled as if nothing were.
func engine(ctx context.Context, cacheDir string) (pdfium.Pool, error) {
	pool, err := engineFrom(ctx, cacheDir)
	if err != nil && cacheDir != "" {
		pool, err = engineFrom(ctx, "")
	}
	return pool, err
}

// engineFrom starts PDFium, compiled to WebAssembly: it sees no files and no network, and
// its memory is bounded.
func engineFrom(ctx context.Context, cacheDir string) (pdfium.Pool, error) {
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(enginePages).WithCloseOnContextDone(false).
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling)
	if cacheDir != "" {
		// Where nothing can be kept the engine is compiled for each document: slow, and no
		// reason to read none.
		if cache, err := wazero.NewCompilationCacheWithDir(cacheDir); err == nil {
			config = config.WithCompilationCache(cache)
		}
	}
	return webassembly.Init(webassembly.Config{
		Context: context.WithoutCancel(ctx), MinIdle: 1, MaxIdle: 1, MaxTotal: 1,
		FSConfig: wazero.NewFSConfig(), RuntimeConfig: config, Stdout: io.Discard, Stderr: io.Discard,
	})
}

// readPDF reads the text layer of a PDF, page by page.
func readPDF(d *document, in input) (err error) {
	pool, err := engine(d.ctx, d.hint.CacheDir)
	if err != nil {
		return refuse(Crashed, "the PDF engine does not start: %v", err)
	}
	defer pool.Close()
	one, err := pool.GetInstance(time.Minute)
	if err != nil {
		return refuse(Crashed, "the PDF engine does not start: %v", err)
	}
	defer one.Close()
	// The engine stops at a fault of its own; the library says so by a panic in places.
	defer func() {
		if p := recover(); p != nil {
			err = refuse(Damaged, "the PDF makes its reader fail: %v", p)
		}
	}()
	opened, err := one.OpenDocument(&requests.OpenDocument{File: &in.body})
	if errors.Is(err, pdfiumerrors.ErrPassword) || errors.Is(err, pdfiumerrors.ErrSecurity) {
		return refuse(Encrypted, "the PDF needs a password")
	}
	if err != nil {
		return refuse(Damaged, "the PDF cannot be opened: %v", err)
	}
	p := pdfReader{document: d, pdf: one, ref: opened.Document}
	return p.read()
}

// pdfReader reads the pages of an open PDF.
type pdfReader struct {
	*document
	pdf   pdfium.Pdfium
	ref   references.FPDF_DOCUMENT
	pages []pdfPage
}

func (p *pdfReader) read() error {
	count, err := p.pdf.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: p.ref})
	if err != nil || count.PageCount == 0 {
		return refuse(Damaged, "the PDF has no pages that can be found")
	}
	n := count.PageCount
	if n > maxPages {
		return refuse(TooLarge, "the PDF has %d pages; at most %d are read", n, maxPages)
	}
	p.out.Pages = n
	broken := 0
	for i := range n {
		if err := p.progress(i+1, n); err != nil {
			return err
		}
		page, err := p.page(i)
		if err != nil {
			broken++
			continue
		}
		if len(page.lines) == 0 && len(page.fields) == 0 {
			p.out.ImagePages++
		}
		p.pages = append(p.pages, page)
	}
	p.meta()
	p.blocks()
	switch {
	case broken == n:
		return refuse(Damaged, "none of the %d pages of the PDF can be read", n)
	case len(p.out.Blocks) > 0:
	case broken > 0:
		p.reason = fmt.Sprintf("no text layer: %d of %d pages have no text, %d cannot be read", p.out.ImagePages, n, broken)
	default:
		p.reason = fmt.Sprintf("no text layer: %d of %d pages are images or empty", p.out.ImagePages, n)
	}
	return nil
}

// meta takes the title that the PDF says it has.
func (p *pdfReader) meta() {
	if title, err := p.pdf.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: p.ref, Tag: "Title"}); err == nil {
		p.out.Title = title.Value
	}
}

// page reads a page and closes it.
func (p *pdfReader) page(i int) (pdfPage, error) {
	loaded, err := p.pdf.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: p.ref, Index: i})
	if err != nil {
		return pdfPage{}, err
	}
	defer func() { _, _ = p.pdf.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: loaded.Page}) }()
	of := requests.Page{ByReference: &loaded.Page}
	text, err := p.pdf.GetPageText(&requests.GetPageText{Page: of})
	if err != nil {
		return pdfPage{}, err
	}
	page := pdfPage{number: i + 1, lines: pdfLines(text.Text)}
	rects, err := p.pdf.GetPageTextStructured(&requests.GetPageTextStructured{Page: of, Mode: requests.GetPageTextStructuredModeRects, CollectFontInformation: true})
	if err == nil {
		page.measure(rects.Rects)
	}
	page.fields = p.fields(of)
	return page, nil
}

// fields are the values that a form on a page is filled in with, which are no part of its
// text.
func (p *pdfReader) fields(page requests.Page) []string {
	form, err := p.pdf.GetForm(&requests.GetForm{Page: page})
	if err != nil {
		return nil // there is none
	}
	var filled []string
	for _, f := range form.Fields {
		var value string
		switch f.Type {
		case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD:
			if f.Value != nil {
				value = *f.Value
			}
		case enums.FPDF_FORMFIELD_TYPE_COMBOBOX, enums.FPDF_FORMFIELD_TYPE_LISTBOX:
			value = strings.Join(f.Values, ", ")
		}
		if inline(value) != "" {
			filled = append(filled, strings.TrimPrefix(inline(f.Name)+": "+value, ": "))
		}
	}
	return filled
}
