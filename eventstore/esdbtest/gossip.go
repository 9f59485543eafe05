package esdbtest

import (
	"context"
	"net"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
)

type gossipService struct {
	gossip.UnimplementedGossipServer
	server *Server
}

// Read lists the members of the cluster: this node, its leader.
func (g *gossipService) Read(context.Context, *shared.Empty) (*gossip.ClusterInfo, error) {
	host, text, _ := net.SplitHostPort(g.server.addr)
	port, _ := strconv.ParseUint(text, 10, 32)
	return &gossip.ClusterInfo{Members: []*gossip.MemberInfo{{
		InstanceId:   wireID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(g.server.addr)), false),
		TimeStamp:    g.server.options.Now().UnixNano() / 100,
		State:        gossip.MemberInfo_Leader,
		IsAlive:      true,
		HttpEndPoint: &gossip.EndPoint{Address: host, Port: uint32(port)},
	}}}, nil
}
