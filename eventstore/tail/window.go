package tail

import (
	"slices"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// window is what came last in the log: pages, each going on where the one before ended.
type window struct {
	// based: end is a position the log has reached.
	based      bool
	generation int64
	log        string // which the pages are of, as the store names it
	start, end int64
	// atEnd: nothing was behind end at the last look.
	atEnd bool
	pages []piece
	bytes int
}

// piece is a page as it was read.
type piece struct {
	events []eventstore.Recorded
	end    int64
	bytes  int
	at     time.Time
}

// place is where a position is, seen from the window.
type place int

const (
	outside place = iota
	inside
	atEnd
)

// find says where a position is.
func (w *window) find(after int64) place {
	switch {
	case !w.based || after < w.start || after > w.end:
		return outside
	case after == w.end:
		return atEnd
	}
	return inside
}

// read gives what is behind a position inside.
func (w *window) read(after int64, limit int, f eventstore.Filter) eventstore.Page {
	out := eventstore.Page{Scanned: w.end, End: w.atEnd, Log: w.log}
	for _, p := range w.pages {
		if p.end <= after {
			continue
		}
		first, _ := slices.BinarySearchFunc(p.events, after+1, func(e eventstore.Recorded, at int64) int {
			return int(min(max(e.Position-at, -1), 1))
		})
		for _, e := range p.events[first:] {
			if !f.Matches(e) {
				continue
			}
			out.Events = append(out.Events, e)
			if len(out.Events) == limit {
				out.Scanned, out.End = e.Position, w.atEnd && e.Position == w.end
				return out
			}
		}
	}
	return out
}

// add puts a page behind the end.
func (w *window) add(p eventstore.Page, now time.Time) {
	w.atEnd = p.End || p.Scanned == w.end
	if p.Scanned == w.end {
		return
	}
	n := 0
	for _, e := range p.Events {
		n += len(e.Data) + len(e.Meta) + overhead
	}
	w.pages = append(w.pages, piece{p.Events, p.Scanned, n, now})
	w.end, w.bytes = p.Scanned, w.bytes+n
}

// overhead is about what an event takes beside its data.
const overhead = 200

// trim drops what is too much or too old.
func (w *window) trim(bytes int, since time.Time) {
	for len(w.pages) > 0 && (w.bytes > bytes || w.pages[0].at.Before(since)) {
		w.start, w.bytes = w.pages[0].end, w.bytes-w.pages[0].bytes
		w.pages = slices.Delete(w.pages, 0, 1)
	}
}
