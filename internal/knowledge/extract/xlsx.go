package extract

import (
	"bytes"
	"errors"
	"strings"

	"github.com/xuri/excelize/v2"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// Bounds of a sheet. A cell far out on an empty sheet costs nothing.
const (
	maxColumns = 1000
	maxCells   = 2_000_000
)

// readXLSX reads a workbook, each sheet as a table under its name. Hidden sheets are
// left out; cells are as they are shown.
func readXLSX(d *document, in input) error {
	if err := in.zip.noEntities(); err != nil {
		return err
	}
	f, err := excelize.OpenReader(bytes.NewReader(in.body), excelize.Options{UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	if err != nil {
		return refuse(Damaged, "the workbook cannot be opened: %v", err)
	}
	defer f.Close()
	if props, err := f.GetDocProps(); err == nil {
		d.out.Title, d.out.Language = props.Title, props.Language
	}
	sheets := f.GetSheetList()
	d.out.Pages = len(sheets)
	left := maxCells
	for i, name := range sheets {
		if err := d.progress(i+1, len(sheets)); err != nil {
			return err
		}
		if shown, err := f.GetSheetVisible(name); err == nil && !shown {
			continue
		}
		rows, err := sheetRows(f, name, &left)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			d.out.ImagePages++
			continue
		}
		d.add(knowledge.Block{Kind: knowledge.Heading, Level: 1, Text: name, Page: i + 1})
		d.table(rows, i+1)
	}
	return nil
}

func sheetRows(f *excelize.File, name string, left *int) ([][]string, error) {
	r, err := f.Rows(name)
	if err != nil {
		var missing excelize.ErrSheetNotExist
		if errors.As(err, &missing) || strings.Contains(err.Error(), "not a worksheet") {
			return nil, nil // a sheet that is a chart
		}
		return nil, refuse(Damaged, "the sheet %q cannot be read: %v", name, err)
	}
	defer r.Close()
	var rows [][]string
	for r.Next() {
		row, err := r.Columns()
		if err != nil {
			return nil, refuse(Damaged, "the sheet %q cannot be read: %v", name, err)
		}
		row = row[:min(len(row), maxColumns)]
		if *left -= len(row); *left < 0 {
			return nil, refuse(TooLarge, "the workbook has more than %d cells", maxCells)
		}
		if len(row) > 0 {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// noEntities refuses an archive any XML of which has a document type.
func (a *archive) noEntities() error {
	for name, f := range a.members {
		if !strings.HasSuffix(name, ".xml") && !strings.HasSuffix(name, ".rels") {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return refuse(Damaged, "%s cannot be opened: %v", name, err)
		}
		head := make([]byte, 4096)
		n, _ := r.Read(head)
		r.Close()
		if bytes.Contains(bytes.ToUpper(head[:n]), []byte("<!DOCTYPE")) {
			return refuse(Entities, "%s has a document type", name)
		}
	}
	return nil
}
