package esdb

import (
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// toWire makes events of the client. CheckAppend has seen the ids.
func toWire(events []eventstore.Proposed) []esdb.EventData {
	out := make([]esdb.EventData, len(events))
	for i, e := range events {
		content := esdb.ContentTypeBinary
		if utf8.Valid(e.Data) {
			content = esdb.ContentTypeJson
		}
		out[i] = esdb.EventData{
			EventID: uuid.MustParse(e.ID), EventType: e.Type, ContentType: content, Data: e.Data, Metadata: e.Meta,
		}
	}
	return out
}

func fromWire(e *esdb.RecordedEvent) eventstore.Recorded {
	r := eventstore.Recorded{
		ID: e.EventID.String(), Stream: e.StreamID, Type: e.EventType,
		Revision: toInt(e.EventNumber), Position: toInt(e.Position.Commit), RecordedAt: e.CreatedDate,
		Data: e.Data,
	}
	if len(e.UserMetadata) > 0 {
		r.Meta = e.UserMetadata
	}
	return r
}

// toInt brings the server's numbers into the port's. What is beyond them marks a
// tombstone or an unknown place.
func toInt(n uint64) int64 {
	if n > math.MaxInt64 {
		return 0
	}
	return int64(n)
}

// isSystem reports whether an event is the server's own business.
func isSystem(e *esdb.RecordedEvent) bool {
	return strings.HasPrefix(e.StreamID, "$") || strings.HasPrefix(e.EventType, "$")
}

// place is a position as the client has it. Events of this store, and of every
// client that does not write transactions, commit by themselves.
func place(position int64) esdb.Position {
	return esdb.Position{Commit: uint64(position), Prepare: uint64(position)}
}

// expectation is an expected revision as the client has it.
func expectation(expected int64) esdb.ExpectedRevision {
	switch expected {
	case eventstore.Any:
		return esdb.Any{}
	case eventstore.NoStream:
		return esdb.NoStream{}
	}
	return esdb.Revision(uint64(expected))
}

// receive takes what a read gives, until take has had enough or there is no more.
// A read is answered when its first event is received, not when it is made.
func receive(read *esdb.ReadStream, err error, take func(*esdb.RecordedEvent) (more bool)) error {
	if err != nil {
		return err
	}
	defer read.Close()
	for {
		e, err := read.Recv()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case !take(e.OriginalEvent()):
			return nil
		}
	}
}

// readStream reads at most n events of a stream as they are, hidden ones left
// out by the server.
func (s *Store) readStream(ctx context.Context, stream string, from esdb.StreamPosition, d esdb.Direction, n int) ([]eventstore.Recorded, error) {
	return call(ctx, s, func(ctx context.Context, c *esdb.Client) (out []eventstore.Recorded, err error) {
		read, err := c.ReadStream(ctx, stream, esdb.ReadStreamOptions{From: from, Direction: d}, uint64(n))
		err = receive(read, err, func(e *esdb.RecordedEvent) bool {
			out = append(out, fromWire(e))
			return true
		})
		return out, err
	})
}

// last reads the newest visible event of a stream; there may be none.
func (s *Store) last(ctx context.Context, stream string) ([]eventstore.Recorded, error) {
	return s.readStream(ctx, stream, esdb.End{}, esdb.Backwards, 1)
}
