package esdb

import (
	"context"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
	"google.golang.org/grpc/codes"

	"github.com/stepledger/stepledger/eventstore"
)

// SetRetention implements eventstore.Keeper. Ages round up to whole seconds.
func (s *Store) SetRetention(ctx context.Context, stream string, r eventstore.Retention) error {
	if err := eventstore.CheckRetention(stream, r); err != nil {
		return err
	}
	return s.keep(ctx, "set retention of "+stream, stream, func(ctx context.Context) error {
		return s.change(ctx, stream, func(m *metadata) (bool, error) {
			deleted, err := s.deletedBefore(ctx, stream, *m)
			if err != nil {
				return false, err
			}
			m.MaxAge = int64((r.MaxAge + time.Second - 1) / time.Second)
			m.MaxCount = r.MaxCount
			m.Marks.TruncateBefore, m.Marks.DeletedBefore = min(r.TruncateBefore, never), deleted
			return true, s.hideBefore(ctx, stream, m)
		})
	})
}

// deletedBefore is the revision before which a stream was deleted. What the marks
// do not account for in the server's limit was deleted by another tool.
func (s *Store) deletedBefore(ctx context.Context, stream string, m metadata) (int64, error) {
	if m.TruncateBefore == softDeleted {
		revision, err := s.probe(ctx, stream)
		return revision + 1, err
	}
	if m.TruncateBefore > m.Marks.TruncateBefore {
		return m.TruncateBefore, nil
	}
	return m.Marks.DeletedBefore, nil
}

// hideBefore sets the server's limit from the marks, and notes the head where it
// hides that.
func (s *Store) hideBefore(ctx context.Context, stream string, m *metadata) error {
	m.TruncateBefore = max(m.Marks.TruncateBefore, m.Marks.DeletedBefore)
	if m.TruncateBefore == 0 {
		return nil
	}
	newest, err := s.last(ctx, stream)
	if err == nil && len(newest) > 0 && newest[0].Revision < m.TruncateBefore {
		m.Marks.Head = &mark{newest[0].Revision, newest[0].Position}
	}
	if isMissing(err) {
		return nil
	}
	return err
}

// Delete implements eventstore.Keeper. It looks at the revision first and hides
// what it saw, so an append that comes in between stays.
func (s *Store) Delete(ctx context.Context, stream string, expected int64) error {
	if err := eventstore.CheckKeep(stream, expected); err != nil {
		return err
	}
	return s.keep(ctx, "delete "+stream, stream, func(ctx context.Context) error {
		return s.change(ctx, stream, func(m *metadata) (bool, error) {
			at, err := s.headOf(ctx, stream)
			switch {
			case err != nil:
				return false, err
			case expected != eventstore.Any && expected != at.revision:
				return false, &eventstore.WrongRevisionError{Stream: stream, Expected: expected, Actual: at.revision}
			case at.ended:
				return false, &eventstore.DeletedError{Stream: stream}
			case at.revision < min(m.Marks.DeletedBefore, m.TruncateBefore):
				return false, nil
			}
			m.Marks.DeletedBefore = at.revision + 1
			m.Marks.Head = &mark{at.revision, at.position}
			m.TruncateBefore = max(m.TruncateBefore, m.Marks.DeletedBefore)
			return true, nil
		})
	})
}

// Tombstone implements eventstore.Keeper. What is lost with the stream's metadata,
// its head, is noted before.
func (s *Store) Tombstone(ctx context.Context, stream string, expected int64) error {
	if err := eventstore.CheckKeep(stream, expected); err != nil {
		return err
	}
	return s.keep(ctx, "tombstone "+stream, stream, func(ctx context.Context) error {
		for {
			at, err := s.headOf(ctx, stream)
			switch {
			case err != nil:
				return err
			case at.ended:
				return nil
			case expected != eventstore.Any && expected != at.revision:
				return &eventstore.WrongRevisionError{Stream: stream, Expected: expected, Actual: at.revision}
			}
			err = s.end(ctx, stream, at)
			if err == nil || isDeleted(err) {
				return nil
			}
			// Somebody appended meanwhile. The client has no name for it.
			if statusOf(err) != codes.FailedPrecondition || !sleep(ctx, 10*time.Millisecond) {
				return err
			}
		}
	})
}

func (s *Store) end(ctx context.Context, stream string, at head) error {
	err := s.change(ctx, endedNote(stream), func(m *metadata) (bool, error) {
		m.Marks.Head = &mark{at.revision, at.position}
		return true, nil
	})
	if err != nil {
		return err
	}
	_, err = call(ctx, s, func(ctx context.Context, c *esdb.Client) (*esdb.DeleteResult, error) {
		return c.TombstoneStream(ctx, stream,
			esdb.TombstoneStreamOptions{ExpectedRevision: expectation(at.revision), Deadline: &s.o.Timeout})
	})
	return err
}

// keep runs a change of what readers see. That there is such a thing in the log
// is noted before.
func (s *Store) keep(ctx context.Context, op, stream string, f func(context.Context) error) error {
	defer s.keeping.forget(stream)
	return s.bounded(ctx, op, func(ctx context.Context) error {
		err := s.noteKept(ctx)
		if err == nil {
			err = f(ctx)
		}
		if isDeleted(err) {
			return &eventstore.DeletedError{Stream: stream}
		}
		return err
	})
}
