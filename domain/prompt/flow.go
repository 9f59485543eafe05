package prompt

import (
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/action"
	"github.com/stepledger/stepledger/domain/page"
)

// flow is a page in document order: its elements, and the text that stands between
// them. texts[i] stands before elements[i], the last one after all of them. If it is
// not known where elements stand, all the text is in the last.
type flow struct {
	elements []page.Element
	texts    [][]string // lines
	// heads is how many lines of each text stand before the name of the group that
	// begins with the element; the name itself is not among them.
	heads []int
	// placed: it is known where elements stand.
	placed bool
	front  front
}

// newFlow takes a page apart. Elements an action may not name are left out, and so are
// boxes that only hold a control with the same name. A dialog that is open comes before
// the page it covers.
func newFlow(p page.Page) flow {
	es := actionable(p)
	if l, in := openDialog(p, es); in != nil {
		return dialogFirst(p, es, l, in)
	}
	return flowOf(p.Text, es)
}

func flowOf(text string, es []page.Element) flow {
	f := flow{elements: withoutDoubles(es)}
	f.texts = make([][]string, len(f.elements)+1)
	at, rest := 0, "" // where the text goes on, and what an element shows beyond its name
	var around boxes
	gap := func(to int) (lines []string) {
		if lines = pieces(rest); to > at {
			lines = append(lines, around.lines(text, at, to)...)
			at = to
		}
		rest = ""
		return lines
	}
	for i, e := range f.elements {
		from, to := clampText(e, text)
		if to == 0 {
			continue
		}
		f.placed = true
		f.texts[i] = gap(from)
		own := page.Clean(text[from:to])
		switch {
		case to > at && f.isBox(i, text):
			around = append(around, box{to, strings.Fields(page.Clean(e.Name))})
		case to > at && isSaid(own, e):
			rest, at = beyond(text[max(at, from):to], strings.Fields(page.Clean(e.Name))), to
		case own != "" && own == page.Clean(e.Value):
			at = to
		}
	}
	last := len(f.elements)
	f.texts[last] = gap(len(text))
	f.heads = make([]int, len(f.texts))
	for i := range f.texts {
		f.texts[i] = f.withoutLabels(f.texts[i], i)
		f.splitAtGroup(i)
	}
	return f
}

// isBox reports an element that holds others, or a part of the page: its text stands
// around them, line by line.
func (f flow) isBox(i int, text string) bool {
	e := f.elements[i]
	at, to := clampText(e, text)
	if i+1 < len(f.elements) {
		if from, end := clampText(f.elements[i+1], text); end > 0 && from < to && end <= to {
			return true
		}
	}
	return !operable(e) && !holdsOnly(e.Role) && strings.ContainsAny(strings.TrimSpace(text[at:to]), "\n")
}

// box is an element whose inside is being read: where it ends, and the words of its name
// that were not yet come upon. They need not be shown again.
type box struct {
	end  int
	name []string
}

type boxes []box

// lines returns the lines of a part of the text without the names of the boxes around
// them.
func (bs *boxes) lines(text string, from, to int) (out []string) {
	for from < to {
		for len(*bs) > 0 && (*bs)[len(*bs)-1].end <= from {
			*bs = (*bs)[:len(*bs)-1]
		}
		if len(*bs) == 0 {
			return append(out, pieces(text[from:to])...)
		}
		b := &(*bs)[len(*bs)-1]
		part := text[from:min(to, b.end)]
		from += len(part)
		n := commonWords(part, b.name)
		if strings.TrimSpace(part) != "" && n == 0 {
			b.name = nil // it is called otherwise
		}
		out = append(out, pieces(afterWords(part, n))...)
		b.name = b.name[n:]
	}
	return out
}

// beyond is what a text says after a name with which it begins.
func beyond(text string, name []string) string { return afterWords(text, commonWords(text, name)) }

// commonWords is how many of the first words of a text are those of a name.
func commonWords(text string, name []string) (n int) {
	for w := range strings.FieldsSeq(text) {
		if n == len(name) || page.Clean(w) != name[n] {
			return n
		}
		n++
	}
	return n
}

