package postgres

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stepledger/stepledger/eventstore"
)

func TestHeads_next(t *testing.T) {
	t.Parallel()
	const server = 7
	r := func(stream string, expected int64) *request { return &request{stream: stream, expected: expected} }
	for name, c := range map[string]struct {
		server int64
		batch  []*request
		want   []int64 // nil: the log has to be looked at
	}{
		"a stream is gone on with":              {server, []*request{r("task-1", 4)}, []int64{5}},
		"also when nothing is expected":         {server, []*request{r("task-1", eventstore.Any)}, []int64{5}},
		"a stream is begun":                     {server, []*request{r("new-1", eventstore.NoStream)}, []int64{0}},
		"each of a batch":                       {server, []*request{r("new-1", eventstore.NoStream), r("task-2", 0)}, []int64{0, 1}},
		"a known stream is not begun":           {server, []*request{r("task-1", eventstore.NoStream)}, nil},
		"a stale expectation":                   {server, []*request{r("task-1", 3)}, nil},
		"an expectation ahead of what is known": {server, []*request{r("task-1", 9)}, nil},
		"an unknown stream":                     {server, []*request{r("new-1", 0)}, nil},
		"an unknown stream, nothing expected":   {server, []*request{r("new-1", eventstore.Any)}, nil},
		"one unknown among known ones":          {server, []*request{r("task-1", 4), r("new-1", 2)}, nil},
		"a forgotten stream":                    {server, []*request{r("lost-1", 3)}, nil},
		"a connection to another server":        {server - 1, []*request{r("task-1", 4)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var h heads
			h.serve(server)
			h.learn(server, 0, map[string]eventstore.Receipt{"task-1": {Revision: 4}, "task-2": {Revision: 0}, "lost-1": {Revision: 3}})
			h.learn(server-1, 0, map[string]eventstore.Receipt{"new-1": {Revision: 2}})
			h.forget([]*request{r("lost-1", 3)})
			got, _, ok := h.next(c.server, c.batch)
			if diff := cmp.Diff(c.want, got); diff != "" || ok != (c.want != nil) {
				t.Errorf("%v (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestHeads_afterARemoval(t *testing.T) {
	t.Parallel()
	r := func(stream string, expected int64) []*request {
		return []*request{{stream: stream, expected: expected}}
	}
	var h heads
	h.serve(1)
	h.learn(1, 0, map[string]eventstore.Receipt{"task-1": {Revision: 4}})
	h.learn(1, 3, map[string]eventstore.Receipt{"task-2": {Revision: 7}})
	if _, _, ok := h.next(1, r("task-1", 4)); ok {
		t.Error("what was learned before the removal is still believed")
	}
	if _, _, ok := h.next(1, r("new-1", eventstore.NoStream)); ok {
		t.Error("a stream that is not remembered is taken for new: its beginning may have been removed")
	}
	if at, removals, ok := h.next(1, r("task-2", 7)); !ok || at[0] != 8 || removals != 3 {
		t.Errorf("what was learned since: %v, at %d removals, %v", at, removals, ok)
	}
}

func TestHeads_areBoundedAndKeepTheLatest(t *testing.T) {
	t.Parallel()
	var h heads
	h.serve(1)
	name := func(i int) string { return fmt.Sprintf("task-%d", i) }
	for i := range 5 * maxHeads {
		h.learn(1, 0, map[string]eventstore.Receipt{name(i): {Revision: int64(i)}})
	}
	if n := len(h.young) + len(h.old); n > 2*maxHeads {
		t.Errorf("%d streams are remembered, at most %d may be", n, 2*maxHeads)
	}
	for _, i := range []int{5*maxHeads - 1, 4 * maxHeads} {
		if head, ok := h.head(name(i)); !ok || head != int64(i) {
			t.Errorf("%s is at %d, %v", name(i), head, ok)
		}
	}
}

// A replica that was promoted before it had everything is another server with
// fewer events. What the former one had acknowledged must leave no hole there.
func TestHeads_ofAnotherServerAreForgotten(t *testing.T) {
	t.Parallel()
	url := database(t)
	s, admin := open(t, url, Options{}), connect(t, url)
	for i := range int64(3) {
		if _, err := s.Append(t.Context(), "task-1", i-1, events(1)); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, admin, `delete from log.events where stream = 'task-1' and revision = 2`)
	s.heads.serve(s.heads.server + 1)
	_, err := s.Append(t.Context(), "task-1", 2, events(1))
	if want := (&eventstore.WrongRevisionError{Stream: "task-1", Expected: 2, Actual: 1}); !cmp.Equal(err, error(want)) {
		t.Errorf("error is %v, want %v", err, want)
	}
}

// Two processes that take turns with one stream are both wrong about it each time.
func TestHeads_ofAStreamAnotherProcessWrites(t *testing.T) {
	t.Parallel()
	url := database(t)
	stores := []*Store{open(t, url, Options{}), open(t, url, Options{})}
	var all []eventstore.Proposed
	for i := range 10 {
		in := events(2)
		r, err := stores[i%2].Append(t.Context(), "task-1", eventstore.Any, in)
		if err != nil || r.Revision != int64(2*i+1) {
			t.Fatalf("%+v, %v", r, err)
		}
		all = append(all, in...)
	}
	_, err := stores[0].Append(t.Context(), "task-1", 17, events(1))
	if want := (&eventstore.WrongRevisionError{Stream: "task-1", Expected: 17, Actual: 19}); !cmp.Equal(err, error(want)) {
		t.Errorf("error is %v, want %v", err, want)
	}
	wantOnce(t, stores[0], all)
}
