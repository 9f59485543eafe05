package page

import (
	"encoding/binary"
	"hash/fnv"
	"strings"
)

// Bounds on the lines of text that are compared.
const (
	maxLines     = 400
	maxTextLines = 10  // of them as observations
	maxLineText  = 160 // characters of a line as an observation
)

// Lines are the lines of a page's text as far as a later reading is compared
// with them: four bytes each, in order, and no word of what they say. Two
// readings of a page on which only time has passed have the same.
type Lines []byte

// lines are those of the page, and the text of each.
func (p Page) lines() (Lines, []string) {
	var sums Lines
	var texts []string
	for line := range strings.SplitSeq(p.Text, "\n") {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if len(texts) == maxLines {
			break
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(steady(line, true)))
		sums = binary.LittleEndian.AppendUint32(sums, h.Sum32())
		texts = append(texts, line)
	}
	return sums, texts
}

func (l Lines) count() map[uint32]int {
	n := make(map[uint32]int, len(l)/4)
	for ; len(l) >= 4; l = l[4:] {
		n[binary.LittleEndian.Uint32(l)]++
	}
	return n
}

// textDiff says which lines of text the page has that it had not before. Lines
// that an element or a message already says are left out. Of a page with more lines than are kept,
// what follows the last common one may only have been pushed over the edge.
func textDiff(before Before, now Page, said []Observation) []Observation {
	if len(before.Lines) == 0 {
		return nil
	}
	sums, texts := now.lines()
	old, is := before.Lines.count(), sums.count()
	known := knownTexts(now, said)
	var obs []Observation
	last, left := 0, make(map[uint32]int, len(is))
	for i, sum := range each(sums) {
		if left[sum]++; left[sum] <= old[sum] {
			last = i + 1
		}
	}
	seen := make(map[uint32]int, len(is))
	for i, sum := range each(sums) {
		if seen[sum]++; seen[sum] <= old[sum] || known[texts[i]] || len(before.Lines) == 4*maxLines && i >= last {
			continue
		}
		text := Cut(texts[i], maxLineText)
		obs = append(obs, Observation{Kind: TextAppeared, To: text, Text: "New text appeared: '" + text + "'"})
	}
	return capped(obs, maxTextLines, "more lines of text appeared")
}

func each(l Lines) func(func(int, uint32) bool) {
	return func(yield func(int, uint32) bool) {
		for i := 0; i+4 <= len(l); i += 4 {
			if !yield(i/4, binary.LittleEndian.Uint32(l[i:])) {
				return
			}
		}
	}
}

// knownTexts are what elements are called and what messages say.
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
