package feed_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
)

// diary is a handler that notes what it handled and fails where it is told to.
type diary struct {
	mu      sync.Mutex
	handled []string // stream@revision
	broken  map[string]func() error
	tries   map[string]int
}

func newDiary() *diary {
	return &diary{broken: map[string]func() error{}, tries: map[string]int{}}
}

func place(e eventstore.Recorded) string { return fmt.Sprintf("%s@%d", e.Stream, e.Revision) }

func (d *diary) handle(_ context.Context, e eventstore.Recorded) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tries[place(e)]++
	if fail := d.broken[place(e)]; fail != nil {
		if err := fail(); err != nil {
			return err
		}
	}
	d.handled = append(d.handled, place(e))
	return nil
}

func (d *diary) breaks(at string, fail func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken[at] = fail
}

func (d *diary) pages() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.handled)
}

func (d *diary) triesOf(at string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.tries[at]
}

func fails(with error) func() error { return func() error { return with } }

var errBroken = errors.New("cannot be done")

// run runs consumers until the test or end ends it.
func (w world) run(t *testing.T, change func(*feed.RunnerConfig)) (r *feed.Runner, end func()) {
	t.Helper()
	c := feed.RunnerConfig{Config: w.config(t), Parking: w.keeper, Retries: 1}
	leads, die := w.process(t)
	c.Leads = leads
	change(&c)
	r = feed.NewRunner(c)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	end = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the runner ended with %v", err)
		}
		die()
	})
	t.Cleanup(end)
	return r, end
}

func reactions(handlers map[string]feed.Handler) func(*feed.RunnerConfig) {
	return func(c *feed.RunnerConfig) {
		for name, h := range handlers {
			c.Reactions = append(c.Reactions, feed.Reaction{Name: name, Topic: "task", Handle: h})
		}
	}
}

func (w world) parked(t *testing.T) []string {
	t.Helper()
	parked, err := w.keeper.Parked(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, p := range parked {
		out = append(out, fmt.Sprintf("%s %s@%d %s", p.Consumer, p.Stream, p.Revision, p.Reason))
	}
	return out
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func mustReplay(t *testing.T, r *feed.Runner, handled, left int) {
	t.Helper()
	h, l, err := r.Replay(t.Context(), "a")
	if err != nil || h != handled || l != left {
		t.Fatalf("%d handled, %d left, %v; want %d and %d", h, l, err, handled, left)
	}
}

func TestRunner_PoisonParksItsStreamUntilReplay(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		a, b := newDiary(), newDiary()
		a.breaks("task-1@1", fails(errBroken))
		r, _ := w.run(t, reactions(map[string]feed.Handler{"a": a.handle, "b": b.handle}))
		w.put(t, "task-1", "task-1", "task-2", "task-1", "task-2")
		eventually(t, "all are handled or put aside", func() bool {
			return len(a.pages()) == 3 && len(b.pages()) == 5 && len(w.parked(t)) == 2
		})
		wantLines(t, "handled", a.pages(), "task-1@0", "task-2@0", "task-2@1")
		wantLines(t, "put aside", w.parked(t), "a task-1@1 cannot be done", "a task-1@2 "+feed.BehindAnother)
		if n := a.triesOf("task-1@1"); n != 2 {
			t.Errorf("it was tried %d times, want once more", n)
		}
		wantFault(t, r, "consumer a has put 2 events aside")
		mustReplay(t, r, 0, 2)
		wantLines(t, "put aside", w.parked(t), "a task-1@1 cannot be done", "a task-1@2 "+feed.BehindAnother)
		a.breaks("task-1@1", nil)
		before := w.at(t, "a")
		mustReplay(t, r, 2, 0)
		if got := w.at(t, "a"); got < before {
			t.Errorf("the replay moved the checkpoint from %d to %d", before, got)
		}
		w.put(t, "task-1")
		eventually(t, "the stream goes on", func() bool { return len(a.pages()) == 6 })
		wantLines(t, "handled", a.pages()[3:], "task-1@1", "task-1@2", "task-1@3")
		wantFault(t, r, "")
	})
}

// wantFault wants the first thing that needs a person, "" for none.
func wantFault(t *testing.T, r *feed.Runner, want string) {
	t.Helper()
	eventually(t, fmt.Sprintf("the fault is %q", want), func() bool {
		all, err := r.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			if err := s.Fault(); err != nil {
				return err.Error() == want
			}
		}
		return want == ""
	})
}

