package feed

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// MaxLag is up to how many waiting events are counted.
const MaxLag = 1000

// MaxStanding is how long a consumer may leave events waiting without handling one.
// It is well above the time of a take-over.
const MaxStanding = 30 * time.Second

// Status is the condition of a consumer, whichever process runs it.
type Status struct {
	Consumer string
	// Position up to which everything is acknowledged, and the log's Head.
	Position, Head int64
	// Lag is how many events wait for the consumer, as far as a short look tells:
	// MaxLag is that many or more.
	Lag int
	// Waiting is how old the oldest of them is; Standing for how long none was
	// handled though it was there.
	Waiting, Standing time.Duration
	// Ahead: it has seen what is not in the log, which was put back to an earlier state.
	// It is set back once a process runs it.
	Ahead bool
	// Parked counts the events put aside.
	Parked int64
	// Err is the trouble this process has not got over; nil if none.
	Err error
}

// Fault returns what needs attention, nil if nothing does.
func (s Status) Fault() error {
	switch {
	case s.Err != nil:
		return fmt.Errorf("consumer %s: %w", s.Consumer, s.Err)
	case s.Ahead:
		return fmt.Errorf("consumer %s is ahead of the log, which was put back: it is set back (position %d)", s.Consumer, s.Position)
	case s.Parked > 0:
		return fmt.Errorf("consumer %s has put %d events aside", s.Consumer, s.Parked)
	case s.Standing > MaxStanding:
		return fmt.Errorf("consumer %s has stood still for %v at position %d, %d events wait",
			s.Consumer, s.Standing.Round(time.Second), s.Position, s.Lag)
	}
	return nil
}

// Status returns the status of each consumer by name.
func (r *Runner) Status(ctx context.Context) ([]Status, error) {
	head, err := r.Source.Head(ctx)
	if err != nil {
		return nil, fmt.Errorf("status of consumers: %w", err)
	}
	log, err := r.Source.ID(ctx)
	if err != nil {
		return nil, fmt.Errorf("status of consumers: %w", err)
	}
	var out []Status
	for name, topic := range r.topics() {
		s := Status{Consumer: name, Head: head, Err: r.subscribers[name].Err()}
		if err := r.measure(ctx, topic, log, &s); err != nil {
			return nil, fmt.Errorf("status of consumer %s: %w", name, err)
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Status) int { return strings.Compare(a.Consumer, b.Consumer) })
	return out, nil
}

// maxLooks bounds a status: a consumer that is far behind moves over what its
// topic leaves out by itself, nobody has to count that.
const maxLooks = 10

// measure counts what waits behind a checkpoint, in the log of that name.
func (r *Runner) measure(ctx context.Context, topic, log string, s *Status) error {
	filter, err := ParseTopic(topic)
	if err != nil {
		return err
	}
	at, err := r.Checkpoints.At(ctx, s.Consumer)
	if err != nil {
		return err
	}
	s.Position, s.Parked = at.Position, at.Parked
	if at.Log != "" && (at.Log != log || at.Position > s.Head) {
		past, err := r.Source.Past(ctx, at.Log)
		if err != nil {
			return err
		}
		s.Ahead = at.Position > past
	}
	after := at.Position
	for looks := 0; looks < maxLooks && after < s.Head && s.Lag < MaxLag; looks++ {
		page, err := r.Source.ReadAll(ctx, after, MaxLag-s.Lag, filter)
		if err != nil || page.Scanned == after {
			return err
		}
		if s.Lag == 0 && len(page.Events) > 0 {
			s.Waiting = max(0, time.Since(page.Events[0].RecordedAt))
			// What came a moment ago is no stand-still, nor is a start.
			s.Standing = max(0, min(s.Waiting, time.Since(at.MovedAt), time.Since(r.since)))
		}
		s.Lag, after = s.Lag+len(page.Events), page.Scanned
	}
	return nil
}
