package interact

import (
	"sync"

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
