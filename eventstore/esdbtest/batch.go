package esdbtest

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/emptypb"
)

// writeTimeout is the longest a node lets an append of a batch wait for its
// last events.
const writeTimeout = 2 * time.Second

// batches is one call of BatchAppend: any number of appends, told apart by
// their correlation ids.
type batches struct {
	service *streamsService
	stream  streams.Streams_BatchAppendServer

	mu      sync.Mutex // of the appends and of answering
	pending map[uuid.UUID]*batch
	failed  error // an answer that could not be sent
}

// batch is one append that has not had its last events.
type batch struct {
	correlation *shared.UUID
	stream      string
	expected    int64
	events      []proposed
	limits      limits
	timer       *time.Timer
}

// BatchAppend takes appends in pieces and answers each when it has had its last.
func (s *streamsService) BatchAppend(stream streams.Streams_BatchAppendServer) error {
	b := &batches{service: s, stream: stream, pending: map[uuid.UUID]*batch{}}
	defer b.stop()
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := b.handle(request); err != nil {
			return err
		}
	}
}

// stop lets no timer answer a call that has ended.
func (b *batches) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id := range b.pending {
		b.forget(id)
	}
}

func (b *batches) forget(id uuid.UUID) {
	b.pending[id].timer.Stop()
	delete(b.pending, id)
}

func (b *batches) handle(r *streams.BatchAppendReq) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	id := idOf(r.GetCorrelationId())
	if r.GetOptions() != nil && b.pending[id] == nil {
		if refused := b.open(id, r); refused != nil {
			b.answer(r.GetCorrelationId(), r.GetOptions().GetStreamIdentifier(), refused)
		}
	}
	p := b.pending[id]
	if p == nil {
		return b.failed // was refused
	}
	if refused := p.take(r.GetProposedMessages()); refused != nil {
		b.forget(id)
		b.answer(p.correlation, wireStream(p.stream), refused)
	} else if r.GetIsFinal() {
		b.forget(id)
		b.answer(p.correlation, wireStream(p.stream), p.result(b.service.db.append(p.stream, p.expected, p.events)))
	}
	return b.failed
}

// open begins an append, or says why not.
func (b *batches) open(id uuid.UUID, r *streams.BatchAppendReq) (refused *streams.BatchAppendResp) {
	o := r.GetOptions()
	name := string(o.GetStreamIdentifier().GetStreamName())
	if isInvalidStream(name) {
		return badRequest("Required field StreamIdentifier not set.")
	}
	expected, err := expectation(o, "expected_stream_position")
	if err != nil {
		return badRequest(err.Error())
	}
	timeout := min(requestedTimeout(o), writeTimeout)
	if timeout <= 0 {
		return refusal(codes.DeadlineExceeded, "Timeout", &shared.Timeout{})
	}
	b.pending[id] = &batch{
		correlation: r.GetCorrelationId(), stream: name, expected: expected, limits: b.service.options.limits(),
		timer: time.AfterFunc(timeout, func() { b.expire(id) }),
	}
	return nil
}

// take adds events to an append, or says why not.
func (b *batch) take(messages []*streams.BatchAppendReq_ProposedMessage) (refused *streams.BatchAppendResp) {
	for _, m := range messages {
		e, err := b.limits.take(m)
		if over, ok := errors.AsType[*overLimit](err); ok {
			return tooLarge(over)
		}
		if err != nil {
			return badRequest(err.Error())
		}
		b.events = append(b.events, e)
	}
	return nil
}

func requestedTimeout(o *streams.BatchAppendReq_Options) time.Duration {
	switch d := o.GetDeadlineOption().(type) {
	case *streams.BatchAppendReq_Options_Deadline:
		return d.Deadline.AsDuration()
	case *streams.BatchAppendReq_Options_Deadline_21_10_0:
		return time.Until(d.Deadline_21_10_0.AsTime())
	default:
		return writeTimeout
	}
}

// expire answers an append whose last events have not come.
func (b *batches) expire(id uuid.UUID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p := b.pending[id]; p != nil {
		b.forget(id)
		b.answer(p.correlation, wireStream(p.stream), refusal(codes.DeadlineExceeded, "Timeout", &shared.Timeout{}))
	}
}