// A crash after an event was put aside and before that was acknowledged: it is
// not handled when it comes again.
func TestRunner_WhatIsParkedStaysParkedWhenItComesAgain(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		e := w.put(t, "task-1", "task-1", "task-2")
		if err := w.keeper.Park(t.Context(), "a", e[0], "of the process before"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.keeper.Claim(t.Context(), feed.Consumer{Name: "a", Topic: "task", Log: logID(t, w)}); err != nil {
			t.Fatal(err)
		}
		// The claim of a consumer that was not known forgets what it put aside.
		if err := w.keeper.Park(t.Context(), "a", e[0], "of the process before"); err != nil {
			t.Fatal(err)
		}
		d := newDiary()
		w.run(t, reactions(map[string]feed.Handler{"a": d.handle}))
		eventually(t, "the others are handled", func() bool { return len(d.pages()) == 1 && len(w.parked(t)) == 2 })
		wantLines(t, "handled", d.pages(), "task-2@0")
		wantLines(t, "put aside", w.parked(t), "a task-1@0 of the process before", "a task-1@1 "+feed.BehindAnother)
	})
}

func logID(t *testing.T, w world) string {
	t.Helper()
	id, err := w.store.ID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestRunner_APanicIsAnError(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld()
	d := newDiary()
	d.breaks("task-1@0", func() error { panic("at the handler") })
	r, _ := w.run(t, reactions(map[string]feed.Handler{"a": d.handle}))
	w.put(t, "task-1", "task-2")
	eventually(t, "the other is handled", func() bool { return len(d.pages()) == 1 })
	parked, err := w.keeper.Parked(t.Context(), "a")
	if err != nil || len(parked) != 1 {
		t.Fatalf("put aside are %v, %v", parked, err)
	}
	mustReplay(t, r, 0, 1)
}

func TestRunner_AnOutagePutsNothingAside(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		ours := errors.New("our database is away")
		for i, outage := range []error{
			&eventstore.UnavailableError{Op: "append", Cause: errors.New("away")},
			fmt.Errorf("handle: %w", context.DeadlineExceeded),
			fmt.Errorf("handle: %w", ours),
		} {
			d := newDiary()
			stream := fmt.Sprintf("task-%d", i)
			d.breaks(stream+"@0", fails(outage))
			_, end := w.run(t, func(c *feed.RunnerConfig) {
				reactions(map[string]feed.Handler{"a": d.handle})(c)
				c.IsOutage = func(err error) bool { return errors.Is(err, ours) }
			})
			w.put(t, stream, stream)
			eventually(t, "it is tried on and on", func() bool { return d.triesOf(stream+"@0") > 4 })
			wantLines(t, "handled meanwhile", d.pages())
			d.breaks(stream+"@0", nil)
			eventually(t, "both are handled", func() bool { return len(d.pages()) == 2 })
			wantLines(t, "put aside", w.parked(t))
			end()
		}
	})
}

// broker is a publisher that may be away.
type broker struct {
	mu    sync.Mutex
	away  bool
	taken []string
	tries int
}

func (b *broker) Publish(topic string, messages ...*message.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tries++
	if b.away {
		return errors.New("broker away")
	}
	for _, m := range messages {
		b.taken = append(b.taken, topic+" "+m.Metadata[feed.KeyStream]+"@"+m.Metadata[feed.KeyRevision])
	}
	return nil
}

func (b *broker) Close() error { return nil }

func (b *broker) look(t *testing.T) (taken []string, tries int) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.taken), b.tries
}

func (b *broker) set(away bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.away = away
}

func TestRunner_ForwardWaitsForItsBroker(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		b, d := &broker{away: true}, newDiary()
		r, end := w.run(t, func(c *feed.RunnerConfig) {
			reactions(map[string]feed.Handler{"a": d.handle})(c)
			c.Forwards = []feed.Forward{{Name: "publish", Topic: "task", To: b, ToTopic: "elsewhere"}}
		})
		first := w.put(t, "task-1", "task-1", "task-2")[0]
		eventually(t, "it is tried on and on", func() bool { _, tries := b.look(t); return tries > 3 })
		eventually(t, "reactions are not held up", func() bool { return len(d.pages()) == 3 })
		if got := w.at(t, "publish"); got >= first.Position {
			t.Errorf("saved %d before the broker took %d", got, first.Position)
		}
		all, err := r.Status(t.Context())
		if err != nil || len(all) != 2 || all[1].Fault() == nil || all[1].Lag != 3 {
			t.Errorf("status %+v, %v", all, err)
		}
		b.set(false)
		eventually(t, "all are taken", func() bool { taken, _ := b.look(t); return len(taken) == 3 })
		taken, _ := b.look(t)
		wantLines(t, "taken", taken, "elsewhere task-1@0", "elsewhere task-1@1", "elsewhere task-2@0")
		wantLines(t, "put aside", w.parked(t))
		wantFault(t, r, "")
		end()
	})
}

