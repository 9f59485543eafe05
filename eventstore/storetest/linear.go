package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/stepledger/stepledger/eventstore"
)

const (
	linearClients = 6
	linearCalls   = 25 // of each client
	linearStreams = 3
	// checkTime is what the checker gets for one history, which needs a millisecond.
	checkTime = time.Minute
)

func testLinear(t *testing.T, s suite) {
	for i := range 4 {
		t.Run(fmt.Sprintf("history %d", i), func(t *testing.T) {
			t.Parallel()
			linearizable(bounded(t), t, &history{each: linearCalls, stay: slices.Contains(s.Lacks, StreamIDs)}, s.Open(t))
		})
	}
}

// Linearizable lets racing clients append to a few streams of an empty log and
// read it, through any of its stores, and wants their answers to be those of one
// log that was asked by one client after the other, each call somewhere between
// its beginning and its end. Appends expect an exact revision, none or any, some
// repeat others, and some are given up, so that their outcome is unknown until the
// log is read at the end.
func Linearizable(ctx context.Context, t testing.TB, stores ...eventstore.Store) {
	t.Helper()
	linearizable(ctx, t, &history{each: linearCalls}, stores...)
}

func linearizable(ctx context.Context, t testing.TB, h *history, stores ...eventstore.Store) {
	t.Helper()
	if err := h.record(ctx, stores); err != nil {
		t.Fatalf("the clients: %v", err)
	}
	result, picture := h.check()
	if result == porcupine.Ok {
		return
	}
	path := filepath.Join(t.ArtifactDir(), "history.html")
	if err := picture(path); err != nil {
		t.Error(err)
	}
	t.Errorf("no order of the %d calls explains their answers (the checker says %s); go test -artifacts keeps %s", len(h.calls), result, path)
}

// check looks for an order of the calls. The picture shows how far it got.
func (h *history) check() (result porcupine.CheckResult, picture func(path string) error) {
	model := porcupine.Model{
		Init: func() any { return logState("") },
		Step: func(state, in, out any) (bool, any) {
			ok, next := in.(call).step(state.(logState), out.(outcome))
			return ok && strings.HasPrefix(string(h.final), string(next)), next // events stay where they are
		},
		DescribeOperation: func(in, out any) string { return fmt.Sprintf("%v -> %v", in, out) },
		DescribeState:     func(state any) string { return state.(logState).String() },
	}
	result, info := porcupine.CheckOperationsVerbose(model, settled(h.calls, h.final), checkTime)
	return result, func(path string) error { return porcupine.VisualizePath(model, info, path) }
}

// history is what clients did and were told.
type history struct {
	each  int  // how many calls a client makes
	stay  bool // appends are repeated with their own expectation only
	began time.Time

	mu      sync.Mutex
	calls   []porcupine.Operation
	clients int
	appends []call // that were made, for those who repeat
	events  byte
	final   logState // what the last call read
}

// record runs the clients and then reads the log. An error is an answer that no
// store should give.
func (h *history) record(ctx context.Context, stores []eventstore.Store) error {
	h.began = time.Now()
	errs := make([]error, linearClients)
	var clients sync.WaitGroup
	for i := range linearClients {
		clients.Go(func() {
			c := client{h: h, s: stores[i%len(stores)], id: h.newClient()}
			for range h.each {
				if errs[i] = c.call(ctx); errs[i] != nil {
					return
				}
			}
		})
	}
	clients.Wait()
	return errors.Join(append(errs, h.readFinal(ctx, stores[0]))...)
}

// readFinal makes the last call, which settles what the others left open.
func (h *history) readFinal(ctx context.Context, s eventstore.Feed) error {
	began := time.Since(h.began)
	all, err := readToEnd(ctx, s)
	h.final = logOf(all)
	h.calls = append(h.calls, porcupine.Operation{
		ClientId: h.newClient(), Input: call{op: opReadLog}, Call: int64(began),
		Output: outcome{events: h.final.numbers()}, Return: int64(time.Since(h.began)),
	})
	return err
}

