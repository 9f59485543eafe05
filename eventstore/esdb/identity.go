package esdb

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// logStream is the stream, never written to, in whose metadata stands what this
// package notes of the log itself. Metadata are system events: no reader of the
// feed meets them.
const logStream = "stepledger"

// ID implements eventstore.Feed. The server has none, so the first to ask draws
// it; of two at once one wins.
func (s *Store) ID(ctx context.Context) (string, error) {
	s.identity.Lock()
	defer s.identity.Unlock()
	if s.identity.id != "" {
		return s.identity.id, nil
	}
	var id string
	err := s.bounded(ctx, "id of the log", func(ctx context.Context) error {
		return s.change(ctx, logStream, func(m *metadata) (bool, error) {
			isNew := m.Marks.Log == ""
			if isNew {
				m.Marks.Log = uuid.NewString()
			}
			id = m.Marks.Log
			s.keeping.see(m.Marks.Kept, time.Now())
			return isNew, nil
		})
	})
	if err == nil {
		s.identity.id = id
	}
	return s.identity.id, err
}
