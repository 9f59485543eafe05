package esdbtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

// Options of a node. The zero value is a node with default settings.
type Options struct {
	// Joins is a node of the cluster this one belongs to. Without it the node is
	// a cluster of its own.
	Joins *Server
	// MaxAppendBytes bounds the sum of the events of one append: 1 MiB when 0.
	MaxAppendBytes int
	// MaxEventBytes bounds one event: MaxRecordBytes when 0.
	MaxEventBytes int
	// WithoutBatchAppend leaves BatchAppend out of the supported methods.
	WithoutBatchAppend bool
	// WithoutServerFeatures answers the question for supported methods with
	// Unimplemented, as old servers do.
	WithoutServerFeatures bool
	// Now is the clock of the node's log, time.Now when nil. Nodes that join take
	// the log as it is.
	Now func() time.Time
}

// MaxRecordBytes is the largest event any server takes, and the largest message
// it receives: 16 MiB less some room for the record around the event.
const MaxRecordBytes = 16<<20 - 10_000

// defaultMaxAppendBytes is what a node is set to when nobody says otherwise.
const defaultMaxAppendBytes = 1 << 20

// maxCallsPerConnection is how many calls a node serves on one connection at a
// time. Clients hold further ones back.
const maxCallsPerConnection = 100

// Server is one node. Its methods may be called from any goroutine.
type Server struct {
	t       testing.TB
	options Options
	cluster *cluster
	addr    string
	faults  faults

	mu     sync.Mutex
	server *grpc.Server // nil while the node is down
	gate   *gate
	served chan struct{} // closed when nothing is accepted any more
}

// Start starts a node on a free port of 127.0.0.1. It stops when the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	if o.MaxAppendBytes == 0 {
		o.MaxAppendBytes = defaultMaxAppendBytes
	}
	if o.MaxEventBytes == 0 {
		o.MaxEventBytes = MaxRecordBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{t: t, options: o}
	listener, err := listenAnywhere()
	if err != nil {
		t.Fatalf("esdbtest: %v", err)
	}
	s.addr = listener.Addr().String()
	if o.Joins != nil {
		s.cluster = o.Joins.cluster
	} else {
		s.cluster = &cluster{db: newDatabase(o.Now)}
	}
	s.cluster.join(s)
	s.up(listener)
	t.Cleanup(s.Stop)
	return s
}

// listenAnywhere takes a port below those the system gives to outgoing
// connections: one of them could take it while the node is down.
func listenAnywhere() (net.Listener, error) {
	const first, count, tries = 20_000, 12_000, 100
	var last error
	for range tries {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(count)))
		if err == nil {
			return listener, nil
		}
		last = err
	}
	return nil, last
}

// Addr is the host and port of the node, the same for all its life.
func (s *Server) Addr() string { return s.addr }

// URL is a connection string for this node alone.
func (s *Server) URL() string { return "esdb://" + s.addr + "?tls=false" }

// Stop takes the node down: connections break, running calls end, and the data stay.
// It does nothing if the node is down.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return
	}
	s.cluster.set(s, false)
	s.gate.open()
	s.server.Stop()
	// A server that was stopped before it began closes nothing in time.
	_ = s.gate.Close()
	<-s.served
	s.server = nil
}

// Restart brings the node up at its address with its data, after taking it down if it
// is up.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatalf("esdbtest: listen again: %v", err)
	}
	s.up(listener)
}

// up serves on a listener.
func (s *Server) up(listener net.Listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate, s.server, s.served = newGate(listener), s.newServer(), make(chan struct{})
	s.cluster.set(s, true)
	go func(server *grpc.Server, gate *gate, served chan struct{}) {
		defer close(served)
		if err := server.Serve(gate); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
			s.t.Errorf("esdbtest: serve: %v", err)
		}
	}(s.server, s.gate, s.served)
}

func (s *Server) newServer() *grpc.Server {
	server := grpc.NewServer(
		grpc.MaxRecvMsgSize(MaxRecordBytes),
		grpc.MaxConcurrentStreams(maxCallsPerConnection),
		grpc.WaitForHandlers(true),
		// A real node lets clients ping as often as they like.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Millisecond, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(s.unary),
		grpc.StreamInterceptor(s.stream),
	)
	streams.RegisterStreamsServer(server, &streamsService{db: s.cluster.db, options: s.options})
	gossip.RegisterGossipServer(server, &gossipService{cluster: s.cluster})
	if !s.options.WithoutServerFeatures {
		serverfeatures.RegisterServerFeaturesServer(server, &featuresService{options: s.options})
	}
	return server
}

// streamsService is the service of appends and reads.
type streamsService struct {
	streams.UnimplementedStreamsServer
	db      *database
	options Options
}
