package transfer

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/eventstore/postgres"
	"github.com/stepledger/stepledger/internal/pgtest"
)

func inMemory(testing.TB) eventstore.Store { return memory.New(memory.Options{}) }

func inPostgres(t testing.TB) eventstore.Store {
	s, err := postgres.Open(t.Context(), pgtest.Database(t, "log", postgres.Migrate), postgres.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func inEventStoreDB(t testing.TB) eventstore.Store {
	s, err := esdb.Open(t.Context(), esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func events(n int) []eventstore.Proposed {
	out := make([]eventstore.Proposed, n)
	for i := range out {
		id := uuid.NewString()
		out[i] = eventstore.Proposed{
			ID: id, Type: fmt.Sprintf("test.happened%d.v1", i%2),
			Data: fmt.Appendf(nil, `{ "n" : %q}`, id), Meta: eventstore.Metadata{Tenant: "t1"}.Encode(),
		}
	}
	return out
}

func mustAppend(t testing.TB, s eventstore.Store, stream string, expected int64, in ...eventstore.Proposed) {
	t.Helper()
	if _, err := s.Append(t.Context(), stream, expected, in); err != nil {
		t.Fatal(err)
	}
}

func noSave(Progress) error { return nil }

func mustCopy(t testing.TB, from, to eventstore.Store, p Progress) Progress {
	t.Helper()
	p, err := Copy(t.Context(), from, to, p, noSave)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantSame(t testing.TB, from, to eventstore.Store, events int64) {
	t.Helper()
	if d, err := Verify(t.Context(), from, to); err != nil || d.Events != events || d.SHA256 == "" {
		t.Fatalf("verified %+v, %v, want %d events", d, err, events)
	}
}

func TestCopy(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]struct {
		from, to func(testing.TB) eventstore.Store
	}{
		"memory to memory":     {inMemory, inMemory},
		"memory to postgres":   {inMemory, inPostgres},
		"postgres to memory":   {inPostgres, inMemory},
		"postgres to postgres": {inPostgres, inPostgres},
		"postgres to esdb":     {inPostgres, inEventStoreDB},
		"esdb to postgres":     {inEventStoreDB, inPostgres},
		"esdb to esdb":         {inEventStoreDB, inEventStoreDB},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to := open.from(t), open.to(t)
			for i := range int64(30) {
				for s := range 3 {
					mustAppend(t, from, fmt.Sprintf("task-%d", s), 2*i-1, events(2)...)
				}
			}
			mustAppend(t, from, "long-1", eventstore.NoStream, events(1200)...)
			keep := map[string]eventstore.Retention{
				"task-1": {MaxCount: 7}, "task-2": {TruncateBefore: 11, MaxAge: time.Hour}, "none-1": {MaxCount: 1},
			}
			for stream, r := range keep {
				if err := from.SetRetention(t.Context(), stream, r); err != nil {
					t.Fatal(err)
				}
			}
			mustAppend(t, from, "gone-1", eventstore.NoStream, events(3)...)
			mustAppend(t, from, "back-1", eventstore.NoStream, events(3)...)
			mustAppend(t, from, "over-1", eventstore.NoStream, events(3)...)
			for _, stream := range []string{"gone-1", "back-1"} {
				if err := from.Delete(t.Context(), stream, 2); err != nil {
					t.Fatal(err)
				}
			}
			mustAppend(t, from, "back-1", 2, events(2)...)
			if err := from.Tombstone(t.Context(), "over-1", 2); err != nil {
				t.Fatal(err)
			}
			const visible = 60 + 7 + 49 + 1200 + 2
			p := mustCopy(t, from, to, Progress{})
			wantSame(t, from, to, visible)

			t.Run("revisions go on where the source's would", func(t *testing.T) {
				for stream, head := range map[string]int64{"task-1": 59, "gone-1": 2, "back-1": 4, "none-1": eventstore.NoRevision} {
					if slice, err := to.ReadStream(t.Context(), stream, eventstore.ReadOptions{}); err != nil || slice.Head != head {
						t.Errorf("%s is at %d, %v, want %d", stream, slice.Head, err, head)
					}
				}
				_, err := to.Append(t.Context(), "over-1", eventstore.Any, events(1))
				if ended := new(eventstore.DeletedError); !errors.As(err, &ended) {
					t.Errorf("an ended stream took an append: %v", err)
				}
			})
			t.Run("a second run brings what has come since", func(t *testing.T) {
				mustAppend(t, from, "task-0", 59, events(4)...)
				mustAppend(t, from, "gone-1", 2, events(1)...)
				p = mustCopy(t, from, to, p)
				wantSame(t, from, to, visible+5)
			})
			t.Run("a run from the beginning adds nothing", func(t *testing.T) {
				mustCopy(t, from, to, Progress{})
				wantSame(t, from, to, visible+5)
			})
			t.Run("what was deleted between two runs is hidden", func(t *testing.T) {
				if err := from.Delete(t.Context(), "long-1", 1199); err != nil {
					t.Fatal(err)
				}
				mustAppend(t, from, "long-1", 1199, events(2)...)
				mustCopy(t, from, to, p)
				wantSame(t, from, to, visible+5-1200+2)
			})
		})
	}
}

func TestCopy_refusesATargetOfAnother(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, to eventstore.Store, in []eventstore.Proposed){
		"other events in a stream": func(t *testing.T, to eventstore.Store, _ []eventstore.Proposed) {
			mustAppend(t, to, "task-1", eventstore.NoStream, events(1)...)
		},
		"the same id with another body": func(t *testing.T, to eventstore.Store, in []eventstore.Proposed) {
			e := in[0]
			e.Data = []byte(`{}`)
			mustAppend(t, to, "task-1", eventstore.NoStream, e)
		},
		"an ended stream": func(t *testing.T, to eventstore.Store, _ []eventstore.Proposed) {
			if err := to.Tombstone(t.Context(), "task-1", eventstore.Any); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			from, to, in := inMemory(t), inMemory(t), events(3)
			mustAppend(t, from, "task-1", eventstore.NoStream, in...)
			spoil(t, to, in)
			if _, err := Copy(t.Context(), from, to, Progress{}, noSave); err == nil {
				t.Error("the copy went through")
			}
		})
	}
}

