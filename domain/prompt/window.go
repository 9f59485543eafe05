package prompt

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/stepledger/stepledger/domain/page"
)

// window returns the part of a page's text that a task is about, on one line and within
// a limit by any measure of size: the lines with the task's words, rarest first, and
// their neighbours, in the order of the page. "…" marks omissions. opening is how much
// of the beginning is shown in any case.
func window(text string, q query, size func(string) int, limit, opening int) string {
	if size(text) <= min(limit, opening) {
		return page.Clean(text)
	}
	lines := pieces(text)
	return joined(lines, chosen(lines, q, size, limit, opening), " ")
}

// chosen returns which lines a window has.
func chosen(lines []string, q query, size func(string) int, limit, opening int) []bool {
	take := make([]bool, len(lines))
	room := limit
	add := func(i int) bool {
		n := size(lines[i]) + size(gap)
		if n > room {
			return false
		}
		take[i], room = true, room-n
		return true
	}
	for _, i := range byRelevance(lines, q) {
		for _, j := range [...]int{i, i + 1, i - 1} { // what a label is for stands behind it
			if j >= 0 && j < len(lines) && !take[j] {
				add(j)
			}
		}
	}
	room = min(room, opening)
	for i := range lines {
		if !take[i] && !add(i) {
			break
		}
	}
	return take
}

// gap marks an omission.
const gap = " … "

// maxPiece bounds a line, in characters: some are whole articles.
const maxPiece = 200

// pieces returns the lines of a text, long ones cut between words. What stands together
// is one line, with a sign between its parts.
func pieces(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		l = page.Clean(strings.ReplaceAll(strings.Trim(l, "\t\n"), "\t", together))
		for len(l) > maxPiece {
			at := strings.LastIndexByte(l[:maxPiece], ' ')
			if at <= 0 {
				for at = maxPiece; at > 0 && !utf8.RuneStart(l[at]); at-- {
				}
			}
			out = append(out, l[:at])
			l = strings.TrimLeft(l[at:], " ")
		}
		if l != "" {
			out = append(out, l)
		}
	}
	return out
}

// together stands between the parts of a line: a label and its value, the cells of a
// row.
const together = " | "

// byRelevance returns the lines that have words of the task, the most relevant first.
func byRelevance(lines []string, q query) []int {
	hits := make([]hit, len(lines))
	for i, l := range lines {
		hits[i].own = q.add(nil, words(l))
	}
	w := newWorth(len(q.terms), hits)
	var order []int
	for i, h := range hits {
		if len(h.own) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w.of(hits[b].own), w.of(hits[a].own)) })
	return order
}

// joined joins the lines taken, with a separator between neighbours.
func joined(lines []string, take []bool, separator string) string {
	var b strings.Builder
	last := -1
	for i, l := range lines {
		if !take[i] {
			continue
		}
		switch {
		case last < i-1 && b.Len() > 0:
			b.WriteString(gap)
		case last < i-1:
			b.WriteString("… ")
		case b.Len() > 0:
			b.WriteString(separator)
		}
		b.WriteString(l)
		last = i
	}
	if last >= 0 && last < len(lines)-1 {
		b.WriteString(" …")
	}
	return b.String()
}
