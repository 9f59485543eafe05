package esdbtest_test

import (
	"testing"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// raw speaks the protocol without the client, for what the client hides.
type raw struct {
	streams.StreamsClient
	headers metadata.MD
}

// wantingLeader asks for the leader, as the client of another language does.
func (r raw) wantingLeader() raw {
	r.headers = metadata.Pairs("requires-leader", "true")
	return r
}

func dialRaw(t *testing.T, s *esdbtest.Server) raw {
	t.Helper()
	conn, err := grpc.NewClient(s.Addr(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return raw{StreamsClient: streams.NewStreamsClient(conn)}
}

func proposedMessage(e esdb.EventData) *streams.AppendReq_ProposedMessage {
	return &streams.AppendReq_ProposedMessage{
		Id:       &shared.UUID{Value: &shared.UUID_String_{String_: e.EventID.String()}},
		Metadata: map[string]string{"type": e.EventType, "content-type": "application/json"},
		Data:     e.Data, CustomMetadata: e.Metadata,
	}
}

func (r raw) append(t *testing.T, stream string, list []esdb.EventData) (metadata.MD, error) {
	t.Helper()
	messages := make([]*streams.AppendReq_ProposedMessage, len(list))
	for i, e := range list {
		messages[i] = proposedMessage(e)
	}
	return r.appendMessages(t, stream, messages...)
}

// appendMessages appends with any revision.
func (r raw) appendMessages(t *testing.T, stream string, messages ...*streams.AppendReq_ProposedMessage) (metadata.MD, error) {
	t.Helper()
	var trailers metadata.MD
	call, err := r.Append(metadata.NewOutgoingContext(t.Context(), r.headers), grpc.Trailer(&trailers))
	if err != nil {
		t.Fatal(err)
	}
	options := &streams.AppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamRevision: &streams.AppendReq_Options_Any{Any: &shared.Empty{}},
	}
	// A send fails once the server has refused; the answer says why.
	_ = call.Send(&streams.AppendReq{Content: &streams.AppendReq_Options_{Options: options}})
	for _, m := range messages {
		_ = call.Send(&streams.AppendReq{Content: &streams.AppendReq_ProposedMessage_{ProposedMessage: m}})
	}
	_, err = call.CloseAndRecv()
	return trailers, err
}

// wrong appends at a revision that is not there and gives the answer.
func (r raw) wrong(t *testing.T, stream string, revision uint64) *streams.AppendResp_WrongExpectedVersion {
	t.Helper()
	call, err := r.Append(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	options := &streams.AppendReq_Options{
		StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
		ExpectedStreamRevision: &streams.AppendReq_Options_Revision{Revision: revision},
	}
	for _, m := range []*streams.AppendReq{
		{Content: &streams.AppendReq_Options_{Options: options}},
		{Content: &streams.AppendReq_ProposedMessage_{ProposedMessage: proposedMessage(events("x")[0])}},
	} {
		if err := call.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	answer, err := call.CloseAndRecv()
	if err != nil {
		t.Fatal(err)
	}
	return answer.GetWrongExpectedVersion()
}
