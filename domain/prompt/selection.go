package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/stepledger/stepledger/domain/page"
)

// selection fills a budget with elements and the text between them.
type selection struct {
	flow
	q        query
	host     string
	list     []ranked
	anyAbout bool
	twins    map[string]int
	isNew    map[string]bool
	shown    []bool   // elements
	take     [][]bool // lines of each text; nil for none of them
	opened   map[int]bool
	room     int  // tokens left
	omitted  int  // lines about omissions, so far
	rows     bool // each element is shown with its row
}

func newSelection(p page.Page, v View) *selection {
	s := &selection{flow: newFlow(p), q: newQuery(v.Task), host: hostOf(p.URL)}
	s.list, s.anyAbout = rank(s.elements, s.q)
	s.twins = twinsOf(s.list)
	s.isNew = page.NewKeys(v.Before, p)
	s.clear(0)
	return s
}

// choose takes elements by weight, each with the text before it, and then more of the
// text. If not all of them fit, it keeps room for saying what is left out.
func (s *selection) choose(simple bool) {
	room := s.room
	s.chooseWithin(room, simple)
	if count(s.shown) < len(s.list) {
		s.clear(room - maxOmissions*omission)
		s.chooseWithin(s.room, simple)
	}
	unasked := s.room
	if simple && s.anyAbout {
		unasked = min(unasked, room/8)
	}
	s.fillText(unasked)
}

func (s *selection) clear(room int) {
	s.shown, s.take, s.opened = make([]bool, len(s.list)), make([][]bool, len(s.texts)), map[int]bool{}
	s.room = room
}

func (s *selection) chooseWithin(all int, simple bool) {
	ample := all
	if simple && s.anyAbout {
		ample = all / 2
	}
	s.takeFront()
	forText := s.reserve(all)
	for _, i := range s.byWeight() {
		e := s.list[i]
		if s.room-forText < leastLine {
			return
		}
		if all-s.room >= ample && !e.about && baseWeight(e.Element) == 0 {
			continue
		}
		if !s.shown[i] {
			s.add(i, s.room-forText)
		}
	}
}

// reserve is what is kept for text that belongs to no element.
func (s *selection) reserve(all int) int {
	if !slices.ContainsFunc(s.texts, func(lines []string) bool { return len(lines) > 0 }) {
		return 0
	}
	if s.placed {
		return all / 10
	}
	return all / 4
}

// leastLine is the tokens of a line with only an id and a role.
const leastLine = 3

func (s *selection) byWeight() []int {
	order := make([]int, len(s.list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.list[b].weight, s.list[a].weight) })
	return order
}

// add takes element i, with its group's line and a little of the text before it, if
// there is room.
func (s *selection) add(i, room int) bool {
	n := Tokens(s.line(i, true) + "\n")
	if g := s.list[i].Group; !s.opened[s.list[i].chunk] && (g != "" || i > 0 && s.list[i-1].Group != "") {
		n += Tokens(groupLine(s.list[i].Group))
	}
	if n > room {
		return false
	}
	s.shown[i], s.opened[s.list[i].chunk] = true, true
	s.room -= n
	s.addText(i, min(maxGap, room-n))
	return true
}

// addText takes up to limit tokens of the text before element i.
func (s *selection) addText(i, limit int) {
	lines := s.texts[i]
	if len(lines) == 0 || s.take[i] != nil {
		return
	}
	limit -= textLine
	if len(lines) == 1 && Tokens(lines[0]) <= limit {
		s.take[i] = []bool{true}
	} else {
		// What stands right before a control belongs to it.
		take := chosen(lines, s.q, Tokens, limit, 0)
		room := limit - s.textTokens(lines, take)
		for n := len(lines) - 1; n >= 0 && room > 0; n-- {
			if cost := Tokens(lines[n]) + Tokens(gap); !take[n] {
				if cost > room {
					break
				}
				take[n], room = true, room-cost
			}
		}
		s.take[i] = take
	}
	s.room -= s.textTokens(lines, s.take[i]) + s.marks(i)
}

// marks is the tokens of the quotes and gaps of the text before element i.
func (s *selection) marks(i int) int {
	if s.heads[i] == len(s.texts[i]) && !slices.Contains(s.take[i], false) {
		return textLine / 3
	}
	return textLine
}

// textLine is the tokens of the marks of a line of text, which may be two lines.
const textLine = 20

func (s *selection) textTokens(lines []string, take []bool) (n int) {
	for i, l := range lines {
		if take[i] {
			n += Tokens(escape.Replace(l)) + Tokens(separator) + 1
		}
	}
	return n
}

// separator stands between lines of text: each is one of the prompt.
const separator = "\"\nt \""

// fillText takes the text that has words of the task, and then what comes first on the
// page, of that at most unasked tokens.
func (s *selection) fillText(unasked int) {
	var all []string
	var of, at []int // the text and the line in it
	for i, lines := range s.texts {
		for n, l := range lines {
			all, of, at = append(all, l), append(of, i), append(at, n)
		}
	}
	add := func(n int) bool { return s.takeLine(of[n], at[n]) }
	for _, n := range byRelevance(all, s.q) {
		for _, m := range [...]int{n, n + 1, n - 1} {
			if m >= 0 && m < len(all) {
				add(m)
			}
		}
		if s.room < leastLine {
			return
		}
	}
	floor := s.room - unasked
	for n := range all {
		if s.room <= floor || !add(n) {
			return
		}
	}
}

func (s *selection) line(i int, row bool) string {
	e := s.list[i]
	twin := s.twins[twinKey(e)] > 1
	return line(e.Element, context{
		q: s.q, host: s.host, twin: twin, isNew: s.isNew[e.Key],
		row: row && saysMore(e) && (s.rows || twin || e.NameGuessed || nameOf(e.Element) == "" || isSign(nameOf(e.Element))),
	})
}

