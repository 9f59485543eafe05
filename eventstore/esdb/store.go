// Package esdb keeps the log in EventStoreDB, or KurrentDB, version 22.10 or
// later, by its official client for Go: for when one machine is no longer
// enough. Other tools see the events as they are: the event's id is the server's
// event id, data and metadata are its data and metadata, byte for byte.
//
// Positions are commit positions. They grow by the size of what is written, and
// only the position of an event, or the one before it, can be read from; any
// other below the head is an *eventstore.InvalidError. The feed passes over
// system events (stream or type beginning with $), its head does not.
//
// Append costs two round trips: the server knows the ids of a repeat but looks at
// no body, so what stands in the log is read back and compared before it is
// acknowledged. A repeat is known by its place in the stream; with Any, by what
// the server remembers of late, under the stream that had an id first. An id that
// stands elsewhere in its stream is not known and is appended again. An append
// above the server's MaxAppendSize (1 MiB unless set otherwise, before KurrentDB
// 25.1) is an *eventstore.InvalidError, and so is the nil UUID, for which the
// client would draw another.
//
// Reads. A page that ends the stream costs one round trip, a full page a second
// one for the head. Where retention hides the head, it is asked for by an append
// that cannot succeed. The position of a hidden event is known only where this
// package hid it; else it is 0, in a Slice and in the Receipt of a repeat.
//
// Retention is the server's stream metadata, beside a property of ours that
// remembers what was deleted. Ages round up to whole seconds. Delete looks at the
// revision and then hides what it saw, so an append that comes between stays; the
// server's own delete would check both at once, and lose the retention. The
// server hides nothing from its $all, so the feed applies retention itself, once
// this package has ever set any: what another process hides may be seen here for
// Options.Timeout more, and what another tool hides, in such a log, until then.
// In a log without any it is seen until the server scavenges it. A stream that
// another tool deleted for later use reads as one that never was, and one that it
// tombstoned has no head.
//
// Nothing is archived by this package: moving old chunks elsewhere and scavenging them
// are the server's own.
//
// Trouble. The client is not to be trusted with more than one call at a time: one
// that finds no node closes itself for good and leaves concurrent callers hanging.
// So calls take turns on Options.Connections clients, each with a connection of
// its own, and a client that met trouble is thrown away. Every call is bounded by
// Options.Timeout, tried again within it, which is safe because appends are
// idempotent, and then answered by *eventstore.UnavailableError; the next call
// starts afresh. Reads that must see the newest need the leader, which is what
// the client prefers unless the connection string says otherwise; for a minute after
// another was elected they may be answered by the old one. Nothing guards against
// an event without a creation time: the client ends the process. Nor does it talk
// to a server whose version is not three numbers.
//
// News. Wait is woken by a subscription to everything new, and by the poll floor.
// Subscribe and SubscribeStream catch up by pages and are then handed events by
// subscriptions of the server, filtered there, which are compared with the log
// every Options.Timeout, in case the server has silently stopped.
//
// Acknowledged means what the cluster means by it: a majority has it on disk.
package esdb

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stepledger/stepledger/eventstore"
)

// Options of a Store. The zero value is suitable for production.
type Options struct {
	// Timeout bounds every call. 0 means 5 s.
	Timeout time.Duration
	// PollFloor is the longest time Wait goes on without news. 0 means 250 ms.
	PollFloor time.Duration
	// Connections is how many calls may be under way at once; each needs a
	// connection. Subscriptions have connections of their own. 0 means 16.
	Connections int
	// Log hears, at level debug, what the client has to say. nil is silence.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.PollFloor <= 0 {
		o.PollFloor = 250 * time.Millisecond
	}
	if o.Connections <= 0 {
		o.Connections = 16
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Store is an eventstore.Store in EventStoreDB. It is safe for concurrent use;
// any number of Stores, in any number of processes, may share a cluster.
type Store struct {
	o       Options
	clients *clients
	news    *news
	keeping *keeping
	kept    kept

	peopled atomic.Bool // the log has an event that is not the system's

	background context.Context // ends when Close begins
	stop       context.CancelFunc
	running    sync.WaitGroup
	closing    sync.Once

	identity identity
}

// identity remembers the id of the log, and when it was seen.
type identity struct {
	mu   sync.Mutex
	id   string
	seen time.Time
}

func (i *identity) see(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.id, i.seen = id, time.Now()
}

// known is the id if it was seen since.
func (i *identity) known(since time.Time) (string, bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.id, i.id != "" && i.seen.After(since)
}

var _ eventstore.Store = (*Store)(nil)

// Open connects to a node or a cluster by a connection string ("esdb://…",
// "esdb+discover://…") and gives the log an id if it has none. It returns an error if
// that takes longer than Options.Timeout.
func Open(ctx context.Context, url string, o Options) (*Store, error) {
	o = o.withDefaults()
	config, err := parse(url, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		o: o, clients: newClients(config, o.Connections), news: &news{}, keeping: newKeeping(),
		kept: kept{streams: make(map[string]eventstore.Kept)},
	}
	s.background, s.stop = context.WithCancel(context.Background())
	if _, err := s.ID(ctx); err != nil {
		s.Close()
		return nil, fmt.Errorf("open event store: %w", err)
	}
	s.running.Go(s.listen)
	return s, nil
}

// Close ends running calls and subscriptions and closes the connections. Later calls
// return UnavailableError.
func (s *Store) Close() {
	s.closing.Do(func() {
		s.stop()
		s.running.Wait()
		s.clients.close()
	})
}
