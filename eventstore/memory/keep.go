package memory

import (
	"context"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
)

// SetRetention implements eventstore.Keeper.
func (s *Store) SetRetention(ctx context.Context, name string, r eventstore.Retention) error {
	if err := eventstore.CheckRetention(name, r); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(name)
	if st.ended {
		return &eventstore.DeletedError{Stream: name}
	}
	st.retention = r
	return nil
}

// Delete implements eventstore.Keeper.
func (s *Store) Delete(ctx context.Context, name string, expected int64) error {
	ended, err := s.end(ctx, name, expected, false)
	if err == nil && ended {
		return &eventstore.DeletedError{Stream: name}
	}
	return err
}

// Tombstone implements eventstore.Keeper.
func (s *Store) Tombstone(ctx context.Context, name string, expected int64) error {
	_, err := s.end(ctx, name, expected, true)
	return err
}

// end hides the events of a stream, and forGood ends it. It reports whether it
// was ended before.
func (s *Store) end(ctx context.Context, name string, expected int64, forGood bool) (ended bool, err error) {
	if err := eventstore.CheckKeep(name, expected); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.stream(name)
	switch {
	case st.ended:
		return true, nil
	case expected != eventstore.Any && expected != st.head():
		return false, &eventstore.WrongRevisionError{Stream: name, Expected: expected, Actual: st.head()}
	}
	st.deletedBefore, st.ended = st.head()+1, forGood
	if forGood {
		st.retention = eventstore.Retention{}
	}
	return false, nil
}

// Kept implements eventstore.Keeper.
func (s *Store) Kept(ctx context.Context, after string, limit int) ([]eventstore.Kept, error) {
	limit, err := eventstore.CheckKept(limit)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []eventstore.Kept
	for _, name := range slices.Sorted(maps.Keys(s.streams)) {
		st := s.streams[name]
		isKept := st.ended || st.deletedBefore > 0 || st.retention != eventstore.Retention{}
		if name > after && isKept && len(out) < limit {
			out = append(out, eventstore.Kept{Stream: name, Retention: st.retention, Ended: st.ended})
		}
	}
	return out, nil
}

// BeginEpoch implements eventstore.Keeper.
func (s *Store) BeginEpoch(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.epochs = append(s.epochs, eventstore.Epoch{
		Number: len(s.epochs) + 1, Word: uuid.NewString()[:8], BeganAt: int64(len(s.log)),
	})
	return s.name(), nil
}
