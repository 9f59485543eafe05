package postgres

import (
	"sync"

	"github.com/stepledger/stepledger/eventstore"
)

// maxHeads is how many streams each half of heads remembers: some megabyte.
const maxHeads = 8_192

// heads remembers the last revision of streams this process has written to, so
// that going on with them needs no look at what is there: the events up to a
// remembered revision exist, because events are never removed, and the unique
// index refuses a revision that is taken.
//
// What one server has acknowledged says nothing about another (a replica that
// was promoted may have less): with the first connection to another server
// everything is forgotten, and connections to the former one are not believed.
type heads struct {
	mu         sync.Mutex
	server     int64 // which one the revisions are of
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
	h.server, h.young, h.old = server, nil, nil
	return true
}

// next gives the revision that the first event of each request will have if its
// expectation holds; false where one is of a stream that is not known well enough.
func (h *heads) next(server int64, batch []*request) (revisions []int64, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != server {
		return nil, false
	}
	revisions = make([]int64, len(batch))
	for i, r := range batch {
		head, known := h.head(r.stream)
		switch {
		case r.expected == eventstore.NoStream && !known:
			head = eventstore.NoRevision
		case !known || r.expected != eventstore.Any && r.expected != head:
			return nil, false
		}
		revisions[i] = head + 1
	}
	return revisions, true
}

func (h *heads) head(stream string) (int64, bool) {
	if head, ok := h.young[stream]; ok {
		return head, true
	}
	head, ok := h.old[stream]
	return head, ok
}

// learn notes where streams have come to on a server.
func (h *heads) learn(server int64, placed map[string]eventstore.Receipt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server != server {
		return
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
