package knowledge

import "strings"

// pieces divides a block into what a chunk can hold. The pieces of a paragraph are as
// long as they may be: pack divides them further where it has room for a part.
func (s *splitter) pieces(p piece) []piece {
	switch {
	case p.kind == Code && p.cost <= ChunkMost*twelfths, p.cost <= ChunkMax*twelfths:
		return []piece{p}
	case p.kind == Code:
		return s.gather(p, s.lines(p.span), ChunkMax*twelfths)
	case p.kind == Table:
		return s.rows(p)
	}
	return s.bySentence(p)
}

// bySentence returns the sentences of a paragraph; one that is too long is cut.
func (s *splitter) bySentence(p piece) []piece {
	var pieces []piece
	for _, at := range sentences(s.text[p.from:p.to]) {
		at = span{p.from + at.from, p.from + at.to}
		pieces = append(pieces, s.bounded(p, at, ChunkMax*twelfths)...)
	}
	return pieces
}

// bounded returns a stretch as a piece, or cut if it is too long.
func (s *splitter) bounded(like piece, at span, most int) []piece {
	one := like
	one.span, one.cost = at, cost(s.text[at.from:at.to])
	if one.cost <= most {
		return []piece{one}
	}
	var pieces []piece
	for _, part := range cut(s.text, at, most) {
		one.span, one.cost = part, cost(s.text[part.from:part.to])
		pieces = append(pieces, one)
	}
	return pieces
}

// lines returns the lines of a stretch, without those that are empty.
func (s *splitter) lines(at span) []span {
	var lines []span
	for from := at.from; from < at.to; {
		to := at.to
		if i := strings.IndexByte(s.text[from:at.to], '\n'); i >= 0 {
			to = from + i
		}
		if strings.TrimSpace(s.text[from:to]) != "" {
			lines = append(lines, span{from, to})
		}
		from = to + 1
	}
	return lines
}

// gather puts lines together up to a cost. A line over ChunkMost is cut.
func (s *splitter) gather(like piece, lines []span, most int) []piece {
	var pieces []piece
	for _, line := range lines {
		for _, one := range s.bounded(like, line, ChunkMost*twelfths-costBetween) {
			if n := len(pieces); n > 0 {
				last := &pieces[n-1]
				gap := (one.from - last.to) * costPlain
				if last.cost+gap+one.cost <= most {
					last.to, last.cost = one.to, last.cost+gap+one.cost
					continue
				}
			}
			pieces = append(pieces, one)
		}
	}
	return pieces
}

// rows divides a table between its rows and puts its header over each piece.
func (s *splitter) rows(p piece) []piece {
	lines := s.lines(p.span)
	header := lines[0]
	if len(lines) > 1 && isRule(s.text[lines[1].from:lines[1].to]) {
		header.to = lines[1].to
	}
	before := s.text[header.from:header.to] + "\n"
	room := ChunkMax*twelfths - cost(before)
	if cost(before) > longestHeader*twelfths {
		return s.gather(p, lines, ChunkMax*twelfths)
	}
	for len(lines) > 0 && lines[0].from < header.to {
		lines = lines[1:]
	}
	pieces := s.gatherRows(p, lines, room, ChunkMost*twelfths-cost(before)-costBetween)
	for i := range pieces {
		pieces[i].before = before
		pieces[i].cost += cost(before)
	}
	if len(pieces) == 0 {
		return s.gather(p, s.lines(p.span), ChunkMax*twelfths)
	}
	// The first piece has the header where it stands.
	pieces[0].from, pieces[0].before = header.from, ""
	return pieces
}

// gatherRows is gather for rows that have a header over them.
func (s *splitter) gatherRows(like piece, rows []span, room, most int) []piece {
	var whole []span
	for _, row := range rows {
		for _, one := range s.bounded(like, row, most) {
			whole = append(whole, one.span)
		}
	}
	return s.gather(like, whole, room)
}

// isRule reports the line of a Markdown table under its header.
func isRule(line string) bool {
	return strings.Contains(line, "-") && strings.Trim(line, "|-: \t\r") == ""
}

// pack makes chunks of the pieces of one section that is too large for one: of about
// the same size, each but the first beginning with the sentence before it.
func (s *splitter) pack(pieces []piece, total int, path []string) {
	const most = ChunkMax * twelfths
	target := max(total/((total+most-1)/most), ChunkMin*twelfths)
	var now []piece
	spent, fresh, left := 0, 0, total // fresh counts what is not overlap
	flush := func() {
		overlap := s.overlap(now[len(now)-1])
		s.chunk(now, path)
		now, spent, fresh = nil, 0, 0
		if overlap.to > overlap.from {
			now, spent = []piece{overlap}, overlap.cost+costBetween
		}
	}
	for i := 0; i < len(pieces); {
		p := pieces[i]
		if fresh > 0 && (spent >= target && spent+left > most || spent+p.cost > most) {
			taken, rest := s.divide(p, spent)
			now = append(now, taken...)
			flush()
			left -= p.cost - rest.cost
			pieces[i] = rest
			continue
		}
		if fresh == 0 && spent+p.cost > most {
			now, spent = nil, 0 // no room for the overlap
		}
		now = append(now, p)
		spent += p.cost + costBetween
		left -= p.cost + costBetween
		fresh++
		i++
	}
	if fresh > 0 {
		s.chunk(now, path)
	}
}

// divide returns the sentences of a paragraph that fill a chunk which would be too
// small without, and the rest of it.
func (s *splitter) divide(p piece, spent int) (taken []piece, rest piece) {
	if p.kind != Paragraph || spent >= ChunkMin*twelfths {
		return nil, p
	}
	parts := s.bySentence(p)
	for len(parts) > 1 && spent+parts[0].cost <= ChunkMax*twelfths {
		spent += parts[0].cost + costBetween
		taken = append(taken, parts[0])
		parts = parts[1:]
	}
	rest = p
	rest.from = parts[0].from
	rest.cost = cost(s.text[rest.from:rest.to])
	return taken, rest
}

// overlap is the last sentence of a paragraph, or nothing if it is long or all of it.
func (s *splitter) overlap(p piece) piece {
	if p.kind != Paragraph {
		return piece{}
	}
	found := sentences(s.text[p.from:p.to])
	last := found[len(found)-1]
	p.from, p.to = p.from+last.from, p.from+last.to
	if p.cost = cost(s.text[p.from:p.to]); p.cost > longestOverlap*twelfths {
		return piece{}
	}
	return p
}
