package tail

import (
	"context"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

const (
	// firstPause and lastPause bound the wait after a read that failed; it doubles.
	firstPause, lastPause = 50 * time.Millisecond, 2 * time.Second
	// readWithin bounds a read of the tail's own.
	readWithin = 10 * time.Second
	// pageSize is how many events are read at once.
	pageSize = 1000
	// askEvery is how often a log without a retention is asked whether it has one.
	askEvery = time.Minute
)

// follow reads the log as it grows, until Close.
func (t *Tail) follow() {
	var pause time.Duration
	for t.background.Err() == nil {
		ctx, done := t.pausing()
		t.await(ctx, pause)
		done()
		if err := t.refresh(); err != nil {
			pause = min(max(2*pause, firstPause), lastPause)
			t.wake() // followers ask for themselves, and are told
			continue
		}
		pause = 0
	}
}

// pausing is a context that ends when somebody is in a hurry.
func (t *Tail) pausing() (context.Context, func()) {
	ctx, cancel := context.WithCancel(t.background)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hurry = cancel
	if t.wanted > t.window.end && t.window.based {
		t.wanted = 0 // one read for one wish: the position may not be there for long
		cancel()
	}
	return ctx, func() {
		cancel()
		t.mu.Lock()
		defer t.mu.Unlock()
		t.hurry = nil
	}
}

// await returns when the log is to be read: there are news, and the last read was long
// enough ago, or somebody is in a hurry.
func (t *Tail) await(ctx context.Context, pause time.Duration) {
	if pause > 0 {
		sleep(ctx, pause)
		return
	}
	t.mu.Lock()
	based, end, caughtUp, last := t.window.based, t.window.end, t.window.atEnd, t.lastRead()
	t.mu.Unlock()
	if !based {
		return
	}
	if caughtUp && t.Store.Wait(ctx, end) != nil {
		return
	}
	sleep(ctx, t.o.Every-time.Since(last))
}

// lastRead is when the newest page came.
func (t *Tail) lastRead() (at time.Time) {
	if n := len(t.window.pages); n > 0 {
		at = t.window.pages[n-1].at
	}
	return at
}

// refresh reads what is there beyond the window, from the head of the log on when there
// is no window yet.
func (t *Tail) refresh() error {
	ctx, cancel := context.WithTimeout(t.background, readWithin)
	defer cancel()
	if err := t.askForRetention(ctx); err != nil {
		return err
	}
	if based, err := t.base(ctx); err != nil || !based {
		return err
	}
	return t.readOn(ctx)
}

// base begins the window at the head of the log where there is none, or where it is of
// another server. It reports whether there was one.
func (t *Tail) base(ctx context.Context) (based bool, err error) {
	if err := t.takeTurn(ctx); err != nil {
		return false, err
	}
	defer t.endTurn()
	t.mu.Lock()
	t.forgetOther()
	based = t.window.based
	t.mu.Unlock()
	if based {
		return true, nil
	}
	log, err := t.ID(ctx)
	if err != nil {
		return false, err
	}
	head, err := t.Head(ctx)
	if err != nil {
		return false, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.window = window{based: true, generation: t.generation(), log: log, start: head, end: head, atEnd: true}
	t.wakeLocked()
	return false, nil
}

// readOn reads what is beyond the window. A call that finds another one's read begun
// after it came, and done, needs none of its own.
func (t *Tail) readOn(ctx context.Context) error {
	t.mu.Lock()
	came := t.flight
	t.mu.Unlock()
	if err := t.takeTurn(ctx); err != nil {
		return err
	}
	defer t.endTurn()
	t.mu.Lock()
	after, of, done := t.window.end, t.window.generation, t.landed > came || !t.window.based
	if !done {
		t.flight++
	}
	t.mu.Unlock()
	if done {
		return nil
	}
	page, err := t.Store.ReadAll(ctx, after, pageSize, eventstore.Filter{})
	if err != nil {
		return err
	}
	t.land(page, of)
	return nil
}

func (t *Tail) takeTurn(ctx context.Context) error {
	select {
	case t.reading <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *Tail) endTurn() { <-t.reading }

// land puts a page that was read into the window, unless that is another's by now.
func (t *Tail) land(p eventstore.Page, generation int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetOther()
	if !t.window.based || t.window.generation != generation {
		return
	}
	if p.Log != t.window.log { // the log goes on in another epoch
		t.window = window{}
		t.wakeLocked()
		return
	}
	now := time.Now()
	news := p.Scanned > t.window.end
	t.landed = t.flight
	t.window.add(p, now)
	t.window.trim(t.o.Bytes, now.Add(-t.o.Age))
	if news || now.Sub(t.woken) >= t.o.Rouse {
		t.wakeLocked()
	}
}

// look gives what the window has behind a position, and where that is.
func (t *Tail) look(after int64, limit int, f eventstore.Filter) (eventstore.Page, place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetOther()
	t.window.trim(t.o.Bytes, time.Now().Add(-t.o.Age))
	at := t.window.find(after)
	if t.kept {
		at = outside
	}
	if at != inside {
		return eventstore.Page{Log: t.window.log}, at
	}
	return t.window.read(after, limit, f), inside
}

// beyond gives nil when the log is known to go on behind a position, else what is closed
// when it is to be looked at.
func (t *Tail) beyond(after int64) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetOther()
	if t.window.based && t.window.end > after {
		return nil
	}
	if t.moved == nil {
		t.moved = make(chan struct{})
	}
	return t.moved
}

func (t *Tail) wake() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wakeLocked()
}

func (t *Tail) wakeLocked() {
	t.woken = time.Now()
	if t.moved != nil {
		close(t.moved)
		t.moved = nil
	}
}

// generation is what the store says of the server it has come to; see forgetOther.
func (t *Tail) generation() int64 {
	if s, ok := t.Store.(interface{ Generation() int64 }); ok {
		return s.Generation()
	}
	return 0
}

// forgetOther gives up the window of a server that is not the store's any more: the
// other one may have less of the log, and other events at these positions.
func (t *Tail) forgetOther() {
	if t.window.based && t.window.generation != t.generation() {
		t.window = window{}
		if t.hurry != nil {
			t.hurry()
		}
	}
}

// askForRetention asks now and then whether other processes have set a retention.
func (t *Tail) askForRetention(ctx context.Context) error {
	t.mu.Lock()
	due := !t.kept && time.Since(t.asked) >= askEvery
	t.mu.Unlock()
	if !due {
		return nil
	}
	kept, err := t.Kept(ctx, "", 1)
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.asked = time.Now()
	t.kept = t.kept || len(kept) > 0
	return nil
}

func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
