package esdb

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// marks is what this package keeps in the metadata of a stream, in a property of
// its own. The server's $tb is the larger of the first two.
type marks struct {
	// TruncateBefore is what SetRetention was told.
	TruncateBefore int64 `json:"truncateBefore,omitempty"`
	// DeletedBefore is the revision before which Delete has hidden everything.
	DeletedBefore int64 `json:"deletedBefore,omitempty"`
	// Head is the event that was the last one when all were hidden.
	Head *mark `json:"head,omitempty"`
	// Log is the id of the log, and Kept says that retention was ever set in it.
	// Both stand in the metadata of logStream only.
	Log  string `json:"log,omitempty"`
	Kept bool   `json:"kept,omitempty"`
	// Epochs are those after the first, in the metadata of logStream; nil for none.
	Epochs *[]eventstore.Epoch `json:"epochs,omitempty"`
}

// epochs are all of the log.
func (m marks) epochs() []eventstore.Epoch {
	all := []eventstore.Epoch{{Number: 1}}
	if m.Epochs != nil {
		all = append(all, *m.Epochs...)
	}
	return all
}

// name is the id of the log in its present epoch, "" before it has one.
func (m marks) name() string {
	if m.Log == "" {
		return ""
	}
	all := m.epochs()
	return all[len(all)-1].ID(m.Log)
}

// mark is where an event stands.
type mark struct {
	Revision int64 `json:"revision"`
	Position int64 `json:"position"`
}

// ourProperty is what other tools see of marks.
const ourProperty = "stepledger"

// metadata of a stream: the server's own limits, our marks, and whatever else
// others put there, which is kept as it is.
type metadata struct {
	MaxAge         int64 // seconds
	MaxCount       int64
	TruncateBefore int64
	Marks          marks

	all map[string]json.RawMessage
}

func (m metadata) hides() bool { return m.MaxAge > 0 || m.MaxCount > 0 || m.TruncateBefore > 0 }

// positionOf is the position of an event that is hidden, 0 where it is unknown.
func (m metadata) positionOf(revision int64) int64 {
	if m.Marks.Head != nil && m.Marks.Head.Revision == revision {
		return m.Marks.Head.Position
	}
	return 0
}

// decodeMetadata reads metadata as the server does: a limit that is no number
// makes it ignore all of them.
func decodeMetadata(b []byte) metadata {
	m := metadata{all: make(map[string]json.RawMessage)}
	if json.Unmarshal(b, &m.all) != nil || m.all == nil {
		return metadata{all: make(map[string]json.RawMessage)}
	}
	_ = json.Unmarshal(m.all[ourProperty], &m.Marks)
	limits := map[string]*int64{"$maxAge": &m.MaxAge, "$maxCount": &m.MaxCount, "$tb": &m.TruncateBefore}
	for name, to := range limits {
		text, ok := m.all[name]
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(string(text), 10, 64)
		if err != nil {
			return metadata{Marks: m.Marks, all: m.all}
		}
		*to = n
	}
	return m
}

func (m metadata) encode() []byte {
	set := func(name string, n int64) {
		delete(m.all, name)
		if n > 0 {
			m.all[name] = strconv.AppendInt(nil, n, 10)
		}
	}
	set("$maxAge", m.MaxAge)
	set("$maxCount", m.MaxCount)
	set("$tb", m.TruncateBefore)
	delete(m.all, ourProperty)
	if m.Marks != (marks{}) {
		m.all[ourProperty] = mustEncode(m.Marks)
	}
	return mustEncode(m.all)
}

func mustEncode(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic("esdb: metadata cannot fail to encode: " + err.Error())
	}
	return b
}

// metadata reads the metadata of a stream, with its revision.
func (s *Store) metadata(ctx context.Context, stream string) (metadata, int64, error) {
	newest, err := s.last(ctx, "$$"+stream)
	switch {
	case isDeleted(err):
		return metadata{}, 0, &eventstore.DeletedError{Stream: stream}
	case err != nil && !isMissing(err):
		return metadata{}, 0, err
	case len(newest) == 0:
		return decodeMetadata(nil), eventstore.NoStream, nil
	}
	return decodeMetadata(newest[0].Data), newest[0].Revision, nil
}

// change rewrites the metadata of a stream by decide, which reports whether there
// is anything to write. Another writer's change in between makes it start again.
func (s *Store) change(ctx context.Context, stream string, decide func(*metadata) (bool, error)) error {
	_, err := s.changed(ctx, stream, decide)
	return err
}

// changed is change, and says where in the log the metadata were written, 0 if they
// were not.
func (s *Store) changed(ctx context.Context, stream string, decide func(*metadata) (bool, error)) (int64, error) {
	for {
		m, revision, err := s.metadata(ctx, stream)
		if err != nil {
			return 0, err
		}
		if write, err := decide(&m); err != nil || !write {
			return 0, err
		}
		event := esdb.EventData{
			EventID: uuid.New(), EventType: "$metadata", ContentType: esdb.ContentTypeJson, Data: m.encode(),
		}
		written, err := call(ctx, s, func(ctx context.Context, c *esdb.Client) (*esdb.WriteResult, error) {
			return c.AppendToStream(ctx, "$$"+stream,
				esdb.AppendToStreamOptions{ExpectedRevision: expectation(revision), Deadline: &s.o.Timeout}, event)
		})
		switch {
		case err == nil:
			return toInt(written.CommitPosition), nil
		case isDeleted(err):
			return 0, &eventstore.DeletedError{Stream: stream}
		case !hasCode(err, esdb.ErrorCodeWrongExpectedVersion), !sleep(ctx, 10*time.Millisecond):
			return 0, err
		}
	}
}

// softDeleted is the $tb of a stream that was deleted by the server's own delete.
const softDeleted = math.MaxInt64
