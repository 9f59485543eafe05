// Package publish lets other systems follow: a Watermill publisher for the
// broker a URL names.
//
//	kafka://[user:password@]host[:9092][,host…][?topic=stepledger][&tls=true]
//	nats://[user:password@]host[:4222][,host…][?topic=stepledger][&tls=true]
//	postgres://…/database[?topic=stepledger]
//
// What is sent is a CloudEvent in binary mode: the event's data, which is JSON,
// and headers for the rest (see attributes). Personal text in the data stays
// sealed; nobody outside has the keys. Ids of tenants, users and tasks, types,
// times, hashes and counts are in clear.
//
// Publish returns when the broker has the message as safe as it makes it: Kafka
// on all replicas in sync, in the partition of the event's stream; JetStream in
// the stream named like the topic, which is made if there is none; Postgres in
// the table watermill_<topic>, made likewise, of Watermill's SQL subscribers.
// Messages come in the order of Publish calls, at least once; JetStream drops a
// repeat within its window.
//
// Open connects to nothing; the first Publish does. A broker that is away is an
// error within a minute or so, and the next Publish tries again. A broker has
// to take messages of a megabyte and some, which the largest events are.
package publish

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/stepledger/stepledger/domain/account"
)

// Target publishes messages of feed.Message. It is safe for concurrent use.
type Target struct {
	// Topic to publish to.
	Topic string

	binding binding
	connect func() (message.Publisher, error)

	mu     sync.Mutex
	to     message.Publisher
	closed bool
}

var _ message.Publisher = (*Target)(nil)

// Open parses a URL. The error says what is wrong with it without quoting it.
func Open(url account.Secret) (*Target, error) {
	a, err := parse(url)
	if err != nil {
		return nil, err
	}
	t := &Target{Topic: a.topic}
	switch a.scheme {
	case "kafka":
		t.binding, t.connect = kafkaBinding, a.kafka
	case "nats":
		t.binding, t.connect = natsBinding, a.nats
	default:
		t.binding, t.connect = kafkaBinding, a.postgres
	}
	return t, nil
}

var errClosed = errors.New("the publisher is closed")

// Publish implements message.Publisher for messages of feed.Message.
func (t *Target) Publish(topic string, messages ...*message.Message) error {
	to, err := t.connected()
	if err != nil {
		return err
	}
	for _, m := range messages {
		if err := t.publish(to, topic, m); err != nil {
			return fmt.Errorf("publish %s to %s: %w", m.UUID, topic, err)
		}
	}
	return nil
}

// publishWithin bounds the wait for a database; the other clients have bounds of
// their own.
const publishWithin = 30 * time.Second

func (t *Target) publish(to message.Publisher, topic string, m *message.Message) error {
	ctx, cancel := context.WithTimeout(m.Context(), publishWithin)
	defer cancel()
	e := t.binding.event(m)
	e.SetContext(ctx)
	return to.Publish(topic, e)
}

func (t *Target) connected() (message.Publisher, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.closed:
		return nil, errClosed
	case t.to != nil:
		return t.to, nil
	}
	to, err := t.connect()
	if err != nil {
		return nil, fmt.Errorf("connect to the broker: %w", err)
	}
	t.to = to
	return to, nil
}

// Close implements message.Publisher.
func (t *Target) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.to == nil {
		return nil
	}
	to := t.to
	t.to = nil
	return to.Close()
}