func TestVerify_findsEachDifference(t *testing.T) {
	t.Parallel()
	base := events(3)
	fill := func(t *testing.T, change func(in []eventstore.Proposed) []eventstore.Proposed) eventstore.Store {
		s := inMemory(t)
		for i, e := range change(append([]eventstore.Proposed(nil), base...)) {
			mustAppend(t, s, "task-1", int64(i-1), e)
		}
		return s
	}
	same := func(in []eventstore.Proposed) []eventstore.Proposed { return in }
	for what, change := range map[string]func([]eventstore.Proposed) []eventstore.Proposed{
		"existence": func(in []eventstore.Proposed) []eventstore.Proposed { return in[:2] },
		"id": func(in []eventstore.Proposed) []eventstore.Proposed {
			in[2].ID = uuid.NewString()
			return in
		},
		"type": func(in []eventstore.Proposed) []eventstore.Proposed {
			in[1].Type = "test.other.v1"
			return in
		},
		"data": func(in []eventstore.Proposed) []eventstore.Proposed {
			in[1].Data = append([]byte(" "), in[1].Data...)
			return in
		},
		"metadata": func(in []eventstore.Proposed) []eventstore.Proposed {
			in[1].Meta = nil
			return in
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			for _, pair := range [][2]eventstore.Store{{fill(t, same), fill(t, change)}, {fill(t, change), fill(t, same)}} {
				_, err := Verify(t.Context(), pair[0], pair[1])
				if d := new(DifferenceError); !errors.As(err, &d) || d.What != what || d.Error() == "" {
					t.Errorf("verified with %v, want a difference in %s", err, what)
				}
			}
		})
	}
	t.Run("retention", func(t *testing.T) {
		t.Parallel()
		a, b := fill(t, same), fill(t, same)
		if err := a.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxCount: 9}); err != nil {
			t.Fatal(err)
		}
		if _, err := Verify(t.Context(), a, b); err == nil {
			t.Error("another retention went unseen")
		}
	})
}

// shaky is a target whose appends fail now and then, before or after they are done.
type shaky struct {
	eventstore.Store
	t *rapid.T
}

func (s shaky) Append(ctx context.Context, stream string, expected int64, in []eventstore.Proposed) (r eventstore.Receipt, err error) {
	fate := rapid.IntRange(0, 12).Draw(s.t, "fate of an append")
	if fate != 0 {
		r, err = s.Store.Append(ctx, stream, expected, in)
	}
	if fate <= 1 && err == nil {
		return eventstore.Receipt{}, &eventstore.UnavailableError{Op: "append", Cause: errors.New("shaky")}
	}
	return r, err
}

// Whatever is done to the source between runs, and wherever a run breaks off, the
// last one makes the logs the same.
func TestCopy_isResumable(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		from, to, ctx := memory.New(memory.Options{}), memory.New(memory.Options{}), context.Background()
		kept := make(map[string]eventstore.Retention)
		var p Progress
		save := func(now Progress) error { p = now; return nil }
		for range rapid.IntRange(1, 4).Draw(t, "runs") {
			for range rapid.IntRange(0, 12).Draw(t, "steps") {
				change(t, from, kept)
			}
			for tries := 0; ; tries++ {
				var target eventstore.Store = shaky{to, t}
				if tries > 5 {
					target = to
				}
				_, err := Copy(ctx, from, target, p, save)
				if err == nil {
					break
				}
				if u := new(eventstore.UnavailableError); !errors.As(err, &u) {
					t.Fatal(err)
				}
			}
			if _, err := Verify(ctx, from, to); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// change does something to a log. Retention only becomes stricter: see Copy.
func change(t *rapid.T, s eventstore.Store, kept map[string]eventstore.Retention) {
	ctx := context.Background()
	stream := rapid.SampledFrom([]string{"task-1", "task-2", "usage-1"}).Draw(t, "stream")
	var err error
	switch rapid.IntRange(0, 12).Draw(t, "step") {
	case 0:
		r := kept[stream]
		r.TruncateBefore += rapid.Int64Range(0, 3).Draw(t, "before")
		if r.MaxCount == 0 || rapid.Bool().Draw(t, "fewer") {
			r.MaxCount = max(1, r.MaxCount-1, 4*min(1, 1-r.MaxCount))
		}
		kept[stream] = r
		err = s.SetRetention(ctx, stream, r)
	case 1:
		err = s.Delete(ctx, stream, eventstore.Any)
	case 2:
		if rapid.IntRange(0, 4).Draw(t, "rarely") == 0 {
			err = s.Tombstone(ctx, stream, eventstore.Any)
		}
	default:
		_, err = s.Append(ctx, stream, eventstore.Any, events(rapid.IntRange(1, 4).Draw(t, "events")))
	}
	if ended := new(eventstore.DeletedError); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
}
