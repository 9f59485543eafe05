package feedtest

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/feed"
)

// Memory keeps checkpoints and parked events in memory. It passes Run.
type Memory struct {
	mu        sync.Mutex
	consumers map[string]*consumer
	parked    []feed.Parked // in the order of the log
	retrying  sync.Mutex
}

type consumer struct {
	feed.Consumer
	feed.Checkpoint
}

var (
	_ feed.Checkpoints = (*Memory)(nil)
	_ feed.Parking     = (*Memory)(nil)
)

// NewMemory returns an empty one.
func NewMemory() *Memory { return &Memory{consumers: map[string]*consumer{}} }

// Claim implements feed.Checkpoints.
func (m *Memory) Claim(_ context.Context, c feed.Consumer) (feed.Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.consumers[c.Name]
	if known == nil {
		known = &consumer{}
		m.consumers[c.Name] = known
	}
	holds := int64(0)
	switch {
	case known.Topic != c.Topic:
	case known.Consumer.Log == c.Was:
		holds = c.Past
	case known.Consumer.Log == c.Log:
		holds = math.MaxInt64
	}
	if known.Position > holds {
		known.Position, known.MovedAt = holds, time.Now()
	}
	m.parked = slices.DeleteFunc(m.parked, func(p feed.Parked) bool { return p.Consumer == c.Name && p.Position > holds })
	known.Consumer, known.Checkpoint.Log = c, c.Log
	known.Term++
	return known.Checkpoint, nil
}

// Save implements feed.Checkpoints.
func (m *Memory) Save(_ context.Context, c feed.Consumer, term, position int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.consumers[c.Name]
	if known == nil || known.Term != term || known.Consumer.Log != c.Log {
		return &feed.LostError{Consumer: c.Name}
	}
	known.Position, known.MovedAt = max(known.Position, position), time.Now()
	return nil
}

// At implements feed.Checkpoints.
func (m *Memory) At(_ context.Context, name string) (feed.Checkpoint, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var at feed.Checkpoint
	if known := m.consumers[name]; known != nil {
		at = known.Checkpoint
	}
	for _, p := range m.parked {
		if p.Consumer == name {
			at.Parked++
		}
	}
	return at, nil
}

// Park implements feed.Parking.
func (m *Memory) Park(_ context.Context, name string, e eventstore.Recorded, reason string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.put(name, e, reason)
	return nil
}

func (m *Memory) put(name string, e eventstore.Recorded, reason string) {
	m.forget(name, e.Position)
	m.parked = append(m.parked, feed.Parked{
		Consumer: name, Stream: e.Stream, Revision: e.Revision, Position: e.Position,
		EventID: e.ID, Type: e.Type, Reason: reason, ParkedAt: time.Now(),
	})
	slices.SortFunc(m.parked, func(a, b feed.Parked) int { return int(a.Position - b.Position) })
}

func (m *Memory) forget(name string, position int64) {
	m.parked = slices.DeleteFunc(m.parked, func(p feed.Parked) bool { return p.Consumer == name && p.Position == position })
}

// first is the index of a stream's first event, -1 for none.
func (m *Memory) first(name, stream string) int {
	return slices.IndexFunc(m.parked, func(p feed.Parked) bool { return p.Consumer == name && p.Stream == stream })
}

// ParkBehind implements feed.Parking.
func (m *Memory) ParkBehind(_ context.Context, name string, e eventstore.Recorded) (bool, error) {
	m.retrying.Lock()
	defer m.retrying.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.first(name, e.Stream) < 0 {
		return false, nil
	}
	if !slices.ContainsFunc(m.parked, func(p feed.Parked) bool { return p.Consumer == name && p.Position == e.Position }) {
		m.put(name, e, feed.BehindAnother)
	}
	return true, nil
}

// Parked implements feed.Parking.
func (m *Memory) Parked(_ context.Context, name string) ([]feed.Parked, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.parked), func(p feed.Parked) bool { return name != "" && p.Consumer != name }), nil
}

// FirstParked implements feed.Parking.
func (m *Memory) FirstParked(_ context.Context, name string, after int64) (out []feed.Parked, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, p := range m.parked {
		if p.Consumer == name && p.Position > after && m.first(name, p.Stream) == i {
			out = append(out, p)
		}
	}
	return out, nil
}

// RetryFirst implements feed.Parking.
func (m *Memory) RetryFirst(ctx context.Context, name, stream string, do func(context.Context, feed.Parked) error) (bool, error) {
	m.retrying.Lock()
	defer m.retrying.Unlock()
	m.mu.Lock()
	i := m.first(name, stream)
	if i < 0 {
		m.mu.Unlock()
		return false, nil
	}
	p := m.parked[i]
	m.mu.Unlock()
	failed := do(ctx, p)
	m.mu.Lock()
	defer m.mu.Unlock()
	if failed == nil {
		m.forget(name, p.Position)
		return true, nil
	}
	m.parked[m.first(name, stream)].Reason = failed.Error()
	return true, nil
}
