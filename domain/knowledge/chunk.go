package knowledge

import "strings"

// Sizes of chunks, in tokens as Tokens counts them.
const (
	// ChunkMin is what a chunk has at least if the section it is in has more.
	ChunkMin = 300
	// ChunkMax is what a chunk has at most, unless it is a piece of code or a row of a
	// table that would be torn.
	ChunkMax = 500
	// ChunkMost is what any chunk has at most.
	ChunkMost = 1000

	// longestHeading is a heading that can be repeated over every chunk below it; what is
	// longer is read as a paragraph. So is longestOverlap for the sentence repeated.
	longestHeading = 60
	longestOverlap = 60
	// longestHeader is the header of a table that is repeated over its pieces.
	longestHeader = 200
	// deepest is the lowest level of a heading; deeper ones count as this.
	deepest = 9
	// between is what stands between two blocks in the text of a document.
	between = "\n\n"
)

// Content returns the text of the document that the offsets of its chunks count in.
func (e Extracted) Content() string {
	texts := make([]string, len(e.Blocks))
	for i, b := range e.Blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, between)
}

// Split divides a document into chunks. It splits at headings, then between
// paragraphs, then between sentences; code and rows of tables stay whole up to ChunkMost
// tokens. The pieces of a table each have its header. Neighbours in one section overlap by
// a sentence. Small sections under the same heading share a chunk, with their headings in
// its text. Every text of a block is in the text of a chunk, of a heading in a text or a
// path. The same document gives the same chunks.
func Split(e Extracted) []Chunk {
	s := splitter{text: e.Content(), from: -1}
	root := s.sections(e)
	var path []string
	if title := strings.TrimSpace(e.Title); title != "" {
		path = []string{title}
	}
	s.section(root, path)
	return s.chunks
}

// piece is what chunks are made of: a stretch of the text that is not torn.
type piece struct {
	span
	kind   BlockKind
	page   int
	before string // shown before it: the header of its table, the mark of a heading
	cost   int    // with before
}

// section is a heading and what is under it, up to the next of its level.
type section struct {
	level    int
	heading  piece // of the root, and of what precedes all headings, nothing
	own      []piece
	ownCost  int
	children []*section
	cost     int // of everything in it with its heading
}

type splitter struct {
	text   string
	chunks []Chunk
	// from is where the first heading stands that no chunk has told yet except in its
	// path, or -1; page is its page.
	from, page int
	pending    piece
}

const costBetween = len(between) * costPlain

// sections reads the blocks into the tree that their headings make.
func (s *splitter) sections(e Extracted) *section {
	root := &section{}
	open := []*section{root}
	at := 0
	for _, b := range e.Blocks {
		where := trim(s.text, span{at, at + len(b.Text)})
		at += len(b.Text) + len(between)
		if where.from == where.to {
			continue
		}
		top := open[len(open)-1]
		p := piece{span: where, kind: b.Kind, page: b.Page, cost: cost(s.text[where.from:where.to])}
		if b.Kind != Heading || p.cost > longestHeading*twelfths {
			if p.kind == Heading {
				p.kind = Paragraph
			}
			own := s.pieces(p)
			for _, one := range own {
				top.ownCost += one.cost + costBetween
			}
			top.own = append(top.own, own...)
			continue
		}
		level := min(max(b.Level, 1), deepest)
		p.before = strings.Repeat("#", level) + " "
		p.cost += cost(p.before)
		for top.level >= level {
			open = open[:len(open)-1]
			top = open[len(open)-1]
		}
		child := &section{level: level, heading: p}
		top.children = append(top.children, child)
		open = append(open, child)
	}
	root.sum()
	return root
}

func (c *section) sum() int {
	c.cost = c.ownCost
	if c.level > 0 {
		c.cost += c.heading.cost + costBetween
	}
	for _, child := range c.children {
		c.cost += child.sum()
	}
	return c.cost
}

func trim(text string, at span) span {
	for at.from < at.to && isSpaceAt(text, at.from) {
		at.from++
	}
	for at.to > at.from && isSpaceAt(text, at.to-1) {
		at.to--
	}
	return at
}

// section makes the chunks of a section whose own heading is the last of path.
func (s *splitter) section(c *section, path []string) {
	var together []piece // of small neighbours, headings among them
	var only *section    // the one section they are of
	spent, sections := 0, 0
	flush := func() {
		if sections == 1 && only != nil {
			// A section of its own is told by its path.
			s.head(only.heading)
			s.chunk(together[1:], s.below(path, only))
		} else if sections > 0 {
			s.chunk(together, path)
		}
		together, only, spent, sections = nil, nil, 0, 0
	}
	if c.ownCost > ChunkMax*twelfths {
		s.pack(c.own, c.ownCost, path)
	} else if len(c.own) > 0 {
		together, spent, sections = c.own[:len(c.own):len(c.own)], c.ownCost, 1
	}
	for _, child := range c.children {
		if child.cost > ChunkMax*twelfths {
			flush()
			s.head(child.heading)
			s.section(child, s.below(path, child))
			continue
		}
		if spent+child.cost > ChunkMax*twelfths {
			flush()
		}
		together = child.all(together)
		only = child
		spent += child.cost
		sections++
	}
	flush()
}

// all appends the pieces of a section with its heading and those below.
func (c *section) all(to []piece) []piece {
	to = append(append(to, c.heading), c.own...)
	for _, child := range c.children {
		to = child.all(to)
	}
	return to
}

// below is the path of a section; the title is not said twice.
func (s *splitter) below(path []string, c *section) []string {
	name := strings.Join(strings.Fields(s.text[c.heading.from:c.heading.to]), " ")
	if len(path) > 0 && strings.EqualFold(path[len(path)-1], name) {
		return path
	}
	return append(path[:len(path):len(path)], name)
}

// head notes a heading that paths tell: the next chunk begins with it.
func (s *splitter) head(h piece) {
	if s.from < 0 {
		s.from, s.page = h.from, h.page
	}
	s.pending = h
}

// chunk makes one of pieces that follow each other.
func (s *splitter) chunk(pieces []piece, path []string) {
	if len(pieces) == 0 {
		// A heading with nothing under it is told by the text.
		pieces = []piece{s.pending}
		path = path[:max(len(path)-1, 0)]
	}
	c := Chunk{Ord: len(s.chunks), Path: path, Page: pieces[0].page, From: pieces[0].from, To: pieces[len(pieces)-1].to}
	if s.from >= 0 {
		c.From, c.Page, s.from = s.from, s.page, -1
	}
	var text strings.Builder
	for i, p := range pieces {
		if i > 0 {
			text.WriteString(gap(s.text[pieces[i-1].to:p.from]))
		}
		if p.before != "" && (p.kind != Table || i == 0) {
			text.WriteString(p.before)
		}
		text.WriteString(s.text[p.from:p.to])
	}
	c.Text = text.String()
	s.chunks = append(s.chunks, c)
}

// gap is what is shown for the space between two pieces.
func gap(space string) string {
	switch {
	case len(space) <= len(between):
		return space
	case strings.Contains(space, between):
		return between
	case strings.Contains(space, "\n"):
		return "\n"
	}
	return " "
}
