// Package tail reads the end of a log once for all who follow it in a process: read
// models, reactions, and whoever looks for news.
//
// A Tail is the store it stands before, and keeps its promises. From the first Wait on it
// follows the log itself and holds what came last in a window. It promises:
//
//   - ReadAll and Subscribe give what the store would give, in its order: from the window
//     where that has all of it, with the filter applied here, else from the store. At the
//     end of the window the store is asked, so that a call sees all that was answered
//     before it began.
//   - Under load the log is read every Options.Every, and followers wake together; an
//     event that comes after a pause is read at once. Hurry ends the wait for one who
//     needs a position.
//   - News that get lost delay as much as they delay the store's own Wait.
//   - The window is bounded in bytes and in age. It is given up when the store comes to
//     another server, which may have less of the log, and when a page is of another epoch.
//   - While the store cannot be read followers are woken: they ask it themselves, and are
//     told.
//
// Limits: what another process hides by retention may be handed out for as long as it is
// in the window, if that was the log's first retention lately. Once a log has a retention
// it is read without the window.
package tail

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// Options of a Tail. The zero value is suitable for production.
type Options struct {
	// Every is the shortest time between two reads of the log. 0 means 60 ms.
	Every time.Duration
	// Bytes and Age bound the window. 0 means 8 MiB and 5 seconds.
	Bytes int
	Age   time.Duration
	// Rouse is the longest time Wait goes on without news. 0 means 10 seconds.
	Rouse time.Duration
}

func (o Options) withDefaults() Options {
	const every, bytes, age, rouse = 60 * time.Millisecond, 8 << 20, 5 * time.Second, 10 * time.Second
	if o.Every == 0 {
		o.Every = every
	}
	if o.Bytes == 0 {
		o.Bytes = bytes
	}
	if o.Age == 0 {
		o.Age = age
	}
	if o.Rouse == 0 {
		o.Rouse = rouse
	}
	return o
}

// Tail is a store whose end is read once for all. It is safe for concurrent use.
type Tail struct {
	eventstore.Store
	o Options

	background context.Context
	stop       context.CancelFunc
	running    sync.WaitGroup
	start      sync.Once

	// reading has room for one read of the log beyond the window.
	reading chan struct{}

	mu     sync.Mutex
	window window
	moved  chan struct{} // closed when followers are to look; nil while nobody waits
	woken  time.Time     // when it was closed last
	flight int64         // how many reads beyond the window have begun
	landed int64         // the last of them that succeeded
	wanted int64         // somebody needs this position
	hurry  func()        // ends a pause of the follower
	// kept: the log may have a retention; asked says when that was asked for.
	kept  bool
	asked time.Time
}

var _ eventstore.Store = (*Tail)(nil)

// New returns the tail of a store. It reads nothing before somebody waits.
func New(s eventstore.Store, o Options) *Tail {
	t := &Tail{Store: s, o: o.withDefaults(), reading: make(chan struct{}, 1)}
	t.background, t.stop = context.WithCancel(context.Background())
	return t
}

// Close ends the tail, not the store. Followers that wait are woken by the store from
// then on.
func (t *Tail) Close() {
	t.stop()
	t.start.Do(func() {}) // nothing begins any more
	t.running.Wait()
}

// ReadAll implements eventstore.Feed.
func (t *Tail) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	limit, err := eventstore.CheckReadAll(after, limit, f)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return eventstore.Page{}, err
	}
	page, at := t.look(after, limit, f)
	if at == atEnd {
		if err := t.readOn(ctx); err != nil {
			return eventstore.Page{}, err
		}
		if page, at = t.look(after, limit, f); at == atEnd {
			return eventstore.Page{Scanned: after, End: true, Log: page.Log}, nil
		}
	}
	if at == inside {
		return page, nil
	}
	return t.Store.ReadAll(ctx, after, limit, f)
}

// Wait implements eventstore.Feed.
func (t *Tail) Wait(ctx context.Context, after int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.start.Do(func() { t.running.Go(t.follow) })
	moved := t.beyond(after)
	if moved == nil {
		return nil
	}
	select {
	case <-moved:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-t.background.Done():
		return t.Store.Wait(ctx, after)
	}
}

// Subscribe implements eventstore.Subscriber.
func (t *Tail) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	return eventstore.Follow(ctx, t, after, f)
}

// Hurry has the log read at once if a position was not reached yet: somebody waits for
// what followers make of it.
func (t *Tail) Hurry(position int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if position > t.wanted {
		t.wanted = position
	}
	if position > t.window.end && t.hurry != nil {
		t.hurry()
	}
}

// SetRetention implements eventstore.Keeper.
func (t *Tail) SetRetention(ctx context.Context, stream string, r eventstore.Retention) error {
	defer t.keep()
	return t.Store.SetRetention(ctx, stream, r)
}

// Delete implements eventstore.Keeper.
func (t *Tail) Delete(ctx context.Context, stream string, expected int64) error {
	defer t.keep()
	return t.Store.Delete(ctx, stream, expected)
}

// Tombstone implements eventstore.Keeper.
func (t *Tail) Tombstone(ctx context.Context, stream string, expected int64) error {
	defer t.keep()
	return t.Store.Tombstone(ctx, stream, expected)
}

// keep has the log read without the window from now on.
func (t *Tail) keep() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = true
}
