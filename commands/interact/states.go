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

// stateCache keeps folded states, so that a turn reads only new events of its stream, and
// none where nobody else has written to it. A cached state may be old but never wrong:
// every load continues from it, and an append at its revision finds out.
type stateCache struct {
	mu     sync.Mutex
	era    int // how often all was forgotten
	limit  int
	states map[string]kept
	now    commands.Clock
}

// kept is a task's state with that of its session, if that is known. Of a task that has
// ended only that is kept.
type kept struct {
	version
	session sessionVersion
	ended   bool
	until   time.Time
}

// keptFor bounds how long text stays in memory after another process dropped its key.
// It is longer than a user takes between two turns.
const keptFor = time.Minute

func newStateCache(limit int, now commands.Clock) *stateCache {
	return &stateCache{limit: limit, states: map[string]kept{}, now: now}
}

func (c *stateCache) get(stream string) kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.states[stream]; ok && c.now().Before(v.until) {
		return v
	}
	return kept{version: commands.Tasks.Start()}
}

// put keeps a state unless a newer one is kept, or all was forgotten since the era it is of.
// A session that is not known is that which was.
func (c *stateCache) put(era int, stream string, v version, s sessionVersion) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, known := c.states[stream]
	switch {
	case era != c.era || !v.State.Exists() || known && before.Revision > v.Revision:
		return
	case known && !s.State.Exists:
		s = before.session
	}
	if !known && len(c.states) >= c.limit {
		clear(c.states)
	}
	k := kept{version: v, session: s, until: c.now().Add(keptFor)}
	if v.State.Ended() {
		k = kept{version: commands.Tasks.Start(), ended: true, until: k.until}
	}
	c.states[stream] = k
}

// present is the era that begins with every forgetAll.
func (c *stateCache) present() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.era
}

func (c *stateCache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.era++
	clear(c.states)
}

// forget drops a stream's state.
func (c *stateCache) forget(stream string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.states, stream)
}
