package esdb

import (
	"context"
	"errors"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// head is the newest event ever appended to a stream, and whether the stream was
// ended.
type head struct {
	revision, position int64
	ended              bool
}

// headOf finds a stream's head, by up to three calls where retention hides it.
func (s *Store) headOf(ctx context.Context, stream string) (head, error) {
	newest, err := s.last(ctx, stream)
	switch {
	case isMissing(err):
		return head{revision: eventstore.NoRevision}, nil
	case isDeleted(err):
		return s.endedHead(ctx, stream)
	case err != nil:
		return head{}, err
	case len(newest) > 0:
		return head{revision: newest[0].Revision, position: newest[0].Position}, nil
	}
	return s.hiddenHead(ctx, stream)
}

// hiddenHead is the head of a stream whose events are all hidden. Its position
// was noted when it was hidden by this package.
func (s *Store) hiddenHead(ctx context.Context, stream string) (head, error) {
	revision, err := s.probe(ctx, stream)
	if isDeleted(err) {
		return s.endedHead(ctx, stream)
	}
	if err != nil {
		return head{}, err
	}
	m, _, err := s.metadata(ctx, stream)
	if err != nil {
		return head{}, err
	}
	return head{revision: revision, position: m.positionOf(revision)}, nil
}

// never is a revision that no stream reaches.
const never = 1 << 62

var errProbe = errors.New("the server does not say where the stream is")

// probe asks for the revision a stream is at by an append to where it is not: the
// refusal says it.
func (s *Store) probe(ctx context.Context, stream string) (int64, error) {
	_, err := call(ctx, s, func(ctx context.Context, c *esdb.Client) (*esdb.WriteResult, error) {
		return c.AppendToStream(ctx, stream,
			esdb.AppendToStreamOptions{ExpectedRevision: esdb.Revision(never), Deadline: &s.o.Timeout},
			esdb.EventData{EventID: uuid.New(), EventType: "stepledger.probe", ContentType: esdb.ContentTypeJson, Data: []byte("{}")})
	})
	if revision, ok := currentRevision(err); ok {
		return revision, nil
	}
	if err == nil {
		err = errProbe
	}
	return 0, err
}

// endedHead is the head of a stream that was tombstoned, noted before.
func (s *Store) endedHead(ctx context.Context, stream string) (head, error) {
	m, _, err := s.metadata(ctx, endedNote(stream))
	if err != nil {
		return head{}, err
	}
	if m.Marks.Head == nil {
		return head{revision: eventstore.NoRevision, ended: true}, nil
	}
	return head{revision: m.Marks.Head.Revision, position: m.Marks.Head.Position, ended: true}, nil
}

// endedNote is the stream, never written to, in whose metadata stands what was
// the head of a stream that was ended: its own metadata ends with it.
func endedNote(stream string) string { return "stepledger-ended-" + stream }
