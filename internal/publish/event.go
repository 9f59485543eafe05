package publish

import (
	"fmt"
	"strings"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/stepledger/stepledger/eventstore/feed"
)

// attributes are the CloudEvents 1.0 names of a message's metadata, besides id,
// specversion and source.
var attributes = map[string]string{
	feed.KeyType: "type", feed.KeyStream: subject, feed.KeyRecordedAt: "time",
	feed.KeyRevision: "revision", feed.KeyPosition: "position", feed.KeySchema: "schema",
	feed.KeyTenant: "tenant", feed.KeyActor: "actor",
	feed.KeyCorrelation: "correlation", feed.KeyCausation: "causation",
}

const subject = "subject"

// binding is how a protocol carries attributes in headers.
type binding struct {
	prefix      string
	contentType string // the whole header
	encode      func(string) string
}

var (
	kafkaBinding = binding{"ce_", "content-type", func(s string) string { return s }}
	natsBinding  = binding{"ce-", "ce-datacontenttype", percent}
)

// event returns a message as other systems see it.
func (b binding) event(m *message.Message) *message.Message {
	out := message.NewMessage(m.UUID, m.Payload)
	out.Metadata = message.Metadata{
		b.prefix + "id": b.encode(m.UUID), b.prefix + "specversion": "1.0", b.prefix + "source": "/stepledger",
		b.contentType: "application/json",
	}
	for key, name := range attributes {
		if value, ok := m.Metadata[key]; ok {
			out.Metadata[b.prefix+name] = b.encode(value)
		}
	}
	return out
}

// percent encodes what NATS headers may not contain, since clients choose idempotency
// keys freely.
func percent(s string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '%' {
			fmt.Fprintf(&out, "%%%02X", c)
			continue
		}
		out.WriteByte(c)
	}
	return out.String()
}
