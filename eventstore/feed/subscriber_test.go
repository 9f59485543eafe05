package feed_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
	"github.com/stepledger/stepledger/eventstore/feed/feedtest"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	feedtest.Run(t, func(testing.TB) feedtest.Keeper { return feedtest.NewMemory() })
}

func TestMessage_AndBack(t *testing.T) {
	t.Parallel()
	full := eventstore.Recorded{
		ID: "4f3c2b1a-0000-4000-8000-000000000001", Stream: "task-1", Type: "task.happened.v1", Revision: 3, Position: 42,
		RecordedAt: time.Date(2026, 11, 28, 9, 30, 0, 123_000, time.UTC), Data: []byte(`{ "a" : 1 }`),
		Meta: eventstore.Metadata{Tenant: "acme", Actor: "jo", Correlation: "c", Causation: "d", Schema: 2}.Encode(),
	}
	bare := full
	bare.Meta = eventstore.Metadata{}.Encode()
	for name, e := range map[string]eventstore.Recorded{"full": full, "bare": bare} {
		m := feed.Message(e)
		if m.UUID != e.ID || string(m.Payload) != string(e.Data) {
			t.Errorf("%s: id %s, payload %s", name, m.UUID, m.Payload)
		}
		for key, value := range m.Metadata {
			if value == "" {
				t.Errorf("%s: %s is there and says nothing", name, key)
			}
		}
		back, err := feed.Event(m)
		if diff := cmp.Diff(e, back); diff != "" || err != nil {
			t.Errorf("%s: (-event +back) %v\n%s", name, err, diff)
		}
	}
	broken := feed.Message(full)
	broken.Metadata[feed.KeyPosition] = "far"
	if _, err := feed.Event(broken); err == nil {
		t.Error("a position that is no number was read")
	}
}

func TestParseTopic(t *testing.T) {
	t.Parallel()
	got, err := feed.ParseTopic("task,usage,task.task_failed.v1")
	want := eventstore.Filter{Categories: []string{"task", "usage"}, Types: []string{"task.task_failed.v1"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for _, topic := range []string{"", "task,", "task, usage", "task\x00"} {
		var invalid *eventstore.InvalidError
		if _, err := feed.ParseTopic(topic); !errors.As(err, &invalid) {
			t.Errorf("topic %q: %v", topic, err)
		}
	}
}

func TestSubscriber_OrderAndExactResumption(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		var all []eventstore.Recorded
		for i := range 25 {
			all = append(all, w.put(t, fmt.Sprintf("task-%d", i%3))...)
		}
		c := w.config(t)
		var got []string
		for len(got) < len(all) {
			s := subscribe(t, c, "a", "task")
			got = append(got, s.take(t, min(7, len(all)-len(got)))...)
			s.end() // in the middle of a page
		}
		wantIDs(t, got, all)
		s := subscribe(t, c, "a", "task")
		s.none(t)
		late := w.put(t, "task-1", "task-2")
		wantIDs(t, s.take(t, 2), late)
	})
}

// dead are the checkpoints as a process that was killed leaves them: nothing is
// saved any more.
type dead struct {
	feed.Checkpoints
	killed atomic.Bool
}

func (d *dead) Save(ctx context.Context, as feed.Consumer, term, position int64) error {
	if d.killed.Load() {
		return errors.New("killed")
	}
	return d.Checkpoints.Save(ctx, as, term, position)
}

func TestSubscriber_AtLeastOnceAcrossKills(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		const events, streams = 60, 4
		last := map[string]int64{}
		for i := range events {
			e := w.put(t, fmt.Sprintf("task-%d", i%streams))[0]
			last[e.Stream] = e.Revision
		}
		seen := map[string]int64{} // how far each stream was handled
		for life := 1; len(seen) < streams || !cmp.Equal(seen, last); life++ {
			c := w.config(t)
			checkpoints := &dead{Checkpoints: c.Checkpoints}
			c.Checkpoints = checkpoints
			leads, die := w.process(t)
			c.Leads = leads
			s := subscribe(t, c, "a", "task")
			for range life * 7 {
				if cmp.Equal(seen, last) {
					break
				}
				m := s.next(t)
				e, err := feed.Event(m)
				if err != nil {
					t.Fatal(err)
				}
				if next, begun := seen[e.Stream]; begun && e.Revision > next+1 || !begun && e.Revision > 0 {
					t.Fatalf("%s@%d came after @%d", e.Stream, e.Revision, next)
				}
				seen[e.Stream] = max(seen[e.Stream], e.Revision)
				m.Ack()
			}
			checkpoints.killed.Store(true)
			s.end()
			die()
		}
	})
}

func TestSubscriber_NackDeliversAgainBeforeAnythingElse(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		all := w.put(t, "task-1", "task-2", "task-1")
		s := subscribe(t, w.config(t), "a", "task")
		for range 3 {
			m := s.next(t)
			if m.UUID != all[0].ID {
				t.Fatalf("%s came, want the message that was refused", m.Metadata[feed.KeyStream])
			}
			m.Nack()
		}
		eventually(t, "it says that it is held up", func() bool { return s.Err() != nil })
		wantIDs(t, s.take(t, 3), all)
		eventually(t, "it says that it goes on", func() bool { return s.Err() == nil })
	})
}

