package postgres

import (
	"sync"

	"github.com/stepledger/stepledger/eventstore"
)

// maxHeads is how many streams each half of heads remembers: some megabyte.
const maxHeads = 8_192

// heads remembers the last revision of streams this process has written to, so
// that going on with them needs no look at what is there: the last event of each
// was there, nothing was removed from the log since, and the unique index refuses a
// revision that is taken.
//
// What was removed (by Archive or Scavenge) refuses nothing. How often that has
// happened is counted in the database, an append by memory holds only at the count its
// memory is of, and with another one everything is forgotten. A stream that is not
// remembered may be taken for new only while the count is 0. Streams of which
// something is archived are never remembered: what is appended to them has to be
// compared with that.
//
// What one server has acknowledged says nothing about another (a replica that
// was promoted may have less): with the first connection to another server
// everything is forgotten, and connections to the former one are not believed.
type heads struct {
	mu         sync.Mutex
	server     int64 // which one the revisions are of
	removals   int64 // how often something was removed when they were learned
	young, old map[string]int64
}

// serve says which server a new connection leads to. It reports whether that is
// another one than before.
func (h *heads) serve(server int64) (another bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == server {
		return false
	}
	h.server, h.removals, h.young, h.old = server, 0, nil, nil
	return true
}

// next gives the revision that the first event of each request will have if its
// expectation holds and the removals are those; false where one is of a stream that is
// not known well enough.
func (h *heads) next(server int64, batch []*request) (revisions []int64, removals int64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != server {
		return nil, 0, false
	}
	revisions = make([]int64, len(batch))
	for i, r := range batch {
		head, known := h.head(r.stream)
		switch {
		case r.expected == eventstore.NoStream && !known && h.removals == 0:
			head = eventstore.NoRevision
		case !known || r.expected != eventstore.Any && r.expected != head:
			return nil, 0, false
		}
		revisions[i] = head + 1
	}
	return revisions, h.removals, true
}

func (h *heads) head(stream string) (int64, bool) {
	if head, ok := h.young[stream]; ok {
		return head, true
	}
	head, ok := h.old[stream]
	return head, ok
}

// learn notes where streams have come to on a server, at so many removals.
func (h *heads) learn(server, removals int64, placed map[string]eventstore.Receipt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != server {
		return
	}
	if h.removals != removals {
		h.removals, h.young, h.old = removals, nil, nil
	}
	for stream, r := range placed {
		if len(h.young) >= maxHeads || h.young == nil {
			h.young, h.old = make(map[string]int64), h.young
		}
		h.young[stream] = r.Revision
	}
}

// forget drops streams that turned out not to be where they were believed.
func (h *heads) forget(batch []*request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range batch {
		delete(h.young, r.stream)
		delete(h.old, r.stream)
	}
}
