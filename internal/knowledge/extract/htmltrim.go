package extract

import (
	"regexp"
	"strings"

	"github.com/stepledger/stepledger/domain/knowledge"
)

const (
	// fewWords is what lines around an article have at most: dates, names, credits.
	fewWords = 15
	// manyWords is what a paragraph has that certainly belongs to it.
	manyWords = 20
)

// line is a block as trimArticle sees it.
type line struct {
	kind          knowledge.BlockKind
	text          string // without the targets of links
	words, linked int    // words in all, and in links to other pages
	gone          bool
}

var linkTarget = regexp.MustCompile(`\]\([^)\s]*\)`)

// trimArticle takes out of an article what is not its text: lines before the first
// paragraph and after the last, references to other articles, headings over nothing.
func (w *pageWriter) trimArticle() {
	all := make([]line, len(w.out.Blocks))
	for i, b := range w.out.Blocks {
		text := linkTarget.ReplaceAllString(b.Text, "]")
		all[i] = line{kind: b.Kind, text: text, words: len(strings.Fields(text)), linked: w.links[i]}
		all[i].gone = all[i].refers()
	}
	title := strings.ToLower(inline(w.out.Title))
	for i := range all {
		if !all[i].around(title, true) {
			break
		}
	}
	for i := len(all) - 1; i >= 0 && all[i].around(title, false); i-- {
	}
	dropHeadings(all)
	if loses(all) {
		return
	}
	kept := w.out.Blocks[:0]
	for i, b := range w.out.Blocks {
		if !all[i].gone {
			kept = append(kept, b)
		}
	}
	w.out.Blocks = kept
}

// refers reports a line that is a link to something else, with a word or two before it.
func (l *line) refers() bool {
	own := l.words - l.linked
	return (l.kind == knowledge.Paragraph || l.kind == knowledge.Heading) && l.linked >= 4 && own <= 2 && l.linked >= 3*own
}

// around takes out a line at the edge of an article, and is false for one of its text. A
// heading at its beginning stays, but the title is told already.
func (l *line) around(title string, beginning bool) bool {
	switch {
	case l.gone:
	case l.kind == knowledge.Heading && strings.Contains(title, strings.ToLower(l.text)):
		l.gone = true
	case l.kind == knowledge.Heading:
		l.gone = l.words <= fewWords && !beginning
	case l.kind != knowledge.Paragraph || l.words >= manyWords || l.closes():
		return false
	default:
		l.gone = l.words <= fewWords
	}
	return true
}

// closes reports a text that ends like a sentence.
func (l *line) closes() bool {
	text := strings.TrimRight(l.text, "\"'”’»)] ")
	for _, end := range []string{".", "!", "?", "…", ":", "。", "！", "？"} {
		if strings.HasSuffix(text, end) {
			return true
		}
	}
	return false
}

// dropHeadings takes out the headings everything under which has gone.
func dropHeadings(all []line) {
	lost, kept := false, false // under the heading that comes
	for i := len(all) - 1; i >= 0; i-- {
		switch l := &all[i]; {
		case l.gone:
			lost = true
		case l.kind == knowledge.Heading:
			l.gone = lost && !kept
			lost, kept = false, false
		default:
			kept = true
		}
	}
}

// loses reports that a third of the words would go: then the page is made of what looks
// like its surroundings elsewhere, a list of offers or of results.
func loses(all []line) bool {
	lost, sum := 0, 0
	for _, l := range all {
		sum += l.words
		if l.gone {
			lost += l.words
		}
	}
	return lost*3 > sum
}
