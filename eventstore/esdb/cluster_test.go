package esdb_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	client "github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/esdb"
	"github.com/stepledger/stepledger/eventstore/storetest"
)

// clusterEnv is a connection string of a real cluster to run the contract on, or
// "esdbtest" for an in-process node, to try what this file adds to the contract.
const clusterEnv = "EVENTSTORE_TEST_URL"

// The contract wants empty logs, and a cluster has one that others write to. So
// each store is given a part of it.
func TestStore_onACluster(t *testing.T) {
	url := os.Getenv(clusterEnv)
	switch url {
	case "":
		t.Logf("%s is not set: no real cluster has been tried (deploy/README.md says how to start one)", clusterEnv)
		return
	case "esdbtest":
		url = node(t).URL()
	}
	storetest.Run(t, storetest.Subject{
		Name:  "esdb",
		Lacks: lacks,
		Open: func(t testing.TB) eventstore.Store {
			s, end, err := dial(t.Context(), partOf(t, url))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(end)
			return s
		},
		Log:  func(t testing.TB) string { return partOf(t, url) },
		Dial: dial,
	})
}

// part is an empty log within a log that others write to: the streams whose names
// begin with a prefix, from where the log ended when it was made. Of the feed it
// shows nothing else, and its head is that of its own events.
type part struct {
	eventstore.Store
	prefix string
	start  int64
	index  *index
}

// index knows where the events of each part stand. It reads the log once, with
// all that is hidden in it.
type index struct {
	client *client.Client

	mu  sync.Mutex
	at  uint64
	own map[string][]int64
}

// positions reads on to the end of the log.
func (x *index) positions(ctx context.Context, prefix string) ([]int64, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for ctx.Err() == nil {
		const many = 5_000
		read, err := x.client.ReadAll(ctx, client.ReadAllOptions{From: client.Position{Commit: x.at, Prepare: x.at}}, many)
		if err != nil {
			return nil, err
		}
		n := 0
		for ; ; n++ {
			e, err := read.Recv()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, err
			}
			r := e.OriginalEvent()
			if own, _, found := strings.Cut(r.StreamID, "."); found && r.Position.Commit > x.at && !strings.HasPrefix(r.EventType, "$") {
				x.own[own] = append(x.own[own], int64(r.Position.Commit))
			}
			x.at = max(x.at, r.Position.Commit)
		}
		if n < many {
			own, _, _ := strings.Cut(prefix, ".")
			return slices.Clone(x.own[own]), nil
		}
	}
	return nil, ctx.Err()
}

const prefixBegins = "test"

// partOf gives the address of a new part: "prefix start url".
func partOf(t testing.TB, url string) string {
	t.Helper()
	head, err := open(t, url, esdb.Options{}).Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	prefix := prefixBegins + strings.ReplaceAll(uuid.NewString(), "-", "") + "."
	return fmt.Sprintf("%s %d %s", prefix, head, url)
}

func dial(ctx context.Context, address string) (eventstore.Store, func(), error) {
	within, url := "", address
	if i := strings.LastIndex(address, " "); i >= 0 {
		within, url = address[:i], address[i+1:]
	}
	s, err := esdb.Open(ctx, url, esdb.Options{Timeout: patience})
	if err != nil {
		return nil, nil, err
	}
	if within == "" {
		return s, s.Close, nil
	}
	prefix, start, _ := strings.Cut(within, " ")
	at, err := strconv.ParseInt(start, 10, 64)
	if err != nil {
		return nil, s.Close, err
	}
	config, err := client.ParseConnectionString(url)
	if err != nil {
		return nil, s.Close, err
	}
	config.Logger = client.NoopLogging()
	c, err := client.NewClient(config)
	x := &index{client: c, at: uint64(at), own: make(map[string][]int64)}
	return part{s, prefix, at, x}, func() { s.Close(); c.Close() }, err
}

// in is a stream's name in the whole log. What is no name stays none.
func (p part) in(stream string) string {
	if eventstore.CheckStream(stream) != nil {
		return stream
	}
	return p.prefix + stream
}

// out takes the prefix off the streams of events, and leaves out what is not ours.
func (p part) out(events []eventstore.Recorded) (own []eventstore.Recorded) {
	for _, e := range events {
		if name, ok := strings.CutPrefix(e.Stream, p.prefix); ok {
			e.Stream, e.ID = name, p.id(e.ID)
			own = append(own, e)
		}
	}
	return own
}

func (p part) outErr(err error) error {
	if e, ok := errors.AsType[*eventstore.WrongRevisionError](err); ok {
		return &eventstore.WrongRevisionError{Stream: strings.TrimPrefix(e.Stream, p.prefix), Expected: e.Expected, Actual: e.Actual}
	}
	if e, ok := errors.AsType[*eventstore.IDConflictError](err); ok {
		return &eventstore.IDConflictError{Stream: strings.TrimPrefix(e.Stream, p.prefix), ID: p.id(e.ID)}
	}
	if e, ok := errors.AsType[*eventstore.DeletedError](err); ok {
		return &eventstore.DeletedError{Stream: strings.TrimPrefix(e.Stream, p.prefix)}
	}
	return err
}

