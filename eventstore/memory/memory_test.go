package memory_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"github.com/stepledger/stepledger/eventstore"
	"github.com/stepledger/stepledger/eventstore/memory"
	"github.com/stepledger/stepledger/eventstore/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Subject{
		Name: "memory", Lacks: []storetest.Feature{storetest.Durable},
		Open: func(testing.TB) eventstore.Store { return memory.New(memory.Options{}) },
	})
}

func appendOne(t *testing.T, s *memory.Store) {
	t.Helper()
	e := eventstore.Proposed{ID: uuid.NewString(), Type: "test.happened.v1", Data: []byte(`{}`)}
	if _, err := s.Append(t.Context(), "task-1", eventstore.Any, []eventstore.Proposed{e}); err != nil {
		t.Fatal(err)
	}
}

func TestRetention_followsTheClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := memory.New(memory.Options{Now: func() time.Time { return now }})
	appendOne(t, s)
	now = now.Add(time.Hour)
	appendOne(t, s)
	if err := s.SetRetention(t.Context(), "task-1", eventstore.Retention{MaxAge: 90 * time.Minute}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 1, 0} {
		slice, err := s.ReadStream(t.Context(), "task-1", eventstore.ReadOptions{})
		if err != nil || len(slice.Events) != want {
			t.Errorf("at %v there are %d events, %v, want %d", now, len(slice.Events), err, want)
		}
		now = now.Add(time.Hour)
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	t.Run("an append wakes it", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := memory.New(memory.Options{PollFloor: time.Hour})
			began := time.Now()
			go func() {
				time.Sleep(time.Minute) // of the bubble's clock
				appendOne(t, s)
			}()
			if err := s.Wait(t.Context(), 0); err != nil || time.Since(began) != time.Minute {
				t.Errorf("woke after %v, %v", time.Since(began), err)
			}
		})
	})
	t.Run("the poll floor ends it", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			s := memory.New(memory.Options{PollFloor: time.Hour})
			began := time.Now()
			if err := s.Wait(t.Context(), 0); err != nil || time.Since(began) != time.Hour {
				t.Errorf("woke after %v, %v", time.Since(began), err)
			}
		})
	})
	t.Run("its context ends it", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := memory.New(memory.Options{PollFloor: time.Hour}).Wait(ctx, 0)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error is %v", err)
			}
		})
	})
}
