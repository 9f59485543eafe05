package postgres

import (
	"runtime"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/stepledger/stepledger/eventstore"
)

// A batch stays small enough that those who wait for it hardly notice, and the
// server needs no unusual memory for it. A larger append goes alone.
const (
	maxBatchEvents = 1_000
	maxBatchBytes  = 4 << 20
)

// Half a batch in each of two lanes is faster than a whole one in one, as long as
// a half is worth a round trip of its own: what a batch costs by itself, some
// 200 µs, is what a dozen events cost.
const (
	maxLanes   = 2
	worthALane = 8 // requests
)

// maxYields bounds gather, should there be no end of newcomers.
const maxYields = 16

// request is one Append on its way through the queue.
type request struct {
	stream   string
	expected int64
	events   []eventstore.Proposed
	ids      []pgtype.UUID
	along    Along
	archived archivedIDs
	bytes    int
	done     chan answer // holds one
	taken    bool        // guarded by queue.mu
	left     bool        // its caller has; guarded by queue.mu
}

type answer struct {
	receipt eventstore.Receipt
	err     error
}

// queue holds the appends that wait for one of the lanes, oldest first.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*request
	closed  bool
	// lanes are how many batches are under way, a lone append among them, and
	// underway the streams their requests are for, one each.
	lanes    int
	underway map[string]bool
	// inCompany says that the last batch was not a lone request's.
	inCompany bool
}

func newQueue() *queue {
	q := &queue{underway: make(map[string]bool)}
	q.arrived.L = &q.mu
	return q
}

// lead reports whether a request may run at once by itself: nothing is under
// way, nothing waits, and there was no company just now. The caller then
// releases the queue.
func (q *queue) lead(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.lanes > 0 || q.inCompany || len(q.waiting) > 0 {
		return false
	}
	q.start(r)
	return true
}

func (q *queue) start(batch ...*request) {
	q.lanes++
	for _, r := range batch {
		r.taken = true
		q.underway[r.stream] = true
	}
}

// release says that a batch under way is over.
func (q *queue) release(batch ...*request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lanes--
	for _, r := range batch {
		delete(q.underway, r.stream)
	}
	if q.isWorthALane() {
		q.arrived.Signal()
	}
}

// put adds a request; it reports false when the queue is closed.
func (q *queue) put(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return false
	}
	q.waiting = append(q.waiting, r)
	if q.isWorthALane() {
		q.arrived.Signal()
	}
	return true
}

// isWorthALane reports whether a lane is free for what waits: the first takes
// anything, another one only what is worth its round trip.
func (q *queue) isWorthALane() bool {
	return len(q.waiting) > 0 && q.lanes < maxLanes && (q.lanes == 0 || len(q.waiting) >= worthALane)
}

// leave says that nobody waits for the request any more. It reports whether it
// was still in the queue, so that it now never happens.
func (q *queue) leave(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	r.left = true
	return !r.taken
}

// take waits for requests and gives the next batch, nil when the queue is closed.
// The lane releases the queue when the batch is over.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if q.inCompany {
			q.gather()
		}
		if batch := q.next(); len(batch) > 0 {
			q.inCompany = q.lanes > 0 || len(batch) > 1
			q.start(batch...)
			return batch
		}
		if q.closed {
			return nil
		}
		q.arrived.Wait()
	}
}

// gather lets those run who were just answered and are about to be back with
// their next append, for as long as they do come. It turns two half batches into a
// full one, and is no wait: where nobody else has anything to do it returns at once.
// A lone writer is spared even that.
func (q *queue) gather() {
	for range maxYields {
		before := len(q.waiting)
		q.mu.Unlock()
		runtime.Gosched()
		q.mu.Lock()
		if len(q.waiting) == before {
			return
		}
	}
}

// next picks the requests of a batch: in order of arrival, one to a stream (the
// second has to see the first's outcome), up to the size of a batch, or to half of
// all there are when both halves are worth a lane.
func (q *queue) next() []*request {
	if q.closed || !q.isWorthALane() {
		return nil
	}
	share := len(q.waiting)
	if all := len(q.waiting) + len(q.underway); all >= 2*worthALane {
		share = (all + 1) / 2
	}
	var batch, rest []*request
	events, bytes := 0, 0
	streams := make(map[string]bool, len(q.waiting))
	for i, r := range q.waiting {
		if r.left {
			continue
		}
		if streams[r.stream] || q.underway[r.stream] {
			rest = append(rest, r)
			continue
		}
		events, bytes = events+len(r.events), bytes+r.bytes
		if len(batch) == share || len(batch) > 0 && (events > maxBatchEvents || bytes > maxBatchBytes) {
			rest = append(rest, q.waiting[i:]...)
			break
		}
		streams[r.stream] = true
		batch = append(batch, r)
	}
	q.waiting = rest
	return batch
}

// close refuses everything that waits or comes later.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	for _, r := range q.waiting {
		r.done <- answer{err: errClosed}
	}
	q.waiting = nil
	q.arrived.Broadcast()
}