func (b *batches) answer(correlation *shared.UUID, stream *shared.StreamIdentifier, r *streams.BatchAppendResp) {
	r.CorrelationId, r.StreamIdentifier = correlation, stream
	if err := b.stream.Send(r); err != nil && b.failed == nil {
		b.failed = err
	}
}

// refusal is an error inside an answer, its details as the protocol has them.
func refusal(code codes.Code, text string, detail protoadapt.MessageV1) *streams.BatchAppendResp {
	s, err := status.New(code, text).WithDetails(detail)
	if err != nil {
		panic("esdbtest: a message of the protocol cannot fail to encode: " + err.Error())
	}
	return &streams.BatchAppendResp{Result: &streams.BatchAppendResp_Error{Error: s.Proto()}}
}

func badRequest(text string) *streams.BatchAppendResp {
	return refusal(codes.InvalidArgument, "BadRequest", &shared.BadRequest{Message: text})
}

// tooLarge names what went over its limit. For an event the client module has no
// type of the detail, which holds the id, the size and the limit.
func tooLarge(o *overLimit) *streams.BatchAppendResp {
	if o.event == uuid.Nil {
		return refusal(codes.InvalidArgument, "MaximumAppendSizeExceeded", &shared.MaximumAppendSizeExceeded{MaxAppendSize: uint32(o.limit)})
	}
	var detail []byte
	detail = protowire.AppendTag(detail, 1, protowire.BytesType)
	detail = protowire.AppendString(detail, o.event.String())
	detail = protowire.AppendTag(detail, 2, protowire.VarintType)
	detail = protowire.AppendVarint(detail, uint64(o.size))
	detail = protowire.AppendTag(detail, 3, protowire.VarintType)
	detail = protowire.AppendVarint(detail, uint64(o.limit))
	s := status.New(codes.InvalidArgument, "MaximumAppendEventSizeExceeded").Proto()
	s.Details = []*anypb.Any{{TypeUrl: "type.googleapis.com/event_store.client.MaximumAppendEventSizeExceeded", Value: detail}}
	return &streams.BatchAppendResp{Result: &streams.BatchAppendResp_Error{Error: s}}
}

// result is the answer to a whole append.
func (b *batch) result(o outcome) *streams.BatchAppendResp {
	switch o.verdict {
	case streamDeleted:
		return refusal(codes.NotFound, "StreamDeleted", &shared.StreamDeleted{StreamIdentifier: wireStream(b.stream)})
	case wrongRevision:
		return refusal(codes.AlreadyExists, "WrongExpectedVersion", wrongPosition(o.current, b.expected))
	}
	success := &streams.BatchAppendResp_Success{
		CurrentRevisionOption: &streams.BatchAppendResp_Success_CurrentRevision{CurrentRevision: uint64(o.current)},
		PositionOption:        &streams.BatchAppendResp_Success_NoPosition{NoPosition: &emptypb.Empty{}},
	}
	if o.current == noStream {
		success.CurrentRevisionOption = &streams.BatchAppendResp_Success_NoStream{NoStream: &emptypb.Empty{}}
	}
	if o.hasPosition {
		success.PositionOption = &streams.BatchAppendResp_Success_Position{
			Position: &shared.AllStreamPosition{CommitPosition: o.position, PreparePosition: o.position},
		}
	}
	return &streams.BatchAppendResp{Result: &streams.BatchAppendResp_Success_{Success: success}}
}

func wrongPosition(current, expected int64) *shared.WrongExpectedVersion {
	w := &shared.WrongExpectedVersion{
		CurrentStreamRevisionOption: &shared.WrongExpectedVersion_CurrentStreamRevision{CurrentStreamRevision: uint64(current)},
	}
	if current == noStream {
		w.CurrentStreamRevisionOption = &shared.WrongExpectedVersion_CurrentNoStream{CurrentNoStream: &emptypb.Empty{}}
	}
	switch expected {
	case anyRevision:
		w.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedAny{ExpectedAny: &emptypb.Empty{}}
	case streamExists:
		w.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedStreamExists{ExpectedStreamExists: &emptypb.Empty{}}
	case noStream:
		w.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedNoStream{ExpectedNoStream: &emptypb.Empty{}}
	default:
		w.ExpectedStreamPositionOption = &shared.WrongExpectedVersion_ExpectedStreamPosition{ExpectedStreamPosition: uint64(expected)}
	}
	return w
}
