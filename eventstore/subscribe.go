package eventstore

import (
	"context"
	"errors"
	"iter"
	"time"
)

// Subscriber follows the log, or a stream: first what is there, then what comes,
// in order, each event at least once, until the consumer breaks off or ctx ends.
//
// A consumer is given one page at a time and the next is read when it asks for
// it: a slow one makes no writer wait, and holds one page in memory.
//
// Trouble comes as a pair with an error. A consumer that goes on after an
// *UnavailableError is served again when the store is back, from where it was;
// any other error, a context that ended among them, is the last pair. The page
// beside an error has no events and says where the subscription stands.
type Subscriber interface {
	// Subscribe follows the log after a position (exclusive). Each page moves
	// Scanned on; it has no events where the filter left them out.
	Subscribe(ctx context.Context, after int64, f Filter) iter.Seq2[Page, error]
	// SubscribeStream follows a stream, which need not exist yet, from a
	// revision (inclusive). No slice is empty; More says that it is not at the
	// end of the stream.
	SubscribeStream(ctx context.Context, stream string, from int64) iter.Seq2[Slice, error]
}

// How long Follow waits before it tries again: doubled each time.
const (
	firstPause = 50 * time.Millisecond
	lastPause  = 5 * time.Second
)

// Follow implements Subscribe by reading and waiting.
func Follow(ctx context.Context, s Feed, after int64, f Filter) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		again, atEnd := patience{}, false
		for {
			var p Page
			var err error
			if atEnd {
				err = s.Wait(ctx, after)
			}
			if err == nil {
				p, err = s.ReadAll(ctx, after, 0, f)
			}
			if err != nil {
				if !yield(Page{Scanned: after}, err) || !again.after(ctx, err) {
					return
				}
				atEnd = false
				continue
			}
			atEnd = p.End || p.Scanned == after
			if p.Scanned == after {
				continue
			}
			again, after = patience{}, p.Scanned
			if !yield(p, nil) {
				return
			}
		}
	}
}

// FollowStream implements SubscribeStream by reading and waiting.
func FollowStream(ctx context.Context, s Store, stream string, from int64) iter.Seq2[Slice, error] {
	return func(yield func(Slice, error) bool) {
		again := patience{}
		for {
			slice, err := next(ctx, s, stream, from)
			if err != nil {
				if !yield(Slice{Head: from - 1}, err) || !again.after(ctx, err) {
					return
				}
				continue
			}
			again = patience{}
			if len(slice.Events) == 0 {
				continue
			}
			from = slice.Events[len(slice.Events)-1].Revision + 1
			if !yield(slice, nil) {
				return
			}
		}
	}
}

// next reads a stream from a revision; where nothing is there it waits once. The
// head of the log is asked for first, so that no append falls between the read
// and the wait.
func next(ctx context.Context, s Store, stream string, from int64) (Slice, error) {
	head, err := s.Head(ctx)
	if err != nil {
		return Slice{}, err
	}
	slice, err := s.ReadStream(ctx, stream, ReadOptions{From: from})
	if err != nil || len(slice.Events) > 0 {
		return slice, err
	}
	return slice, s.Wait(ctx, head)
}

// patience counts how often in a row a subscription has met trouble.
type patience struct{ pause time.Duration }

// after waits before the next try; it reports false where there is no point.
func (p *patience) after(ctx context.Context, err error) bool {
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) {
		return false
	}
	p.pause = min(max(2*p.pause, firstPause), lastPause)
	select {
	case <-ctx.Done():
		return true // the next read says so
	case <-time.After(p.pause):
		return true
	}
}
