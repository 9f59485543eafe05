package esdbtest

import (
	"errors"
	"io"
	"strings"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
)

// outcome of a write. Current is the stream's last revision: after the write,
// that of the first one for a repeat, the actual one where the expectation was
// wrong.
type outcome struct {
	verdict     verdict
	current     int64
	position    uint64
	hasPosition bool
}

// append checks and writes. A stream that was soft deleted comes back to life.
func (db *database) append(stream string, expected int64, events []proposed) outcome {
	db.mu.Lock()
	defer db.mu.Unlock()
	ids := make([]uuid.UUID, len(events))
	for i, e := range events {
		ids[i] = e.id
	}
	verdict, last := db.judge(stream, expected, ids)
	switch verdict {
	case repeated:
		o := outcome{verdict: repeated, current: last}
		// Where retention hides the event its position is not told.
		if r := db.streams[stream][last]; db.isVisible(r) {
			o.position, o.hasPosition = r.position, true
		}
		return o
	case wrongRevision, streamDeleted:
		return outcome{verdict: verdict, current: db.last(stream)}
	}
	original, isMeta := strings.CutPrefix(stream, "$$")
	wasDeleted, originalWas := db.isSoftDeleted(stream), isMeta && db.isSoftDeleted(original)
	next := db.last(stream) + 1
	written := db.write(stream, events)
	if written == nil {
		// An append of nothing leaves a record that is no event.
		written = &record{stream: stream, void: true}
		db.add(written)
	}
	if wasDeleted {
		db.undelete(stream, next)
	}
	if originalWas {
		// Other metadata for a deleted stream bring it back too.
		db.undelete(original, db.last(original)+1)
	}
	db.notify()
	return outcome{verdict: fits, current: db.last(stream), position: written.position, hasPosition: true}
}

// Append is the call for one append: what is expected, then each event.
func (s *streamsService) Append(stream streams.Streams_AppendServer) error {
	first, err := stream.Recv()
	if err != nil {
		return err
	}
	options := first.GetOptions()
	if options == nil {
		return errException()
	}
	expected, err := expectation(options, "expected_stream_revision")
	if err != nil {
		return err
	}
	events, err := s.receive(stream)
	if err != nil {
		return err
	}
	name := string(options.GetStreamIdentifier().GetStreamName())
	if isInvalidStream(name) {
		return errException()
	}
	o := s.db.append(name, expected, events)
	if o.verdict == streamDeleted {
		return errStreamDeleted(name)
	}
	return stream.SendAndClose(appendResponse(o, expected))
}

// receive reads the events of an append, for as long as they are within bounds.
func (s *streamsService) receive(stream streams.Streams_AppendServer) ([]proposed, error) {
	limits := s.options.limits()
	var events []proposed
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return events, nil
		}
		if err != nil {
			return nil, err
		}
		m := message.GetProposedMessage()
		if m == nil {
			return nil, errException()
		}
		e, err := limits.take(m)
		if over, ok := errors.AsType[*overLimit](err); ok {
			return nil, over.refusal()
		}
		if err != nil {
			return nil, err
		}
		events = append(events, e)
	}
}

// isInvalidStream are the names no write may use.
func isInvalidStream(name string) bool { return name == "" || name == "$$" }

func appendResponse(o outcome, expected int64) *streams.AppendResp {
	if o.verdict == wrongRevision {
		return &streams.AppendResp{Result: &streams.AppendResp_WrongExpectedVersion_{WrongExpectedVersion: wrongVersion(o.current, expected)}}
	}
	success := &streams.AppendResp_Success{
		CurrentRevisionOption: &streams.AppendResp_Success_CurrentRevision{CurrentRevision: uint64(o.current)},
		PositionOption:        &streams.AppendResp_Success_NoPosition{NoPosition: &shared.Empty{}},
	}
	if o.current == noStream {
		success.CurrentRevisionOption = &streams.AppendResp_Success_NoStream{NoStream: &shared.Empty{}}
	}
	if o.hasPosition {
		success.PositionOption = &streams.AppendResp_Success_Position{
			Position: &streams.AppendResp_Position{CommitPosition: o.position, PreparePosition: o.position},
		}
	}
	return &streams.AppendResp{Result: &streams.AppendResp_Success_{Success: success}}
}

// wrongVersion says it twice: clients from before version 20.6.1 read other
// fields.
func wrongVersion(current, expected int64) *streams.AppendResp_WrongExpectedVersion {
	w := &streams.AppendResp_WrongExpectedVersion{}
	switch expected {
	case anyRevision:
		w.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedAny{ExpectedAny: &shared.Empty{}}
		w.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_Any_20_6_0{Any_20_6_0: &shared.Empty{}}
	case streamExists:
		w.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &shared.Empty{}}
		w.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_StreamExists_20_6_0{StreamExists_20_6_0: &shared.Empty{}}
	case noStream:
		w.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &shared.Empty{}}
		w.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision_20_6_0{ExpectedRevision_20_6_0: uint64(1<<64 - 1)}
	default:
		w.ExpectedRevisionOption = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision{ExpectedRevision: uint64(expected)}
		w.ExpectedRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_ExpectedRevision_20_6_0{ExpectedRevision_20_6_0: uint64(expected)}
	}
	if current == noStream {
		w.CurrentRevisionOption = &streams.AppendResp_WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &shared.Empty{}}
		w.CurrentRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_NoStream_20_6_0{NoStream_20_6_0: &shared.Empty{}}
		return w
	}
	w.CurrentRevisionOption = &streams.AppendResp_WrongExpectedVersion_CurrentRevision{CurrentRevision: uint64(current)}
	w.CurrentRevisionOption_20_6_0 = &streams.AppendResp_WrongExpectedVersion_CurrentRevision_20_6_0{CurrentRevision_20_6_0: uint64(current)}
	return w
}