func (h *history) newClient() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.clients++
	return h.clients - 1
}

// client makes one call after the other.
type client struct {
	h     *history
	s     eventstore.Store
	id    int
	heads [linearStreams]int // as far as it knows, which is not always far enough
}

func (c *client) call(ctx context.Context) error {
	in := c.choose()
	patience := time.Duration(0)
	if in.op == opAppend && rand.IntN(12) == 0 {
		patience = time.Duration(rand.Int64N(int64(2 * time.Millisecond)))
	}
	began := time.Since(c.h.began)
	out, err := in.perform(ctx, patience, c.s)
	if err != nil {
		return err
	}
	ended := time.Since(c.h.began)
	if out.result == unknown {
		ended = time.Hour // it may take place at any later time, or never; see settled
	}
	c.h.mu.Lock()
	c.h.calls = append(c.h.calls, porcupine.Operation{
		ClientId: c.id, Input: in, Call: int64(began), Output: out, Return: int64(ended),
	})
	c.h.mu.Unlock()
	if out.result == unknown {
		c.id = c.h.newClient()
	}
	if in.op != opReadLog && out.result != unknown {
		c.heads[in.stream] = out.head
	}
	return nil
}

func (c *client) choose() call {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	in := call{stream: rand.IntN(linearStreams)}
	switch n := rand.IntN(20); {
	case n < 4:
		in.op = opReadStream
	case n < 7:
		in.op = opReadLog
	case n < 10 && len(c.h.appends) > 0: // a repeat, now and then with another expectation
		in = c.h.appends[rand.IntN(len(c.h.appends))]
		if !c.h.stay && rand.IntN(3) == 0 {
			in.expected = c.expectation(in.stream)
		}
	default:
		in.op, in.expected = opAppend, c.expectation(in.stream)
		for range 1 + rand.IntN(2) {
			c.h.events++
			in.events += string([]byte{c.h.events})
		}
		c.h.appends = append(c.h.appends, in)
	}
	return in
}

func (c *client) expectation(stream int) int64 {
	switch rand.IntN(6) {
	case 0:
		return eventstore.Any
	case 1:
		return eventstore.NoStream
	default:
		return int64(c.heads[stream]) - 1
	}
}

// perform makes the call; patience > 0 is when it is given up.
func (in call) perform(ctx context.Context, patience time.Duration, s eventstore.Store) (outcome, error) {
	switch in.op {
	case opReadStream:
		slice, err := s.ReadStream(ctx, in.name(), eventstore.ReadOptions{})
		return outcome{head: int(slice.Head) + 1, events: eventNumbers(slice.Events)}, err
	case opReadLog:
		all, err := readToEnd(ctx, s)
		return outcome{events: eventNumbers(all)}, err
	}
	if patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	r, err := s.Append(ctx, in.name(), in.expected, in.proposed())
	return outcomeOf(r, err)
}

func outcomeOf(r eventstore.Receipt, err error) (outcome, error) {
	var (
		wrong       *eventstore.WrongRevisionError
		unavailable *eventstore.UnavailableError
	)
	switch {
	case err == nil:
		return outcome{result: done, head: int(r.Revision) + 1}, nil
	case errors.As(err, &wrong):
		return outcome{result: refused, head: int(wrong.Actual) + 1}, nil
	case errors.As(err, &unavailable), errors.Is(err, context.DeadlineExceeded):
		return outcome{result: unknown}, nil
	}
	return outcome{}, err
}

// readToEnd reads the log to where it ends. As nothing comes to stand before what
// was read, it gives the log as it was at the last page.
func readToEnd(ctx context.Context, s eventstore.Feed) (all []eventstore.Recorded, err error) {
	for after := int64(0); ; {
		p, err := s.ReadAll(ctx, after, 0, eventstore.Filter{})
		if err != nil || p.Scanned == after {
			return all, err
		}
		all, after = append(all, p.Events...), p.Scanned
	}
}
