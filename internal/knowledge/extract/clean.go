package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// visible returns a text without the characters that cannot be seen (zero width, marks
// of direction, tags, variation selectors, controls), composed (NFC), with \n for every
// line break. Joiners stay where the letters before them take other shapes by them.
func visible(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	var before rune
	clean := strings.Map(func(r rune) rune {
		switch {
		case r == '\u2028' || r == '\u2029' || r == '\u0085' || r == '\v' || r == '\f':
			r = '\n'
		case (r == '\u200c' || r == '\u200d') && joins(before):
		case unseen(r):
			return -1
		}
		before = r
		return r
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	return norm.NFC.String(strings.ReplaceAll(clean, "\r", "\n"))
}

// joins reports letters of the scripts from Arabic to Sinhala, which join.
func joins(r rune) bool {
	return r >= 0x0600 && r < 0x0e00 && (unicode.IsLetter(r) || unicode.IsMark(r))
}

func unseen(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return false
	case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return true
	}
	return r == '\u034f' || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' || r == '\u2800'
}

// inline returns a text on one line with single spaces.
func inline(s string) string { return strings.Join(strings.Fields(visible(s)), " ") }

// cut returns a text of at most so many characters, with … for what is left out.
func cut(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return strings.TrimRight(string([]rune(s)[:most-1]), " ") + "…"
}

// lines returns a text with single spaces and its line breaks; the space that sets an
// item of a list in stays.
func lines(s string) string {
	var b strings.Builder
	for line := range strings.Lines(visible(s)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.Repeat(" ", min(len(line)-len(strings.TrimLeft(line, " ")), 12)))
		for i, w := range words {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(w)
		}
	}
	return b.String()
}

// shown returns the rows that show something, without the empty cells at their ends.
func shown(rows [][]string) [][]string {
	var kept [][]string
	for _, row := range rows {
		cells := make([]string, len(row))
		last := 0
		for i, cell := range row {
			if cells[i] = inline(cell); cells[i] != "" {
				last = i + 1
			}
		}
		if last > 0 {
			kept = append(kept, cells[:last])
		}
	}
	return kept
}

var escapeCell = strings.NewReplacer("|", `\|`)

// markdownTable writes rows, the first as header.
func markdownTable(rows [][]string) string {
	var b strings.Builder
	write := func(cells []string) {
		b.WriteByte('|')
		for _, cell := range cells {
			b.WriteByte(' ')
			_, _ = escapeCell.WriteString(&b, cell)
			b.WriteString(" |")
		}
	}
	for i, row := range rows {
		if i > 0 {
			b.WriteByte('\n')
		}
		write(row)
		if i == 0 {
			b.WriteString("\n|" + strings.Repeat(" --- |", len(row)))
		}
	}
	return b.String()
}

// tag returns a language as a BCP 47 tag, or "" if it is none.
func tag(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		return ""
	}
	parsed, err := language.Parse(name)
	if err != nil || parsed == language.Und {
		return ""
	}
	return parsed.String()
}
