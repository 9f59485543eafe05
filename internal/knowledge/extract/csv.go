package extract

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// sniffRows is how many rows say what separates cells.
const sniffRows = 50

// delimiter returns what separates the cells of a text, 0 if it is no table: the sign
// that gives most rows the same number of cells.
func delimiter(text string) rune {
	if line, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(line, "sep=") && len(line) == len("sep=;") {
		return rune(line[4])
	}
	var best rune
	most := 0.0
	for _, sign := range []rune{',', ';', '\t', '|'} {
		if score := tableLike(text, sign); score > most {
			best, most = sign, score
		}
	}
	return best
}

// tableLike scores how alike the first rows are if a sign separates cells, 0 for no table.
func tableLike(text string, sign rune) float64 {
	r := newCSV(text, sign)
	widths := map[int]int{}
	rows, long := 0, 0
	for rows < sniffRows {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0
		}
		rows++
		widths[len(row)]++
		for _, cell := range row {
			if len(cell) > 2000 {
				long++
			}
		}
	}
	width, count := 0, 0
	for w, n := range widths {
		if n > count || n == count && w > width {
			width, count = w, n
		}
	}
	// Prose has commas too, but not as many on every line.
	if width < 2 || rows < 2 || count*10 < rows*8 || long > rows || rows == 2 && width < 3 && sign != '\t' && sign != ';' {
		return 0
	}
	return float64(count)/float64(rows) + float64(min(width, 20))/1000
}

func newCSV(text string, sign rune) *csv.Reader {
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = sign, true, -1, false
	return r
}

func readCSV(d *document, in input) error {
	text := in.text
	sign := delimiter(text)
	if sign == 0 {
		sign = ','
	}
	if strings.HasPrefix(text, "sep=") {
		_, text, _ = strings.Cut(text, "\n")
	}
	r := newCSV(text, sign)
	var rows [][]string
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return refuse(Damaged, "the table cannot be read: %v", err)
		}
		rows = append(rows, row)
	}
	d.table(rows, 0)
	return nil
}