func (p part) filter(f eventstore.Filter) eventstore.Filter {
	out := eventstore.Filter{Types: f.Types}
	for _, c := range f.Categories {
		out.Categories = append(out.Categories, p.prefix+c)
	}
	return out
}

func (p part) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	events = slices.Clone(events)
	for i := range events {
		events[i].ID = p.id(events[i].ID)
	}
	r, err := p.Store.Append(ctx, p.in(stream), expected, events)
	return r, p.outErr(err)
}

// id gives each part ids of its own, for there are tests that use the same ones.
// What it gives for an id in the log is the id in the part.
func (p part) id(id string) string {
	out, err := uuid.Parse(id)
	if err != nil || out.String() != id {
		return id // is to be refused
	}
	mask := uuid.MustParse(p.prefix[len(prefixBegins) : len(p.prefix)-1])
	for i := range out {
		out[i] ^= mask[i]
	}
	return out.String()
}

func (p part) ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error) {
	slice, err := p.Store.ReadStream(ctx, p.in(stream), o)
	slice.Events = p.out(slice.Events)
	return slice, p.outErr(err)
}

func (p part) SetRetention(ctx context.Context, stream string, r eventstore.Retention) error {
	return p.outErr(p.Store.SetRetention(ctx, p.in(stream), r))
}

func (p part) Delete(ctx context.Context, stream string, expected int64) error {
	return p.outErr(p.Store.Delete(ctx, p.in(stream), expected))
}

func (p part) Tombstone(ctx context.Context, stream string, expected int64) error {
	return p.outErr(p.Store.Tombstone(ctx, p.in(stream), expected))
}

func (p part) Kept(ctx context.Context, after string, limit int) ([]eventstore.Kept, error) {
	limit, err := eventstore.CheckKept(limit)
	if err != nil {
		return nil, err
	}
	all, err := p.Store.Kept(ctx, p.prefix+after, limit)
	var own []eventstore.Kept
	for _, k := range all {
		if name, ok := strings.CutPrefix(k.Stream, p.prefix); ok {
			k.Stream = name
			own = append(own, k)
		}
	}
	return own, err
}

func (p part) Head(ctx context.Context) (int64, error) {
	own, err := p.own(ctx, 0)
	if err != nil || len(own) == 0 {
		return 0, err
	}
	return own[len(own)-1], nil
}

// own are the positions of the part's events after one, hidden ones too.
func (p part) own(ctx context.Context, after int64) ([]int64, error) {
	all, err := p.index.positions(ctx, p.prefix)
	i, found := slices.BinarySearch(all, after)
	if found {
		i++
	}
	return all[i:], err
}

// ReadAll jumps over the events of others.
func (p part) ReadAll(ctx context.Context, after int64, limit int, f eventstore.Filter) (eventstore.Page, error) {
	limit, err := eventstore.CheckReadAll(after, limit, f)
	if err != nil {
		return eventstore.Page{}, err
	}
	out := eventstore.Page{Scanned: after}
	own, err := p.own(ctx, after)
	for err == nil && len(own) > 0 {
		at := own[0] - 1
		page, err := p.Store.ReadAll(ctx, at, min(limit+16, eventstore.MaxPage), p.filter(f))
		if err != nil {
			return eventstore.Page{}, err
		}
		for _, e := range p.out(page.Events) {
			if e.Position > own[len(own)-1] {
				break // it came later; so do others, perhaps left out
			}
			out.Events = append(out.Events, e)
			if len(out.Events) == limit {
				return eventstore.Page{Events: out.Events, Scanned: e.Position}, nil
			}
		}
		passed := slices.IndexFunc(own, func(position int64) bool { return position > page.Scanned })
		if passed < 0 {
			passed = len(own)
		}
		out.Scanned = own[passed-1]
		own = own[passed:]
	}
	return out, err
}

func (p part) Subscribe(ctx context.Context, after int64, f eventstore.Filter) iter.Seq2[eventstore.Page, error] {
	if after == 0 {
		after = p.start
	}
	return func(yield func(eventstore.Page, error) bool) {
		for page, err := range p.Store.Subscribe(ctx, after, p.filter(f)) {
			page.Events = p.out(page.Events)
			if !yield(page, err) {
				return
			}
		}
	}
}

func (p part) SubscribeStream(ctx context.Context, stream string, from int64) iter.Seq2[eventstore.Slice, error] {
	return func(yield func(eventstore.Slice, error) bool) {
		for slice, err := range p.Store.SubscribeStream(ctx, p.in(stream), from) {
			slice.Events = p.out(slice.Events)
			if !yield(slice, err) {
				return
			}
		}
	}
}

func (p part) Wait(ctx context.Context, after int64) error {
	return p.Store.Wait(ctx, max(after, p.start))
}