// afterWords returns a text without its first n words.
func afterWords(text string, n int) string {
	for ; n > 0; n-- {
		text = strings.TrimLeftFunc(text, unicode.IsSpace)
		end := strings.IndexFunc(text, unicode.IsSpace)
		if end < 0 {
			return ""
		}
		text = text[end:]
	}
	return text
}

// splitAtGroup takes the name of a group that begins with element i out of the text
// before it.
func (f flow) splitAtGroup(i int) {
	lines := f.texts[i]
	f.heads[i] = len(lines)
	if i == len(f.elements) || i > 0 && f.elements[i-1].Group == f.elements[i].Group {
		return
	}
	for n := len(lines) - 1; n >= 0; n-- {
		if name := f.elements[i].Group; name != "" && strings.EqualFold(lines[n], page.Clean(name)) {
			f.heads[i] = n
			f.texts[i] = append(lines[:n:n], lines[n+1:]...)
			return
		}
	}
}

// actionable returns the elements an action may name. Ids are put into the prompt as
// they are, so an id with invisible characters is left out.
func actionable(p page.Page) []page.Element {
	var out []page.Element
	for _, e := range p.Elements {
		if e.ID != "" && len(e.ID) <= action.MaxTarget && e.ID == page.Clean(e.ID) && !e.State.Hidden {
			out = append(out, e)
		}
	}
	return out
}

func clampText(e page.Element, text string) (from, to int) {
	to = max(0, min(e.TextTo, len(text)))
	return max(0, min(e.TextFrom, to)), to
}

// isSaid reports whether the text inside an element begins with its name, so that it
// need not be shown again.
func isSaid(own string, e page.Element) bool {
	return own != "" && strings.HasPrefix(own, page.Clean(e.Name)) && e.Name != ""
}

// withoutLabels leaves out lines that only repeat the name of the element before or
// after them: labels of fields.
func (f flow) withoutLabels(lines []string, i int) []string {
	for len(lines) > 0 && i < len(f.elements) && isLabelOf(lines[len(lines)-1], f.elements[i]) {
		lines = lines[:len(lines)-1]
	}
	for len(lines) > 0 && i > 0 && isLabelOf(lines[0], f.elements[i-1]) {
		lines = lines[1:]
	}
	return lines
}

func isLabelOf(line string, e page.Element) bool {
	bare := func(s string) string { return strings.ToLower(strings.Trim(page.Clean(s), " :*")) }
	l := bare(line)
	return l != "" && (l == bare(e.Name) || l == bare(e.Caption))
}

// withoutDoubles leaves out the boxes around a control, and parts within one, that
// have the same name: a cell and its link are one line.
func withoutDoubles(es []page.Element) []page.Element {
	out := make([]page.Element, 0, len(es))
	for _, e := range es {
		if n := len(out); n > 0 && isDouble(out[n-1], e) {
			if holdsOnly(out[n-1].Role) || !holdsOnly(e.Role) && !operable(out[n-1]) {
				out[n-1] = e
			}
			continue
		}
		out = append(out, e)
	}
	return out
}

// isDouble reports two elements, one after the other, that are one thing to a person:
// the second stands in the first, or the first is a cell or the like, and they have one
// name.
func isDouble(a, b page.Element) bool {
	if label(a) != label(b) && (label(b) != "" || operable(b)) || a.Frame != b.Frame {
		return false
	}
	if operable(a) && operable(b) {
		return false
	}
	if a.TextTo > a.TextFrom {
		return a.TextFrom <= b.TextFrom && b.TextTo <= a.TextTo && label(a) != ""
	}
	return holdsOnly(a.Role) && a.Role != "generic" && label(a) == label(b) && a.TextTo == 0
}

// holdsOnly reports roles of elements that are mostly boxes around others.
func holdsOnly(role string) bool {
	switch role {
	case "cell", "gridcell", "row", "listitem", "rowheader", "generic", "element":
		return true
	}
	return false
}

func operable(e page.Element) bool { return e.IsControl() || e.IsField() || e.IsTick() }

func label(e page.Element) string { return strings.ToLower(nameOf(e)) }
