package esdbtest

import (
	"context"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/serverfeatures"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
)

// version is what the server says it is.
const version = "24.10.0"

type featuresService struct {
	serverfeatures.UnimplementedServerFeaturesServer
	options Options
}

// GetSupportedMethods lists what there is, in lower case.
func (s *featuresService) GetSupportedMethods(context.Context, *shared.Empty) (*serverfeatures.SupportedMethods, error) {
	const streams = "event_store.client.streams.streams"
	methods := []*serverfeatures.SupportedMethod{
		{ServiceName: streams, MethodName: "read", Features: []string{"position", "events"}},
		{ServiceName: streams, MethodName: "append"},
		{ServiceName: streams, MethodName: "delete"},
		{ServiceName: streams, MethodName: "tombstone"},
		{ServiceName: "event_store.client.gossip.gossip", MethodName: "read"},
		{ServiceName: "event_store.client.server_features.serverfeatures", MethodName: "getsupportedmethods"},
	}
	if !s.options.WithoutBatchAppend {
		methods = append(methods, &serverfeatures.SupportedMethod{
			ServiceName: streams, MethodName: "batchappend", Features: []string{"deadline_duration"},
		})
	}
	return &serverfeatures.SupportedMethods{EventStoreServerVersion: version, Methods: methods}, nil
}
