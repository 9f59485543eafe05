package interact

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
)

// maxCachedStates bounds the folded states kept between turns: a state has some ten
// kilobytes, with a large page's skeleton a hundred. When it is reached all are
// dropped, and the streams are folded again.
const maxCachedStates = 256

// stateCache keeps folded states, so that a turn reads only new events of its stream.
// A cached state may be old but never wrong, since every load continues from it.
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

// keptFor bounds how long text stays in memory after another process dropped its key.
// It is longer than a user takes between two turns.
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

// forget drops a stream's state.
func (c *stateCache) forget(stream string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.states, stream)
}
