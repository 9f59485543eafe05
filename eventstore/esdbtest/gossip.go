package esdbtest

import (
	"context"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/gossip"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
)

type gossipService struct {
	gossip.UnimplementedGossipServer
	cluster *cluster
}

// Read lists the nodes of the cluster, those that are down among them.
func (g *gossipService) Read(context.Context, *shared.Empty) (*gossip.ClusterInfo, error) {
	g.cluster.mu.Lock()
	defer g.cluster.mu.Unlock()
	info := &gossip.ClusterInfo{}
	for _, n := range g.cluster.nodes {
		state := gossip.MemberInfo_Follower
		switch g.cluster.leader {
		case n:
			state = gossip.MemberInfo_Leader
		case nil:
			state = gossip.MemberInfo_Unknown
		}
		host, port := hostPort(n.addr)
		info.Members = append(info.Members, &gossip.MemberInfo{
			InstanceId:   wireID(uuid.NewSHA1(uuid.NameSpaceURL, []byte(n.addr)), false),
			TimeStamp:    ticks(g.cluster.db.now()),
			State:        state,
			IsAlive:      g.cluster.up[n],
			HttpEndPoint: &gossip.EndPoint{Address: host, Port: uint32(port)},
		})
	}
	return info, nil
}