// saysMore reports whether the row of an element has words, other than those of its
// group.
func saysMore(e ranked) bool {
	return strings.ContainsFunc(e.Row, unicode.IsLetter) && !strings.EqualFold(e.Row, e.Group)
}

// isSign reports names that say little without their row: "+", "✕", "1".
func isSign(name string) bool { return len([]rune(name)) <= 2 }

// write writes what was chosen, in the page's order.
func (s *selection) write(r *Rendering) string {
	w := writer{selection: s}
	for i := range s.texts {
		w.text(i, 0, s.edge(i))
		if s.front.open && i == s.front.elements {
			w.leaveFront()
		}
		w.text(i, s.edge(i), s.heads[i])
		if i == len(s.list) {
			break
		}
		e := s.list[i]
		if s.shown[i] {
			w.group(e.Group)
		}
		w.text(i, s.heads[i], len(s.texts[i]))
		if !s.shown[i] {
			w.left.add(e.Element)
			r.Left++
			continue
		}
		w.begin()
		w.WriteString(s.line(i, !includes(w.told, e.Row)) + "\n")
		r.Shown = append(r.Shown, e.ID)
	}
	s.omission(&w.Builder, &w.left)
	return w.String()
}

// edge is how many lines of a text belong to what is open over the page.
func (s *selection) edge(i int) int {
	if s.front.open && i == s.front.elements {
		return s.front.lines
	}
	return 0
}

// writer writes the lines of a page.
type writer struct {
	*selection
	strings.Builder
	within string // the last group
	told   string // the last text
	left   run    // elements left out since
	// behind: what is open over the page is over. inFront: it was announced, and what
	// it covers was not yet.
	behind, inFront bool
}

// begin writes what has to stand before the next line: what is left out, and where a
// dialog or what it covers begins.
func (w *writer) begin() {
	w.omission(&w.Builder, &w.left)
	switch {
	case !w.front.open:
	case !w.behind && !w.inFront:
		w.inFront = true
		w.WriteString("dialog " + quote(w.front.name, maxGroup) + "\n")
		w.within, w.told = w.front.name, w.front.name
	case w.behind && w.inFront:
		w.inFront = false
		w.WriteString(behindDialog + "\n")
		w.within, w.told = "", ""
	}
}

// behindDialog is the line before what a dialog covers.
const behindDialog = "behind the dialog, covered:"

// leaveFront ends what is open over the page.
func (w *writer) leaveFront() {
	w.omission(&w.Builder, &w.left)
	w.behind = true
}

// group writes the line of a group that begins.
func (w *writer) group(name string) {
	w.begin()
	if w.inFront && name == "" && w.within == w.front.name {
		return
	}
	if quote(name, maxGroup) != quote(w.within, maxGroup) {
		w.within, w.told = name, name
		w.WriteString(groupLine(name))
	}
}

// text writes the lines of the text before element i that were taken, of those from one
// to another.
func (w *writer) text(i, from, to int) {
	take := w.take[i]
	if take == nil || !slices.Contains(take[from:to], true) {
		return
	}
	w.begin()
	lines := make([]string, 0, to-from)
	for _, l := range w.texts[i][from:to] {
		lines = append(lines, escape.Replace(l))
	}
	w.told = joined(lines, take[from:to], separator)
	w.WriteString("t \"" + w.told + "\"\n")
}

// includes reports whether a text just shown is that of the row, its beginning or most
// of it. That both end in the same word says nothing: mails of one day do.
func includes(told, row string) bool {
	of := words(row)
	lines := strings.Split(told, separator)
	for i := len(lines) - 1; i >= max(0, len(lines)-maxRowLines); i-- {
		said := words(strings.Join(lines[i:], " "))
		if n := min(len(said), len(of)); n > 0 && (n >= 2 || 2*n >= len(of)) && slices.Equal(said[:n], of[:n]) {
			return true
		}
		if n := len(said); 2*n >= len(of) && n <= len(of) && slices.Equal(said, of[len(of)-n:]) {
			return true // what stands before it is a link of the row
		}
	}
	return false
}

// maxRowLines is how many lines before a control may be its row.
const maxRowLines = 4

// twinsOf counts elements with the same text.
func twinsOf(list []ranked) map[string]int {
	out := make(map[string]int, len(list))
	for _, e := range list {
		out[twinKey(e)]++
	}
	return out
}

func twinKey(e ranked) string { return e.Role + "\x00" + nameOf(e.Element) + "\x00" + e.Group }

func groupLine(group string) string { return "g " + quote(group, maxGroup) + "\n" }

// omission writes what a run of elements that were left out holds, if it is long
// enough to say so.
func (s *selection) omission(b *strings.Builder, r *run) {
	if r.count >= minRun && s.omitted < maxOmissions {
		fmt.Fprintf(b, "… %s\n", r.String())
		s.omitted++
	}
	*r = run{}
}

// leftOut says what was left out in all.
func (s *selection) leftOut() string {
	var r run
	for i, e := range s.list {
		if !s.shown[i] {
			r.add(e.Element)
		}
	}
	lines := 0
	for i, ls := range s.texts {
		for n := range ls {
			if s.take[i] == nil || !s.take[i][n] {
				lines++
			}
		}
	}
	var parts []string
	if r.count > 0 {
		parts = append(parts, r.kindsOnly())
	}
	if lines > 0 {
		parts = append(parts, plural(lines, "line")+" of text")
	}
	if len(parts) == 0 {
		return ""
	}
	return "left out: " + strings.Join(parts, ", ")
}
