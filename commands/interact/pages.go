package interact

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/page"
)

// maxCachedPages bounds the memory of pages kept between the turns of running
// tasks, in bytes; an ordinary page is some hundred kilobytes. All are forgotten
// when it is reached: a page forgotten is read again. One that would take a
// largePage-th of it alone is not kept.
const (
	maxCachedPages = 64 << 20
	largePage      = 8
)

// pageCache keeps the page of a task's last turn, so that one that is still the
// same is neither read nor stored again. Like a folded state it is good for no
// longer than keptFor, since it holds text.
type pageCache struct {
	mu    sync.Mutex
	limit int
	held  int // bytes of the pages
	pages map[string]keptPage
	now   commands.Clock
}

type keptPage struct {
	seen
	size  int
	until time.Time
}

// seen is a page as it was read of a capture.
type seen struct {
	// frame is the capture's Frame.
	frame string
	// page is the page before secrets the task learnt elsewhere are hidden in it.
	page page.Page
	// ref is where the capture is stored.
	ref string
}

// shows reports whether reading the capture would give the same page.
func (s seen) shows(c page.Capture) bool {
	return s.frame == c.Frame() && s.page.DOMHash == c.DOMHash()
}

func newPageCache(limit int, now commands.Clock) *pageCache {
	return &pageCache{limit: limit, pages: map[string]keptPage{}, now: now}
}

func (c *pageCache) get(task string) (seen, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.pages[task]
	return k.seen, ok && c.now().Before(k.until)
}

func (c *pageCache) put(task string, s seen) {
	size := s.page.Size()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(task)
	if size > c.limit/largePage {
		return
	}
	if c.held+size > c.limit {
		clear(c.pages)
		c.held = 0
	}
	c.pages[task] = keptPage{s, size, c.now().Add(keptFor)}
	c.held += size
}

// forget drops the page of a task that has ended.
func (c *pageCache) forget(task string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(task)
}

func (c *pageCache) drop(task string) {
	c.held -= c.pages[task].size
	delete(c.pages, task)
}