func TestRunner_EndsThoughAHandlerDoesNot(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld()
	w.put(t, "task-1")
	begun, gone := make(chan struct{}), make(chan struct{})
	defer close(gone)
	c := w.config(t)
	c.DrainWithin = 10 * time.Millisecond
	r := feed.NewRunner(feed.RunnerConfig{
		Config: c, Parking: w.keeper,
		Reactions: []feed.Reaction{{Name: "a", Topic: "task", Handle: func(context.Context, eventstore.Recorded) error {
			close(begun)
			<-gone
			return nil
		}}},
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- r.Run(ctx) }()
	<-begun
	cancel()
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it does not say that a handler is still at it")
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
	if got := w.at(t, "a"); got != 0 {
		t.Errorf("saved %d, though nothing was handled", got)
	}
}

func TestRunner_ReplayThoseLeavesTheOthers(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		a := newDiary()
		a.breaks("task-1@0", fails(errBroken))
		a.breaks("task-2@0", fails(errBroken))
		r, _ := w.run(t, reactions(map[string]feed.Handler{"a": a.handle}))
		w.put(t, "task-1", "task-2", "task-1")
		eventually(t, "all are put aside", func() bool { return len(w.parked(t)) == 3 })
		a.breaks("task-1@0", nil)
		tries := a.triesOf("task-2@0")
		if handled, err := r.ReplayThose(t.Context(), "a", func(p feed.Parked) bool { return p.Stream == "task-1" }); err != nil || handled != 2 {
			t.Errorf("%d handled, %v; want 2", handled, err)
		}
		wantLines(t, "put aside", w.parked(t), "a task-2@0 cannot be done")
		if n := a.triesOf("task-2@0"); n != tries {
			t.Errorf("the other stream was tried %d times more", n-tries)
		}
	})
}

func TestRunner_AConsumerThatCannotBe(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld()
	r := feed.NewRunner(feed.RunnerConfig{
		Config: w.config(t), Parking: w.keeper, Reactions: []feed.Reaction{{Name: "a", Topic: "task,,"}},
	})
	if err := r.Run(t.Context()); err == nil {
		t.Error("it runs")
	}
	if _, _, err := r.Replay(t.Context(), "b"); err == nil {
		t.Error("a reaction there is not was replayed")
	}
}

func TestRunner_Status(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newMemoryWorld()
		b := &broker{away: true}
		c := feed.RunnerConfig{
			Config: w.config(t), Parking: w.keeper, Forwards: []feed.Forward{{Name: "publish", Topic: "task", To: b}},
		}
		c.Leads = func(context.Context, string) (bool, error) { return false, nil } // whoever does is stuck
		r := feed.NewRunner(c)
		status := func() feed.Status {
			t.Helper()
			all, err := r.Status(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatalf("%v, %v", all, err)
			}
			return all[0]
		}
		w.put(t, "task-1", "other-1", "task-2", "other-1")
		time.Sleep(feed.MaxStanding) // of the bubble's clock
		if s := status(); s.Lag != 2 || s.Head != 4 || s.Waiting != feed.MaxStanding || s.Fault() != nil {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Second)
		if s := status(); s.Fault() == nil {
			t.Errorf("no fault after %v: %+v", s.Standing, s)
		}
		publishing := feed.Consumer{Name: "publish", Topic: "task", Log: logID(t, w)}
		at, err := w.keeper.Claim(t.Context(), publishing)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.keeper.Save(t.Context(), publishing, at.Term, 1); err != nil {
			t.Fatal(err)
		}
		if s := status(); s.Lag != 1 || s.Position != 1 || s.Standing != 0 || s.Fault() != nil {
			t.Errorf("after it moved: %+v", s)
		}
		if err := w.keeper.Save(t.Context(), publishing, at.Term, 3); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if s := status(); s.Lag != 0 || s.Waiting != 0 || s.Fault() != nil {
			t.Errorf("with nothing to do: %+v", s)
		}
	})
}

// A consumer is ahead by what the log it followed has kept of itself, however far the log
// has grown since.
func TestRunner_StatusAhead(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld()
	r := feed.NewRunner(feed.RunnerConfig{
		Config: w.config(t), Parking: w.keeper, Forwards: []feed.Forward{{Name: "publish", Topic: "task", To: &broker{}}},
	})
	want := func(when string, ahead bool) {
		t.Helper()
		all, err := r.Status(t.Context())
		if err != nil || len(all) != 1 || all[0].Ahead != ahead || (all[0].Fault() != nil) != ahead {
			t.Errorf("%s: %+v, %v", when, all, err)
		}
	}
	w.put(t, "task-1", "task-1")
	before := feed.Consumer{Name: "publish", Topic: "task", Log: logID(t, w)}
	at, err := w.keeper.Claim(t.Context(), before)
	if err != nil {
		t.Fatal(err)
	}
	want("at the beginning", false)
	if err := w.keeper.Save(t.Context(), before, at.Term, 4); err != nil {
		t.Fatal(err)
	}
	want("beyond the log's end", true)
	now, err := w.store.BeginEpoch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.put(t, "task-2", "task-2", "task-2", "task-2")
	want("where the log has other events", true)
	if _, err := w.keeper.Claim(t.Context(), feed.Consumer{Name: "publish", Topic: "task", Log: now, Was: before.Log, Past: 2}); err != nil {
		t.Fatal(err)
	}
	want("set back", false)
}
