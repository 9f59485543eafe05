package page

import (
	"encoding/binary"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on the compared lines of text.
const (
	maxLines     = 400
	maxCompared  = 16_000 // characters of the text that are compared
	maxTextLines = 10     // of them as observations
	maxLineText  = 160    // characters of a line as an observation
)

// Lines are the lines of a page's text as they are compared with a later reading:
// eight bytes of hashes each, in order, without any words. Two readings between which
// only time has passed have the same Lines.
type Lines []byte

// lineSum is the hash of a line, and that of the line without its numbers.
type lineSum struct{ all, bare uint32 }

// TextLines returns the compared lines of the page's text, in order.
func (p Page) TextLines() []string {
	var out []string
	for line := range strings.FieldsFuncSeq(Cut(p.Text, maxCompared), func(r rune) bool { return r == '\n' || r == '\t' }) {
		if line = strings.TrimSpace(line); line != "" {
			out = append(out, line)
		}
		if len(out) == maxLines {
			break
		}
	}
	return out
}

// lines returns the hashes and texts of the compared lines.
func (p Page) lines() (sums []lineSum, texts []string) {
	texts = p.TextLines()
	sums = make([]lineSum, 0, len(texts))
	for _, line := range texts {
		still := dropTicking(line, true)
		sums = append(sums, sumOf(still))
	}
	return sums, texts
}

// The hash is FNV-1a of 32 bits.
const hashStart, hashPrime = 2166136261, 16777619

func sumOf(line string) lineSum {
	s := lineSum{hashStart, hashStart}
	for i := range len(line) {
		b := line[i]
		if b >= utf8.RuneSelf { // there may be other digits
			return lineSum{hash32(line), hash32(withoutNumbers(line))}
		}
		s.all = (s.all ^ uint32(b)) * hashPrime
		if b < '0' || b > '9' {
			s.bare = (s.bare ^ uint32(b)) * hashPrime
		}
	}
	return s
}

func hash32(s string) uint32 {
	h := uint32(hashStart)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * hashPrime
	}
	return h
}

func withoutNumbers(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, s)
}

// keep and sums convert to and from the stored form.
func keep(sums []lineSum) Lines {
	out := make(Lines, 0, 8*len(sums))
	for _, s := range sums {
		out = binary.LittleEndian.AppendUint32(out, s.all)
		out = binary.LittleEndian.AppendUint32(out, s.bare)
	}
	return out
}

func (l Lines) sums() []lineSum {
	out := make([]lineSum, 0, len(l)/8)
	for ; len(l) >= 8; l = l[8:] {
		out = append(out, lineSum{binary.LittleEndian.Uint32(l), binary.LittleEndian.Uint32(l[4:])})
	}
	return out
}

// textDiff returns the lines of text that are new on the page, none after a page of
// which the client left something out, except those an
// element or a message already shows. If a line disappeared that was the same but for
// its numbers, a number has changed. If the page has more lines than are kept, those
// after the last common one are not reported, since they may only have moved past the
// limit.
func textDiff(before Before, now Page, said []Observation) []Observation {
	if len(before.Lines) == 0 || before.Skeleton.Partial {
		return nil
	}
	old := before.Lines.sums()
	sums, texts := now.lines()
	isNew, gone, last := unmatched(old, sums)
	known := knownTexts(now, said)
	var obs []Observation
	for i, sum := range sums {
		if !isNew[i] || known[texts[i]] || len(old) == maxLines && i >= last {
			continue
		}
		o := Observation{Kind: TextAppeared, Line: i, To: Cut(texts[i], maxLineText)}
		o.Text = "New text appeared: '" + o.To + "'"
		if gone[sum.bare] > 0 {
			gone[sum.bare]--
			o.Attr, o.Text = AttrNumber, "A number changed in the text: '"+o.To+"'"
		}
		obs = append(obs, o)
	}
	return capped(obs, maxTextLines, "more lines of text appeared")
}

// unmatched returns which lines are new, how many lines disappeared by their hash
// without numbers, and the index of the last line that is not new.
func unmatched(old, now []lineSum) (isNew []bool, gone map[uint32]int, last int) {
	left, gone := make(map[uint32]int, len(old)), make(map[uint32]int)
	for _, s := range old {
		left[s.all]++
	}
	isNew = make([]bool, len(now))
	for i, s := range now {
		if left[s.all] > 0 {
			left[s.all]--
			last = i + 1
		} else {
			isNew[i] = true
		}
	}
	for _, s := range old {
		if left[s.all] > 0 {
			left[s.all]--
			gone[s.bare]++
		}
	}
	return isNew, gone, last
}

// knownTexts returns the names of elements and the texts of messages.
func knownTexts(now Page, said []Observation) map[string]bool {
	known := make(map[string]bool, len(now.Elements))
	for i := range now.Elements {
		known[now.Elements[i].Name] = true
	}
	for _, o := range said {
		known[o.To] = true
	}
	return known
}
