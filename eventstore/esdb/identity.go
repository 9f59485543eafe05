package esdb

import (
	"context"
	"math"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// logStream is the stream, never written to, in whose metadata stands what this
// package notes of the log itself. Metadata are system events: no reader of the
// feed meets them.
const logStream = "stepledger"

// ID implements eventstore.Feed. The server has none, so the first to ask draws
// it; of two at once one wins.
func (s *Store) ID(ctx context.Context) (string, error) {
	var id string
	err := s.bounded(ctx, "id of the log", func(ctx context.Context) error {
		return s.change(ctx, logStream, func(m *metadata) (bool, error) {
			isNew := m.Marks.Log == ""
			if isNew {
				m.Marks.Log = uuid.NewString()
			}
			id = m.Marks.name()
			s.keeping.see(m.Marks.Kept, time.Now())
			return isNew, nil
		})
	})
	if err == nil {
		s.identity.see(id)
	}
	return id, err
}

// Past implements eventstore.Feed. The head is that of a write of no meaning: a read
// after an election may be behind, and would put followers ahead of the log.
func (s *Store) Past(ctx context.Context, id string) (int64, error) {
	var past int64
	err := s.bounded(ctx, "past of the log", func(ctx context.Context) error {
		var of marks
		at, err := s.changed(ctx, logStream, func(m *metadata) (bool, error) {
			of = m.Marks
			return m.Marks.name() == id, nil
		})
		if of.name() != id {
			at = math.MaxInt64 // where later epochs began says it
		}
		past = eventstore.PastOf(of.Log, of.epochs(), at, id)
		return err
	})
	return past, err
}

// BeginEpoch implements eventstore.Keeper. Nothing tells a server that was restored from
// one that was not, so it is begun by hand.
func (s *Store) BeginEpoch(ctx context.Context) (string, error) {
	var id string
	err := s.bounded(ctx, "begin an epoch of the log", func(ctx context.Context) error {
		head, err := call(ctx, s, func(ctx context.Context, c *esdb.Client) (int64, error) { return newest(ctx, c) })
		if err != nil {
			return err
		}
		word := uuid.NewString()[:8]
		return s.change(ctx, logStream, func(m *metadata) (bool, error) {
			all := m.Marks.epochs()
			later := append(all[1:len(all):len(all)], eventstore.Epoch{Number: len(all) + 1, Word: word, BeganAt: head})
			m.Marks.Epochs = &later
			id = m.Marks.name()
			return true, nil
		})
	})
	if err == nil {
		s.identity.see(id)
	}
	return id, err
}

// name is what pages and slices say they are of: the id as it was a short time ago.
func (s *Store) name(ctx context.Context) (string, error) {
	if id, ok := s.identity.known(time.Now().Add(-s.o.Timeout)); ok {
		return id, nil
	}
	return s.ID(ctx)
}
