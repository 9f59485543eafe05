package esdbtest

import (
	"context"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"google.golang.org/grpc/metadata"
)

// cluster is a set of nodes with one log, as if each had a copy of all of it.
// While most of them are up, one of these leads.
type cluster struct {
	db *database

	mu     sync.Mutex
	nodes  []*Server
	up     map[*Server]bool
	leader *Server
}

func (c *cluster) join(s *Server) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes = append(c.nodes, s)
}

// set notes that a node is up or down, and has a leader elected where there is
// none. A leader that stays up keeps the lead.
func (c *cluster) set(s *Server, isUp bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.up == nil {
		c.up = map[*Server]bool{}
	}
	c.up[s] = isUp
	running := slices.DeleteFunc(slices.Clone(c.nodes), func(n *Server) bool { return !c.up[n] })
	switch {
	case len(running) <= len(c.nodes)/2:
		c.leader = nil
	case !c.up[c.leader]:
		c.leader = running[0]
	}
}

// Leads reports whether the node is the leader of its cluster.
func (s *Server) Leads() bool {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	return s.cluster.leader == s
}

// ClusterURL is a connection string with all nodes of the cluster, for a client
// that looks for its leader.
func (s *Server) ClusterURL() string {
	s.cluster.mu.Lock()
	defer s.cluster.mu.Unlock()
	addrs := make([]string, len(s.cluster.nodes))
	for i, n := range s.cluster.nodes {
		addrs[i] = n.addr
	}
	return "esdb://" + strings.Join(addrs, ",") + "?tls=false"
}

// serves says why a node cannot serve a call on streams. A follower passes
// everything on to its leader, unless the client wants the leader itself.
func (c *cluster) serves(ctx context.Context, s *Server) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.leader == nil:
		return errNotReady()
	case c.leader != s && wantsLeader(ctx):
		return errNotLeader(hostPort(c.leader.addr))
	default:
		return nil
	}
}

func wantsLeader(ctx context.Context) bool {
	return slices.ContainsFunc(metadata.ValueFromIncomingContext(ctx, "requires-leader"), func(v string) bool {
		return strings.EqualFold(v, "true")
	})
}

func hostPort(addr string) (host string, port int) {
	host, text, _ := net.SplitHostPort(addr)
	port, _ = strconv.Atoi(text)
	return host, port
}
