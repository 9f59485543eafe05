package extract

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wrapped is how long the lines of a paragraph are at least if they were broken to fit
// a width, in characters.
const wrapped = 45

var numbered = regexp.MustCompile(`^(\d{1,2}(\.\d{1,2}){0,4}\.?|[IVXLC]{1,6}\.|(?i:chapter|section|part|appendix)\s+[\dIVXLCA-H]+[.:]?)\s+\S`)

func readText(d *document, in input) error {
	for _, p := range strings.Split(blankLines.ReplaceAllString(in.text, "\n\n"), "\n\n") {
		d.plain(strings.Trim(p, "\n"))
	}
	return nil
}

var blankLines = regexp.MustCompile(`\n([ \t\f\v]*\n)+`)

// plain adds a paragraph of a plain text, or the heading that it obviously is.
func (d *document) plain(p string) {
	all := strings.Split(p, "\n")
	if len(all) >= 2 && underline(all[1]) != 0 && utf8.RuneCountInString(all[0]) <= 80 && strings.TrimSpace(all[0]) != "" {
		d.heading(underline(all[1]), all[0])
		all = all[2:]
	} else if len(all) == 1 {
		if level := headingLike(all[0]); level > 0 {
			d.heading(level, all[0])
			return
		}
	}
	if hardWrapped(all) {
		d.paragraph(strings.Join(all, " "))
		return
	}
	d.paragraph(strings.Join(all, "\n"))
}

// underline returns the level of the heading above a line, 0 if it underlines none.
func underline(line string) int {
	line = strings.TrimSpace(line)
	switch {
	case len(line) < 3:
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// headingLike returns the level of a line that stands alone and is obviously a heading:
// numbered, or in capitals.
func headingLike(line string) int {
	line = strings.TrimSpace(line)
	n := utf8.RuneCountInString(line)
	if n < 3 || n > 80 || strings.ContainsAny(line[len(line)-1:], ".,;!?") {
		return 0
	}
	if mark := numbered.FindStringSubmatch(line); mark != nil {
		return 1 + min(strings.Count(strings.TrimSuffix(mark[1], "."), "."), 5)
	}
	letters := 0
	for _, r := range line {
		if unicode.IsLower(r) {
			return 0
		}
		if unicode.IsUpper(r) {
			letters++
		}
	}
	if letters >= 4 && letters*2 > n {
		return 1
	}
	return 0
}

// hardWrapped reports lines that were broken to fit a width.
func hardWrapped(all []string) bool {
	if len(all) < 2 {
		return false
	}
	for i, line := range all {
		n := utf8.RuneCountInString(strings.TrimSpace(line))
		first, _ := utf8.DecodeRuneInString(strings.TrimSpace(line))
		if i < len(all)-1 && n < wrapped || i > 0 && (strings.ContainsRune("-*•–|+>", first)) {
			return false
		}
	}
	return true
}
