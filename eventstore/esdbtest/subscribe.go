package esdbtest

import (
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
)

// Subscriptions read the log themselves, each at the pace of its client, so
// that none can hold up a write or fall behind what the server remembers.

func (r *reading) confirm() error {
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_Confirmation{
		Confirmation: &streams.ReadResp_SubscriptionConfirmation{SubscriptionId: uuid.NewString()},
	}})
}

func (r *reading) caughtUp() error {
	return r.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_CaughtUp_{CaughtUp: &streams.ReadResp_CaughtUp{}}})
}

// head is how many records there are, and where the last one stands.
func (db *database) head() (records int, last *record) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	return len(db.records), db.records[len(db.records)-1]
}

// follow hands over every record from an index on, for as long as the call is
// wanted and do returns nil.
func (r *reading) follow(index int, do func(*record) error) error {
	for {
		r.db.mu.RLock()
		fresh, grown := r.db.records[index:], r.db.grown
		r.db.mu.RUnlock()
		for _, e := range fresh {
			if err := do(e); err != nil {
				return err
			}
		}
		index += len(fresh)
		select {
		case <-r.stream.Context().Done():
			return r.stream.Context().Err()
		case <-grown:
		}
	}
}

// subscribeStream follows a stream after a revision, or from its end.
func (r *reading) subscribeStream(stream string, after int64, fromEnd bool) error {
	r.db.mu.RLock()
	live, last := len(r.db.records), r.db.last(stream)
	r.db.mu.RUnlock()
	if err := r.confirm(); err != nil {
		return err
	}
	if fromEnd {
		after = last
	}
	if after < last {
		var err error
		if after, err = r.catchUpStream(stream, after); err != nil {
			return err
		}
	}
	if err := r.caughtUp(); err != nil {
		return err
	}
	return r.follow(live, func(e *record) error {
		if e.void || e.stream != stream || e.revision <= after {
			return nil
		}
		if err := r.event(e); err != nil {
			return err
		}
		after = e.revision
		if e.typ == tombstoneType {
			return errStreamDeleted(stream)
		}
		return nil
	})
}

// catchUpStream sends what is there of a stream after a revision, and returns
// how far it came.
func (r *reading) catchUpStream(stream string, after int64) (int64, error) {
	v := r.db.view(stream)
	if v.ended {
		return after, errStreamDeleted(stream)
	}
	for from, isEnd := after+1, !v.exists; !isEnd; {
		var events []*record
		events, from, isEnd = v.page(from, pageSize)
		for _, e := range events {
			if err := r.event(e); err != nil {
				return after, err
			}
			after = e.revision
		}
	}
	return after, nil
}

// subscribeAll follows $all after an offset. Filtered, it sends checkpoints.
func (r *reading) subscribeAll(from offset, isStart bool, f filter) error {
	live, last := r.db.head()
	if err := r.confirm(); err != nil {
		return err
	}
	c := &cursor{reading: r, filter: f, isStart: isStart, passed: from}
	if from == end {
		c.passed = last.offset()
	}
	if isStart || c.passed.compare(last.offset()) < 0 {
		if err := c.catchUp(); err != nil {
			return err
		}
	}
	if err := r.caughtUp(); err != nil {
		return err
	}
	return c.live(live)
}

// cursor is a subscription to $all under way: it has passed everything up to an
// offset, which isStart puts before all events.
type cursor struct {
	*reading
	filter  filter
	isStart bool
	passed  offset
	told    *offset // the last checkpoint sent
	counted int     // events looked at since then
}

func (c *cursor) hasPassed(o offset) bool { return !c.isStart && o.compare(c.passed) <= 0 }

func (c *cursor) pass(o offset) { c.passed, c.isStart = o, false }

func (c *cursor) send(e *record) error {
	if err := c.event(e); err != nil {
		return err
	}
	c.pass(e.offset())
	return nil
}

// checkpoint tells how far the subscription has come. None is sent twice.
func (c *cursor) checkpoint() error {
	if c.filter.interval == 0 || c.isStart || c.told != nil && c.passed.compare(*c.told) <= 0 {
		return nil
	}
	told := c.passed
	c.told = &told
	return c.stream.Send(&streams.ReadResp{Content: &streams.ReadResp_Checkpoint_{
		Checkpoint: &streams.ReadResp_Checkpoint{CommitPosition: c.passed.commit, PreparePosition: c.passed.prepare},
	}})
}

// catchUp reads page by page to the end of the log. Where a filter left the end
// of a page out, the page's first record is the last the server vouches for.
func (c *cursor) catchUp() error {
	for at := c.passed; ; {
		p, ok := c.db.forwards(at, c.filter)
		if !ok {
			return errInvalidPosition()
		}
		for _, e := range p.events {
			if c.hasPassed(e.offset()) {
				continue
			}
			if err := c.send(e); err != nil {
				return err
			}
		}
		if !c.hasPassed(p.from) && p.from.compare(p.next) < 0 {
			c.pass(p.from)
		}
		c.counted += p.considered
		if p.isEnd {
			c.counted = 0
			return c.checkpoint()
		}
		if c.filter.interval > 0 && c.counted >= c.filter.interval {
			c.counted %= c.filter.interval
			if err := c.checkpoint(); err != nil {
				return err
			}
		}
		at = p.next
	}
}

func (c *cursor) live(index int) error {
	return c.follow(index, func(e *record) error {
		if e.void {
			return nil
		}
		if c.filter.matches(e) && !c.hasPassed(e.offset()) {
			if err := c.send(e); err != nil {
				return err
			}
		}
		c.counted++
		if c.filter.interval == 0 || c.counted < c.filter.interval {
			return nil
		}
		c.counted = 0
		if !c.isStart && e.offset().compare(c.passed) < 0 {
			return nil // the client began beyond
		}
		c.pass(e.offset())
		return c.checkpoint()
	})
}
