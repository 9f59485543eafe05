package feed

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"

	"github.com/stepledger/stepledger/eventstore"
)

// Source is the part of an event store that a feed needs.
type Source interface {
	eventstore.Feed
	eventstore.Subscriber
	ReadStream(ctx context.Context, stream string, o eventstore.ReadOptions) (eventstore.Slice, error)
}

// Config of a Subscriber. Source, Checkpoints, Leads and Log are required.
type Config struct {
	Source      Source
	Checkpoints Checkpoints
	// Leads reports whether this process has a duty that one process at a time
	// may have, and takes it when nobody has it. It is a hint: Checkpoints guards.
	Leads func(ctx context.Context, duty string) (bool, error)
	Log   *slog.Logger

	// SaveEvery is how often a checkpoint that moved is saved; 0 means a second.
	SaveEvery time.Duration
	// Standby is how often a process that does not lead looks whether it may; 0
	// means a second.
	Standby time.Duration
	// MaxPause is the longest pause after trouble; 0 means 30 seconds.
	MaxPause time.Duration
	// DrainWithin is how long a message under way is waited for when the
	// subscription ends; 0 means 10 seconds.
	DrainWithin time.Duration
}

func (c Config) withDefaults() Config {
	c.SaveEvery = cmp.Or(c.SaveEvery, time.Second)
	c.Standby = cmp.Or(c.Standby, time.Second)
	c.MaxPause = cmp.Or(c.MaxPause, 30*time.Second)
	c.DrainWithin = cmp.Or(c.DrainWithin, 10*time.Second)
	return c
}

// Subscriber is the message.Subscriber of one consumer. It is safe for
// concurrent use.
type Subscriber struct {
	Config
	consumer string

	running sync.WaitGroup
	closing context.Context
	close   context.CancelFunc

	mu    sync.Mutex
	topic string
	fault error
}

var _ message.Subscriber = (*Subscriber)(nil)

// NewSubscriber returns the subscriber of a consumer. It does nothing before
// Subscribe.
func NewSubscriber(c Config, consumer string) *Subscriber {
	s := &Subscriber{Config: c.withDefaults(), consumer: consumer}
	s.closing, s.close = context.WithCancel(context.Background())
	return s
}

// Subscribe implements message.Subscriber. The channel is closed some time after
// ctx ends or Close is called: when the message under way is over, or has been
// waited for long enough, and the checkpoint is saved. Messages carry the values
// of ctx, but their contexts end only then. A consumer has one subscription; the
// second is an error, as is a topic that ParseTopic refuses.
func (s *Subscriber) Subscribe(ctx context.Context, topic string) (<-chan *message.Message, error) {
	filter, err := ParseTopic(topic)
	if err != nil {
		return nil, fmt.Errorf("consumer %s: %w", s.consumer, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.topic != "" {
		return nil, fmt.Errorf("consumer %s follows %s already", s.consumer, s.topic)
	}
	s.topic = topic
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.closing, cancel)
	d := &delivery{Subscriber: s, topic: topic, filter: filter, out: make(chan *message.Message)}
	s.running.Go(func() {
		defer cancel()
		defer stop()
		defer close(d.out)
		d.run(ctx)
	})
	return d.out, nil
}

// Close implements message.Subscriber. It returns when the subscription is over.
func (s *Subscriber) Close() error {
	s.close()
	s.running.Wait()
	return nil
}

// Err is the last error the subscription has not recovered from, or nil.
func (s *Subscriber) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fault
}

// note notes trouble, or with nil that it is over. Both are logged once.
func (s *Subscriber) note(ctx context.Context, err error) {
	s.mu.Lock()
	before := s.fault
	s.fault = err
	s.mu.Unlock()
	switch {
	case before == nil && err != nil:
		s.Log.ErrorContext(ctx, "consumer is held up; it tries again", "consumer", s.consumer, "error", err)
	case before != nil && err == nil:
		s.Log.InfoContext(ctx, "consumer goes on", "consumer", s.consumer)
	}
}