// startedAt notes where subscriptions of a store start.
type startedAt struct {
	eventstore.Store
	after atomic.Int64
}

func (s *startedAt) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	s.after.Store(after)
	return s.Store.Subscribe(ctx, after, f)
}

func TestSubscriber_AnIdleFilterKeepsUpWithTheLog(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		head := w.putMany(t, "other-1", 10_000)
		c := w.config(t)
		s := subscribe(t, c, "a", "task.never.v1")
		eventually(t, "the checkpoint is at the head", func() bool { return w.at(t, "a") == head })
		s.end()
		store := &startedAt{Store: w.store}
		store.after.Store(-1)
		c.Source = store
		again := subscribe(t, c, "a", "task.never.v1")
		eventually(t, "it follows again", func() bool { return store.after.Load() >= 0 })
		again.none(t)
		if got := store.after.Load(); got != head {
			t.Errorf("the restart read from %d, the head is %d", got, head)
		}
	})
}

func TestSubscriber_NeverSavesBeyondWhatIsAcknowledged(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		first := w.put(t, "task-1")[0]
		w.put(t, "other-1", "other-1")
		second := w.put(t, "task-1")[0]
		w.put(t, "other-1")
		saves := &counted{Checkpoints: w.keeper}
		c := w.config(t)
		c.Checkpoints = saves
		s := subscribe(t, c, "a", "task")
		m := s.next(t)
		waitTicks(t, s)
		if got := w.at(t, "a"); got >= first.Position {
			t.Errorf("saved %d while %d waits for its acknowledgement", got, first.Position)
		}
		m.Ack()
		m = s.next(t)
		eventually(t, "the first is saved", func() bool { return w.at(t, "a") >= first.Position })
		waitTicks(t, s)
		if got := w.at(t, "a"); got >= second.Position {
			t.Errorf("saved %d while %d waits for its acknowledgement", got, second.Position)
		}
		m.Ack()
		eventually(t, "the end of the log is saved", func() bool { return w.at(t, "a") > second.Position })
		if saves.lowest.Load() < first.Position {
			t.Errorf("saved %d, where nothing was acknowledged", saves.lowest.Load())
		}
	})
}

// waitTicks lets the saver come by a few times.
func waitTicks(t *testing.T, s subscription) {
	t.Helper()
	for range 5 {
		s.none(t)
	}
}

// counted notes the lowest position saved.
type counted struct {
	feed.Checkpoints
	lowest atomic.Int64
}

func (c *counted) Save(ctx context.Context, as feed.Consumer, term, position int64) error {
	if low := c.lowest.Load(); low == 0 || position < low {
		c.lowest.Store(position)
	}
	return c.Checkpoints.Save(ctx, as, term, position)
}

func TestSubscriber_TwoProcessesHandleEachEventOnce(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		const events = 40
		var mu sync.Mutex
		var got []string
		handle := func(s subscription) {
			for m := range s.messages {
				mu.Lock()
				got = append(got, m.UUID)
				mu.Unlock()
				m.Ack()
			}
		}
		count := func() int {
			mu.Lock()
			defer mu.Unlock()
			return len(got)
		}
		var all []eventstore.Recorded
		var running []subscription
		var deaths []func()
		for range 2 {
			c := w.config(t)
			leads, die := w.process(t)
			c.Leads = leads
			s := subscribe(t, c, "a", "task")
			running, deaths = append(running, s), append(deaths, die)
			go handle(s)
		}
		for i := range events {
			all = append(all, w.put(t, fmt.Sprintf("task-%d", i%3))...)
			if i == events/2 { // the owner goes, in an orderly way, while events come
				eventually(t, "some are handled", func() bool { return count() > 0 })
				running[0].end()
				deaths[0]()
			}
		}
		eventually(t, "all are handled", func() bool { return count() >= events })
		running[1].end()
		mu.Lock()
		defer mu.Unlock()
		wantIDs(t, got, all)
	})
}

// Both processes believe they lead, as when one's connection is lost: the
// checkpoint goes back and forth between them, and nothing is passed over.
func TestSubscriber_NothingIsLostWhileTwoBelieveTheyLead(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		const events = 60
		var mu sync.Mutex
		handled := map[string]bool{}
		for range 2 {
			c := w.config(t)
			c.Leads = func(context.Context, string) (bool, error) { return true, nil }
			s := subscribe(t, c, "a", "task")
			go func() {
				for m := range s.messages {
					mu.Lock()
					handled[m.UUID] = true
					mu.Unlock()
					m.Ack()
				}
			}()
		}
		eventually(t, "both have claimed", func() bool { return w.term(t, "a") > 1 })
		var last eventstore.Recorded
		for i := range events {
			last = w.put(t, fmt.Sprintf("task-%d", i%3))[0]
		}
		eventually(t, "the checkpoint is at the end", func() bool { return w.at(t, "a") >= last.Position })
		mu.Lock()
		defer mu.Unlock()
		if len(handled) != events {
			t.Errorf("the checkpoint is past %d events, %d were handled", events, len(handled))
		}
	})
}

