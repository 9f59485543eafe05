package esdb

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"

	"github.com/stepledger/stepledger/eventstore"
)

// How many events one ReadAll looks at where some are left out, by a filter or by
// retention: the client has no filter for reads, so they all come over the line.
const (
	window     = 2_000
	keptWindow = 256
)

// ReadAll implements eventstore.Feed.
func (s *Store) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	limit, err := eventstore.CheckReadAll(after, limit, f)
	if err != nil {
		return eventstore.Page{}, err
	}
	var page eventstore.Page
	known := s.news.known()
	err = s.bounded(ctx, fmt.Sprintf("read the log after %d", after), func(ctx context.Context) (err error) {
		kept, err := s.isKept(ctx)
		if err != nil {
			return err
		}
		atMost := limit
		if kept {
			atMost = max(limit, keptWindow)
		}
		if page, err = s.pageAfter(ctx, after, atMost, f); err != nil {
			return err
		}
		page.Events, err = s.visible(ctx, page.Events)
		if len(page.Events) > limit {
			page.Events = page.Events[:limit]
			page.Scanned, page.End = page.Events[limit-1].Position, false
		}
		return err
	})
	if err == nil {
		page.Log, err = s.name(ctx)
	}
	switch {
	case err != nil:
		return eventstore.Page{}, err
	case page.Scanned == after:
		s.news.missed(after, known)
	default:
		s.news.reach(page.Scanned)
	}
	return page, nil
}

// pageAfter reads from the event at a position, which is known, or from the one
// right behind it. Where there is neither, the server answers other reads.
func (s *Store) pageAfter(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	return call(ctx, s, func(ctx context.Context, c *esdb.Client) (eventstore.Page, error) {
		if after == 0 {
			return page(ctx, c, esdb.Start{}, after, limit, f)
		}
		p, err := page(ctx, c, place(after), after, limit, f)
		if !isNowhere(err) || after == math.MaxInt64 {
			return p, err
		}
		p, next := page(ctx, c, place(after+1), after, limit, f)
		if !isNowhere(next) {
			return p, next
		}
		if _, other := newest(ctx, c); other != nil {
			return p, err
		}
		return p, &eventstore.InvalidError{What: "position", Why: fmt.Sprintf("no event is at %d or right after it", after)}
	})
}

// isNowhere reports that a position may not be that of a record. Servers have had
// no name for it.
func isNowhere(err error) bool {
	return err != nil && (statusOf(err) == codes.InvalidArgument || statusOf(err) == codes.Unknown)
}

func page(ctx context.Context, c *esdb.Client, from esdb.AllPosition, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	count := limit
	if len(f.Categories)+len(f.Types) > 0 {
		count = max(limit, window)
	}
	out := eventstore.Page{Scanned: after, End: true}
	until, received := soon(ctx), 0
	read, err := c.ReadAll(ctx, esdb.ReadAllOptions{From: from, Direction: esdb.Forwards}, uint64(count)+1)
	err = receive(read, err, func(e *esdb.RecordedEvent) bool {
		at := toInt(e.Position.Commit)
		received++
		if at <= after {
			return true
		}
		out.Scanned = at
		if r := fromWire(e); !isSystem(e) && f.Matches(r) {
			out.Events = append(out.Events, r)
		}
		out.End = len(out.Events) < limit && time.Now().Before(until)
		return out.End
	})
	out.End = out.End && received <= count // it could have sent one more
	return out, err
}

// soon is when half of the time that is left is over. A page that takes longer ends
// there: the same one would take as long again.
func soon(ctx context.Context) time.Time {
	deadline, _ := ctx.Deadline() // call has set one
	now := time.Now()
	return now.Add(deadline.Sub(now) / 2)
}

// Head implements eventstore.Feed. It counts system events, which a reader passes
// over; where there is nothing else the log is as good as empty.
func (s *Store) Head(ctx context.Context) (int64, error) {
	var at int64
	err := s.bounded(ctx, "head of the log", func(ctx context.Context) error {
		if is, err := s.isPeopled(ctx); err != nil || !is {
			return err
		}
		newest, err := call(ctx, s, newest)
		at = newest
		return err
	})
	if err == nil {
		s.news.reach(at)
	}
	return at, err
}

func newest(ctx context.Context, c *esdb.Client) (at int64, err error) {
	read, err := c.ReadAll(ctx, esdb.ReadAllOptions{From: esdb.End{}, Direction: esdb.Backwards}, 1)
	err = receive(read, err, func(e *esdb.RecordedEvent) bool {
		at = toInt(e.Position.Commit)
		return true
	})
	return at, err
}

// quiet is how many system events, a server's first and those of this package,
// an empty log may begin with. One that has more is taken for one that has others
// too, without looking further.
const quiet = 1_000

// isPeopled reports whether the log has events that are not the system's.
func (s *Store) isPeopled(ctx context.Context) (bool, error) {
	if s.peopled.Load() {
		return true, nil
	}
	type found struct {
		system int
		others bool
	}
	is, err := call(ctx, s, func(ctx context.Context, c *esdb.Client) (f found, err error) {
		read, err := c.ReadAll(ctx, esdb.ReadAllOptions{From: esdb.Start{}, Direction: esdb.Forwards}, quiet)
		err = receive(read, err, func(e *esdb.RecordedEvent) bool {
			f.others = !isSystem(e)
			f.system++
			return !f.others
		})
		return f, err
	})
	peopled := is.others || is.system == quiet
	if err == nil && peopled {
		s.peopled.Store(true)
	}
	return peopled, err
}
