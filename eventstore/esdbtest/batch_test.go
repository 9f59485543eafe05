package esdbtest_test

import (
	"strings"
	"testing"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/EventStore/EventStore-Client-Go/v4/protos/streams"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/stepledger/stepledger/eventstore/esdbtest"
)

// batch is one call of BatchAppend.
type batch struct {
	t *testing.T
	streams.Streams_BatchAppendClient
}

func (r raw) batch(t *testing.T) batch {
	t.Helper()
	call, err := r.BatchAppend(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return batch{t, call}
}

// request is the piece of an append that opens it, with any revision.
func request(stream string, isFinal bool, list ...esdb.EventData) *streams.BatchAppendReq {
	r := &streams.BatchAppendReq{
		CorrelationId: &shared.UUID{Value: &shared.UUID_String_{String_: uuid.NewString()}},
		Options: &streams.BatchAppendReq_Options{
			StreamIdentifier:       &shared.StreamIdentifier{StreamName: []byte(stream)},
			ExpectedStreamPosition: &streams.BatchAppendReq_Options_Any{Any: &emptypb.Empty{}},
			DeadlineOption:         &streams.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(time.Minute)},
		},
		IsFinal: isFinal,
	}
	return piece(r, isFinal, list...)
}

// piece is a further one.
func piece(of *streams.BatchAppendReq, isFinal bool, list ...esdb.EventData) *streams.BatchAppendReq {
	r := &streams.BatchAppendReq{CorrelationId: of.CorrelationId, IsFinal: isFinal}
	if len(of.ProposedMessages) == 0 {
		r.Options = of.Options
	}
	for _, e := range list {
		m := proposedMessage(e)
		r.ProposedMessages = append(r.ProposedMessages, &streams.BatchAppendReq_ProposedMessage{
			Id: m.Id, Metadata: m.Metadata, Data: m.Data, CustomMetadata: m.CustomMetadata,
		})
	}
	return r
}

func (b batch) send(requests ...*streams.BatchAppendReq) {
	b.t.Helper()
	for _, r := range requests {
		if err := b.Send(r); err != nil {
			b.t.Fatal(err)
		}
	}
}

// answer gives the next answer, which must be to a request.
func (b batch) answer(to *streams.BatchAppendReq) *streams.BatchAppendResp {
	b.t.Helper()
	r, err := b.Recv()
	if err != nil {
		b.t.Fatal(err)
	}
	if !proto.Equal(r.CorrelationId, to.CorrelationId) {
		b.t.Fatalf("an answer to another append: %v", r)
	}
	return r
}

func TestBatchAppend(t *testing.T) {
	t.Parallel()
	s := esdbtest.Start(t, esdbtest.Options{MaxAppendBytes: 1000, MaxEventBytes: 600})
	c := connect(t, s)
	r := dialRaw(t, s)
	// refused wants an error with its detail.
	refused := func(t *testing.T, answer *streams.BatchAppendResp, code codes.Code, detail string) {
		t.Helper()
		e := answer.GetError()
		if codes.Code(e.GetCode()) != code || len(e.GetDetails()) != 1 || !strings.HasSuffix(e.Details[0].TypeUrl, "."+detail) {
			t.Errorf("%v, want %v with %s", e, code, detail)
		}
	}

	t.Run("an append in one piece is answered with its revision and position", func(t *testing.T) {
		t.Parallel()
		b := r.batch(t)
		list := events("a", "b")
		first := request("one", true, list...)
		b.send(first)
		success := b.answer(first).GetSuccess()
		got, err := readStream(t, c, "one", esdb.ReadStreamOptions{}, everything)
		if err != nil || len(got) != 2 || success.GetCurrentRevision() != 1 || success.GetPosition().GetCommitPosition() != got[1].Position.Commit {
			t.Fatal(success, got, err)
		}
		again := request("one", true, list...)
		b.send(again)
		if repeat := b.answer(again).GetSuccess(); !proto.Equal(repeat, success) {
			t.Errorf("repeat: %v, first: %v", repeat, success)
		}
	})
	t.Run("appends in pieces may be mixed", func(t *testing.T) {
		t.Parallel()
		b := r.batch(t)
		x, y := request("x", false, events("x0")...), request("y", false, events("y0")...)
		b.send(x, y, piece(y, true, events("y1")...), piece(x, true, events("x1", "x2")...))
		if n := b.answer(y).GetSuccess().GetCurrentRevision(); n != 1 {
			t.Errorf("y at %d", n)
		}
		if n := b.answer(x).GetSuccess().GetCurrentRevision(); n != 2 {
			t.Errorf("x at %d", n)
		}
	})
	t.Run("a wrong revision says what is there", func(t *testing.T) {
		t.Parallel()
		b := r.batch(t)
		q := request("wrong", true, events("a")...)
		q.Options.ExpectedStreamPosition = &streams.BatchAppendReq_Options_StreamPosition{StreamPosition: 7}
		b.send(q)
		answer := b.answer(q)
		refused(t, answer, codes.AlreadyExists, "WrongExpectedVersion")
		var w shared.WrongExpectedVersion
		if err := answer.GetError().Details[0].UnmarshalTo(&w); err != nil {
			t.Fatal(err)
		}
		if w.GetCurrentNoStream() == nil || w.GetExpectedStreamPosition() != 7 {
			t.Errorf("%v", &w)
		}
	})
	t.Run("a tombstone refuses", func(t *testing.T) {
		t.Parallel()
		mustTombstone(t, c, "ended", esdb.Any{})
		b := r.batch(t)
		q := request("ended", true, events("a")...)
		b.send(q)
		refused(t, b.answer(q), codes.NotFound, "StreamDeleted")
	})
	t.Run("what is too large refuses, once", func(t *testing.T) {
		t.Parallel()
		b := r.batch(t)
		large := events("a", "b")
		large[0].Data, large[1].Data = make([]byte, 550), make([]byte, 550)
		q := request("large", false, large...)
		b.send(q, piece(q, true))
		refused(t, b.answer(q), codes.InvalidArgument, "MaximumAppendSizeExceeded")
		large[0].Data = make([]byte, 601)
		q = request("large", true, large[0])
		b.send(q)
		refused(t, b.answer(q), codes.InvalidArgument, "MaximumAppendEventSizeExceeded")
	})
	t.Run("what makes no sense refuses", func(t *testing.T) {
		t.Parallel()
		b := r.batch(t)
		nameless, unexpecting, untyped := request("", true), request("s", true), request("s", true, events("")...)
		unexpecting.Options.ExpectedStreamPosition = nil
		for _, q := range []*streams.BatchAppendReq{nameless, unexpecting, untyped} {
			b.send(q)
			refused(t, b.answer(q), codes.InvalidArgument, "BadRequest")
		}
	})
	t.Run("an append that is not finished in time is given up", func(t *testing.T) {
		t.Parallel()
		b := r.batch(t)
		q := request("unfinished", false, events("a")...)
		q.Options.DeadlineOption = &streams.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(20 * time.Millisecond)}
		b.send(q)
		refused(t, b.answer(q), codes.DeadlineExceeded, "Timeout")
		late := request("unfinished", true, events("a")...)
		late.Options.DeadlineOption = &streams.BatchAppendReq_Options_Deadline{Deadline: durationpb.New(0)}
		b.send(late)
		refused(t, b.answer(late), codes.DeadlineExceeded, "Timeout")
		if n := count(t, c, "unfinished"); n != 0 {
			t.Errorf("%d events", n)
		}
	})
}
