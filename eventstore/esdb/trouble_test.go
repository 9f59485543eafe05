package esdb_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// A node that is down refuses connections; one that stands still takes them and
// says nothing. Either way all callers are told, and nobody has to start again.
func TestNodeDown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		down, up func(*esdbtest.Server)
	}{
		"it refuses": {(*esdbtest.Server).Stop, (*esdbtest.Server).Restart},
		"it hangs":   {(*esdbtest.Server).Pause, (*esdbtest.Server).Resume},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const timeout, callers = 400 * time.Millisecond, 64
			node := esdbtest.Start(t, esdbtest.Options{})
			s := open(t, node.URL(), esdb.Options{Timeout: timeout, Connections: 4})
			in := events(2)
			mustAppend(t, s, "task-1", eventstore.NoStream, in...)
			c.down(node)
			for range 3 { // a client that has closed itself would answer at once
				callAll(t, s, callers)
			}
			c.up(node)
			next := events(2)
			eventually(t, "the store has recovered by itself", func() bool {
				_, err := s.Append(bounded(t), "task-1", 1, next)
				return err == nil
			})
			wantOnce(t, s, append(in, next...)...)
		})
	}
}

// callAll makes every kind of call at once and wants each to be told in time that
// the store is unavailable.
func callAll(t *testing.T, s *esdb.Store, callers int) {
	t.Helper()
	ctx := bounded(t)
	calls := []func(i int) error{
		func(i int) error {
			_, err := s.Append(ctx, fmt.Sprintf("down-%d", i), eventstore.NoStream, events(1))
			return err
		},
		func(int) error {
			_, err := s.ReadStream(ctx, "task-1", eventstore.ReadOptions{})
			return err
		},
		func(int) error {
			_, err := s.ReadAll(ctx, 0, 0, eventstore.Filter{})
			return err
		},
		func(int) error {
			_, err := s.Head(ctx)
			return err
		},
		func(i int) error { return s.Delete(ctx, fmt.Sprintf("down-%d", i), eventstore.Any) },
	}
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() { wantUnavailable(t, calls[i%len(calls)](i)) })
	}
	all.Wait() // no later than patience, or ctx.Err() shows
}

func TestNodeRestarts(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: patience})
	st := startStorm(s, 8)
	for range 5 {
		st.goOn(t, 50)
		node.Restart()
	}
	st.goOn(t, 50)
	st.end(t)
	wantOnce(t, s, st.acked...)
}

func TestCluster(t *testing.T) {
	t.Parallel()
	first := esdbtest.Start(t, esdbtest.Options{})
	nodes := []*esdbtest.Server{first}
	for range 2 {
		nodes = append(nodes, esdbtest.Start(t, esdbtest.Options{Joins: first}))
	}
	s := open(t, first.ClusterURL(), esdb.Options{Timeout: patience})
	st := startStorm(s, 8)
	for range 3 {
		st.goOn(t, 50)
		for _, n := range nodes {
			if n.Leads() {
				n.Stop()
				st.goOn(t, 50) // another leads
				n.Restart()
				break
			}
		}
	}
	st.end(t)
	wantOnce(t, s, st.acked...)
}

func TestOneCallGoesWrong(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*esdbtest.Server) esdbtest.Fault{
		"the answer is lost":         func(*esdbtest.Server) esdbtest.Fault { return esdbtest.LoseAnswer() },
		"no answer comes":            func(*esdbtest.Server) esdbtest.Fault { return esdbtest.Hang() },
		"the node is not ready":      func(*esdbtest.Server) esdbtest.Fault { return esdbtest.Unavailable() },
		"the operation timed out":    func(*esdbtest.Server) esdbtest.Fault { return esdbtest.Refuse(codes.Aborted, "Operation timed out") },
		"there is no leader":         func(*esdbtest.Server) esdbtest.Fault { return esdbtest.Refuse(codes.Unknown, "No leader info") },
		"another node leads":         func(s *esdbtest.Server) esdbtest.Fault { return esdbtest.NotLeader("127.0.0.1", portOf(s)) },
		"a node leads that is gone":  func(*esdbtest.Server) esdbtest.Fault { return esdbtest.NotLeader("127.0.0.1", 1) },
		"it breaks in the beginning": func(*esdbtest.Server) esdbtest.Fault { return esdbtest.DropAfter(0) },
	} {
		for what, expected := range map[string]int64{"exact": 1, "any": eventstore.Any} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				node := esdbtest.Start(t, esdbtest.Options{})
				s := open(t, node.URL(), esdb.Options{Timeout: 4 * time.Second})
				before, in := events(2), events(3)
				mustAppend(t, s, "task-1", eventstore.NoStream, before...)
				node.FailNext("Append", fault(node))
				r := mustAppend(t, s, "task-1", expected, in...)
				if again := mustAppend(t, s, "task-1", expected, in...); r.Revision != 4 || again != r {
					t.Errorf("receipts are %+v and %+v", r, again)
				}
				node.FailNext("Read", fault(node))
				if slice := mustRead(t, s, "task-1"); len(slice.Events) != 5 || slice.Head != 4 {
					t.Errorf("slice is %+v", slice)
				}
				wantOnce(t, s, append(before, in...)...)
			})
		}
	}
}

func TestTombstone_survivesALostAnswer(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{})
	mustAppend(t, s, "task-1", eventstore.NoStream, events(2)...)
	node.FailNext("Tombstone", esdbtest.LoseAnswer())
	if err := s.Tombstone(bounded(t), "task-1", 1); err != nil {
		t.Error(err)
	}
	if slice := mustRead(t, s, "task-1"); slice.Head != 1 || slice.Position == 0 || len(slice.Events) > 0 {
		t.Errorf("slice is %+v", slice)
	}
}

func TestEndedCaller_isReleasedWhileTheNodeHangs(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: patience, Connections: 2})
	node.Pause()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if _, err := s.ReadStream(ctx, "task-1", eventstore.ReadOptions{}); !errors.Is(err, context.Canceled) {
				t.Errorf("error is %v", err)
			}
		})
	}
	cancel()
	all.Wait()
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	for _, url := range []string{
		"esdb://127.0.0.1:1?tls=false",
		"esdb+discover://127.0.0.1:1?tls=false",
		"esdb://127.0.0.1:1,127.0.0.1:2?tls=false",
	} {
		_, err := esdb.Open(t.Context(), url, esdb.Options{Timeout: 200 * time.Millisecond})
		wantUnavailable(t, err)
	}
}

func TestClosed(t *testing.T) {
	t.Parallel()
	node := esdbtest.Start(t, esdbtest.Options{})
	s := open(t, node.URL(), esdb.Options{Timeout: patience})
	ended := make(chan error, 1)
	go func() {
		for _, err := range s.Subscribe(t.Context(), 0, eventstore.Filter{}) {
			if err != nil {
				ended <- err
				return
			}
		}
	}()
	eventually(t, "the subscription is open", func() bool { return node.Calls("Read") > 2 })
	s.Close()
	s.Close()
	wantUnavailable(t, <-ended)
	_, err := s.Append(t.Context(), "task-1", eventstore.Any, events(1))
	wantUnavailable(t, err)
	_, err = s.ReadStream(t.Context(), "task-1", eventstore.ReadOptions{})
	wantUnavailable(t, err)
	if err := s.Wait(t.Context(), 1<<40); err != nil {
		t.Errorf("a wait ends with %v, not with the poll floor", err)
	}
}
