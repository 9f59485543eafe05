package esdbtest

import (
	"fmt"
	"strconv"

	"github.com/EventStore/EventStore-Client-Go/v4/protos/shared"
	"github.com/google/uuid"
	"google.golang.org/grpc/codes"
)

// limits of one append, and what of them has been used.
type limits struct{ ofAppend, ofEvent, used int }

func (o Options) limits() limits {
	return limits{ofAppend: o.MaxAppendBytes, ofEvent: o.MaxEventBytes}
}

// message is a proposed event as both ways of appending spell it.
type message interface {
	GetId() *shared.UUID
	GetMetadata() map[string]string
	GetCustomMetadata() []byte
	GetData() []byte
}

// take reads the next event of an append. It returns an *overLimit for one that
// is too much.
func (l *limits) take(m message) (proposed, error) {
	for _, required := range []string{"type", "content-type"} {
		if _, ok := m.GetMetadata()[required]; !ok {
			return proposed{}, errPropertyMissing(required)
		}
	}
	e := proposed{
		id: idOf(m.GetId()), typ: m.GetMetadata()["type"], json: m.GetMetadata()["content-type"] == jsonType,
		data: m.GetData(), meta: m.GetCustomMetadata(),
	}
	if e.size() > l.ofEvent {
		return e, &overLimit{event: e.id, size: e.size(), limit: l.ofEvent}
	}
	if l.used += e.size(); l.used > l.ofAppend {
		return e, &overLimit{size: l.used, limit: l.ofAppend}
	}
	if e.id == uuid.Nil || e.typ == "" || e.size() > MaxRecordBytes {
		return e, errException()
	}
	return e, nil
}

// overLimit is an append that is too large: for one event, or as a whole where
// no event is named.
type overLimit struct {
	event       uuid.UUID
	size, limit int
}

func (o *overLimit) Error() string {
	if o.event == uuid.Nil {
		return fmt.Sprintf("Maximum Append Size of %d Exceeded.", o.limit)
	}
	return fmt.Sprintf("Event with Id: %s, Size: %d, exceeds Maximum Append Event Size of %d.", o.event, o.size, o.limit)
}

// refusal is how Append says it.
func (o *overLimit) refusal() error {
	if o.event == uuid.Nil {
		return refuse(codes.InvalidArgument, o.Error(),
			"exception", "maximum-append-size-exceeded", "maximum-append-size", strconv.Itoa(o.limit))
	}
	return refuse(codes.InvalidArgument, o.Error(),
		"exception", "maximum-append-event-size-exceeded", "maximum-append-event-size", strconv.Itoa(o.limit),
		"event-id", o.event.String(), "proposed-append-event-size", strconv.Itoa(o.size))
}
