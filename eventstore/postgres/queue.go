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

// maxYields bounds gather, should there be no end of newcomers.
const maxYields = 16

// request is one Append on its way through the queue.
type request struct {
	stream   string
	expected int64
	events   []eventstore.Proposed
	ids      []pgtype.UUID
	bytes    int
	done     chan answer // holds one
	taken    bool        // guarded by queue.mu
	left     bool        // its caller has; guarded by queue.mu
}

type answer struct {
	receipt eventstore.Receipt
	err     error
}

// queue holds the appends that wait for a lane, oldest first.
type queue struct {
	mu      sync.Mutex
	arrived sync.Cond
	waiting []*request
	closed  bool
	// busy says that a batch is under way, a lane's or a lone append's.
	busy bool
	// inCompany says that the last batch was of several requests.
	inCompany bool
}

func newQueue() *queue {
	q := &queue{}
	q.arrived.L = &q.mu
	return q
}

// lead reports whether a request may run at once by itself: nothing is under
// way, nothing waits, and there was no company just now. The caller then
// releases the queue.
func (q *queue) lead(r *request) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.busy || q.inCompany || len(q.waiting) > 0 {
		return false
	}
	q.busy, r.taken = true, true
	return true
}

// release says that the batch under way is over.
func (q *queue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy = false
	if len(q.waiting) > 0 {
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
	q.arrived.Signal()
	return true
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
	if q.inCompany {
		q.gather()
	}
	for {
		if batch := q.next(); len(batch) > 0 || q.closed {
			q.busy, q.inCompany = len(batch) > 0, len(batch) > 1
			return batch
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
// second has to see the first's outcome), up to the size of a batch.
func (q *queue) next() []*request {
	if q.closed || q.busy {
		return nil
	}
	var batch, rest []*request
	events, bytes := 0, 0
	streams := make(map[string]bool, len(q.waiting))
	for i, r := range q.waiting {
		if r.left {
			continue
		}
		if streams[r.stream] {
			rest = append(rest, r)
			continue
		}
		events, bytes = events+len(r.events), bytes+r.bytes
		if len(batch) > 0 && (events > maxBatchEvents || bytes > maxBatchBytes) {
			rest = append(rest, q.waiting[i:]...)
			break
		}
		streams[r.stream] = true
		r.taken = true
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
