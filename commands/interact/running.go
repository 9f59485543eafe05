package interact

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
)

// running tracks the turns this process works on or is about to claim.
type running struct {
	mu    sync.Mutex
	turns map[turnID]int
	ends  map[string]time.Time
}

// maxEnds bounds how many ends of turns are remembered; all are dropped when it is
// reached.
const maxEnds = 10_000

type turnID struct {
	task   string
	number int
}

func newRunning() *running { return &running{turns: map[turnID]int{}, ends: map[string]time.Time{}} }

// enter notes a turn before it is claimed, so that a claimed turn never looks dead.
// The function it returns removes the note.
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

func (r *running) isRunning(task string, number int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.turns[turnID{task, number}] > 0
}

// ended records when a task's turn ended.
func (r *running) ended(task string, now commands.Clock) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ends) >= maxEnds {
		clear(r.ends)
	}
	r.ends[task] = now()
}

// overlapped reports whether a request began to arrive while a turn of its task was
// running here. It was sent without knowing that turn's answer, so it does not
// continue it, even if the turn has ended since.
func (r *running) overlapped(task string, received time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	end, ok := r.ends[task]
	return ok && !received.IsZero() && received.Before(end)
}
