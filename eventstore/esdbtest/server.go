package esdbtest

import (
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

// Options of a server. The zero value is a node as it comes out of the box.
type Options struct {
	// MaxAppendBytes bounds the sum of the events of one append: 1 MiB when 0.
	MaxAppendBytes int
	// MaxEventBytes bounds one event: MaxRecordBytes when 0.
	MaxEventBytes int
	// WithoutBatchAppend leaves BatchAppend out of the supported methods.
	WithoutBatchAppend bool
	// WithoutServerFeatures answers the question for supported methods with
	// Unimplemented, as old servers do.
	WithoutServerFeatures bool
	// Now is the server's clock, time.Now when nil.
	Now func() time.Time
}

// MaxRecordBytes is the largest event any server takes, and the largest message
// it receives: 16 MiB less some room for the record around the event.
const MaxRecordBytes = 16<<20 - 10_000

// defaultMaxAppendBytes is what a node is set to when nobody says otherwise.
const defaultMaxAppendBytes = 1 << 20

// Server is one node. Its methods may be called from any goroutine.
type Server struct {
	t       testing.TB
	options Options
	db      *database
	addr    string
	faults  faults

	mu     sync.Mutex
	server *grpc.Server // nil while the node is down
	gate   *gate
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
	s := &Server{t: t, options: o, db: newDatabase(o.Now), addr: "127.0.0.1:0"}
	s.Restart()
	t.Cleanup(s.Stop)
	return s
}

// Addr is the host and port of the node, the same for all its life.
func (s *Server) Addr() string { return s.addr }

// URL is a connection string for this node alone.
func (s *Server) URL() string { return "esdb://" + s.addr + "?tls=false" }

// Stop takes the node down: connections break, calls under way end, the data
// stay. It does nothing to a node that is down.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server == nil {
		return
	}
	s.gate.close()
	s.server.Stop()
	s.server = nil
}

// Restart brings the node up again at its address, with its data; one that is
// up it takes down first.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.t.Fatalf("esdbtest: listen again: %v", err)
	}
	s.addr = listener.Addr().String()
	s.gate = newGate(listener)
	s.server = s.serve()
	go func(server *grpc.Server, gate *gate) {
		if err := server.Serve(gate); err != nil {
			s.t.Errorf("esdbtest: serve: %v", err)
		}
	}(s.server, s.gate)
}

func (s *Server) serve() *grpc.Server {
	server := grpc.NewServer(
		grpc.MaxRecvMsgSize(MaxRecordBytes),
		grpc.WaitForHandlers(true),
		// A real node lets clients ping as often as they like.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: time.Millisecond, PermitWithoutStream: true}),
		grpc.UnaryInterceptor(s.unary),
		grpc.StreamInterceptor(s.stream),
	)
	streams.RegisterStreamsServer(server, &streamsService{db: s.db, options: s.options})
	gossip.RegisterGossipServer(server, &gossipService{server: s})
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