func TestSubscriber_AnotherLogStartsOver(t *testing.T) {
	t.Parallel()
	keeper := feedtest.NewMemory()
	for range 2 {
		w := newMemoryWorld()
		w.keeper = keeper
		all := w.put(t, "task-1", "task-2")
		s := subscribe(t, w.config(t), "a", "task")
		wantIDs(t, s.take(t, 2), all)
		s.end()
	}
}

// flaky is a store whose subscription says once in a while that it is away.
type flaky struct{ eventstore.Store }

func (f flaky) Subscribe(ctx context.Context, after int64, filter eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	return func(yield func(eventstore.Page, error) bool) {
		for p, err := range f.Store.Subscribe(ctx, after, filter) {
			away := &eventstore.UnavailableError{Op: "read", Cause: errors.New("away")}
			if !yield(eventstore.Page{}, away) || !yield(p, err) {
				return
			}
		}
	}
}

func TestSubscriber_GoesOnWhenTheStoreIsBack(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld()
	c := w.config(t)
	c.Source = flaky{w.store}
	s := subscribe(t, c, "a", "task")
	for range 3 {
		all := w.put(t, "task-1", "task-2")
		wantIDs(t, s.take(t, 2), all)
	}
	eventually(t, "it has got over it", func() bool { return s.Err() == nil })
}

func TestSubscriber_Refusals(t *testing.T) {
	t.Parallel()
	w := newMemoryWorld()
	s := subscribe(t, w.config(t), "a", "task")
	if _, err := s.Subscribe(t.Context(), "usage"); err == nil {
		t.Error("a consumer got a second subscription")
	}
	if _, err := feed.NewSubscriber(w.config(t), "b").Subscribe(t.Context(), "task,"); err == nil {
		t.Error("a topic that is none was followed")
	}
}

// pages counts the pages read.
type pages struct {
	eventstore.Store
	read atomic.Int64
}

func (p *pages) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	return func(yield func(eventstore.Page, error) bool) {
		for page, err := range p.Store.Subscribe(ctx, after, f) {
			p.read.Add(1)
			if !yield(page, err) {
				return
			}
		}
	}
}

func TestSubscriber_ASlowHandlerHoldsOnePageAndNoWriter(t *testing.T) {
	t.Parallel()
	inWorlds(t, func(t *testing.T, w world) {
		const n = 2*eventstore.MaxPage + 1
		c := w.config(t)
		store := &pages{Store: w.store}
		c.Source = store
		w.putMany(t, "task-1", 1)
		s := subscribe(t, c, "a", "task")
		m := s.next(t) // and nothing is said of it while others write
		w.putMany(t, "task-1", n)
		if got := store.read.Load(); got != 1 {
			t.Errorf("%d pages were read for one message", got)
		}
		m.Ack()
		m = s.next(t)
		if got := store.read.Load(); got != 2 {
			t.Errorf("%d pages were read for two messages", got)
		}
		m.Ack()
	})
}

func TestSubscriber_WaitsForTheMessageUnderWay(t *testing.T) {
	t.Parallel()
	t.Run("its acknowledgement is saved and no other begun", func(t *testing.T) {
		t.Parallel()
		inWorlds(t, func(t *testing.T, w world) {
			all := w.put(t, "task-1", "task-2")
			c := w.config(t)
			c.SaveEvery = time.Hour // so that it is the end that saves
			s := subscribe(t, c, "a", "task")
			m := s.next(t)
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				s.end()
			}()
			s.none(t)
			if err := m.Context().Err(); err != nil {
				t.Errorf("the message's context has ended: %v", err)
			}
			m.Ack()
			if m, open := <-s.messages; open {
				t.Errorf("%s was begun", m.UUID)
			}
			<-ended
			if got := w.at(t, "a"); got != all[0].Position {
				t.Errorf("saved %d, want %d", got, all[0].Position)
			}
			wantIDs(t, subscribe(t, c, "a", "task").take(t, 1), all[1:])
		})
	})
	t.Run("but not for ever", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			w := newMemoryWorld()
			w.put(t, "task-1")
			c := w.config(t)
			c.DrainWithin = 7 * time.Second
			s := subscribe(t, c, "a", "task")
			m := s.next(t)
			began := time.Now()
			s.end()
			if took := time.Since(began); took != c.DrainWithin || m.Context().Err() == nil {
				t.Errorf("it took %v, the message's context says %v", took, m.Context().Err())
			}
			if got := w.at(t, "a"); got != 0 {
				t.Errorf("saved %d, though nothing was acknowledged", got)
			}
		})
	})
}
