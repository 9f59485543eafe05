package interact

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
)

// running knows the turns this process works on, or is about to claim.
type running struct {
	mu    sync.Mutex
	turns map[turnID]int
	ends  map[string]time.Time
}

// maxEnds bounds the memory of when turns ended; all are forgotten when it is
// reached.
const maxEnds = 10_000

type turnID struct {
	task   string
	number int
}

func newRunning() *running { return &running{turns: map[turnID]int{}, ends: map[string]time.Time{}} }

// enter notes a turn before it is claimed, so that no moment exists in which it
// is claimed and looks dead. The function it gives takes the note back.
func (r *running) enter(task string, number int) (leave func()) {
	id := turnID{task, number}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turns[id]++
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.turns[id]--; r.turns[id] == 0 {
			delete(r.turns, id)
		}
	}
}

func (r *running) works(task string, number int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turns[turnID{task, number}] > 0
}

// ended notes when a task's turn ended.
func (r *running) ended(task string, now commands.Clock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ends) >= maxEnds {
		clear(r.ends)
	}
	r.ends[task] = now()
}

// overlapped reports whether a request began to arrive while a turn of its task
// ran here. It was sent without knowing that turn's answer, so it is no
// continuation of it, even where the turn is over by the time it is looked at.
func (r *running) overlapped(task string, received time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	end, ok := r.ends[task]
	return ok && !received.IsZero() && received.Before(end)
}

// maxCachedStates bounds the memory of folded states kept between the turns of
// running tasks: a state is some ten kilobytes, a large page's skeleton a
// hundred. All are forgotten when it is reached; the stream is folded again.
const maxCachedStates = 256

// stateCache keeps folded states, so that a turn reads only what its stream has
// since the turn before. It is never wrong, only old: every load goes on from it.
type stateCache struct {
	mu     sync.Mutex
	limit  int
	states map[string]version
}

func newStateCache(limit int) *stateCache {
	return &stateCache{limit: limit, states: map[string]version{}}
}

func (c *stateCache) get(stream string) version {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.states[stream]; ok {
		return v
	}
	return commands.Tasks.Start()
}

func (c *stateCache) put(stream string, v version) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v.State.Ended() {
		delete(c.states, stream)
		return
	}
	if len(c.states) >= c.limit {
		clear(c.states)
	}
	c.states[stream] = v
}
