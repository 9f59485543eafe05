package esdb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

func TestAppend_beyondWhatTheServerTakes(t *testing.T) {
	t.Parallel()
	s := open(t, esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{}) // 1 MiB
	large := func(n int) []eventstore.Proposed {
		out := events(n)
		for i := range out {
			out[i].Data = json.RawMessage(`"` + strings.Repeat("x", 400<<10) + `"`)
		}
		return out
	}
	for _, n := range []int{3, 30} {
		_, err := s.Append(t.Context(), "task-1", eventstore.NoStream, large(n))
		wantInvalid(t, err)
	}
	in := large(2)
	mustAppend(t, s, "task-1", eventstore.NoStream, in...)
	wantOnce(t, s, in...)
}

func TestAppend_nilID(t *testing.T) {
	t.Parallel()
	s := open(t, esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{})
	in := events(2)
	in[1].ID = "00000000-0000-0000-0000-000000000000"
	_, err := s.Append(t.Context(), "task-1", eventstore.Any, in)
	wantInvalid(t, err)
}

func TestAppend_oldServer(t *testing.T) {
	t.Parallel()
	s := open(t, esdbtest.Start(t, esdbtest.Options{WithoutServerFeatures: true}).URL(), esdb.Options{})
	in := events(3)
	mustAppend(t, s, "task-1", eventstore.NoStream, in...)
	wantOnce(t, s, in...)
}

// What the server cannot recognize is appended again, as the promise table says.
func TestAppend_idElsewhereInItsStream(t *testing.T) {
	t.Parallel()
	s := open(t, esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{})
	in := events(2)
	mustAppend(t, s, "task-1", eventstore.NoStream, in...)
	if r := mustAppend(t, s, "task-1", 1, in...); r.Revision != 3 {
		t.Errorf("receipt is %+v", r)
	}
}

func TestTwoStores(t *testing.T) {
	t.Parallel()
	url := esdbtest.Start(t, esdbtest.Options{}).URL()
	stores := []*esdb.Store{open(t, url, esdb.Options{Timeout: patience}), open(t, url, esdb.Options{Timeout: patience})}
	t.Run("have one log", func(t *testing.T) {
		t.Parallel()
		first, err := stores[0].ID(t.Context())
		second, errs := stores[1].ID(t.Context())
		if err := errors.Join(err, errs); err != nil || first != second {
			t.Errorf("ids are %s and %s, %v", first, second, err)
		}
	})
	t.Run("race for a stream, and one wins each time", func(t *testing.T) {
		t.Parallel()
		const rounds, writers = 50, 8
		for round := range int64(rounds) {
			var (
				all  sync.WaitGroup
				mu   sync.Mutex
				wins int
			)
			for w := range writers {
				all.Go(func() {
					_, err := stores[w%2].Append(bounded(t), "race-1", round-1, events(1))
					mu.Lock()
					defer mu.Unlock()
					switch wrong, ok := errors.AsType[*eventstore.WrongRevisionError](err); {
					case err == nil:
						wins++
					case !ok || wrong.Actual != round:
						t.Errorf("a loser was told %v", err)
					}
				})
			}
			all.Wait()
			if wins != 1 {
				t.Fatalf("%d of %d won round %d", wins, writers, round)
			}
		}
	})
	t.Run("race with one append, and both get its receipt", func(t *testing.T) {
		t.Parallel()
		for i := range 50 {
			stream, in := fmt.Sprintf("same-%d", i), events(3)
			var receipts [2]eventstore.Receipt
			var all sync.WaitGroup
			for w, s := range stores {
				all.Go(func() { receipts[w] = mustAppend(t, s, stream, eventstore.NoStream, in...) })
			}
			all.Wait()
			if receipts[0] != receipts[1] {
				t.Errorf("receipts are %+v", receipts)
			}
		}
	})
}

func TestTwoStores_drawOneID(t *testing.T) {
	t.Parallel()
	url := esdbtest.Start(t, esdbtest.Options{}).URL()
	ids := make([]string, 8)
	var all sync.WaitGroup
	for i := range ids {
		all.Go(func() {
			s := open(t, url, esdb.Options{Timeout: patience})
			ids[i], _ = s.ID(t.Context())
		})
	}
	all.Wait()
	for _, id := range ids {
		if id == "" || id != ids[0] {
			t.Errorf("ids are %q", ids)
		}
	}
}

func TestReadAll_positions(t *testing.T) {
	t.Parallel()
	s := open(t, esdbtest.Start(t, esdbtest.Options{}).URL(), esdb.Options{Timeout: 2 * time.Second})
	in := events(3)
	mustAppend(t, s, "task-1", eventstore.NoStream, in...)
	all := mustRead(t, s, "task-1").Events
	t.Run("the one before an event is as good as that of the event before", func(t *testing.T) {
		t.Parallel()
		for i, e := range all {
			p, err := s.ReadAll(t.Context(), e.Position-1, 1, eventstore.Filter{})
			if err != nil || len(p.Events) != 1 {
				t.Fatalf("%+v, %v", p, err)
			}
			if diff := cmp.Diff(all[i], p.Events[0]); diff != "" {
				t.Errorf("event (-want +got):\n%s", diff)
			}
		}
	})
	t.Run("one between two events is none", func(t *testing.T) {
		t.Parallel()
		_, err := s.ReadAll(t.Context(), all[1].Position+3, 1, eventstore.Filter{})
		wantInvalid(t, err)
		n := 0
		for _, err := range s.Subscribe(bounded(t), all[1].Position+3, eventstore.Filter{}) {
			wantInvalid(t, err)
			n++
		}
		if n != 1 {
			t.Errorf("a subscription said so %d times", n)
		}
	})
}
