package esdbtest

import (
	"encoding/binary"
	"math"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const jsonType = "application/json"

// idOf reads an event id in either form; the zero id where there is none.
func idOf(id *shared.UUID) uuid.UUID {
	if parts := id.GetStructured(); parts != nil {
		var u uuid.UUID
		binary.BigEndian.PutUint64(u[:8], uint64(parts.MostSignificantBits))
		binary.BigEndian.PutUint64(u[8:], uint64(parts.LeastSignificantBits))
		return u
	}
	u, err := uuid.Parse(id.GetString_())
	if err != nil {
		return uuid.Nil
	}
	return u
}

func wireID(id uuid.UUID, asString bool) *shared.UUID {
	if asString {
		return &shared.UUID{Value: &shared.UUID_String_{String_: id.String()}}
	}
	return &shared.UUID{Value: &shared.UUID_Structured_{Structured: &shared.UUID_Structured{
		MostSignificantBits:  int64(binary.BigEndian.Uint64(id[:8])),
		LeastSignificantBits: int64(binary.BigEndian.Uint64(id[8:])),
	}}}
}

func wireStream(name string) *shared.StreamIdentifier {
	return &shared.StreamIdentifier{StreamName: []byte(name)}
}

// wireEvent is a record as a read sends it.
func wireEvent(r *record, idAsString bool) *streams.ReadResp {
	contentType := "application/octet-stream"
	if r.json {
		contentType = jsonType
	}
	return &streams.ReadResp{Content: &streams.ReadResp_Event{Event: &streams.ReadResp_ReadEvent{
		Event: &streams.ReadResp_ReadEvent_RecordedEvent{
			Id:               wireID(r.id, idAsString),
			StreamIdentifier: wireStream(r.stream),
			StreamRevision:   uint64(r.revision),
			CommitPosition:   r.position,
			PreparePosition:  r.position,
			Metadata: map[string]string{
				"type":         r.typ,
				"content-type": contentType,
				"created":      strconv.FormatInt(ticks(r.created), 10),
			},
			CustomMetadata: r.meta,
			Data:           r.data,
		},
		Position: &streams.ReadResp_ReadEvent_CommitPosition{CommitPosition: r.position},
	}}}
}

// ticks is a moment as the protocol counts: in steps of 100 ns.
func ticks(t time.Time) int64 { return t.UnixNano() / 100 }

// expectation reads what a request expects of a stream, from the oneof of that
// name: a revision or one of the negative numbers below.
func expectation(options proto.Message, oneof protoreflect.Name) (int64, error) {
	m := options.ProtoReflect()
	field := m.WhichOneof(m.Descriptor().Oneofs().ByName(oneof))
	if field == nil {
		return 0, errInvalidArgument("'None' is not a valid %s", oneof)
	}
	switch field.Name() {
	case "no_stream":
		return noStream, nil
	case "any":
		return anyRevision, nil
	case "stream_exists":
		return streamExists, nil
	}
	return revisionOf(m.Get(field).Uint())
}

// revisionOf reads a revision; the largest number there is stands for the end.
func revisionOf(v uint64) (int64, error) {
	if v > math.MaxInt64 && v != math.MaxUint64 {
		return 0, errException()
	}
	return int64(v), nil
}
