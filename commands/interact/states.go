package interact

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
)

// maxCachedStates bounds the memory of folded states kept between the turns of
// running tasks: a state is some ten kilobytes, a large page's skeleton a
// hundred. All are forgotten when it is reached; the stream is folded again.
const maxCachedStates = 256

// stateCache keeps folded states, so that a turn reads only what its stream has
// since the turn before. It is never wrong, only old: every load goes on from it.
type stateCache struct {
	mu     sync.Mutex
	limit  int
	states map[string]kept
	now    commands.Clock
}

type kept struct {
	version
	until time.Time
}

// keptFor bounds how long text is in memory whose key another process has
// dropped; it is longer than a user needs between two turns of a running task.
const keptFor = time.Minute

func newStateCache(limit int, now commands.Clock) *stateCache {
	return &stateCache{limit: limit, states: map[string]kept{}, now: now}
}

func (c *stateCache) get(stream string) version {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.states[stream]; ok && c.now().Before(v.until) {
		return v.version
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
	c.states[stream] = kept{v, c.now().Add(keptFor)}
}
