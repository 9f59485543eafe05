package billing

import (
	"io"
	"strings"
)

// formulaStart are the characters that make a spreadsheet read a text as a formula;
// billing.cell in the database has the same.
const formulaStart = "=+-@\t\n\r\uff1d\uff0b\uff0d\uff20"

// cell is a text for a CSV: it gets an apostrophe if a spreadsheet would read it as a
// formula, or if plain would remove one.
func cell(text string) string {
	if isFormula(text) || plain(text) != text {
		return "'" + text
	}
	return text
}

func isFormula(text string) bool {
	return text != "" && strings.ContainsRune(formulaStart, []rune(text)[0])
}

// plain is the inverse of cell.
func plain(text string) string {
	if rest, ok := strings.CutPrefix(text, "'"); ok && cell(rest) != rest {
		return rest
	}
	return text
}

// writeRow writes a line of CSV with every field in quotes.
func writeRow(w io.Writer, fields []string) error {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + strings.ReplaceAll(f, `"`, `""`) + `"`)
	}
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}
