package interact

import (
	"sync"
	"time"

	"github.com/stepledger/stepledger/commands"
	"github.com/stepledger/stepledger/domain/page"
)

// maxCachedPages bounds the bytes of pages kept between turns; an ordinary page has
// some hundred kilobytes. When it is reached all are dropped, and read again when
// needed. A page larger than a largePage-th of it is not kept.
const (
	maxCachedPages = 64 << 20
	largePage      = 8
)

// pageCache keeps the page of a task's last turn, so that an unchanged page is
// neither read nor stored again. Entries expire after keptFor, since they hold text.
type pageCache struct {
	mu    sync.Mutex
	limit int
	held  int // bytes of the pages
	pages map[string]keptPage
	now   commands.Clock
}

type keptPage struct {
	readPage
	size  int
	until time.Time
}

// readPage is a page that was read from a capture.
type readPage struct {
	// frame is the capture's Frame.
	frame string
	// page is the page before known secrets are removed.
	page page.Page
	// ref is the content reference of the capture.
	ref string
	// log is the one the page's turn is in: in an earlier state of it neither the page
	// nor its content was there.
	log string
}

// isOf reports whether the page was read from an equal capture.
func (s readPage) isOf(c page.Capture) bool {
	return s.frame == c.Frame() && s.page.DOMHash == c.DOMHash()
}

func newPageCache(limit int, now commands.Clock) *pageCache {
	return &pageCache{limit: limit, pages: map[string]keptPage{}, now: now}
}

func (c *pageCache) get(task string) (readPage, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.pages[task]
	return k.readPage, ok && c.now().Before(k.until)
}

func (c *pageCache) put(task string, s readPage) {
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

func (c *pageCache) forgetAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.pages)
	c.held = 0
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
