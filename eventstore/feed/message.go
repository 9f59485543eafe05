package feed

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/stepledger/stepledger/eventstore"
)

// Keys of a message's metadata. Those of the envelope are left out where the
// event has no such thing.
const (
	KeyType        = "type"
	KeyStream      = "stream"
	KeyRevision    = "revision"
	KeyPosition    = "position"
	KeyRecordedAt  = "recorded_at" // RFC 3339, UTC
	KeyTenant      = "tenant"
	KeyActor       = "actor"
	KeyCorrelation = "correlation"
	KeyCausation   = "causation"
	KeySchema      = "schema"
)

// Message returns an event as a message: its UUID is the event's id, its payload the
// event's data, byte for byte.
func Message(e eventstore.Recorded) *message.Message {
	m := message.NewMessage(e.ID, message.Payload(e.Data))
	m.Metadata = message.Metadata{
		KeyType: e.Type, KeyStream: e.Stream,
		KeyRevision:   strconv.FormatInt(e.Revision, 10),
		KeyPosition:   strconv.FormatInt(e.Position, 10),
		KeyRecordedAt: e.RecordedAt.UTC().Format(time.RFC3339Nano),
	}
	meta := e.Metadata()
	for key, value := range map[string]string{
		KeyTenant: meta.Tenant, KeyActor: meta.Actor,
		KeyCorrelation: meta.Correlation, KeyCausation: meta.Causation,
	} {
		if value != "" {
			m.Metadata[key] = value
		}
	}
	if meta.Schema != 0 {
		m.Metadata[KeySchema] = strconv.Itoa(meta.Schema)
	}
	return m
}

// Event returns the event a message was made from. The error names the part that
// Message does not write like this.
func Event(m *message.Message) (eventstore.Recorded, error) {
	r := reader{from: m.Metadata}
	e := eventstore.Recorded{
		ID: m.UUID, Data: []byte(m.Payload), Type: m.Metadata[KeyType], Stream: m.Metadata[KeyStream],
		Revision: r.number(KeyRevision), Position: r.number(KeyPosition), RecordedAt: r.time(KeyRecordedAt),
	}
	meta := eventstore.Metadata{
		Tenant: m.Metadata[KeyTenant], Actor: m.Metadata[KeyActor],
		Correlation: m.Metadata[KeyCorrelation], Causation: m.Metadata[KeyCausation],
	}
	if m.Metadata[KeySchema] != "" {
		meta.Schema = int(r.number(KeySchema))
	}
	e.Meta = meta.Encode()
	if err := errors.Join(r.faults...); err != nil {
		return e, fmt.Errorf("message %s: %w", m.UUID, err)
	}
	return e, nil
}

// reader reads metadata and collects what is wrong with it.
type reader struct {
	from   message.Metadata
	faults []error
}

func (r *reader) number(key string) int64 {
	n, err := strconv.ParseInt(r.from[key], 10, 64)
	r.check(key, err)
	return n
}

func (r *reader) time(key string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.from[key])
	r.check(key, err)
	return t
}

func (r *reader) check(key string, err error) {
	if err != nil {
		r.faults = append(r.faults, fmt.Errorf("%s: %w", key, err))
	}
}
