package esdb

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"

	"github.com/stepledger/stepledger/eventstore"
)

// Append implements eventstore.Log. When ctx ends while the append is on its
// way, whether it took place is unknown.
func (s *Store) Append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	if err := eventstore.CheckAppend(stream, expected, events); err != nil {
		return eventstore.Receipt{}, err
	}
	for i, e := range events {
		if e.ID == uuid.Nil.String() {
			return eventstore.Receipt{}, &eventstore.InvalidError{What: fmt.Sprintf("event %d", i), Why: "its id is the nil UUID"}
		}
	}
	var receipt eventstore.Receipt
	err := s.bounded(ctx, "append "+stream, func(ctx context.Context) (err error) {
		receipt, err = s.append(ctx, stream, expected, events)
		return err
	})
	if err != nil {
		return eventstore.Receipt{}, err
	}
	s.news.reach(receipt.Position)
	receipt.Log, _ = s.name(ctx) // without it, it is added all the same
	return receipt, nil
}

func (s *Store) append(ctx context.Context, stream string, expected int64, events []eventstore.Proposed) (eventstore.Receipt, error) {
	result, err := s.send(ctx, stream, expectation(expected), toWire(events))
	if err == nil {
		return s.confirm(ctx, stream, events, result)
	}
	if isDeleted(err) {
		return eventstore.Receipt{}, &eventstore.DeletedError{Stream: stream}
	}
	if head, ok := currentRevision(err); ok {
		return s.explain(ctx, stream, expected, events, head)
	}
	return eventstore.Receipt{}, err
}

// An append that is cut off so many times, has so many bytes and goes to a server
// that answers others, has more than the server takes. None is set to take less.
const (
	cutOffs    = 3
	leastLimit = 64 << 10
)

func (s *Store) send(ctx context.Context, stream string, expected esdb.ExpectedRevision, events []esdb.EventData) (*esdb.WriteResult, error) {
	for n := 1; ; n++ {
		result, err := call(ctx, s, func(ctx context.Context, c *esdb.Client) (*esdb.WriteResult, error) {
			return c.AppendToStream(ctx, stream, esdb.AppendToStreamOptions{ExpectedRevision: expected, Deadline: &s.o.Timeout}, events...)
		})
		switch {
		case err == nil:
			return result, nil
		case statusOf(err) == codes.InvalidArgument:
			return nil, &eventstore.InvalidError{What: "append", Why: "the server refuses it: " + err.Error()}
		case isCutOff(err) && n >= cutOffs && bytesOf(events) > leastLimit && s.answers(ctx, stream):
			return nil, &eventstore.InvalidError{What: "append", Why: "it is more than the server's MaxAppendSize"}
		case !isCutOff(err), !sleep(ctx, 10*time.Millisecond):
			return nil, err
		}
	}
}

func bytesOf(events []esdb.EventData) (n int) {
	for _, e := range events {
		n += len(e.Data) + len(e.Metadata)
	}
	return n
}

// answers reports whether the server handles appends to a stream.
func (s *Store) answers(ctx context.Context, stream string) bool {
	_, err := s.probe(ctx, stream)
	return err == nil || isDeleted(err)
}

// confirm looks at what stands in the log after an acknowledgement: the server
// takes known ids for a repeat, whatever the body. Where retention hides it, the
// server's word holds.
func (s *Store) confirm(ctx context.Context, stream string, events []eventstore.Proposed, result *esdb.WriteResult) (eventstore.Receipt, error) {
	final := toInt(result.NextExpectedVersion)
	first := max(0, final-int64(len(events))+1)
	for {
		there, err := s.readStream(ctx, stream, esdb.Revision(uint64(first)), esdb.Forwards, len(events))
		if err != nil && !isMissing(err) {
			return eventstore.Receipt{}, err
		}
		if len(there) < len(events) {
			m, _, err := s.metadata(ctx, stream)
			if err != nil {
				return eventstore.Receipt{}, err
			}
			if m.hides() {
				there = withHidden(stream, there, events, first, max(m.positionOf(final), toInt(result.CommitPosition)))
			}
		}
		if len(there) == len(events) {
			return repeat(stream, eventstore.Any, events, final, there)
		}
		// Another node answered, which has not got them yet.
		if !sleep(ctx, 10*time.Millisecond) {
			return eventstore.Receipt{}, fmt.Errorf("acknowledged, but not there to be read: %w", ctx.Err())
		}
	}
}

// withHidden fills in the events that a reader does not see, as they were
// proposed.
func withHidden(stream string, there []eventstore.Recorded, events []eventstore.Proposed, first, position int64) []eventstore.Recorded {
	out := make([]eventstore.Recorded, len(events))
	for i, e := range events {
		out[i] = eventstore.Recorded{
			ID: e.ID, Stream: stream, Type: e.Type, Revision: first + int64(i), Position: position,
			Data: e.Data, Meta: e.Meta,
		}
	}
	for _, r := range there {
		if i := r.Revision - first; i >= 0 && i < int64(len(out)) {
			out[i] = r
		}
	}
	return out
}

// explain finds out why an append was refused by a stream that is at head: ids of
// it may stand where it would have come to stand, and not all of it, or not as it
// is.
func (s *Store) explain(ctx context.Context, stream string, expected int64, events []eventstore.Proposed, head int64) (eventstore.Receipt, error) {
	if expected == eventstore.Any {
		// Without an expectation only ids speak against an append: the first is
		// known and a later one is not.
		return eventstore.Receipt{}, &eventstore.IDConflictError{Stream: stream, ID: events[0].ID}
	}
	var there []eventstore.Recorded
	if expected < head {
		var err error
		n := int64(len(events))
		from := max(0, expected+1-n) // as far as one that is in another place would reach
		there, err = s.readStream(ctx, stream, esdb.Revision(uint64(from)), esdb.Forwards, 3*len(events))
		if err != nil && !isMissing(err) {
			return eventstore.Receipt{}, err
		}
	}
	return repeat(stream, expected, events, head, there)
}

// repeat judges an append by the events found in its place.
func repeat(stream string, expected int64, events []eventstore.Proposed, head int64, there []eventstore.Recorded) (eventstore.Receipt, error) {
	found := eventstore.Found{Head: head, Known: make(map[string]eventstore.Recorded)}
	for _, r := range there {
		found.Known[r.ID] = r
	}
	proposed := make(map[string]bool, len(events))
	for _, e := range events {
		proposed[e.ID] = true
	}
	maps.DeleteFunc(found.Known, func(id string, _ eventstore.Recorded) bool { return !proposed[id] })
	receipt, isNew, err := eventstore.Judge(stream, expected, events, found)
	if err == nil && isNew {
		err = errors.New("the server's answer is not what stands in the stream")
	}
	return receipt, err
}
