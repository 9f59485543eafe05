package esdb

import (
	"context"
	"iter"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"

	"github.com/stepledger/stepledger/eventstore"
)

// Subscribe implements eventstore.Subscriber.
func (s *Store) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	return func(yield func(eventstore.Page, error) bool) {
		l := &liveFeed{Store: s, filter: f}
		defer l.live.end()
		for p, err := range eventstore.Follow(ctx, l, after, f) {
			if !yield(p, err) {
				return
			}
		}
	}
}

// liveFeed is the feed of one subscriber: it waits by a subscription of the
// server, whose events are then read from here.
type liveFeed struct {
	*Store
	filter eventstore.Filter
	live   live
}

// ReadAll gives what the subscription has brought; it reads where there is no
// subscription, or one that has been silent.
func (l *liveFeed) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	if !l.live.isTalking() {
		page, err := l.Store.ReadAll(ctx, after, limit, f)
		l.live.compare(len(page.Events), err)
		return page, err
	}
	page := eventstore.Page{Scanned: after}
	for _, m := range l.live.brought {
		page.Scanned = max(page.Scanned, m.position)
		if m.event == nil || m.position <= after || isSystem(m.event) {
			continue
		}
		if r := fromWire(m.event); f.Matches(r) {
			page.Events = append(page.Events, r)
		}
	}
	err := l.bounded(ctx, "follow the log", func(ctx context.Context) (err error) {
		if page.Events, err = l.visible(ctx, page.Events); err == nil {
			page.Log, err = l.name(ctx)
		}
		return err
	})
	if err == nil {
		l.live.brought = nil
	}
	return page, err
}

// Wait subscribes after a position, where that has not been done, and waits.
func (l *liveFeed) Wait(ctx context.Context, after int64) error {
	return l.live.wait(ctx, l.Store, func(ctx context.Context, c *esdb.Client) (*esdb.Subscription, error) {
		o := esdb.SubscribeToAllOptions{From: esdb.Start{}, Filter: serverFilter(l.filter), MaxSearchWindow: searchWindow}
		if after > 0 {
			o.From = place(after)
		}
		return c.SubscribeToAll(ctx, o)
	})
}

// searchWindow is after how many events that are left out the server says where
// it is.
const searchWindow = 256

// serverFilter is what of a filter the server can do: it knows prefixes.
func serverFilter(f eventstore.Filter) *esdb.SubscriptionFilter {
	switch {
	case len(f.Categories) > 0:
		return &esdb.SubscriptionFilter{Type: esdb.StreamFilterType, Prefixes: f.Categories}
	case len(f.Types) > 0:
		return &esdb.SubscriptionFilter{Type: esdb.EventFilterType, Prefixes: f.Types}
	}
	return nil
}

// SubscribeStream implements eventstore.Subscriber.
func (s *Store) SubscribeStream(ctx context.Context, stream string, from int64) iter.Seq2[eventstore.Slice, error] {
	return func(yield func(eventstore.Slice, error) bool) {
		l := &liveStream{Store: s, stream: stream}
		defer l.live.end()
		for slice, err := range eventstore.FollowStream(ctx, l, stream, from) {
			if !yield(slice, err) {
				return
			}
		}
	}
}

// liveStream is the store of one subscriber to a stream.
type liveStream struct {
	*Store
	stream string
	from   int64 // what was read for last
	live   live
}

// Head is not asked for: no append falls between a read and the wait, since the
// subscription starts where the read ended.
func (l *liveStream) Head(context.Context) (int64, error) { return 0, nil }

// ReadStream gives what the subscription has brought; it reads where there is no
// subscription, or one that has been silent.
func (l *liveStream) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	l.from = o.From
	if !l.live.isTalking() {
		slice, err := l.Store.ReadStream(ctx, stream, o)
		l.live.compare(len(slice.Events), err)
		return slice, err
	}
	var slice eventstore.Slice
	for _, m := range l.live.brought {
		if m.event == nil || toInt(m.event.EventNumber) < o.From {
			continue
		}
		r := fromWire(m.event)
		slice.Events = append(slice.Events, r)
		slice.Head, slice.Position = r.Revision, r.Position
	}
	l.live.brought = nil
	return slice, nil
}

// Wait subscribes from where the stream was read, where that has not been done,
// and waits.
func (l *liveStream) Wait(ctx context.Context, _ int64) error {
	from := l.from
	return l.live.wait(ctx, l.Store, func(ctx context.Context, c *esdb.Client) (*esdb.Subscription, error) {
		o := esdb.SubscribeToStreamOptions{From: esdb.Start{}}
		if from > 0 {
			o.From = esdb.Revision(uint64(from - 1))
		}
		return c.SubscribeToStream(ctx, l.stream, o)
	})
}

// live is a subscription of the server, opened when it is first waited for.
type live struct {
	sub     *subscription
	brought []message
	silent  bool // it has said nothing for a while
	lost    int  // how often in a row it has ended before it was of use
}

// isTalking reports whether there is something to be had from the subscription,
// now or later.
func (l *live) isTalking() bool { return len(l.brought) > 0 || l.sub != nil && !l.silent }

// compare ends a silent subscription when a read has found events that it should
// have brought.
func (l *live) compare(found int, err error) {
	if found > 0 {
		l.end()
	}
	if err == nil {
		l.silent = false
	}
}

// wait returns when the subscription has brought something, when it has ended, and
// when it has been silent for the timeout.
func (l *live) wait(ctx context.Context, s *Store, open func(context.Context, *esdb.Client) (*esdb.Subscription, error)) error {
	if l.sub == nil {
		l.sub = s.subscribe(ctx, open)
	}
	silence := time.NewTimer(s.o.Timeout)
	defer silence.Stop()
	for len(l.brought) == 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			l.silent, l.lost = true, 0
			return nil
		case m, ok := <-l.sub.messages:
			if !ok {
				return l.lose(ctx, s)
			}
			l.take(m)
		}
	}
	for len(l.brought) < eventstore.MaxPage {
		select {
		case m, ok := <-l.sub.messages:
			if !ok {
				return l.lose(ctx, s)
			}
			l.take(m)
		default:
			return nil
		}
	}
	return nil
}

func (l *live) take(m message) {
	if !m.opened {
		l.brought = append(l.brought, m)
		l.lost = 0
	}
}

// lose notes that the subscription has ended. Where it was of no use it waits,
// longer each time: there is none to a stream that was ended.
func (l *live) lose(ctx context.Context, s *Store) error {
	l.end()
	if len(l.brought) == 0 {
		sleep(ctx, min(s.o.PollFloor<<l.lost, s.o.Timeout))
		l.lost = min(l.lost+1, 10)
	}
	return ctx.Err()
}

// end closes the subscription. What it has brought stays.
func (l *live) end() {
	if l.sub != nil {
		l.sub.stop()
		l.sub = nil
	}
}
