package esdbtest

import (
	"context"
	"fmt"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
)

// remove deletes a stream, for ever with hard. A soft delete replaces all
// metadata of the stream.
func (db *database) remove(stream string, expected int64, hard bool) outcome {
	db.mu.Lock()
	defer db.mu.Unlock()
	verdict, _ := db.judge(stream, expected, []uuid.UUID{uuid.New()})
	if verdict != fits {
		return outcome{verdict: verdict, current: db.last(stream)}
	}
	var written *record
	switch {
	case hard:
		written = &record{id: uuid.New(), stream: stream, typ: tombstoneType, revision: deletedStream}
		db.add(written)
		db.ended[stream] = true
	case db.last(stream) < 0 && db.last("$$"+stream) < 0:
		return outcome{verdict: wrongRevision, current: noStream}
	default:
		data := fmt.Appendf(nil, `{"$tb":%d}`, deletedStream)
		written = db.write("$$"+stream, []proposed{{id: uuid.New(), typ: metadataType, json: true, data: data}})
	}
	db.notify()
	return outcome{verdict: fits, position: written.position, hasPosition: true}
}

// Delete is the soft delete.
func (s *streamsService) Delete(_ context.Context, r *streams.DeleteReq) (*streams.DeleteResp, error) {
	expected, err := expectation(r.GetOptions(), "expected_stream_revision")
	if err != nil {
		return nil, err
	}
	o, err := s.remove(string(r.GetOptions().GetStreamIdentifier().GetStreamName()), expected, false)
	if err != nil {
		return nil, err
	}
	return &streams.DeleteResp{PositionOption: &streams.DeleteResp_Position_{
		Position: &streams.DeleteResp_Position{CommitPosition: o.position, PreparePosition: o.position},
	}}, nil
}

// Tombstone ends a stream for ever.
func (s *streamsService) Tombstone(_ context.Context, r *streams.TombstoneReq) (*streams.TombstoneResp, error) {
	expected, err := expectation(r.GetOptions(), "expected_stream_revision")
	if err != nil {
		return nil, err
	}
	o, err := s.remove(string(r.GetOptions().GetStreamIdentifier().GetStreamName()), expected, true)
	if err != nil {
		return nil, err
	}
	return &streams.TombstoneResp{PositionOption: &streams.TombstoneResp_Position_{
		Position: &streams.TombstoneResp_Position{CommitPosition: o.position, PreparePosition: o.position},
	}}, nil
}

func (s *streamsService) remove(stream string, expected int64, hard bool) (outcome, error) {
	if isInvalidStream(stream) {
		return outcome{}, errException()
	}
	o := s.db.remove(stream, expected, hard)
	switch o.verdict {
	case wrongRevision:
		return o, errWrongVersion("Delete", stream, expected, o.current)
	case streamDeleted:
		return o, errStreamDeleted(stream)
	}
	return o, nil
}
