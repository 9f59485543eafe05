package extract

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/klippa-app/go-pdfium/responses"

	"github.com/stepledger/stepledger/domain/knowledge"
)

// pdfPage is a page as lines in reading order.
type pdfPage struct {
	number int
	lines  []pdfLine
	fields []string // what a form on it is filled in with
}

// pdfLine is a line, with where it stands and how large it is if that is known.
type pdfLine struct {
	text        string
	hyphen      bool // it ends inside a word
	size        float64
	top, bottom float64
	left        float64
	marks       int // characters that are not space
}

// pdfLines reads the text of a page. Where a line ends inside a word the engine puts the
// control character 2 for its hyphen and joins the lines.
func pdfLines(text string) []pdfLine {
	var found []pdfLine
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	for line := range strings.Lines(text) {
		parts := strings.Split(strings.TrimRight(line, "\n"), "\x02")
		for i, part := range parts {
			if part = inline(part); part != "" {
				found = append(found, pdfLine{text: part, hyphen: i+1 < len(parts), marks: marks(part)})
			}
		}
	}
	return found
}

func marks(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) && !unseen(r) {
			n++
		}
	}
	return n
}

// measure gives the lines the size and the place of the stretches of text on the page,
// which come in the same order.
func (p *pdfPage) measure(rects []*responses.GetPageTextStructuredRect) {
	i, left := 0, 0
	for j := range p.lines {
		line := &p.lines[j]
		line.bottom, line.left = math.Inf(1), math.Inf(1)
		most := 0
		for need := line.marks; need > 0 && i < len(rects); {
			r := rects[i]
			if left == 0 {
				left = marks(inline(r.Text))
			}
			took := min(need, left)
			if took > 0 {
				line.top = max(line.top, r.PointPosition.Top)
				line.bottom = min(line.bottom, r.PointPosition.Bottom)
				line.left = min(line.left, r.PointPosition.Left)
				if r.FontInformation != nil && took > most {
					most, line.size = took, size(r.FontInformation)
				}
			}
			need -= took
			if left -= took; left == 0 {
				i++
			}
		}
	}
}

func size(f *responses.FontInformation) float64 {
	if f.RenderedSize > 0 {
		return f.RenderedSize
	}
	return f.Size
}

// blocks puts the lines of all pages together to paragraphs and headings.
func (p *pdfReader) blocks() {
	body := p.bodySize()
	sizes := headingSizes(p.pages, body)
	dropRunning(p.pages)
	for _, page := range p.pages {
		step := lineStep(page.lines)
		for i := 0; i < len(page.lines); {
			end := i + 1
			for end < len(page.lines) && continues(page.lines[end-1], page.lines[end], step) {
				end++
			}
			lines := page.lines[i:end]
			text := join(lines)
			b := knowledge.Block{Kind: knowledge.Paragraph, Text: text, Page: page.number}
			if level := sizes[rounded(lines[0].size)]; level > 0 && utf8.RuneCountInString(text) <= 200 {
				b.Kind, b.Level = knowledge.Heading, level
			}
			p.add(b)
			i = end
		}
		for _, field := range page.fields {
			p.add(knowledge.Block{Kind: knowledge.Paragraph, Text: field, Page: page.number})
		}
	}
}

// repeats is on how many pages a line stands that is no text of the page, and edge how
// far from its beginning or end. A page of few lines is left as it is.
const (
	repeats  = 3
	edge     = 2
	fewLines = 8
)

// dropRunning takes out the heads and feet that stand on most pages, with their numbers.
func dropRunning(pages []pdfPage) {
	count := map[string]int{}
	eachEdge(pages, func(_ int, _ *pdfPage, key string) { count[key]++ })
	eachEdge(pages, func(i int, page *pdfPage, key string) {
		if n := count[key]; n >= repeats && n*2 > len(pages) {
			page.lines[i].text = ""
		}
	})
	for i := range pages {
		pages[i].lines = slices.DeleteFunc(pages[i].lines, func(l pdfLine) bool { return l.text == "" })
	}
}

var digits = regexp.MustCompile(`\d+`)

// eachEdge visits the lines at the edges of pages, with what they are but for numbers and
// from which edge.
func eachEdge(pages []pdfPage, visit func(i int, page *pdfPage, key string)) {
	for p := range pages {
		page := &pages[p]
		n := len(page.lines)
		if n < fewLines {
			continue
		}
		for i := range n {
			key := digits.ReplaceAllString(page.lines[i].text, "0")
			switch {
			case i < edge && i < n-1-i:
				visit(i, page, fmt.Sprint("head ", i, key))
			case n-1-i < edge:
				visit(i, page, fmt.Sprint("foot ", n-1-i, key))
			}
		}
	}
}

func rounded(size float64) int { return int(math.Round(size * 2)) }

// bodySize is the size that most of the text has.
func (p *pdfReader) bodySize() int {
	count := map[int]int{}
	for _, page := range p.pages {
		for _, line := range page.lines {
			count[rounded(line.size)] += line.marks
		}
	}
	best, most := 0, 0
	for size, n := range count {
		if n > most || n == most && size < best {
			best, most = size, n
		}
	}
	return best
}

// headingSizes gives the sizes larger than the body's a level, the largest the first.
func headingSizes(pages []pdfPage, body int) map[int]int {
	larger := map[int]bool{}
	top := 0
	for _, page := range pages {
		for _, line := range page.lines {
			if s := rounded(line.size); float64(s) >= 1.15*float64(body) && body > 0 {
				larger[s] = true
				top = max(top, s)
			}
		}
	}
	levels := map[int]int{}
	level := 1
	for s := top; s > body && level <= 4; s-- {
		if larger[s] {
			levels[s] = level
			level++
		}
	}
	return levels
}

// lineStep is the usual distance from one line to the next, 0 if it is not known.
func lineStep(all []pdfLine) float64 {
	count := map[int]int{}
	for i := 1; i < len(all); i++ {
		if d := all[i-1].top - all[i].top; d > 0 && d < 100 {
			count[int(math.Round(d))]++
		}
	}
	best, most := 0, 0
	for d, n := range count {
		if n > most || n == most && d < best {
			best, most = d, n
		}
	}
	return float64(best)
}

// continues reports whether a line belongs to the paragraph of the line before it.
func continues(before, line pdfLine, step float64) bool {
	if before.hyphen {
		return true
	}
	if rounded(before.size) != rounded(line.size) && max(before.size, line.size) > 1.12*min(before.size, line.size) {
		return false
	}
	if listItem(line.text) {
		return false
	}
	distance := before.top - line.top
	if step > 0 && distance > 0 {
		return distance < 1.35*max(step, line.size)
	}
	// A new column, or nothing known: prose goes on unless a sentence has ended.
	last, _ := utf8.DecodeLastRuneInString(before.text)
	return !strings.ContainsRune(".!?:。", last)
}

func listItem(text string) bool {
	first, n := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("•◦▪–‣●○■", first) && len(text) > n
}

// join puts lines together; a hyphen that broke a word goes.
func join(lines []pdfLine) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 && !lines[i-1].hyphen {
			b.WriteByte(' ')
		}
		b.WriteString(line.text)
	}
	return b.String()
}
