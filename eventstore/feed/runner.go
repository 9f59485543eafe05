package feed

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/message/router/middleware"

	"github.com/stepledger/stepledger/eventstore"
)

// Handler handles an event. It may see the same event again.
type Handler func(ctx context.Context, e eventstore.Recorded) error

// Reaction is a handler with the events it reacts to. Its name is its consumer's.
type Reaction struct {
	Name, Topic string
	Handle      Handler
}

// Forward passes events on to another system, one at a time, each until it is
// accepted. Its name is its consumer's. To must bound its waits; it is closed when
// Run ends.
type Forward struct {
	Name, Topic string
	To          message.Publisher
	ToTopic     string
}

// RunnerConfig of a Runner. Config and Parking are required.
type RunnerConfig struct {
	Config
	Parking   Parking
	Reactions []Reaction
	Forwards  []Forward
	// IsOutage tells trouble that passes by itself from an event that cannot be
	// handled. An *eventstore.UnavailableError and a time-out are outages anyway.
	IsOutage func(error) bool
	// Observe, if set, may add to the router before it runs.
	Observe func(*message.Router)

	// Retries is how often a handler is tried again before its event is put
	// aside, or nacked where the trouble is an outage; the pauses double from
	// 100 ms. 0 means 5.
	Retries int
	// HandleWithin bounds one try; 0 means a minute.
	HandleWithin time.Duration
}

// Runner runs reactions and forwards, each as a consumer of its own.
type Runner struct {
	RunnerConfig
	subscribers map[string]*Subscriber
	since       time.Time
}

// NewRunner returns a runner. It does nothing before Run.
func NewRunner(c RunnerConfig) *Runner {
	const defaultRetries, defaultHandleWithin = 5, time.Minute
	c.Config = c.withDefaults()
	if c.Retries == 0 {
		c.Retries = defaultRetries
	}
	if c.HandleWithin == 0 {
		c.HandleWithin = defaultHandleWithin
	}
	r := &Runner{RunnerConfig: c, subscribers: map[string]*Subscriber{}, since: time.Now()}
	for name := range r.topics() {
		r.subscribers[name] = NewSubscriber(c.Config, name)
	}
	return r
}

// topics are those of the consumers, by name.
func (r *Runner) topics() map[string]string {
	topics := map[string]string{}
	for _, c := range r.Reactions {
		topics[c.Name] = c.Topic
	}
	for _, c := range r.Forwards {
		topics[c.Name] = c.Topic
	}
	return topics
}

// Run runs until ctx ends, and then until running handlers are done, which is
// bounded. It is called once. It returns an error for an invalid consumer, or for a
// handler that did not end in time.
func (r *Runner) Run(ctx context.Context) error {
	router, err := r.router()
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- router.Run(context.WithoutCancel(ctx)) }()
	select {
	case err := <-ended:
		return fmt.Errorf("run consumers: %w", err)
	case <-router.Running():
	}
	<-ctx.Done()
	if err := router.Close(); err != nil {
		return fmt.Errorf("end consumers: %w", err)
	}
	return <-ended
}

// closeMargin is for saving checkpoints, after the handlers were waited for.
const closeMargin = within + time.Second

func (r *Runner) router() (*message.Router, error) {
	log := watermill.NewSlogLoggerWithLevelMapping(r.Log, map[slog.Level]slog.Level{slog.LevelInfo: slog.LevelDebug})
	router, err := message.NewRouter(message.RouterConfig{CloseTimeout: r.DrainWithin + closeMargin}, log)
	if err != nil {
		return nil, err
	}
	poison, err := middleware.PoisonQueueWithFilter(parkingLot{r.Parking, r.Log}, "parked", r.isPoison)
	if err != nil {
		return nil, err
	}
	retry := middleware.Retry{
		MaxRetries: r.Retries, InitialInterval: firstPause, Multiplier: 2, MaxInterval: r.MaxPause,
	}
	for _, c := range r.Reactions {
		h := router.AddConsumerHandler(c.Name, c.Topic, r.subscribers[c.Name], r.react(c.Handle))
		h.AddMiddleware(r.behind(c.Name), poison, retry.Middleware)
	}
	for _, c := range r.Forwards {
		router.AddHandler(c.Name, c.Topic, r.subscribers[c.Name], c.ToTopic, c.To, message.PassthroughHandler)
	}
	if r.Observe != nil {
		r.Observe(router)
	}
	router.AddMiddleware(middleware.Recoverer)
	return router, nil
}

// react gives a handler the event a message was made of.
func (r *Runner) react(h Handler) message.NoPublishHandlerFunc {
	return func(m *message.Message) error {
		e, err := Event(m)
		if err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(m.Context(), r.HandleWithin)
		defer cancel()
		return h(ctx, e)
	}
}
